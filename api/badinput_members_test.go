package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// wrong is the text of a value that a member must not have, and how that is told.
type wrong struct {
	text, code string
	within     string // of the member; "" where the member itself is named
}

// wrongValues are those of a schema.
func wrongValues(s *openapi3.Schema) []wrong {
	switch {
	case s.Type.Is("integer"):
		return wrongIntegers(s)
	case s.Type.Is("number"):
		out := texts("parameter_invalid", quoted(9), `"1"`, "true", "[1]", "{}", "[]", `{"!`+marker+`":1}`, "1e400",
			"-1e400", "1e2", "-1", "-0.001", "0.0001", "1e-9")
		if s.Max != nil {
			out = append(out, texts("parameter_invalid", fmt.Sprint(*s.Max+1), fmt.Sprintf("%g.001", *s.Max),
				strings.Repeat("9", 400))...)
		}
		return out
	case s.Type.Is("boolean"):
		return texts("parameter_invalid", quoted(9), `"true"`, `""`, "0", "1", "1.5", "[]", "[true]", "{}",
			`{"!`+marker+`":true}`)
	case s.Type.Is("string"):
		return wrongTexts(s)
	case s.Type.Is("array"):
		return wrongLists(s)
	}
	return wrongObjects(s)
}

func texts(code string, texts ...string) (out []wrong) {
	for _, text := range texts {
		out = append(out, wrong{text: text, code: code})
	}
	return out
}

func wrongIntegers(s *openapi3.Schema) []wrong {
	form, small, large, low, high := "parameter_invalid", "parameter_invalid", "parameter_invalid", "parameter_invalid",
		"parameter_invalid"
	if s.Max != nil && *s.Max == 99_999_999 { // money, which may be 0 where it is a fee
		form, small, large = "amount_not_integer", "amount_too_small", "amount_too_large"
		if low, high = small, large; *s.Min == 0 {
			low, high = "parameter_invalid", "parameter_invalid"
		}
	}
	out := texts(form, quoted(9), `"1"`, `""`, "true", "false", "[1]", "[]", "{}", `{"!`+marker+`":1}`, "1.5", "1.0",
		"1e2", "1E2", "1e-2", "12.50", "1e400", "-0.0")
	out = append(out, texts(large, "9223372036854775808", strings.Repeat("9", 400))...)
	out = append(out, texts(small, "-9223372036854775809", "-"+strings.Repeat("9", 400))...)
	if s.Min != nil {
		out = append(out, texts(low, fmt.Sprint(*s.Min-1), "-9223372036854775808")...)
		if *s.Min > 0 {
			out = append(out, texts(low, "0", "-0", "-1")...)
		}
	}
	if s.Max != nil {
		out = append(out, texts(high, fmt.Sprintf("%.0f", *s.Max+1), "9223372036854775807")...)
	}
	return out
}

// wrongTexts are values of other types, and those texts of a list that the contract forbids.
func wrongTexts(s *openapi3.Schema) []wrong {
	code := "parameter_invalid"
	out := texts(code, "1", "0", "1.5", "true", "false", "[]", "{}", "["+quoted(9)+"]", `{"!`+marker+`":"a"}`,
		`{"a":`+quoted(9)+`}`)
	if slices.Contains(s.Enum, any("usd")) {
		code = "currency_unsupported"
	}
	if slices.Contains(s.Enum, any("US")) {
		code = "country_invalid"
	}
	if strings.Contains(s.Pattern, "[A-Z]{2}") { // a country
		out = append(out, texts(code, `"XX"`, `"ZZ"`, `"UK"`, `"SU"`, `"EU"`)...)
	}
	many := marker + strings.Repeat("x", 80<<10)
	try := []string{"", " ", marker, marker + "\x00", "\x00", marker + "\n", "a\tb", marker + "\u0085", "\x7f",
		"\x1b[31m", many[:13], many[:65], many[:256], many[:501], many[:20_001], many}
	for _, word := range s.Enum {
		if w, ok := word.(string); ok {
			try = append(try, strings.ToUpper(w), w+" ", " "+w, w+"\x00", w+","+w)
		}
	}
	for _, value := range try {
		if s.VisitJSON(value) != nil {
			text, err := json.Marshal(value)
			if err != nil {
				panic(err)
			}
			out = append(out, wrong{text: string(text), code: code})
		}
	}
	return out
}

func wrongLists(s *openapi3.Schema) []wrong {
	out := texts("parameter_invalid", quoted(9), `""`, "1", "true", "{}", `{"0":`+quoted(9)+`}`, "[null]", "[[]]")
	for _, w := range wrongValues(s.Items.Value) {
		out = append(out, wrong{text: "[" + w.text + "]", code: "parameter_invalid"})
	}
	if s.MaxItems != nil {
		out = append(out, texts("parameter_invalid", "["+strings.Repeat("null,", int(*s.MaxItems))+"null]")...)
	}
	return out
}

