package search

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"

	"svcpay/internal/ids"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/textindex"
)

// either is what a member may be: one of Any unless that is nil, and none of None.
type either struct{ Any, None []string }

func (e *either) add(not bool, values []string) {
	switch {
	case not:
		e.None = append(e.None, values...)
	case e.Any == nil:
		e.Any = append([]string{}, values...)
	default:
		e.Any = slices.DeleteFunc(e.Any, func(v string) bool { return !slices.Contains(values, v) })
	}
}

// Query is what a search asks of objects, in the form that statements take.
type Query struct {
	kinds   []string
	members map[string]*either
	// pairs are metadata of which one must be had, none of without had; each is what one list of the query
	// comes to, combined with the others.
	pairs   []map[string]string
	without []map[string]string
	// Words and Unwanted are in the form of to_tsquery, "" for none.
	words, unwanted []string
	beyondASCII     []unfoldedPhrase
	least, most     *int64
	from, until     *time.Time
	id              *[16]byte // that a term names
	number          *int64    // what a merchant's id, or a word, may be
}

// maxPairs bounds what lists of metadata may combine to.
const maxPairs = 100

func texts(t term) []string {
	out := make([]string, len(t.Values))
	for i, v := range t.Values {
		out[i] = v.Text
	}
	return out
}

func (c *Query) member(name string) *either {
	if c.members[name] == nil {
		c.members[name] = &either{}
	}
	return c.members[name]
}

func all(t term, good func(string) bool) bool {
	return !slices.ContainsFunc(texts(t), func(v string) bool { return !good(v) })
}

// members reads values that are kept as they are.
func members(valid func(string) bool) func(*Query, term) bool {
	return func(c *Query, t term) bool {
		c.member(t.Field).add(t.Not, texts(t))
		return all(t, valid)
	}
}

func isLastDigits(v string) bool {
	return len(v) >= 1 && len(v) <= 4 && strings.Trim(v, "0123456789") == ""
}

func isMerchantID(v string) bool { n, ok := number(v); return ok && n > 0 }

// upTo are texts of so many characters at most.
func upTo(most int) func(string) bool {
	return func(v string) bool { return v != "" && utf8.RuneCountInString(v) <= most }
}

// identifiers reads ids of one kind, which are kept as the database prints them.
func identifiers[K ids.Kind](parse func(string) (ids.ID[K], error)) func(*Query, term) bool {
	return func(c *Query, t term) bool {
		out := make([]string, len(t.Values))
		for i, v := range t.Values {
			id, err := parse(v.Text)
			if err != nil {
				return false
			}
			out[i] = pgtype.UUID{Bytes: id.Bytes(), Valid: true}.String()
		}
		c.member(t.Field).add(t.Not, out)
		return true
	}
}

// number reads a number in its one plain form.
func number(v string) (int64, bool) {
	n, err := strconv.ParseInt(v, 10, 64)
	return n, err == nil && n >= 0 && n <= 999_999_999_999 && strconv.FormatInt(n, 10) == v
}

// address also asks for the words of the address, which are in an index.
func (c *Query) address(t term) bool {
	var phrases []string
	var addresses []string
	for _, v := range t.Values {
		v.Text = mailbox.Normal(v.Text)
		addresses, phrases = append(addresses, v.Text), append(phrases, c.phrase(v))
	}
	c.member("email").add(t.Not, addresses)
	if !t.Not && !slices.Contains(phrases, "") {
		c.words = append(c.words, "("+strings.Join(phrases, " | ")+")")
	}
	return !slices.Contains(phrases, "")
}

func (c *Query) pair(t term) bool {
	if len([]rune(t.Key)) > 40 || !all(t, func(v string) bool { return len([]rune(v)) <= 500 }) {
		return false
	}
	var mine []map[string]string
	for _, v := range t.Values {
		mine = append(mine, map[string]string{t.Key: v.Text})
	}
	if t.Not {
		c.without = append(c.without, mine...)
		return true
	}
	c.pairs = combined(c.pairs, mine)
	return true
}

// combined is one of each of two lists together; what says two things of one key is left out.
func combined(before, more []map[string]string) []map[string]string {
	if before == nil {
		return more
	}
	out := []map[string]string{}
	for _, b := range before {
		for _, m := range more {
			both := map[string]string{}
			same := true
			for _, from := range []map[string]string{b, m} {
				for k, v := range from {
					if had, ok := both[k]; ok && had != v {
						same = false
					}
					both[k] = v
				}
			}
			if same {
				out = append(out, both)
			}
		}
	}
	return out
}

// phrase is a text as to_tsquery reads it, "" if it has no word.
func (c *Query) phrase(v value) string {
	phrase := textindex.Phrase(textindex.Words(v.Text), v.Prefix)
	if phrase != "" && strings.ContainsFunc(v.Text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		c.beyondASCII = append(c.beyondASCII, unfoldedPhrase{v.Text, phrase, v.Prefix})
	}
	return phrase
}

// amount reads amounts, or one end of a span of them.
func (c *Query) amount(t term) bool {
	if t.Op == is {
		c.member("amount").add(t.Not, texts(t))
		return all(t, func(v string) bool { _, ok := number(v); return ok })
	}
	n, ok := number(t.Values[0].Text)
	switch op := opOf(t); op {
	case above, atLeast:
		if op == above {
			n++
		}
		if c.least == nil || *c.least < n {
			c.least = &n
		}
	default:
		if op == below {
			n--
		}
		if c.most == nil || *c.most > n {
			c.most = &n
		}
	}
	return ok
}

// opOf is a term's comparison, turned around if it must not hold.
func opOf(t term) op {
	if !t.Not {
		return t.Op
	}
	return map[op]op{above: atMost, atMost: above, below: atLeast, atLeast: below}[t.Op]
}

// time reads a day, or one end of a span of time. A day is UTC's; times are kept to the millisecond.
func (c *Query) time(t term) bool {
	begin, err := time.Parse(time.DateOnly, t.Values[0].Text)
	end := begin.AddDate(0, 0, 1)
	if err != nil {
		if begin, err = time.Parse(time.RFC3339, t.Values[0].Text); err != nil || t.Op == is {
			return false
		}
		begin = begin.UTC().Truncate(time.Millisecond)
		end = begin.Add(time.Millisecond)
	}
	if t.Op == is {
		c.span(&begin, &end)
		return len(t.Values) == 1 && !t.Not
	}
	switch opOf(t) {
	case atLeast:
		c.span(&begin, nil)
	case above:
		c.span(&end, nil)
	case below:
		c.span(nil, &begin)
	default:
		c.span(nil, &end)
	}
	return true
}

// span holds the times to another span too.
func (c *Query) span(from, until *time.Time) {
	if from != nil && (c.from == nil || c.from.Before(*from)) {
		c.from = from
	}
	if until != nil && (c.until == nil || c.until.After(*until)) {
		c.until = until
	}
}
