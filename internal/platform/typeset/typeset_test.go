package typeset_test

import (
	"bytes"
	"image"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"svcpay/internal/platform/typeset"
	"svcpay/internal/testing/pdftest"
)

// document writes lines of text, and reports whether the font lacked something.
func document(t *testing.T, lines ...string) (file []byte, missing bool) {
	t.Helper()
	s := typeset.New("Letter")
	s.AddPage()
	for i, text := range lines {
		s.Font([]typeset.Style{typeset.Regular, typeset.Bold}[i%2], 12)
		s.Cell(150, 8, text, "", "L", false, 1)
	}
	var out bytes.Buffer
	if err := s.Output(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), s.Missing()
}

// names are some that people bear, composed or not, and some with marks that no composed letter has.
var names = []string{
	"Nguyễn Thị Hòa", "Trần Đình Trọng", "Łukasz Żółć", "Gülşen İnce", "Đorđe Đurić", "Þórunn Ægisdóttir",
	"Ștefan Țurcanu",
	"Zoë Ångström", "François Lefèvre", "María José Ibáñez", "Jānis Ķirsis", "Győző Űr", "Straße Große ẞ",
	"Αλέξανδρος Παπαδόπουλος", "Ἀριστοτέλης ᾠδή", "Александр Ёлкин", "Олександр Їжак", "Ђорђе Љубић",
	"Ұлжан Қасым Әлия",
	"K̲wak̲waka̱ʼwakw", "M̄ārī x̂ ŋ̊ i̊", "Ọ̀yẹ́ Ṣọlá", "J̌ovan", "А́нна Е̂", "AVATAR To. “fi” — №1 €5",
	"O’Neill-Smith & Söhne",
}

// Names are extracted as they were written, whether their letters came composed or not.
func TestNamesAreExtractedAsWritten(t *testing.T) {
	t.Parallel()
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		lines := make([]string, len(names))
		for i, name := range names {
			lines[i] = form.String(name)
		}
		file, missing := document(t, lines...)
		if missing {
			t.Errorf("the font lacks something of the names")
		}
		got := strings.Split(pdftest.Text(t, file), "\n")
		if len(got) != len(names) {
			t.Fatalf("%d lines: %q", len(got), got)
		}
		for i, name := range names {
			if want := norm.NFC.String(name); got[i] != want {
				t.Errorf("%q is extracted as %q", want, got[i])
			}
		}
	}
}

// supported reports whether a letter belongs to a name in Latin, Greek or Cyrillic that a keyboard of today types.
func supported(r rune) bool {
	switch {
	case !unicode.IsLetter(r) || r >= 0x1C80 && r < 0x1E00 || unicode.Is(unicode.Coptic, r):
		return false
	case unicode.Is(unicode.Latin, r) || unicode.Is(unicode.Greek, r):
		return r <= 0x1FFF
	}
	return unicode.Is(unicode.Cyrillic, r) && r <= 0x52F
}

// Every letter of these scripts is drawn, alone and below each mark of the block of combining marks.
func TestEveryLetterIsDrawn(t *testing.T) {
	t.Parallel()
	var lines []string
	line := ""
	for r := rune(' '); r < 0x2000; r++ {
		if !supported(r) {
			continue
		}
		if line += string(r); len([]rune(line)) == 40 {
			lines, line = append(lines, line), ""
		}
	}
	for mark := rune(0x300); mark < 0x370; mark++ {
		line += "o" + string(mark) + "Ж" + string(mark)
		if len([]rune(line)) > 40 {
			lines, line = append(lines, line), ""
		}
	}
	lines = append(lines, line)
	if len(lines) < 30 {
		t.Fatalf("%d lines", len(lines))
	}
	file, missing := document(t, lines...)
	if missing {
		t.Error("the font lacks something")
	}
	got := strings.Split(pdftest.Text(t, file), "\n")
	for i, want := range lines {
		// pdftotext sees a space behind a mark that has a width, as U+031A of phonetics has.
		if want = norm.NFC.String(want); i >= len(got) || strings.ReplaceAll(got[i], " ", "") != want {
			t.Fatalf("%q is extracted as %q", want, got[min(i, len(got)-1)])
		}
	}
}

