package rig

import (
	_ "embed"
	"strings"
)

// Audit is a statement whose every row tells of something, in its column wrong, that must not be. It
// takes the application as @app.
type Audit struct{ What, SQL string }

//go:embed audits/instant.sql
var instant string

//go:embed audits/quiet.sql
var quiet string

//go:embed audits/deliveries.sql
var deliveries string

//go:embed audits/book.sql
var book string

// AtEveryInstant is what must be true of an application between any two transactions.
func AtEveryInstant() []Audit { return audits(instant) }

// WhenQuiet is what must be true when nothing is under way.
func WhenQuiet() []Audit { return audits(quiet) }

// OfDeliveries is what must be true of events and webhooks when all have been sent.
func OfDeliveries() []Audit { return audits(deliveries) }

// OfBook compares the sandbox processor's own book with our calls and our ledger, when nothing is under
// way. account is how its accounts of the application begin.
func OfBook(account string) []Audit {
	return audits(strings.ReplaceAll(book, "$account", "'"+account+"'"))
}

// audits reads a file of statements, each below a line that says what it finds.
func audits(file string) (out []Audit) {
	for part := range strings.SplitSeq(strings.TrimSpace(file), "\n\n") {
		what, sql, _ := strings.Cut(part, "\n")
		out = append(out, Audit{strings.TrimPrefix(what, "-- "), sql})
	}
	return out
}
