package pg

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// Args are the arguments of a statement by the names that it has for them, as in @merchant. Each must be in
// the statement, and each name of the statement among them.
type Args map[string]any

// rewritten is a statement with its arguments numbered.
type rewritten struct {
	sql   string
	names []string // in the order of the numbers
}

// statements are those that were rewritten, by their texts, but for more than there are in the program: to look
// for names in a text takes about as long as to send it.
var (
	statements     sync.Map // of string to rewritten
	statementCount atomic.Int64
)

const maxStatements = 4096

// RewriteQuery implements pgx.QueryRewriter.
func (a Args) RewriteQuery(ctx context.Context, conn *pgx.Conn, sql string, _ []any) (string, []any, error) {
	known, ok := statements.Load(sql)
	if ok {
		if values, ok := a.ordered(known.(rewritten).names); ok {
			return known.(rewritten).sql, values, nil
		}
	}
	text, values, err := pgx.StrictNamedArgs(a).RewriteQuery(ctx, conn, sql, nil)
	if err != nil || ok {
		return text, values, err
	}
	return text, values, a.remember(ctx, conn, sql)
}

// ordered puts the arguments in the order of names; false if they have others.
func (a Args) ordered(names []string) ([]any, bool) {
	values := make([]any, len(names))
	for i, name := range names {
		v, ok := a[name]
		if !ok {
			return nil, false
		}
		values[i] = v
	}
	return values, len(a) == len(names)
}

// remember keeps a statement. Which name has which number is seen by arguments that are their own names.
func (a Args) remember(ctx context.Context, conn *pgx.Conn, sql string) error {
	if statementCount.Add(1) > maxStatements {
		return nil
	}
	names := make(pgx.StrictNamedArgs, len(a))
	for name := range a {
		names[name] = name
	}
	text, order, err := names.RewriteQuery(ctx, conn, sql, nil)
	if err != nil {
		return err
	}
	r := rewritten{sql: text, names: make([]string, len(order))}
	for i, name := range order {
		r.names[i] = name.(string)
	}
	statements.Store(sql, r)
	return nil
}
