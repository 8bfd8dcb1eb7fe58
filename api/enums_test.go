package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svcpay/internal/fault"
)

// enumOf is the enum of a value, or of the elements of a list; nil if it has none.
func enumOf(s *openapi3.Schema) (words []string) {
	if s.Type.Is("array") {
		s = s.Items.Value
	}
	for _, word := range s.Enum {
		if w, ok := word.(string); ok { // others are null
			words = append(words, w)
		}
	}
	return words
}

// choice is a place of a request where only some words are allowed.
type choice struct {
	name  string
	words []string
	call  call // which has another word there
}

// choicesOf are those of an operation's body and query.
func choicesOf(t *testing.T, c call) (out []choice) {
	for _, p := range parameters(c) {
		if words := enumOf(p.Schema.Value); words != nil {
			out = append(out, choice{p.Name, words, c.without(p.Name).with(p.Name + "=" + marker)})
		}
	}
	if c.op.RequestBody == nil || c.media != mediaJSON {
		return out
	}
	for _, p := range placesOf(t, c) {
		if words := enumOf(p.schema); words != nil {
			value := quoted(9)
			if p.schema.Type.Is("array") {
				value = "[" + value + "]"
			}
			out = append(out, choice{p.name, words, p.put(value)})
		}
	}
	return out
}

// A word that is not allowed is refused with those that are, which the contract lists.
func TestEveryEnumNamesItsValues(t *testing.T) {
	t.Parallel()
	s := open(t)
	mine := s.own().theirObjects(t)
	var found int
	for _, c := range everyKeyed(t) {
		for _, e := range choicesOf(t, c.about(t, mine)) {
			found++
			t.Run(label(c, e.name, ""), func(t *testing.T) {
				told := s.send(t, e.call).error()
				message := told.Message
				if i := slices.IndexFunc(told.Errors, func(f fault.Field) bool { return f.Param == e.name }); i >= 0 {
					message = told.Errors[i].Message
				} else if told.Param != e.name {
					t.Fatalf("the answer is about %q: %+v", told.Param, told)
				}
				list, _, _ := strings.Cut(strings.TrimPrefix(message, "Allowed values: "), ".")
				if words := slices.Sorted(slices.Values(strings.Split(list, ", "))); !slices.Equal(words,
					slices.Sorted(slices.Values(e.words))) {
					t.Errorf("the message is\n%s\nand does not list\n%s", message, e.words)
				}
			})
		}
	}
	if found < 60 { // the walk has lost its way
		t.Errorf("the contract has %d enums of requests", found)
	}
}
