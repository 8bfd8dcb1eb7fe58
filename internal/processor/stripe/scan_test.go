package stripe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/processor"
)

// ticks are the seconds at which accounts have something, and how many seconds of each were read.
type ticks struct {
	mu    sync.Mutex
	of    map[processor.Account][]int64
	reads int
	fails func(read int) bool
}

var errDown = errors.New("the connection was refused")

func (k *ticks) read(_ context.Context, account processor.Account, in span) (found []int64, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reads++; k.fails != nil && k.fails(k.reads) {
		return nil, errDown
	}
	for _, at := range k.of[account] {
		if at >= in.from && at <= in.to {
			found = append(found, at)
		}
	}
	if in.tooLong(len(found)) {
		return nil, errLongWindow
	}
	return found, nil
}

func (k *ticks) accounts() (all []processor.Account) {
	for account := range k.of {
		all = append(all, account)
	}
	return all
}

// A scan finds everything in any traffic, however often it fails on the way, and in pages of any length.
func TestScanMissesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k := &ticks{of: map[processor.Account][]int64{}}
		var want []int64
		for i := range rapid.IntRange(1, 4).Draw(t, "accounts") {
			seconds := rapid.SliceOfN(rapid.Int64Range(0, 100_000), 0, 40).Draw(t, "seconds")
			if burst := rapid.Int64Range(-1, 90_000).Draw(t, "burst"); burst >= 0 {
				for n := range int64(3 * longestWindow) {
					seconds = append(seconds, burst+n/40)
				}
			}
			k.of[processor.Account{External: fmt.Sprint(i)}] = seconds
			want = append(want, seconds...)
		}
		every := rapid.IntRange(2, 9).Draw(t, "every so many reads fail")
		k.fails = func(read int) bool { return read%every == 0 }
		limit := rapid.IntRange(1, 2_000).Draw(t, "limit")
		var s scan[int64]
		var got []int64
		for after, failures := int64(-1), 0; ; {
			found, err := s.until(t.Context(), fmt.Sprint(after), max(0, after), 100_000, k.accounts(),
				func(found []int64) bool { return len(fresh(found, after)) >= limit }, k.read)
			if errors.Is(err, errDown) {
				if failures++; failures > 100_000 {
					t.Fatal("it makes no progress")
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			found = fresh(found, after)
			slices.Sort(found)
			if len(found) == 0 {
				break
			}
			// The page ends with a whole second, which the cursor names.
			last := found[min(limit, len(found))-1]
			end, _ := slices.BinarySearch(found, last+1)
			got, after = append(got, found[:end]...), last
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%d of %d were found", len(got), len(want))
		}
	})
}

func fresh(found []int64, after int64) (out []int64) {
	for _, at := range found {
		if at > after {
			out = append(out, at)
		}
	}
	return out
}

// A scan that fails in a window reads only the other accounts of it again.
func TestScanContinuesWhereItFailed(t *testing.T) {
	t.Parallel()
	k := &ticks{of: map[processor.Account][]int64{}}
	for i := range 50 {
		k.of[processor.Account{External: fmt.Sprint(i)}] = []int64{int64(i)}
	}
	var s scan[int64]
	page := func() ([]int64, error) {
		return s.until(t.Context(), "", 0, 50, k.accounts(), func([]int64) bool { return false }, k.read)
	}
	k.fails = func(read int) bool { return read > 30 }
	if _, err := page(); !errors.Is(err, errDown) {
		t.Fatal(err)
	}
	k.reads, k.fails = 0, nil
	if found, err := page(); err != nil || len(found) != 50 || k.reads != 20 {
		t.Errorf("%d found in %d reads, %v", len(found), k.reads, err)
	}
	if found, err := page(); err != nil || len(found) != 50 || k.reads != 20 {
		t.Errorf("the same page: %d found in %d reads, %v", len(found), k.reads, err)
	}
}

// A scan that is repeated while there is nothing new reads what came since, as long as it runs.
func TestScanOfAQuietAccount(t *testing.T) {
	t.Parallel()
	at := processor.Account{External: "quiet"}
	k := &ticks{of: map[processor.Account][]int64{at: {1_000_000}}}
	var s scan[int64]
	for now := int64(0); now < 2_000_000; now += 1_000 {
		k.reads = 0
		found, err := s.until(t.Context(), "", 0, now, k.accounts(), func([]int64) bool { return false }, k.read)
		if err != nil || (len(found) == 1) != (now >= 1_000_000) || k.reads > 8 {
			t.Fatalf("at %d: %v in %d reads, %v", now, found, k.reads, err)
		}
	}
}
