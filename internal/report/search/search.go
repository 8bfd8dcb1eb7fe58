// Package search is the language of searches: its syntax and its errors. It knows the form of terms; the caller defines the
// fields and their values.
//
//	query  = term { space term }
//	term   = [ "-" ] ( text | field ( ":" value { "," value } | ( ">" | ">=" | "<" | "<=" ) value ) )
//	field  = name [ "." key ]
//	text   = word [ "*" ] | phrase
//	value  = word | phrase
//	phrase = `"` { character | `\"` | `\\` } `"`
//
// All terms must match; of the values of one term any may. A term after "-" must not match. Printing a query and parsing it
// again gives the same query.
package search

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/fault"
)

// Bounds of a query. MaxLength is in characters.
const (
	MaxLength = 500
	MaxTerms  = 20
	MaxValues = 20
)

// Op is how a term compares its field.
type Op string

// The comparisons.
const (
	Is      Op = ":"
	Above   Op = ">"
	AtLeast Op = ">="
	Below   Op = "<"
	AtMost  Op = "<="
)

// ops are the comparisons in the order in which they are looked for.
var ops = []Op{AtLeast, AtMost, Above, Below, Is}

// Query is what must hold of an object, all of it.
type Query []Term

// Term is one condition. Without a Field it is about the words of an object, and has one value.
type Term struct {
	At     int  // where it begins, as a character from 1
	Not    bool // it must not hold
	Field  string
	Key    string // what stands after a field's point, "" for most
	Op     Op     // of a field
	Values []Value
}

// Value is one thing to compare with. Quoted and Prefix are told of words alone: a phrase, and the
// beginning of a word.
type Value struct {
	At     int
	Text   string
	Quoted bool
	Prefix bool
}

// Wrong is the fault of a query: what is wrong at which character, counted from 1. The message must not
// repeat what was submitted.
func Wrong(at int, message string) *fault.Error {
	return fault.Invalid("parameter_invalid", fmt.Sprintf("At character %d: %s", at, message)).On("q")
}

// String prints the query in its one plain form.
func (q Query) String() string {
	terms := make([]string, len(q))
	for i, t := range q {
		terms[i] = t.String()
	}
	return strings.Join(terms, " ")
}

// String prints the term as it is read.
func (t Term) String() string {
	var b strings.Builder
	if t.Not {
		b.WriteByte('-')
	}
	if t.Field == "" {
		b.WriteString(t.Values[0].word())
		return b.String()
	}
	b.WriteString(t.Field)
	if t.Key != "" {
		b.WriteByte('.')
		b.WriteString(plainOr(t.Key, plainKey))
	}
	b.WriteString(string(t.Op))
	for i, v := range t.Values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(plainOr(v.Text, plainValue))
	}
	return b.String()
}

// word prints what stands for itself.
func (v Value) word() string {
	switch {
	case v.Quoted:
		return quote(v.Text)
	case v.Prefix:
		return v.Text + "*"
	}
	return v.Text
}

func plainOr(text string, plain func(rune) bool) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return quote(text)
	}
	return text
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// What may stand without quotes: in a word, a value, a key, a name.
func plainWord(r rune) bool  { return plainValue(r) && !strings.ContainsRune(":<>", r) || r == ',' }
func plainValue(r rune) bool { return !unicode.IsSpace(r) && r != '"' && r != ',' }
func plainKey(r rune) bool   { return plainName(r) || r == '-' }
func plainName(r rune) bool {
	return r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
