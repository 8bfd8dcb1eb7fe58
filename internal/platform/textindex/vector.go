// Package textindex turns texts into the words that the database indexes, and queries into what it asks of that index.
// Both fold the words in the same way.
package textindex

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// Bounds of positions in a tsvector.
const (
	maxPosition  = 16383
	maxPositions = 255
)

// Vector is the words of some texts as the database keeps them.
func Vector(texts ...string) pgtype.TSVector {
	out := pgtype.TSVector{Valid: true}
	at := map[string]int{}
	for i, word := range Words(strings.Join(texts, " ")) {
		word = lexeme(word)
		n, ok := at[word]
		if !ok {
			n, at[word] = len(out.Lexemes), len(out.Lexemes)
			out.Lexemes = append(out.Lexemes, pgtype.TSVectorLexeme{Word: word})
		}
		if l := &out.Lexemes[n]; len(l.Positions) < maxPositions {
			l.Positions = append(l.Positions, pgtype.TSVectorPosition{Position: uint16(min(i+1, maxPosition))})
		}
	}
	return out
}

// AgedVector is Vector with the age of an id among the words: an index of words knows no order, and finds the newest of
// many by it.
func AgedVector(id [16]byte, texts ...string) pgtype.TSVector {
	out := Vector(texts...)
	out.Lexemes = append(out.Lexemes, pgtype.TSVectorLexeme{Word: Age(binary.BigEndian.Uint16(id[:2]))})
	return out
}

// Age is the word of an age: what ids of the same first two bytes have in common, those of 2^32 milliseconds, which are
// fifty days.
func Age(age uint16) string { return fmt.Sprintf("t%04x", age) }

// lexeme is a word as it is kept. Each begins with an x, apart from ages.
func lexeme(word string) string {
	if runes := []rune(word); len(runes) > maxWord {
		word = string(runes[:maxWord])
	}
	return "x" + word
}

// Phrase is words that follow each other in the form of to_tsquery, the last one the beginning of a word if prefix; ""
// of no words.
func Phrase(words []string, prefix bool) string {
	if len(words) == 0 {
		return ""
	}
	lexemes := make([]string, len(words))
	for i, word := range words {
		lexemes[i] = "'" + lexeme(word) + "'"
	}
	out := strings.Join(lexemes, " <-> ")
	if prefix {
		out += ":*"
	}
	return "(" + out + ")"
}

// Beginnings asks for words that begin with each of a text's, in the form of to_tsquery; "" of a text without words.
func Beginnings(text string) string {
	var out []string
	for _, word := range Words(text) {
		out = append(out, Phrase([]string{word}, true))
	}
	return strings.Join(out, " & ")
}
