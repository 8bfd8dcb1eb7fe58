package report

import "io"

// Printed is what there are PDF files of.
type Printed interface {
	pdf(paper Paper, compressed bool, to io.Writer) error
}

// PlainPDF writes a file without compression, so that tests can read it.
func PlainPDF(of Printed, paper Paper, to io.Writer) error { return of.pdf(paper, false, to) }

// Text is how a text that others chose is written.
func Text(s string) string { return text(&s) }

// SearchCharges finds all charges that match.
const SearchCharges = whole + charges + among
