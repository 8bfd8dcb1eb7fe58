// Package search finds objects of every kind by a query. It reads the flows' own tables, so it finds everything that is
// committed.
//
//	query  = term { space term }
//	term   = [ "-" ] ( text | field ( ":" value { "," value } | ( ">" | ">=" | "<" | "<=" ) value ) )
//	field  = name [ "." key ]
//	text   = word [ "*" ] | phrase
//	value  = word | phrase
//	phrase = `"` { character | `\"` | `\\` } `"`
//
// All terms must match; of the values of one term any may. A term after "-" must not match. Printing a query and
// parsing it again gives the same query.
package search

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/fault"
)

// Bounds of a query. maxLength is in characters.
const (
	maxLength = 500
	maxTerms  = 20
	maxValues = 20
)

// op is how a term compares its field.
type op string

// The comparisons.
const (
	is      op = ":"
	above   op = ">"
	atLeast op = ">="
	below   op = "<"
	atMost  op = "<="
)

// ops are the comparisons in the order in which they are looked for.
var ops = []op{atLeast, atMost, above, below, is}

// terms is what must hold of an object, all of it.
type terms []term

// term is one condition. Without a Field it is about the words of an object, and has one value.
type term struct {
	At     int  // where it begins, as a character from 1
	Not    bool // it must not hold
	Field  string
	Key    string // what stands after a field's point, "" for most
	Op     op     // of a field
	Values []value
}

// value is one thing to compare with. Quoted and Prefix are notified of words alone: a phrase, and the
// beginning of a word.
type value struct {
	At     int
	Text   string
	Quoted bool
	Prefix bool
}

// wrong is the fault of a query: what is wrong at which character, counted from 1. The message must not
// repeat what was submitted.
func wrong(at int, message string) *fault.Error {
	return fault.Invalid("parameter_invalid", fmt.Sprintf("At character %d: %s", at, message)).On("q")
}

// What may stand without quotes: in a word, a value, a key, a name.
func plainWord(r rune) bool  { return plainValue(r) && !strings.ContainsRune(":<>", r) || r == ',' }
func plainValue(r rune) bool { return !unicode.IsSpace(r) && r != '"' && r != ',' }
func plainKey(r rune) bool   { return plainName(r) || r == '-' }
func plainName(r rune) bool {
	return r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
