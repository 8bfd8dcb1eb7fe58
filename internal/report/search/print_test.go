package search

import "strings"

// String prints the query in its one plain form.
func (q terms) String() string {
	terms := make([]string, len(q))
	for i, t := range q {
		terms[i] = t.String()
	}
	return strings.Join(terms, " ")
}

// String prints the term as it is read.
func (t term) String() string {
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
func (v value) word() string {
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