// What the font lacks is drawn as a replacement for each character that a reader sees, and copied as it was written.
func TestOtherScriptsAreVisiblyReplaced(t *testing.T) {
	t.Parallel()
	var texts, plain []string
	for text, count := range map[string]int{"محمد علي": 7, "דוד לוי": 6, "王小明": 3, "สมชาย": 5, "한국": 2, "देव": 2,
		"👩‍👩‍👧 Ana": 1, "Ana\ue000": 1, "🇨🇦": 1, "Անի": 3, "Ana": 0, "A\u200dn\u202ea": 0, "Ana\x00B": 1} {
		texts, plain = append(texts, text), append(plain, strings.Repeat(string(typeset.Replacement), count))
		if _, missing := document(t, text); missing != (count > 0) {
			t.Errorf("%q: missing is %v", text, missing)
		}
	}
	file, _ := document(t, texts...)
	replaced, _ := document(t, plain...)
	got := strings.Split(pdftest.Text(t, file), "\n")
	ours, least := ink(t, file, len(texts)), ink(t, replaced, len(texts))
	for i, text := range texts {
		if ours[i] < least[i]*9/10 || ours[i] == 0 {
			t.Errorf("%q is drawn with %d dots, its replacements with %d", text, ours[i], least[i])
		}
		want := text
		if plain[i] == "" {
			want = strings.NewReplacer("\u200d", "", "\u202e", "").Replace(text)
		}
		read := strings.NewReplacer("\u202b", "", "\u202c", "").Replace(got[i]) // pdftotext's own
		if read != want && !strings.Contains(text, "\x00") {
			t.Errorf("%q is extracted as %q", want, read)
		}
	}
}

// A mark without a composed letter sits on its letter, and not behind or before it.
func TestMarksSitOnTheirLetters(t *testing.T) {
	t.Parallel()
	for text, base := range map[string]string{"x\u0302": "x", "Ж\u0301": "Ж", "K\u0331": "K", "m\u0304\u0300": "m",
		"ω\u0323": "ω", "W\u030a": "W"} {
		file, _ := document(t, text)
		alone, _ := document(t, base)
		with, letter := box(pdftest.Page(t, file)), box(pdftest.Page(t, alone))
		if with == letter || with.Min.X < letter.Min.X-1 || with.Max.X > letter.Max.X+1 || with.Min.Y >= letter.Min.Y &&
			with.Max.Y <= letter.Max.Y {
			t.Errorf("%q fills %v, its letter %v", text, with, letter)
		}
	}
}

// Each name has ink of its own: none is blank, and none is drawn as replacements.
func TestNamesAreDrawn(t *testing.T) {
	t.Parallel()
	plain := make([]string, len(names))
	for i, name := range names {
		plain[i] = strings.Repeat(string(typeset.Replacement), len([]rune(norm.NFC.String(name))))
	}
	file, _ := document(t, names...)
	replaced, _ := document(t, plain...)
	ours, tofu := ink(t, file, len(names)), ink(t, replaced, len(names))
	seen := map[int]bool{}
	for i, name := range names {
		if ours[i] < 20*len([]rune(name)) || ours[i] > tofu[i]*9/10 {
			t.Errorf("%q is drawn with %d dots, replacements with %d", name, ours[i], tofu[i])
		}
		seen[ours[i]] = true
	}
	if len(seen) < len(names)-5 {
		t.Errorf("%d of %d names look different", len(seen), len(names))
	}
}

// A long text goes on in the next line, whatever it is made of, and a cell cuts it between two characters.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	s := typeset.New("Letter")
	s.AddPage()
	s.Font(typeset.Regular, 10)
	long := []string{strings.Repeat("Nguyễn Thị ", 30), strings.Repeat("x\u0302", 300), strings.Repeat("王", 200),
		"one\ntwo"}
	want := ""
	for _, text := range long {
		before := s.GetY()
		s.Paragraph(100, 5, text, "L")
		if lines := (s.GetY() - before) / 5; lines < 1.9 {
			t.Errorf("%.20q… takes %.1f lines", text, lines)
		}
		want += norm.NFC.String(strings.Join(strings.Fields(text), ""))
	}
	for _, text := range long[:3] {
		cut := s.Fitting(text, 60)
		if !strings.HasSuffix(cut, "…") || !strings.HasPrefix(text, strings.TrimSuffix(cut, "…")) ||
			s.Width(cut) > 60 || s.Width(cut) < 50 {
			t.Errorf("%.20q… is cut to %q, %.1f wide", text, cut, s.Width(cut))
		}
	}
	if short := "Zoë"; s.Fitting(short, 60) != short {
		t.Error("a text that fits is cut")
	}
	var out bytes.Buffer
	if err := s.Output(&out); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(pdftest.Text(t, out.Bytes())), ""); got != want {
		t.Errorf("extracted %q, want %q", got, want)
	}
}

// ink counts the dark dots of each line of a document.
func ink(t *testing.T, file []byte, lines int) []int {
	const dots = 144 / 25.4 // in a millimeter
	out := make([]int, lines)
	walk(pdftest.Page(t, file), func(_, y int) {
		if i := int((float64(y)/dots - 10) / 8); i >= 0 && i < lines {
			out[i]++
		}
	})
	return out
}

func box(page *image.Gray) (out image.Rectangle) {
	walk(page, func(x, y int) { out = out.Union(image.Rect(x, y, x+1, y+1)) })
	return out
}

// walk visits the dark dots.
func walk(page *image.Gray, visit func(x, y int)) {
	for i, shade := range page.Pix {
		if shade < 0x80 {
			visit(i%page.Stride, i/page.Stride)
		}
	}
}
