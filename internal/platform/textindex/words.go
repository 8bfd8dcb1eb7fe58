package textindex

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"svcpay/internal/sensitive/digits"
)

// Version is the version of [Words] that stored words were made with. Version 0 is the database's own function, which
// made them before. A change of what Words makes of a text takes a new version, and indexes of what has an older one.
const Version = 1

// maxWord is how many characters of a word count.
const maxWord = 100

// Words takes a text apart as searches do, for the index and for the query: runs of letters and digits without case,
// accents and other marks. Letters and digits count as their compatibility forms, digits of every script as ASCII's,
// and Latin letters that have no form without their stroke or ligature as those that they are sorted with (ø as o, æ as
// ae).
func Words(text string) []string {
	return strings.FieldsFunc(fold(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

func fold(text string) string {
	if !beyondASCII(text) {
		return strings.ToLower(text)
	}
	// The case is folded before marks are left out, since that of some is a letter: the Greek iota below another.
	text = withoutMarks(cases.Fold().String(norm.NFKD.String(text)))
	var out strings.Builder
	for _, r := range text {
		if value, ok := digits.Value(r); ok {
			r = rune('0' + value)
		} else if r >= utf8.RuneSelf {
			// the dotless ı is an I; cases folds Cherokee letters of one case to the other, both ways
			r = unicode.ToLower(unicode.ToUpper(r))
			if to, ok := sortedAs()[r]; ok {
				out.WriteString(to)
				continue
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}

func beyondASCII(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// withoutMarks takes letters and marks apart, and leaves out the marks and what cannot be seen.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
}

// sortedAs are the one or two letters of ASCII that the Unicode Collation Algorithm sorts other Latin letters with.
var sortedAs = sync.OnceValue(func() map[rune]string {
	collator, buf := collate.New(language.Und, collate.Loose), collate.Buffer{}
	key := func(text string) string {
		defer buf.Reset()
		return string(bytes.Clone(collator.KeyFromString(&buf, text)))
	}
	ascii := map[string]string{}
	for a := 'a'; a <= 'z'; a++ {
		ascii[key(string(a))] = string(a)
		for b := 'a'; b <= 'z'; b++ {
			ascii[key(string(a)+string(b))] = string(a) + string(b)
		}
	}
	out := map[rune]string{}
	for _, s := range unicode.Latin.R16 {
		for r := rune(s.Lo); r <= rune(s.Hi); r += rune(s.Stride) {
			if to, ok := ascii[key(string(r))]; ok && r >= utf8.RuneSelf {
				out[r] = to
			}
		}
	}
	return out
})
