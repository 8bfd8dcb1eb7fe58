package spreadsheet_test

import (
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"svcpay/internal/platform/spreadsheet"
)

func TestTextsAreKept(t *testing.T) {
	t.Parallel()
	for _, same := range []string{"", "Dana", "12.50", "-12.50", "-7", "gift-88213", "a=b", "ümlaut", " Dana", "王小明",
		"Nguyễn", "'=1"} {
		if got := spreadsheet.Cell(same); got != same {
			t.Errorf("%q becomes %q", same, got)
		}
	}
}

// Every character that is a sign of a formula in another width gets an apostrophe, behind every kind of space.
func TestFormulasAreTexts(t *testing.T) {
	t.Parallel()
	var signs, spaces []string
	for r := rune(0); r <= unicode.MaxRune; r++ {
		switch norm.NFKC.String(string(r)) {
		case "=", "+", "-", "@":
			signs = append(signs, string(r))
		}
		if r < 0x10000 && (unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			spaces = append(spaces, string(r))
		}
	}
	if len(signs) < 12 || len(spaces) < 80 {
		t.Fatalf("%d signs, %d spaces", len(signs), len(spaces))
	}
	for _, sign := range signs {
		for _, space := range append(spaces, "", " \t ") {
			formula := space + sign + "1+1"
			if got := spreadsheet.Cell(formula); got != "'"+formula {
				t.Errorf("%q becomes %q", formula, got)
			}
		}
	}
	for _, text := range []string{"-", "-1e5", "-2+3+cmd|' /C calc'!A0", "\tDana", "\nDana", "@SUM"} {
		if got := spreadsheet.Cell(text); got != "'"+text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
