package typeset

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/segmenter"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// line is a shaped text: its pieces from left to right and its width, in thousandths of an em.
type line struct {
	pieces []piece
	width  float64
}

// piece is what is drawn in one go. If what it draws does not say what is meant, says is true and meant says it.
type piece struct {
	drawn
	meant string
	says  bool
	end   float64 // where another glyph would follow without a gap
}

// drawn are glyphs in a row, named by the code points that the font has them under, with the place of the first.
type drawn struct {
	x, y float64
	text string
}

// shown is a text as the font can show it: meant has, by the index of a replacement, what it is drawn for.
type shown struct {
	runes []rune
	meant map[int]string
}

// shape lays a text out on one line.
func (s *Sheet) shape(text string) line {
	t := s.shown(text)
	var out line
	for from := 0; from < len(t.runes); {
		to, script := scriptRun(t.runes, from)
		run := s.shaper.ShapeNoExtents(shaping.Input{Text: t.runes, RunStart: from, RunEnd: to,
			Direction: di.DirectionLTR,
			Face:      s.faces[s.style], Size: fixed.I(1000), Script: script, Language: language.NewLanguage("en")})
		s.place(&out, t, run.Glyphs)
		from = to
	}
	return out
}

// shown composes a text and replaces what the font lacks, one replacement for each character that a reader sees.
// Format characters are left out: they have no form, and the order of writing is ours.
func (s *Sheet) shown(text string) shown {
	out := shown{meant: map[int]string{}}
	for _, char := range graphemes(norm.NFC.String(text)) {
		visible := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsSpace(r):
				return ' '
			case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r):
				return -1
			}
			return r
		}, char)
		if s.draws(visible) {
			out.runes = append(out.runes, []rune(visible)...)
			continue
		}
		s.missing = true
		out.meant[len(out.runes)] = char
		out.runes = append(out.runes, Replacement)
	}
	out.reorder()
	return out
}

// reorder puts what is written from right to left, and all of it is replaced, in the order of its places on the page.
func (t shown) reorder() {
	first := -1
	for i, r := range t.runes {
		switch {
		case rightToLeft(t.meant[i]):
			if first < 0 {
				first = i
			}
			if i+1 == len(t.runes) || !t.goesOn(i+1) {
				t.reverse(first, i)
				first = -1
			}
		case r != ' ':
			first = -1
		}
	}
}

// goesOn reports whether the next word, from i, is written from right to left.
func (t shown) goesOn(i int) bool {
	for i < len(t.runes) && t.runes[i] == ' ' {
		i++
	}
	return rightToLeft(t.meant[i])
}

func (t shown) reverse(first, last int) {
	slices.Reverse(t.runes[first : last+1])
	for ; first < last; first, last = first+1, last-1 {
		t.meant[first], t.meant[last] = t.meant[last], t.meant[first]
	}
}

