package search

import (
	"slices"
	"strings"

	"svcpay/internal/ids"
	"svcpay/internal/sensitive"
)

// Parse reads a query. Its fault says what is wrong at which character, and what is allowed there.
func Parse(text string) (Query, error) {
	q, err := parse(text)
	if err == nil {
		err = noCards(q)
	}
	if err != nil {
		return Query{}, err
	}
	c := Query{kinds: kinds(), members: map[string]*either{}}
	for _, t := range q {
		if t.Field == "" {
			err = c.text(t, len(q) == 1)
		} else {
			err = c.field(t)
		}
		if err != nil {
			return Query{}, err
		}
		if len(c.kinds) == 0 {
			return Query{}, wrong(t.At, "nothing that the terms before this one allow has such a member.")
		}
	}
	return c, nil
}

// noCards refuses a query that holds what reads as a card number, in one term or in several that follow each other.
// Only external_id, which is never refused, may be looked for so.
func noCards(q terms) error {
	plain, at := "", 0
	for _, t := range q {
		if t.Field == "" {
			if plain == "" {
				at = t.At
			}
			plain += " " + t.Values[0].Text
			continue
		}
		if t.Field != "external_id" && sensitive.HoldsPAN(t.Key+" "+strings.Join(texts(t), ",")) {
			return wrong(t.At, looksLikeCard)
		}
	}
	if sensitive.HoldsPAN(plain) {
		return wrong(at, looksLikeCard)
	}
	return nil
}

const looksLikeCard = "this looks like a card number, and no object keeps one. Search for a reference with external_id: and the last digits with last4:."

// within leaves the kinds that are among some.
func (c *Query) within(kinds []string) {
	c.kinds = slices.DeleteFunc(c.kinds, func(k string) bool { return !slices.Contains(kinds, k) })
}

// withWords are the kinds whose texts are searched.
var withWords = []string{"charge", "refund", "daf_donation", "merchant", "token"}

// text takes a word, a phrase or an id.
func (c *Query) text(t term, alone bool) error {
	v := t.Values[0]
	if kind, id, ok := idOf(v); ok {
		if t.Not || c.id != nil && *c.id != id {
			return wrong(t.At, "one id may be named, and not excluded.")
		}
		c.within([]string{kind})
		c.id = &id
		return nil
	}
	phrase := c.phrase(v)
	if phrase == "" {
		return wrong(v.At, "text needs a letter or a digit.")
	}
	if t.Not {
		c.unwanted = append(c.unwanted, phrase)
		return nil
	}
	if n, ok := number(v.Text); ok && alone && !v.Quoted && !v.Prefix {
		c.number = &n
	}
	c.words = append(c.words, phrase)
	c.within(withWords)
	return nil
}

// idOf reports whether a word is the id of an object, and of which kind.
func idOf(v value) (kind string, id [16]byte, ok bool) {
	if v.Quoted || v.Prefix {
		return "", id, false
	}
	if r, err := ParseRef(v.Text); err == nil && r.kind != "merchant" {
		return r.kind, r.id, true
	}
	return "", id, false
}

func (c *Query) field(t term) error {
	nameAt := t.At
	if t.Not {
		nameAt++
	}
	f, ok := fields[t.Field]
	switch {
	case !ok:
		return wrong(nameAt, "there is no such field. Fields: "+fieldNames()+". Put text with : < or > in quotes.")
	case f.keyed != (t.Key != ""):
		return wrong(nameAt, "a key stands after metadata and a point, and after no other field.")
	case !f.ordered && t.Op != is:
		return wrong(nameAt, "this field takes : only.")
	}
	if f.words == nil {
		if !f.read(c, t) {
			return wrong(t.Values[0].At, "allowed here: "+f.form+".")
		}
		if len(c.pairs) > maxPairs {
			return wrong(t.At, "the lists of metadata combine to too many pairs.")
		}
	}
	for _, v := range t.Values {
		if f.words != nil && !slices.Contains(f.words, v.Text) {
			return wrong(v.At, "allowed here: "+strings.Join(f.words, ", ")+".")
		}
	}
	c.choose(t, f)
	return nil
}

// choose takes the words of a field, and leaves the kinds that can have one of them.
func (c *Query) choose(t term, f field) {
	values := texts(t)
	if t.Field == "object" {
		c.kinds = slices.DeleteFunc(c.kinds, func(k string) bool { return slices.Contains(values, k) == t.Not })
		return
	}
	if f.words != nil {
		c.member(t.Field).add(t.Not, values)
	}
	if t.Not {
		return
	}
	c.within(f.kinds)
	if t.Field == "status" {
		c.kinds = slices.DeleteFunc(c.kinds, func(k string) bool {
			return !slices.ContainsFunc(values, func(v string) bool { return slices.Contains(objects[k].statuses, v) })
		})
	}
}

// Ref names an object that can be found: its kind, and its id as the database keeps it. A merchant's id
// is in the last eight bytes, after bytes that put it above everything else. Refs are ordered by their ids.
type Ref struct {
	kind string
	id   [16]byte
}

// ParseRef reads a printed id of a charge, refund, dispute, payout, donation, token or merchant; [ids.ErrID] for
// anything else.
func ParseRef(text string) (Ref, error) {
	for kind, o := range objects {
		if id, err := o.parse(text); err == nil {
			return Ref{kind, id}, nil
		}
	}
	return Ref{}, ids.ErrID
}
