package receipt

import (
	"io"

	"svcpay/internal/platform/typeset"
	"svcpay/views/text"
)

// Measures of the page: millimeters, and points for text.
const (
	margin    = 22.0
	rowHeight = 7.5
)

// PDF writes a receipt as a file of one page. The same receipt is the same file.
func (r Receipt) PDF(to io.Writer) error {
	w := text.English.Receipt
	pdf := typeset.New("Letter")
	pdf.SetCreationDate(r.Charge.UpdatedAt.Time)
	pdf.SetModificationDate(r.Charge.UpdatedAt.Time)
	pdf.SetCatalogSort(true)
	pdf.SetMargins(margin, margin, margin)
	pdf.SetTitle(w.Subject(r.Merchant.Name), true)
	pdf.AddPage()
	wide, _ := pdf.GetPageSize()
	width := wide - 2*margin
	line := func(style typeset.Style, size, height float64, words string) {
		pdf.Font(style, size)
		pdf.Paragraph(width, height, words, "L")
	}
	row := func(style typeset.Style, left, right string) {
		pdf.Font(style, 10.5)
		pdf.SetDrawColor(205, 211, 217)
		at := pdf.GetY()
		pdf.Paragraph(width*0.38, rowHeight, left, "L")
		pdf.SetXY(margin+width*0.38, at)
		pdf.Paragraph(width*0.62, rowHeight, right, "R")
		pdf.Line(margin, pdf.GetY(), margin+width, pdf.GetY())
	}
	line(typeset.Bold, 20, 9, r.Merchant.Name)
	pdf.SetTextColor(90, 90, 90)
	line(typeset.Regular, 12, 8, w.Title)
	pdf.SetTextColor(0, 0, 0)
	pdf.Ln(6)
	line(typeset.Bold, 26, 12, r.total())
	pdf.Ln(6)
	for _, fact := range r.facts() {
		row(typeset.Regular, fact[0], fact[1])
	}
	pdf.Ln(6)
	row(typeset.Regular, w.Paid, r.money(r.Charge.AmountCaptured))
	if r.Charge.AmountRefunded > 0 {
		row(typeset.Regular, w.Refunded, r.money(-r.Charge.AmountRefunded))
	}
	row(typeset.Bold, w.Total, r.total())
	pdf.Ln(8)
	pdf.SetTextColor(90, 90, 90)
	foot := r.foot()
	if pdf.Missing() {
		foot = append(foot, w.NoLetters(string(typeset.Replacement)))
	}
	for _, words := range foot {
		line(typeset.Regular, 9, 5, words)
	}
	return pdf.Output(to)
}
