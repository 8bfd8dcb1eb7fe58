package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// asked are the texts that a parameter of a query must not have.
func asked(p *openapi3.Parameter) []string {
	s := p.Schema.Value
	if s.Type.Is("array") {
		return askedList(s.Items.Value)
	}
	return askedOne(s)
}

func askedOne(s *openapi3.Schema) []string {
	out := []string{""}
	switch {
	case s.Type.Is("integer"):
		out = append(out, marker, "-1", "1.5", "1.0", "1e1", "+1", "01", "%201", "1%20", "0x1", "1,2", "1%00", "%D9%A1",
			"null", "true", "[]", "9223372036854775808", "-9223372036854775809", strings.Repeat("9", 400))
		if s.Min != nil && *s.Min > 0 {
			out = append(out, "0", "-0")
		}
		if s.Max != nil {
			out = append(out, strconv.FormatInt(int64(*s.Max)+1, 10), "9223372036854775807")
		}
	case s.Type.Is("boolean"):
		out = append(out, marker, "1", "0", "TRUE", "True", "yes", "on", "true%20", "true,false", "null")
	case s.Format == "date-time":
		out = append(out, marker, "2026-12-01", "2026-12-01T00:00:00", "2026-12-01+00:00:00Z", "2026-12-01T25:00:00Z",
			"2026-12-01T00:60:00Z", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z",
			"1764547200", "0", "-1", "now", "today", "20261201T000000Z", "2026-12-01T00:00:00Z%00",
			"2026-12-01T00:00:00Z,2026-12-02T00:00:00Z", "12026-12-01T00:00:00Z", "-2026-12-01T00:00:00Z",
			"2026-12-01T00:00:00%2B99:00", "%F0%9D%9F%9A026-12-01T00:00:00Z", "null")
	case len(s.Enum) > 0:
		first, _ := s.Enum[0].(string)
		out = append(out, marker, strings.ToUpper(first[:1])+strings.ToLower(first[1:])+"s", first+"%20", "%20"+first,
			first+"%00", first+"%0A", first+","+first, "null", "%FF", "[]")
	case strings.Contains(s.Pattern, "_["): // an id
		id := "ch_01jq8z6k4t8m2x9v5c7b1n3d0f"
		if example, ok := s.Example.(string); ok {
			id = example
		}
		out = append(out, marker, "0", "01042", strings.ToUpper(id), id[:len(id)-1], id+"0", id+"%00", id+"%0A",
			id+","+id, "%20"+id, "evt_01jq8z6k4t8m2x9v5c7b1n3d0f", id[strings.Index(id, "_")+1:],
			"..%2F"+id, id[:len(id)-1]+"u", id[:strings.Index(id, "_")]+"_8zzzzzzzzzzzzzzzzzzzzzzzzz",
			id[:strings.Index(id, "_")]+"_00000000000000000000000000", "%FF%FE", "%F0%9F%92%B3",
			strings.Repeat(marker, 200))
		out = slices.DeleteFunc(out, func(w string) bool { // some are ids of other kinds, which may do
			text, err := url.QueryUnescape(w)
			return err == nil && w != "" && s.VisitJSON(text) == nil
		})
	default:
		for _, text := range []string{marker + "\x00", "\xff", "a\nb", marker + "\u0085", strings.Repeat(marker, 8),
			strings.Repeat(marker, 200)} {
			if s.VisitJSON(strings.ToValidUTF8(text, "\x00")) != nil {
				out = append(out, url.QueryEscape(text))
			}
		}
		if s.VisitJSON("") == nil {
			out = out[1:]
		}
	}
	return out
}

func askedList(s *openapi3.Schema) []string {
	out := []string{",", ",,"}
	good := "1"
	if len(s.Enum) > 0 {
		good, _ = s.Enum[0].(string)
	}
	for _, w := range askedOne(s) {
		if !strings.Contains(w, ",") {
			out = append(out, w, good+","+w, w+","+good)
		}
	}
	return append(out, good+",%20"+good, good+"%2C"+marker, good+"|"+good, good+"%20"+good)
}

// parameters are those of an operation's query that take one plain value.
func parameters(c call) (out []*openapi3.Parameter) {
	for _, p := range c.op.Parameters {
		if p.Value.In == openapi3.ParameterInQuery && p.Value.Schema != nil && !p.Value.Schema.Value.Type.Is("object") {
			out = append(out, p.Value)
		}
	}
	return out
}

// without is the call with what its query has but for one parameter.
func (c call) without(name string) call {
	path, query, _ := strings.Cut(c.path, "?")
	c.path = path
	for part := range strings.SplitSeq(query, "&") {
		if key, _, _ := strings.Cut(part, "="); key != name && part != "" {
			c = c.with(part)
		}
	}
	return c
}

