package search

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is said of a query that is wrong.
const (
	noTerm       = "a term is missing: a word, a phrase in quotes, or a field with a value."
	noValue      = "a value is missing."
	notUTF8      = "this is not UTF-8."
	control      = "control characters are not allowed."
	openQuote    = `this quotation mark has no second one.`
	escape       = `in quotes, \ stands before " or \ only.`
	spaceBefore  = "put a space before the quotation mark."
	spaceAfter   = "put a space after the quotation mark."
	listWithIs   = "several values go with : only."
	badName      = `a field's name has letters, digits and _ only. Put text with : < or > in quotes.`
	noComparison = "a comparison is missing: one of : > >= < <=."
	quoteAll     = "a quotation mark stands before and after a value, not in it."
	badKey       = "a key stands after the point; put one with other characters than letters, digits, _ and - in quotes."
	starWithin   = "* is allowed only at the end of a word."
	tooManyTerms = "there are too many terms; %d are allowed."
	tooMany      = "there are too many values; %d are allowed."
	tooLong      = "the search is too long; %d characters are allowed."
)

// reader reads a query from its characters.
type reader struct {
	text []rune
	at   int // of the next character, from 0
}

// parse reads a query. Its error is a fault as [wrong] makes it.
func parse(text string) (terms, error) {
	r := reader{text: []rune(text)}
	if err := r.check(text); err != nil {
		return nil, err
	}
	var q terms
	for r.skip(); !r.done(); r.skip() {
		if len(q) == maxTerms {
			return nil, wrong(r.at+1, fmt.Sprintf(tooManyTerms, maxTerms))
		}
		t, err := r.term()
		if err != nil {
			return nil, err
		}
		q = append(q, t)
	}
	if len(q) == 0 {
		return nil, r.wrong(noTerm)
	}
	return q, nil
}

// check finds what is wrong with the characters, wherever they stand.
func (r *reader) check(text string) error {
	if len(r.text) > maxLength {
		return wrong(maxLength+1, fmt.Sprintf(tooLong, maxLength))
	}
	for i, c := range r.text {
		switch {
		case unicode.IsControl(c) && !unicode.IsSpace(c):
			return wrong(i+1, control)
		case c == utf8.RuneError && !utf8.ValidString(text):
			return wrong(i+1, notUTF8)
		}
	}
	return nil
}

func (r *reader) wrong(message string) error { return wrong(r.at+1, message) }

func (r *reader) done() bool { return r.at == len(r.text) }

// next is the next character; 0, which no query holds, at the end.
func (r *reader) next() rune {
	if r.done() {
		return 0
	}
	return r.text[r.at]
}

func (r *reader) skip() { r.take(unicode.IsSpace) }

// take reads characters of one sort.
func (r *reader) take(sort func(rune) bool) string {
	from := r.at
	for !r.done() && sort(r.text[r.at]) {
		r.at++
	}
	return string(r.text[from:r.at])
}

func (r *reader) term() (t term, err error) {
	t.At = r.at + 1
	if r.next() == '-' {
		t.Not = true
		r.at++
	}
	at := r.at + 1
	switch c := r.next(); {
	case c == 0, c == '-', unicode.IsSpace(c):
		return t, r.wrong(noTerm)
	case c == '"':
		return r.quoted(t)
	}
	text := r.take(plainWord)
	if c := r.next(); strings.ContainsRune(":<>", c) || c == '"' && strings.HasSuffix(text, ".") {
		if err = r.name(&t, at, text); err == nil {
			err = r.comparison(&t)
		}
		return t, err
	}
	return r.word(t, at, text)
}

// quoted makes a term of a phrase.
func (r *reader) quoted(t term) (_ term, err error) {
	v := value{At: r.at + 1, Quoted: true}
	v.Text, err = r.phrase()
	if c := r.next(); err == nil && c != 0 && !unicode.IsSpace(c) {
		err = r.wrong(spaceAfter)
	}
	t.Values = []value{v}
	return t, err
}

// word makes a term of text that stands for itself and begins at a place.
func (r *reader) word(t term, at int, text string) (term, error) {
	if r.next() == '"' {
		return t, r.wrong(spaceBefore)
	}
	v := value{At: at, Text: text}
	v.Text, v.Prefix = strings.CutSuffix(text, "*")
	if before, _, ok := strings.Cut(v.Text, "*"); ok {
		return t, wrong(at+utf8.RuneCountInString(before), starWithin)
	}
	if v.Text == "" {
		return t, wrong(at, noTerm)
	}
	t.Values = []value{v}
	return t, nil
}

// name reads what stands before a comparison, of which text has been read.
func (r *reader) name(t *term, at int, text string) error {
	name, key, keyed := strings.Cut(text, ".")
	if name == "" || strings.ContainsFunc(name, func(c rune) bool { return !plainName(c) }) {
		return wrong(at, badName)
	}
	t.Field, t.Key = name, key
	if !keyed {
		return nil
	}
	keyAt := at + utf8.RuneCountInString(name) + 1
	if key == "" && r.next() == '"' {
		var err error
		if t.Key, err = r.phrase(); err != nil {
			return err
		}
	} else if strings.ContainsFunc(key, func(c rune) bool { return !plainKey(c) }) {
		return wrong(keyAt, badKey)
	}
	if t.Key == "" {
		return wrong(keyAt, badKey)
	}
	return nil
}

// comparison reads a comparison and what it compares with.
func (r *reader) comparison(t *term) error {
	for _, op := range ops {
		if strings.HasPrefix(string(r.text[r.at:min(len(r.text), r.at+2)]), string(op)) {
			t.Op = op
			r.at += len(op)
			return r.values(t)
		}
	}
	return r.wrong(noComparison)
}

func (r *reader) values(t *term) error {
	for {
		v, err := r.value()
		if err != nil {
			return err
		}
		t.Values = append(t.Values, v)
		switch {
		case r.next() != ',':
			return nil
		case t.Op != is:
			return r.wrong(listWithIs)
		case len(t.Values) == maxValues:
			return r.wrong(fmt.Sprintf(tooMany, maxValues))
		}
		r.at++
	}
}

func (r *reader) value() (v value, err error) {
	v.At = r.at + 1
	if r.next() == '"' {
		v.Text, err = r.phrase()
		if c := r.next(); err == nil && c != 0 && c != ',' && !unicode.IsSpace(c) {
			err = r.wrong(spaceAfter)
		}
		return v, err
	}
	if v.Text = r.take(plainValue); v.Text == "" {
		return v, r.wrong(noValue)
	}
	if r.next() == '"' {
		return v, r.wrong(quoteAll)
	}
	return v, nil
}

// phrase reads what is in quotes, the first of which is next.
func (r *reader) phrase() (string, error) {
	open := r.at + 1
	var b strings.Builder
	for r.at++; !r.done(); r.at++ {
		switch c := r.next(); {
		case c == '"':
			r.at++
			return b.String(), nil
		case c == '\\':
			r.at++
			if c = r.next(); c != '"' && c != '\\' {
				return "", wrong(r.at, escape)
			}
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	return "", wrong(open, openQuote)
}
