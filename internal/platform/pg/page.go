package pg

import (
	"context"
	"errors"
	"maps"
	"strconv"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/fault"
	"svcpay/internal/platform/page"
)

// Find is [One] for a record that a caller asked for: without a row it returns the fault that says
// that the record is missing.
func Find[T any](ctx context.Context, q Querier, sql string, args Args) (T, error) {
	out, err := One[T](ctx, q, sql, args)
	if errors.Is(err, ErrNone) {
		err = fault.Missing()
	}
	return out, err
}

// The ends of a page's statement. Each direction, with a cursor and without, is a statement of its own:
// a plan with one of the two in a parameter could not begin to read the index where the page begins.
const (
	pageFirstUp = `
		ORDER BY id LIMIT `
	pageFirstDown = `
		ORDER BY id DESC LIMIT `
	pageUp = `
		AND id > @cursor` + pageFirstUp
	pageDown = `
		AND id < @cursor` + pageFirstDown
)

// How many rows are read. The number of a page that people see is in the statement: of one that comes as a parameter
// the server would think that it may be a tenth of the table, take no plan for all of them, and make one at each
// execution, which takes as long as to read the page.
const (
	anyRows    = `@limit`
	peopleRows = `51`
)

// forTheseArguments has a statement planned for the arguments that it comes with. A list has many
// filters of which few are used at a time; a plan for all of them could use no index for any.
const forTheseArguments = pgx.QueryExecModeCacheDescribe

// Planned is [All] for sums over a list, whose filters are as many: with a plan made for its arguments, unless no
// filter is set and the list is no longer than its limit.
func Planned[T any](ctx context.Context, q Querier, sql string, args Args) ([]T, error) {
	sql, args, how := asked(sql, args)
	return collect(ctx, q, sql, args, func(rows pgx.Rows) ([]T, error) { return rowsOf(rows, same[T]) }, how...)
}

// Page reads one page of records along their column id. sql is a SELECT that ends in the conditions of
// its WHERE; what cuts the page out of that is added to it and to args. shown makes the record of a row.
func Page[R, T any, ID comparable](ctx context.Context, q Querier, in page.Input[ID], sql string, args Args,
	shown func(R) T) (page.Of[T], error) {
	sql, args, how := paged(in, sql, args)
	return collect(ctx, q, sql, args, pageOf(in, shown), how...)
}

// pageOf reads the rows of a page.
func pageOf[R, T any, ID comparable](in page.Input[ID], shown func(R) T) func(pgx.Rows) (page.Of[T], error) {
	return func(rows pgx.Rows) (page.Of[T], error) {
		records, err := rowsOf(rows, shown)
		if err != nil {
			return page.Of[T]{}, err
		}
		return page.Cut(in, records), nil
	}
}

// paged is a list's statement for one page of it, with its arguments and options that say how it is planned.
func paged[ID comparable](in page.Input[ID], sql string, args Args) (string, Args, []any) {
	args = maps.Clone(args)
	cursor := in.Cursor()
	if cursor != nil {
		args["cursor"] = *cursor
	}
	switch {
	case cursor == nil && in.Up():
		sql += pageFirstUp
	case cursor == nil:
		sql += pageFirstDown
	case in.Up():
		sql += pageUp
	default:
		sql += pageDown
	}
	if rows := strconv.Itoa(in.Rows()); rows == peopleRows {
		sql += rows
	} else {
		sql += anyRows
		args["limit"] = in.Rows()
	}
	return asked(sql, args)
}