func TestBadInputInEveryQuery(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	var cases []bad
	for _, c := range everyRoute(t) {
		for _, p := range parameters(c) {
			code := "parameter_invalid"
			if p.Name == startingAfter || p.Name == endingBefore {
				code = "cursor_invalid"
			}
			rest := c.without(p.Name)
			for _, text := range asked(p) {
				b := bad{label(c, p.Name, text), rest.with(p.Name + "=" + text), 400, code, []string{p.Name}}
				// what is empty there is not given
				if text == "" && p.Required && slices.Contains([]string{"createFile", "search"}, c.op.OperationID) {
					b.code = "parameter_missing"
				}
				cases = append(cases, b)
			}
			inList := p.Name + "[0]"
			if strings.Contains(p.Name, "[") {
				inList = "" // no name of ours has two
			}
			twice := "1"
			if enum := p.Schema.Value.Enum; len(enum) > 0 {
				twice, _ = enum[0].(string)
			}
			cases = append(cases,
				bad{label(c, p.Name, "alone"), rest.with(p.Name), 400, cases[len(cases)-len(asked(p))].code,
					[]string{p.Name}},
				bad{label(c, p.Name, "twice"), rest.with(p.Name + "=" + twice + "&" + p.Name + "=" + twice), 400,
					"parameter_invalid", []string{p.Name}},
				bad{label(c, p.Name, "of a list"), c.with(p.Name + "[0]=" + marker), 400, "parameter_unknown",
					[]string{inList}},
				bad{label(c, p.Name, "of another case"),
					c.with(strings.ToUpper(p.Name[:1]) + p.Name[1:] + "=" + marker), 400, "parameter_unknown",
					[]string{strings.ToUpper(p.Name[:1]) + p.Name[1:]}},
			)
			if p.Required {
				cases = append(cases,
					bad{label(c, p.Name, "left out"), rest, 400, "parameter_missing", []string{p.Name}})
			}
		}
	}
	s.refuse(t, cases)
}

// strange are queries that are wrong wherever any is read.
var strange = map[string][]string{
	"%zz=" + marker: nil, "%": nil, "%2": nil, marker + "=%": nil, marker + "=%f": nil, "a;b=" + marker: nil, ";": nil,
	"!" + marker + "=1": {""}, "%00=" + marker: {""}, "%FF=" + marker: {""}, "=" + marker: {""}, "a%20b=1": {
		""}, "%5B%5D=1": {""}, "a[b][c]=1": {""}, "a.b.c=1": {""}, "__proto__=1": {""},
	"no_such_name=" + marker: {"no_such_name"}, "noSuchName": {"noSuchName"}, "constructor[prototype]=" +
		marker: {""}, "%3Cscript%3E=" + marker: {""}, "%F0%9F%92%B3=1": {""},
	strings.Repeat("x", 41) + "=1": {""},
}

func TestBadInputInStrangeQueries(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	var cases []bad
	for _, c := range everyRoute(t) {
		for query, params := range strange {
			code := "parameter_unknown"
			if params == nil {
				code = "parameter_invalid"
			}
			cases = append(cases, bad{label(c, "?", query), c.with(query), 400, code, params})
		}
	}
	s.refuse(t, cases)
}

// The furthest that filters can mean is still answered.
func TestExtremesOfEveryQuery(t *testing.T) {
	t.Parallel()
	s := open(t)
	extremes := map[string][]string{
		"integer":   {"9223372036854775807"},
		"date-time": {"0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "0001-01-01T00:00:00%2B23:59", "9999-12-31T23:59:59-23:59"},
	}
	for _, c := range everyRoute(t) {
		for _, p := range parameters(c) {
			schema := p.Schema.Value
			if schema.Type.Is("array") {
				schema = schema.Items.Value
			}
			values := extremes[schema.Format]
			if id, ok := schema.Example.(string); ok && strings.Contains(schema.Pattern, "_[") {
				values = []string{id[:strings.Index(id, "_")] + "_7zzzzzzzzzzzzzzzzzzzzzzzzz",
					id[:strings.Index(id, "_")] + "_00000000000000000000000001"}
			}
			if schema.Type.Is("integer") && schema.Max == nil {
				values = extremes["integer"]
			}
			for _, v := range values {
				if a := s.send(t, c.without(p.Name).with(p.Name+"="+v)); !slices.Contains([]int{200, 403, 404},
					a.status) {
					t.Errorf("%s %s=%s is answered %d %s", c.op.OperationID, p.Name, v, a.status, a.body)
				}
			}
		}
	}
}
