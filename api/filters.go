package api

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"svcpay/internal/check"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
)

// maxEmail is how long an address may be that is searched for, in characters.
const maxEmail = 255

// Bounds of a filter by metadata: those of metadata itself.
const (
	maxMetadataKey   = 40
	maxMetadataValue = 500
)

// pairs reads every name[key]=value, such as metadata[campaign]=spring; nil without any. A key is not
// repeated in an answer: mistakes are notified of name.
func (q *query) pairs(name string) map[string]string {
	q.known = append(q.known, name, name+"[]") // so that a misspelled name is told the right one
	out := make(map[string]string)
	wrong := q.values.Has(name) || q.values.Has(name+"[]")
	for _, whole := range slices.Sorted(maps.Keys(q.values)) {
		key, begins := strings.CutPrefix(whole, name+"[")
		key, ends := strings.CutSuffix(key, "]")
		if !begins || !ends || key == "" || strings.ContainsAny(key, "[]") {
			continue
		}
		q.taken = append(q.taken, whole)
		values := q.values[whole]
		wrong = wrong || len(values) > 1 || !storable(key, 1, maxMetadataKey) ||
			!storable(values[0], 0, maxMetadataValue)
		out[key] = values[0]
	}
	switch {
	case wrong:
		q.refuse(name, "Write "+name+"[key]=value, each key once: keys of 1 to 40 characters, values of at most 500.")
		return nil
	case len(out) == 0:
		return nil
	}
	return out
}

// storable reports whether a text of least to most characters can be stored as it is.
func storable(text string, least, most int) bool {
	n := utf8.RuneCountInString(text)
	return n >= least && n <= most && utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// expand reads which references of an object to give whole: expand[]=merchant, once for each; nil
// without any.
func (q *query) expand(allowed ...string) []string {
	const name = "expand[]"
	q.known = append(q.known, name)
	wanted := q.values[name]
	twice := len(slices.Compact(slices.Sorted(slices.Values(wanted)))) < len(wanted)
	if twice || slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(allowed, w) }) {
		q.refuse(name, check.AllowedValues(allowed...)+" Give each once.")
		return nil
	}
	return wanted
}

// currencies reads the filter by currency.
func (q *query) currencies() []string { return q.words("currency", money.CurrencyNames()) }

// email reads the filter by a payer's address.
func (q *query) email() *string { return q.text("email", maxEmail) }

// last4 reads the filter by the last digits of a card or bank account.
func (q *query) last4() *string { return q.text("last4", 4) }

// days reads a span of days as times does of times: name[gte] or name[gt], and name[lte] or name[lt].
func (q *query) days(name string) page.Times {
	return page.Times{
		From:  either(q, q.day, name, "gte", 0, "gt", 1),
		Until: either(q, q.day, name, "lt", 0, "lte", 1),
	}
}

func (q *query) day(name string, add int) *time.Time {
	text, ok := q.value(name)
	if !ok {
		return nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		q.refuse(name, "A day such as 2026-12-01.")
		return nil
	}
	t = t.AddDate(0, 0, add)
	return &t
}

// flag reads true or false; nil when the parameter is absent.
func (q *query) flag(name string) *bool {
	text, ok := q.value(name)
	if !ok {
		return nil
	}
	yes := text == "true"
	if !yes && text != "false" {
		q.refuse(name, "Use true or false.")
	}
	return &yes
}

// maxAmount bounds the amounts that a list is searched for, so that one more or less is one too.
const maxAmount = 999_999_999_999

// amounts reads a span of amounts: name alone for exactly that, or name[gte] or name[gt], and
// name[lte] or name[lt].
func (q *query) amounts(name string) page.Amounts {
	exact := q.amount(name, 0)
	span := page.Amounts{
		Least: either(q, q.amount, name, "gte", 0, "gt", 1),
		Most:  either(q, q.amount, name, "lte", 0, "lt", -1),
	}
	if exact == nil {
		return span
	}
	if span != (page.Amounts{}) {
		q.fs.Add(name, "parameters_exclusive", "Give one amount, or a span of amounts, not both.")
	}
	return page.Amounts{Least: exact, Most: exact}
}

func (q *query) amount(name string, add int64) *int64 {
	text, ok := q.value(name)
	if !ok {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > maxAmount || strconv.FormatInt(n, 10) != text {
		q.refuse(name, "An integer of minor units (1050 for 10.50).")
		return nil
	}
	n += add
	return &n
}

// either reads one end of a span in one of its two forms, each with what it adds to the value.
func either[T, D any](q *query, read func(string, D) *T, name, plain string, add D, other string, addOther D) *T {
	a, b := read(name+"["+plain+"]", add), read(name+"["+other+"]", addOther)
	if a != nil && b != nil {
		q.fs.Add(name+"["+other+"]", "parameters_exclusive", "Give "+plain+" or "+other+", not both.")
	}
	if a == nil {
		a = b
	}
	return a
}