func wrongObjects(s *openapi3.Schema) []wrong {
	out := texts("parameter_invalid", quoted(9), `""`, "1", "1.5", "true", "[]", "[{}]", "["+quoted(9)+"]")
	if values := s.AdditionalProperties.Schema; values != nil { // texts by names of the caller's
		out = append(out, texts("parameter_invalid", `{"a":1}`, `{"a":true}`, `{"a":null}`, `{"a":[`+quoted(9)+`]}`,
			`{"a":{"b":`+quoted(9)+`}}`, pairsOf(51), `{"":`+quoted(9)+`}`,
			`{`+quoted(41)+`:"v"}`, `{"a":`+quoted(501)+`}`, `{"a":"\u0000"}`, `{"a\u0000":"v"}`,
			`{"a":"v","b":`+quoted(501)+`,"c":1}`)...)
		return out
	}
	rest := "" // what such an object must have; so far these are texts
	for _, name := range s.Required {
		rest += fmt.Sprintf(",%q:\"A\"", name)
	}
	if s.Extensions["x-open"] != nil {
		return out
	}
	out = append(out, wrong{`{"no_such_name":` + quoted(9) + rest + `}`, "parameter_unknown", "no_such_name"},
		wrong{`{"!` + marker + `":"a"` + rest + `}`, "parameter_unknown", "!"})
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		for _, w := range wrongValues(s.Properties[name].Value) {
			out = append(out,
				wrong{fmt.Sprintf("{%q:%s}", name, w.text), w.code, strings.TrimSuffix(name+"."+w.within, ".")})
		}
	}
	return out
}

// bases are bodies that a wrong member is put into where those of the contract do not do, because what
// is said of it depends on another.
var bases = map[string]string{
	"simulateCharge amount": `{"outcome":"chargeback"}`, "createMerchant organization.": `{"name":"A","country":"US"}`,
	"createDafDonation user.":            `{"merchant_id":1042,"workflowSessionId":"ws_3q5m7k2n9p4r6t8v2x4z6b8d0f","amount":12500,"anonymous":true}`,
	"updateMerchant payout_weekday":      `{"payout_schedule":"weekly"}`,
	"updateMerchant payout_day_of_month": `{"payout_schedule":"monthly"}`,
}

// unparted are members whose parts are named, in answers, only where a part's text is wrong.
var unparted = map[string]bool{"submitEvidence evidence": true}

// param is the name by which a wrong value of a member is told.
func (w wrong) param(operation, name string) string {
	text := strings.HasPrefix(w.text[strings.Index(w.text, ":")+1:], `"`) && w.code == "parameter_invalid"
	switch {
	case w.within == "" || (unparted[operation+" "+name] && !text):
		return name
	// errors name members down to the second level
	case w.within == "!", w.code == "parameter_unknown" && strings.Contains(w.within, "."):
		return ""
	}
	return name + "." + w.within
}

// put sets a member of a body.
func (c call) put(t testing.TB, name, text string) call {
	t.Helper()
	members := make(map[string]json.RawMessage)
	if c.body != "" {
		if err := json.Unmarshal([]byte(c.body), &members); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for member, value := range members {
		if member != name {
			out = append(out, fmt.Sprintf("%q:%s", member, value))
		}
	}
	c.body = "{" + strings.Join(append(out, fmt.Sprintf("%q:%s", name, text)), ",") + "}"
	return c
}

func bodyOfCall(c call) *openapi3.Schema {
	return c.op.RequestBody.Value.Content[mediaJSON].Schema.Value
}

// label shortens a value for the name of a test.
func label(c call, name, text string) string {
	return c.op.OperationID + " " + name + " " + text[:min(len(text), 30)]
}

func TestBadInputInEveryMember(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	mine := s.own().theirObjects(t)
	var cases []bad
	for _, c := range withJSON(t) {
		c = c.about(t, mine)
		schema := bodyOfCall(c)
		example := c.body
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			for _, w := range wrongValues(schema.Properties[name].Value) {
				base := c.op.OperationID + " " + name
				if c.body = cmp.Or(bases[base], example); w.within != "" { // a part of the member
					c.body = cmp.Or(bases[base+"."], c.body)
				}
				cases = append(cases,
					bad{label(c, name, w.text), c.put(t, name, w.text), 400, w.code,
						[]string{w.param(c.op.OperationID, name)}})
			}
			c.body = example
			upper := strings.ToUpper(name[:1]) + name[1:]
			cases = append(cases, bad{label(c, upper, ""), c.put(t, upper, quoted(9)), 400, "parameter_unknown",
				[]string{upper}})
			if slices.Contains(schema.Required, name) {
				cases = append(cases, bad{label(c, name, "null"), c.put(t, name, "null"), 400, "parameter_missing",
					[]string{name}})
			}
		}
	}
	s.refuse(t, cases)
}
