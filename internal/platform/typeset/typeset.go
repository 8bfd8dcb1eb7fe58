// Package typeset sets text in PDF documents: shaped, in an embedded font, and extractable as it was written.
//
// The font covers Latin, Vietnamese, Greek and Cyrillic, with combining marks in place. A character that it lacks is
// drawn as one replacement character, and Missing reports it; copying such a text still gives the original.
package typeset

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf16"

	"codeberg.org/go-pdf/fpdf"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/shaping"
)

// Replacement is drawn for a character that the font does not have.
const Replacement = '\uFFFD'

// ellipsis ends a text that was cut to fit.
const ellipsis = "…"

// Style is a weight of the font.
type Style string

// The styles.
const (
	Regular Style = ""
	Bold    Style = "B"
)

var (
	//go:embed font/NotoSans-Regular.ttf
	regular []byte
	//go:embed font/NotoSans-Bold.ttf
	bold []byte

	files = map[Style][]byte{Regular: regular, Bold: bold}
	fonts = map[Style]*typeface{Regular: parse(regular), Bold: parse(bold)}
)

// typeface is a parsed font: shared by all documents, it does not change.
type typeface struct {
	*font.Font
	runes map[font.GID]rune // a code point that draws each glyph
}

func parse(file []byte) *typeface {
	face, err := font.ParseTTF(bytes.NewReader(file))
	if err != nil {
		panic("typeset: an embedded font cannot be read: " + err.Error())
	}
	out := &typeface{face.Font, map[font.GID]rune{}}
	for all := face.Cmap.Iter(); all.Next(); {
		r, glyph := all.Char()
		if known, ok := out.runes[glyph]; !ok || r < known {
			out.runes[glyph] = r
		}
	}
	return out
}

// Sheet is a document being written. Its texts go through Cell and Paragraph; everything else is fpdf's.
type Sheet struct {
	*fpdf.Fpdf
	shaper  shaping.HarfbuzzShaper
	faces   map[Style]*font.Face // a face is not shared: it remembers what it measured
	style   Style
	missing bool
}

// New begins a document on paper of a size that fpdf names.
func New(paper string) *Sheet {
	s := &Sheet{Fpdf: fpdf.New("P", "mm", paper, ""), faces: map[Style]*font.Face{}}
	for _, style := range []Style{Regular, Bold} {
		s.AddUTF8FontFromBytes("NotoSans", string(style), files[style])
		s.faces[style] = font.NewFace(fonts[style].Font)
	}
	return s
}

// Font chooses the style and the size, in points, of the texts that follow.
func (s *Sheet) Font(style Style, size float64) {
	s.style = style
	s.SetFont("NotoSans", string(style), size)
}

// Missing reports whether a text had a character that the font does not have.
func (s *Sheet) Missing() bool { return s.missing }

// Width is how wide a text is on one line, in millimeters.
func (s *Sheet) Width(text string) float64 { return s.shape(text).width * s.unit() }

// unit is the size of a thousandth of an em, in millimeters.
func (s *Sheet) unit() float64 {
	_, size := s.GetFontSize()
	return size / 1000
}

// Cell writes a text on one line into a box. Border, align and next are those of fpdf's CellFormat.
func (s *Sheet) Cell(width, height float64, text, border, align string, fill bool, next int) {
	x := s.GetX()
	s.CellFormat(width, height, "", border, next, "", fill, 0, "")
	top := s.GetY() // after a page break that the box has made
	if next != 0 {
		top -= height
	}
	l, margin := s.shape(text), s.GetCellMargin()
	if align == "R" {
		x += width - margin - l.width*s.unit()
	} else {
		x += margin
	}
	_, size := s.GetFontSize()
	s.draw(l, x, top+height/2+0.3*size)
}

// Paragraph writes a text into a column, on as many lines as it needs.
func (s *Sheet) Paragraph(width, height float64, text, align string) {
	x := s.GetX()
	for _, words := range s.lines(text, width-2*s.GetCellMargin()) {
		s.SetX(x)
		s.Cell(width, height, words, "", align, false, 1)
	}
}

// Fitting is a text, cut between two of its characters if it is wider than a cell.
func (s *Sheet) Fitting(text string, width float64) string {
	room := width - 2*s.GetCellMargin()
	if s.Width(text) <= room {
		return text
	}
	head, _ := s.split(text, room-s.Width(ellipsis))
	return strings.TrimRight(head, " ") + ellipsis
}

// draw puts a line on the page, its baseline at y. A piece that does not draw what it says carries its text with it.
func (s *Sheet) draw(l line, x, y float64) {
	unit := s.unit()
	for _, p := range l.pieces {
		if p.says {
			s.RawWriteStr("/Span <</ActualText <" + hexText(p.meant) + ">>> BDC ")
		}
		s.Text(x+p.x*unit, y-p.y*unit, p.text)
		if p.says {
			s.RawWriteStr("EMC ")
		}
	}
}

// hexText is a text string of PDF: UTF-16 behind its byte order mark.
func hexText(text string) string {
	var out strings.Builder
	out.WriteString("FEFF")
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&out, "%04X", unit)
	}
	return out.String()
}
