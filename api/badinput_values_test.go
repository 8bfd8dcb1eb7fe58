package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// operationCalled is the call of an operation by its name.
func operationCalled(t testing.TB, name string) call {
	t.Helper()
	for _, c := range everyRoute(t) {
		if c.op.OperationID == name {
			return c
		}
	}
	t.Fatalf("there is no operation %s", name)
	return call{}
}

// pans are texts with a card number, which none may hold and no answer may repeat.
var pans = []string{"4242424242424242", "4242 4242 4242 4242", "4242-4242-4242-4242", "3782 822463 10005",
	marker + "4242424242424242", "card 4000056655665556, thanks"}

// unlawful are values that have the right type and form and still cannot be: member, then texts.
var unlawful = []struct {
	operation, body, param, code string // body holds %s
	texts                        []string
}{
	{"createCharge", `{"merchant_id":1042,"amount":1,"token":"x","description":%s}`, "description", "parameter_invalid", quotedAll(pans)},
	{"createCharge", `{"merchant_id":1042,"amount":1,"token":"x","metadata":{"a":%s}}`, "metadata", "parameter_invalid", quotedAll(pans)},
	{"createCharge", `{"merchant_id":1042,"amount":1,"token":"x","metadata":{%s:"a"}}`, "metadata", "parameter_invalid", quotedAll(pans[:3])},
	{"createRefund", `{"charge_id":"x","note":%s}`, "note", "parameter_invalid", quotedAll(pans)},
	{"createRefund", `{"charge_id":"x","metadata":{"a":%s}}`, "metadata", "parameter_invalid", quotedAll(pans)},
	{"voidCharge", `{"reason":%s}`, "reason", "parameter_invalid", quotedAll(pans)},
	{"updateToken", `{"billing":{"first_name":%s}}`, "billing.first_name", "parameter_invalid", quotedAll(pans)},
	{"updateToken", `{"billing":{"address_line_1":%s}}`, "billing.address_line_1", "parameter_invalid", quotedAll(pans)},
	{"submitEvidence", `{"evidence":{"access_log":%s}}`, "evidence.access_log", "parameter_invalid", quotedAll(pans)},
	{"updateToken", `{"billing":{"email":%s}}`, "billing.email", "parameter_invalid", quotedAll([]string{
		marker, "a", "@", "a@", "@b.example", "a b@c.example", "a@b@c.example", "Dana <dana@c.example>",
		"a@b.example,c@d.example", "mailto:a@b.example", "a@" + marker + " .example", "(x)a@b.example",
	})},
	{"updateToken", `{"billing":{"address_country":%s}}`, "billing.address_country", "parameter_invalid",
		quotedAll([]string{
			"us", "Us", "USA", "U", "U1", "12", "ÜS", "\U0001F1FA\U0001F1F8", " US", "US ", "U\x00", marker, "ＵＳ",
		})},
	{"advanceClock", `{"advance":%s}`, "advance", "parameter_invalid", quotedAll([]string{
		"aa", "10", "1x", "-1h", "+-1h", "1h-30m", "1.h.", "h1", "P1D", "PT1H", "1 h", " 1h", "99999999999h",
		"9223372036854775807h", "1h\x00", marker, "१h", "NaNh", "1e3h", "0x1h", "876000h",
	})},
	{"createTestToken", `{"merchant_id":1042,"test_case":%s}`, "test_case", "parameter_invalid", quotedAll([]string{"", " ", marker, "Approved", "approved ", "approved\x00", "approved,declined", "../approved", "4242424242424242"})},
	{"simulateCharge", `{"outcome":"returned","return_code":%s}`, "return_code", "parameter_invalid", quotedAll([]string{"", marker, "r01", "R01 ", " R01", "R01,R02", "R01\x00", "R\n1", "R0123", "Ｒ01"})},
	{"changeFees", `{"daf_percentage":%s}`, "daf_percentage", "parameter_invalid", []string{"1e1", "1E-1", "2.0001", "100.0001", "-0.001", "1e400", "99999999999999999999", "0.00000000000000000001", "100.001"}},
}

func quotedAll(words []string) (out []string) {
	for _, w := range words {
		text, err := json.Marshal(w)
		if err != nil {
			panic(err)
		}
		out = append(out, string(text))
	}
	return out
}

// The objects that are spoken of exist: nothing but the value is wrong.
func TestBadInputAsValues(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	mine := s.own().theirObjects(t)
	mine["/api/sandbox/charges/:id"] = s.debited(t).ID.String()
	var cases []bad
	for _, u := range unlawful {
		c := operationCalled(t, u.operation).about(t, mine)
		for _, text := range u.texts {
			c.body = fmt.Sprintf(u.body, text)
			cases = append(cases, bad{label(c, u.param, text), c, 400, u.code, []string{u.param}})
		}
	}
	s.refuse(t, cases)
	if text := s.log.String(); strings.Contains(text, "4242") {
		t.Errorf("the log has a card number:\n%s", text)
	}
}

// Every member of a body is wrong at once, and each is told.
func TestBadInputInAllMembersAtOnce(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	mine := s.own().theirObjects(t)
	n := 0
	for _, c := range withJSON(t) {
		schema := bodyOfCall(c)
		names := slices.Sorted(maps.Keys(schema.Properties))
		if len(names) < 2 {
			continue
		}
		c.body = "{}"
		for _, name := range names {
			c = c.put(t, name, wrongValues(schema.Properties[name].Value)[0].text)
		}
		a := s.send(t, c.about(t, mine)).want(t, 400, "validation_failed")
		untraced(t, a)
		var params []string
		for _, f := range a.error().Errors {
			params = append(params, f.Param)
		}
		same(t, c.name()+": what is told", params, names)
		n++
	}
	if n < 5 {
		t.Errorf("only %d bodies have several members", n)
	}
}