func rightToLeft(text string) bool {
	if text == "" {
		return false
	}
	p, _ := bidi.LookupString(text)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// draws reports whether the font has all of a text. What it has for private use is the shaper's alone.
func (s *Sheet) draws(text string) bool {
	for _, r := range text {
		if _, ok := fonts[s.style].NominalGlyph(r); !ok || unicode.Is(unicode.Co, r) {
			return false
		}
	}
	return true
}

// scriptRun is where the script changes after from, and the script until there.
func scriptRun(text []rune, from int) (int, language.Script) {
	script := language.Common
	for i := from; i < len(text); i++ {
		switch of := language.LookupScript(text[i]); {
		case !of.Strong() || of == script:
		case script == language.Common:
			script = of
		default:
			return i, script
		}
	}
	return len(text), script
}

// place appends the glyphs of a run, cluster by cluster.
func (s *Sheet) place(out *line, t shown, glyphs []shaping.Glyph) {
	for len(glyphs) > 0 {
		n := max(1, glyphs[0].GlyphsCount())
		first, count := glyphs[0].TextIndex(), glyphs[0].RunesCount()
		s.placeCluster(out, t.runes[first:first+count], t.meant[first], glyphs[:n])
		glyphs = glyphs[n:]
	}
}

// placeCluster appends what belongs together, such as a letter with its marks. The letter says the whole and the marks
// nothing: readers of the file would guess from its place what a mark belongs to.
func (s *Sheet) placeCluster(out *line, text []rune, meant string, glyphs []shaping.Glyph) {
	if glyph, ok := fonts[s.style].NominalGlyph(text[0]); ok && len(text) == 1 && len(glyphs) > 1 {
		glyphs = []shaping.Glyph{{GlyphID: glyph, Advance: sum(glyphs)}} // the letter is there whole
	}
	if meant == "" {
		meant = string(text)
	}
	for i, g := range glyphs {
		p := piece{drawn: drawn{x: out.width + units(g.XOffset), y: units(g.YOffset)}}
		p.text = string(s.runeOf(g.GlyphID, text))
		p.end = p.x + float64(s.faces[s.style].HorizontalAdvance(g.GlyphID))
		if i == 0 {
			p.meant = meant
		}
		p.says = p.text != p.meant
		out.add(p)
		out.width += units(g.Advance)
	}
}

// add appends a piece, to the one before if that ends where it begins and both draw what they say.
func (l *line) add(p piece) {
	if n := len(l.pieces); n > 0 && !p.says {
		if before := &l.pieces[n-1]; !before.says && before.end == p.x && before.y == p.y {
			before.text, before.end = before.text+p.text, p.end
			return
		}
	}
	l.pieces = append(l.pieces, p)
}

// runeOf is a code point that draws a glyph, one of the text's if it can be.
func (s *Sheet) runeOf(glyph font.GID, text []rune) rune {
	for _, r := range text {
		if of, ok := fonts[s.style].NominalGlyph(r); ok && of == glyph {
			return r
		}
	}
	if r, ok := fonts[s.style].runes[glyph]; ok {
		return r
	}
	return Replacement
}

func sum(glyphs []shaping.Glyph) (advance fixed.Int26_6) {
	for _, g := range glyphs {
		advance += g.Advance
	}
	return advance
}

func units(v fixed.Int26_6) float64 { return float64(v) / 64 }

// graphemes are the characters that a reader sees.
func graphemes(text string) (out []string) {
	var seg segmenter.Segmenter
	seg.Init([]rune(text))
	for all := seg.GraphemeIterator(); all.Next(); {
		out = append(out, string(all.Grapheme().Text))
	}
	return out
}

// lines breaks a text where Unicode allows it, so that each line fits; a word that is too wide is split.
func (s *Sheet) lines(text string, room float64) (out []string) {
	var seg segmenter.Segmenter
	seg.Init([]rune(text))
	now := ""
	for all := seg.LineIterator(); all.Next(); {
		part := string(all.Line().Text)
		if now != "" && s.Width(strings.TrimRight(now+part, " \r\n")) > room {
			out, now = append(out, now), ""
		}
		for now += part; s.Width(strings.TrimRight(now, " \r\n")) > room; {
			head, rest := s.split(now, room)
			out, now = append(out, head), rest
		}
		if all.Line().IsMandatoryBreak {
			out, now = append(out, now), ""
		}
	}
	if now != "" {
		out = append(out, now)
	}
	for i := range out {
		out[i] = strings.TrimRight(out[i], " \r\n")
	}
	return out
}

// split cuts a text so that its head fits, and has at least one character.
func (s *Sheet) split(text string, room float64) (head, rest string) {
	chars := graphemes(text)
	n := 1
	for n < len(chars) && s.Width(strings.Join(chars[:n+1], "")) <= room {
		n++
	}
	return strings.Join(chars[:n], ""), strings.Join(chars[n:], "")
}
