package textindex_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"svcpay/internal/platform/textindex"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Élise O'Brien-Smith": "elise o brien smith", "dana@Example.org": "dana example org",
		"gift_88213/B": "gift 88213 b",
		"“Zoë”…":       "zoe", "北京 ПРИВЕТ": "北京 привет", "--- ***": "", "": "", "a\tb\nc": "a b c",
		"1e5 0x1F 4th":            "1e5 0x1f 4th",
		"MUÑOZ muñoz Mun\u0303oz": "munoz munoz munoz", "Ğ Ì Ł Ñ Ò Ř Ś Ť Ù Ý Ź": "g i l n o r s t u y z",
		"ğ ì ł ñ ò ř ś ť ù ý ź": "g i l n o r s t u y z",
		"Nguyễn Thị Hoà":        "nguyen thi hoa", "Đặng đặng": "dang dang", "Straße STRASSE ẞ": "strasse strasse ss",
		"Łukasz Søren Ærø Œuvre Ħal": "lukasz soren aero oeuvre hal",
		"Yıldız İZMİR":               "yildiz izmir", "ΑΘΉΝΑ Αθήνα": "αθηνα αθηνα", "Ⅷ ﬁne ＡＢＣ１": "viii fine abc1",
		"٤٢ ४२":               "42 42",
		"Da\u00adna\u200d":    "dana",
		"a\u00a0b—c\u2028d💳e": "a b c d e",
	} {
		if got := strings.Join(textindex.Words(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Each letter and digit of Unicode is found in either case, with and without marks, composed or not, and as its
// compatibility form.
func TestWordsOfEveryLetter(t *testing.T) {
	t.Parallel()
	lower, upper, fold := cases.Lower(language.Und), cases.Upper(language.Und), cases.Fold()
	same := func(r rune, a, b string) {
		if got, want := textindex.Words(a), textindex.Words(b); !slices.Equal(got, want) {
			t.Errorf("%U %q: %q and %q", r, a, got, want)
		}
	}
	seen := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		seen++
		text := "a" + string(r) + "b"
		for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD} {
			same(r, text, form.String(text))
		}
		same(r, text, fold.String(text))
		same(r, text, "a"+string(r)+"\u0301b")
		if fold.String(lower.String(string(r))) == fold.String(upper.String(string(r))) { // Unicode folds both alike
			same(r, upper.String(text), lower.String(text))
		}
		for _, word := range textindex.Words(text) {
			if again := textindex.Words(word); norm.NFKD.String(word) != word || len(again) != 1 || again[0] != word {
				t.Errorf("%U is left as %q, and that as %q", r, word, again)
			}
		}
		if got := strings.Join(textindex.Words(strings.ToUpper(string(r))+text), " "); strings.ContainsFunc(got,
			unicode.IsUpper) {
			t.Errorf("%U is left with its case: %q", r, got)
		}
	}
	if seen < 130_000 {
		t.Errorf("%d letters and digits", seen)
	}
}

// What is folded once folds to itself, and marks, case and forms change nothing.
func TestWordsDoNotDependOnForms(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		words := textindex.Words(text)
		if again := textindex.Words(strings.Join(words, " ")); !slices.Equal(again, words) {
			t.Fatalf("%q: %q, then %q", text, words, again)
		}
		for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD} {
			if got := textindex.Words(form.String(text)); !slices.Equal(got, words) {
				t.Fatalf("%q: %q, and %q in another form", text, words, got)
			}
		}
	})
}
