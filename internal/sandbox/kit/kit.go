// Package kit is shared by the sandbox counterparties: each follows the clocks of its accounts, which a sandbox application can
// advance, and publishes a numbered feed.
package kit

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/processor"
)

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
