// Package kit is shared by the sandbox counterparties: each follows the clocks of its accounts, which a sandbox
// application can advance, and publishes a numbered feed.
package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// The times of the machine by which counterparties respond.
const (
	// LateBy is when, after a call whose response is lost, its outcome can be looked up.
	LateBy = 3 * time.Second
	// SettleWindow exceeds the timeouts of calls: until then a submission may be on its way.
	SettleWindow = 25 * time.Second
	// BookDelay is how long after its call a line appears in the book. Lines get their numbers when they are written
	// and are seen when they are committed; no call takes so long that a line of a lower number could still be missing
	// then.
	BookDelay = time.Minute

	hangFor = time.Second
)

// ErrNoAnswer is the error of a call whose response is lost.
var ErrNoAnswer = errors.New("sandbox: the connection was lost before an answer came")

// Hang blocks as a call does whose response is lost, and returns its error.
func Hang(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(hangFor):
		return ErrNoAnswer
	}
}

// Written returns the first lines of a book up to one that was written less than [BookDelay] ago.
func Written[L any](lines []L, now time.Time, writtenAt func(L) time.Time) []L {
	closed := now.Add(-BookDelay)
	if i := slices.IndexFunc(lines, func(l L) bool { return writtenAt(l).After(closed) }); i >= 0 {
		return lines[:i] // a line after it would hide it from the next page
	}
	return lines
}

// AccountTime tells the time of an account. An error means that the account or its time is not known.
type AccountTime func(ctx context.Context, account string) (time.Time, error)

// AccountClock makes an AccountTime of the clocks of applications, such as clock.Clock.Moment.
func AccountClock(moment func(ctx context.Context, applicationID int64) (instant.Moment, error)) AccountTime {
	return func(ctx context.Context, account string) (time.Time, error) {
		id, ok := processor.ApplicationOf(account)
		if !ok {
			return time.Time{}, fmt.Errorf("counterparty: %q is no account", account)
		}
		m, err := moment(ctx, id)
		return m.At, err
	}
}

// First is the earliest time at which something has to happen to an account.
type First struct {
	Account string    `db:"account"`
	First   time.Time `db:"first"`
}

// Overdue picks the accounts to which something has to happen by now, with their present times.
func (of AccountTime) Overdue(ctx context.Context, firsts []First) (accounts []string, nows []time.Time, err error) {
	for _, f := range firsts {
		now, err := of(ctx, f.Account)
		if err != nil {
			return nil, nil, err
		}
		if !f.First.After(now) {
			accounts, nows = append(accounts, f.Account), append(nows, now)
		}
	}
	return accounts, nows, nil
}

// Emit has move put into the feed what is overdue, in a transaction, and returns how many events it put there.
func (of AccountTime) Emit(
	ctx context.Context, pool *pgxpool.Pool, firsts []First, move func(tx *pg.Tx, accounts []string,
		nows []time.Time) (int64, error),
) (n int64, err error) {
	accounts, nows, err := of.Overdue(ctx, firsts)
	if err != nil || len(accounts) == 0 {
		return 0, err
	}
	err = pg.InTx(ctx, pool, func(tx *pg.Tx) (err error) {
		n, err = move(tx, accounts, nows)
		return err
	})
	return n, err
}

// EventID is the id of the n-th event of a feed: padded, so that ids sort as text too.
func EventID(n int64) string { return fmt.Sprintf("%019d", n) }

// Cursor reads the number of an event back from its id; "" is 0, before the first.
func Cursor(id string) (int64, error) {
	if id == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || EventID(n) != id {
		return 0, fmt.Errorf("counterparty: %q is no event of this feed", id)
	}
	return n, nil
}
