package report

import "io"

// PlainPDF is StatementPDF without compression, so that tests can read it.
func PlainPDF(st Statement, paper Paper, to io.Writer) error { return writePDF(st, paper, false, to) }

// Text is how a text that others chose is written.
func Text(s string) string { return text(&s) }
