package rig

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Audit is a statement whose every row reports something, in its column wrong, that must not be. It
// takes the application as @app.
type Audit struct{ What, SQL string }

// Look says what an audit of an application finds, a line each; an error is of the database, not of what is in it.
func (a Audit) Look(ctx context.Context, pool *pgxpool.Pool, application int64) (wrong []string, err error) {
	args := pgx.NamedArgs{}
	if strings.Contains(a.SQL, "@app") { // the processor's book and feed are of all applications
		args["app"] = application
	}
	rows, err := pool.Query(ctx, a.SQL, args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.What, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[*string])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.What, err)
	}
	for _, f := range found {
		if f == nil {
			f = new("?")
		}
		wrong = append(wrong, *f)
	}
	return wrong, nil
}

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

// WhenQuiet is what must be true when nothing is in progress.
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
