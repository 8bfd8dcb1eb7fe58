package kit_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/instant"
	"svcpay/internal/processor"
	"svcpay/internal/sandbox/kit"
)

var start = time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)

func TestAccountClockIsTheApplications(t *testing.T) {
	t.Parallel()
	clock := kit.AccountClock(func(_ context.Context, applicationID int64) (instant.Moment, error) {
		if applicationID != 12 {
			return instant.Moment{}, errors.New("another application")
		}
		return instant.Moment{Machine: start, At: start.Add(24 * time.Hour)}, nil
	})
	if at, err := clock(t.Context(), processor.MerchantAccount(12, 7)); err != nil ||
		!at.Equal(start.Add(24*time.Hour)) {
		t.Errorf("%v, %v", at, err)
	}
	for _, account := range []string{"", "12", processor.MerchantAccount(13, 12)} {
		if at, err := clock(t.Context(), account); err == nil {
			t.Errorf("%q has the time %v", account, at)
		}
	}
}

func TestOverdueAreThoseWhoseOwnTimeHasCome(t *testing.T) {
	t.Parallel()
	of := kit.AccountTime(func(_ context.Context, account string) (time.Time, error) {
		at, ok := map[string]time.Time{"early": start, "late": start.Add(time.Hour)}[account]
		if !ok {
			return at, errors.New("no account")
		}
		return at, nil
	})
	firsts := []kit.First{{Account: "early", First: start.Add(time.Minute)},
		{Account: "late", First: start.Add(time.Hour)}}
	accounts, nows, err := of.Overdue(t.Context(), firsts)
	if err != nil || !slices.Equal(accounts, []string{"late"}) ||
		!slices.Equal(nows, []time.Time{start.Add(time.Hour)}) {
		t.Errorf("%v, %v, %v", accounts, nows, err)
	}
	if _, _, err := of.Overdue(t.Context(), []kit.First{{Account: "unheard"}}); err == nil {
		t.Error("an account without a clock has a time")
	}
}

func TestBookEndsBeforeWhatWasJustWritten(t *testing.T) {
	t.Parallel()
	ages := []time.Duration{2 * time.Minute, kit.BookDelay, kit.BookDelay - 1, time.Hour}
	got := kit.Written(ages, start, func(age time.Duration) time.Time { return start.Add(-age) })
	if !slices.Equal(got, ages[:2]) {
		t.Errorf("%v", got)
	}
	if got := kit.Written(ages[:1], start, func(age time.Duration) time.Time { return start.Add(-age) }); len(
		got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestEventsSortByTheirIDs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Min(1).Draw(t, "a"), rapid.Int64Min(1).Draw(t, "b")
		if (a < b) != (kit.EventID(a) < kit.EventID(b)) {
			t.Fatalf("%d, %d", a, b)
		}
		if n, err := kit.Cursor(kit.EventID(a)); err != nil || n != a {
			t.Fatalf("%d is read as %d, %v", a, n, err)
		}
	})
	if n, err := kit.Cursor(""); err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
	for _, id := range []string{"x", "1", "-1", "99999999999999999999", "0000000000000000001 "} {
		if n, err := kit.Cursor(id); err == nil {
			t.Errorf("%q is %d", id, n)
		}
	}
}
