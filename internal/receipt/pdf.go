package receipt

import (
	"io"

	"codeberg.org/go-pdf/fpdf"

	"svcpay/views/text"
)

// Measures of the page: millimeters, and points for text.
const (
	margin    = 22.0
	rowHeight = 7.5
	font      = "Helvetica"
)

// PDF writes a receipt as a file of one page. The same receipt is the same file.
func (r Receipt) PDF(to io.Writer) error {
	w := text.English.Receipt
	pdf := fpdf.New("P", "mm", "Letter", "")
	pdf.SetCreationDate(r.Charge.UpdatedAt.Time)
	pdf.SetModificationDate(r.Charge.UpdatedAt.Time)
	pdf.SetCatalogSort(true)
	pdf.SetMargins(margin, margin, margin)
	pdf.SetTitle(w.Subject(r.Merchant.Name), true)
	pdf.AddPage()
	latin := pdf.UnicodeTranslatorFromDescriptor("cp1252")
	wide, _ := pdf.GetPageSize()
	width := wide - 2*margin
	line := func(style string, size, height float64, words string) {
		pdf.SetFont(font, style, size)
		pdf.MultiCell(width, height, latin(words), "", "L", false)
	}
	row := func(style, left, right string) {
		pdf.SetFont(font, style, 10.5)
		pdf.SetDrawColor(205, 211, 217)
		at := pdf.GetY()
		pdf.MultiCell(width*0.38, rowHeight, latin(left), "", "L", false)
		pdf.SetXY(margin+width*0.38, at)
		pdf.MultiCell(width*0.62, rowHeight, latin(right), "", "R", false)
		pdf.Line(margin, pdf.GetY(), margin+width, pdf.GetY())
	}
	line("B", 20, 9, r.Merchant.Name)
	pdf.SetTextColor(90, 90, 90)
	line("", 12, 8, w.Title)
	pdf.SetTextColor(0, 0, 0)
	pdf.Ln(6)
	line("B", 26, 12, r.total())
	pdf.Ln(6)
	for _, fact := range r.facts() {
		row("", fact[0], fact[1])
	}
	pdf.Ln(6)
	row("", w.Paid, r.money(r.Charge.AmountCaptured))
	if r.Charge.AmountRefunded > 0 {
		row("", w.Refunded, r.money(-r.Charge.AmountRefunded))
	}
	row("B", w.Total, r.total())
	pdf.Ln(8)
	pdf.SetTextColor(90, 90, 90)
	for _, words := range r.foot() {
		line("", 9, 5, words)
	}
	return pdf.Output(to)
}
