package stripe

import (
	"context"
	"errors"
	"slices"
	"sync"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
)

// Stripe lists the newest first, and we need the oldest first. So accounts are read in windows of time: the first is
// short, and each is longer than the one before, in seconds. One with more than longestWindow objects of an account is
// read again in parts.
const (
	firstWindow   = 60
	widestWindow  = 60 * 24 * 3600
	windowGrowth  = 8
	slowGrowth    = 2 // after a window that was too long
	longestWindow = 500
)

// parallelAccounts is how many accounts are read at once.
const parallelAccounts = 8

// errLongWindow is of an account that has too many objects in a window.
var errLongWindow = errors.New("stripe: too many objects in a window")

// errNoObject is of a list with an element that is null.
var errNoObject = errors.New("stripe: a list has an element that is null")

// span is a time, and both its first and its last second belong to it.
type span struct{ from, to int64 }

func (s span) created() *sdk.RangeQueryParams {
	return &sdk.RangeQueryParams{GreaterThanOrEqual: s.from, LesserThanOrEqual: s.to}
}

// tooLong reports whether a span must be read in parts if it has that many objects.
func (s span) tooLong(objects int) bool { return objects > longestWindow && s.from < s.to }

// scan reads what accounts have after a cursor. It remembers in memory what it read, so a scan that runs out of time is
// continued by the next one with the same cursor. Its method may be called from several goroutines, one of which reads.
type scan[T any] struct {
	mu            sync.Mutex
	after         string // the cursor
	begun         bool
	from          int64 // what is older was read
	window        span  // that is being read; zero between two
	width, growth int64
	read          map[processor.Account][]T // of the window
	found         []T                       // after the cursor, before from
}

// until returns what all accounts have after a cursor, in any order: as much as is enough, or all up to the horizon.
// start is the second of the cursor. readOne reads a span of one account, and returns errLongWindow for one that is too
// long.
func (s *scan[T]) until(ctx context.Context, after string, start, horizon int64, accounts []processor.Account,
	enough func([]T) bool, readOne func(context.Context, processor.Account, span) ([]T, error)) ([]T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun || s.after != after {
		s.after, s.begun, s.from, s.window, s.width, s.growth = after, true, start, span{}, firstWindow, windowGrowth
		s.read, s.found = map[processor.Account][]T{}, nil
	}
	for s.from <= horizon && !enough(s.found) {
		if s.window == (span{}) {
			s.window = span{s.from, min(s.from+s.width-1, horizon)}
		}
		err := s.readWindow(ctx, accounts, readOne)
		if errors.Is(err, errLongWindow) {
			s.width, s.growth = max(1, (s.window.to-s.window.from+1)/windowGrowth), slowGrowth
			s.window = span{}
			clear(s.read)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, account := range accounts {
			s.found = append(s.found, s.read[account]...)
		}
		s.from, s.width, s.window = s.window.to+1, min(s.width*s.growth, widestWindow), span{}
		clear(s.read)
	}
	return slices.Clone(s.found), nil
}

// readWindow reads the accounts of which the window was not read.
func (s *scan[T]) readWindow(ctx context.Context, accounts []processor.Account,
	readOne func(context.Context, processor.Account, span) ([]T, error)) error {
	var left []processor.Account
	for _, account := range accounts {
		if _, done := s.read[account]; !done {
			left = append(left, account)
		}
	}
	found, errs := make([][]T, len(left)), make([]error, len(left))
	slots := make(chan struct{}, parallelAccounts)
	var all sync.WaitGroup
	for i, account := range left {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			found[i], errs[i] = readOne(ctx, account, s.window)
		})
	}
	all.Wait()
	for i, account := range left {
		if errs[i] == nil {
			s.read[account] = found[i]
		}
	}
	return errors.Join(errs...)
}
