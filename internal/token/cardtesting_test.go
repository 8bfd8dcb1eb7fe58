package token

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func firsts(r *rapid.T, name string) Firsts {
	return Firsts{Declines: rapid.SliceOfN(rapid.Bool(), 0, firstsMost).Draw(r, name),
		Made: rapid.IntRange(0, firstsMost).Draw(r, "made"), Unused: rapid.IntRange(0, firstsMost).Draw(r, "unused")}
}

// One more declined card never makes a merchant's payers freer, and one more approved card never restricts them more.
func TestLevelsFollowOutcomes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		f := firsts(r, "declines")
		was, careful, wide := rapid.Bool().Draw(r, "was"), rapid.Bool().Draw(r, "careful"), rapid.Bool().Draw(r, "wide")
		worse, better := f, f
		if n := len(f.Declines); n > 0 {
			at := rapid.IntRange(0, n-1).Draw(r, "at")
			worse.Declines, better.Declines = slices.Clone(f.Declines), slices.Clone(f.Declines)
			worse.Declines[at], better.Declines[at] = true, false
		}
		at := levelOf(was, f, careful, wide)
		if got := levelOf(was, worse, careful, wide); got < at {
			r.Errorf("level %d, with a decline more %d", at, got)
		}
		if got := levelOf(was, better, careful, wide); got > at {
			r.Errorf("level %d, with an approval more %d", at, got)
		}
		if !was && !careful && f.declined(attackedLast) < attackedDeclined && at == restricted {
			r.Errorf("restricted by %v", f.Declines)
		}
	})
}

// Without declines, no one is ever refused: not at a merchant, not at an address.
func TestApprovedCardsAreNeverRestricted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		f := firsts(r, "declines")
		f.Declines = make([]bool, len(f.Declines))
		if got := levelOf(rapid.Bool().Draw(r, "was"), f, true, true); got == restricted &&
			len(f.Declines) >= overApproved {
			r.Errorf("%d approved cards are restricted", len(f.Declines))
		}
		if f.hostile() || f.mostlyDeclined() {
			r.Errorf("%d approved cards make an address hostile", len(f.Declines))
		}
	})
}

// Declines at fewer than three merchants are none of the application's, however many there are.
func TestFewMerchantsAreNotTheApplication(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		f := firsts(r, "declines")
		f.Merchants = rapid.IntRange(0, 5).Draw(r, "merchants")
		if got, want := f.wide(), f.Merchants >= 3 && f.declined(40) >= 20; got != want {
			r.Errorf("%+v: %v", f, got)
		}
	})
}

func TestLevels(t *testing.T) {
	t.Parallel()
	of := func(approved, declined int) Firsts { // the declined ones are the last
		return Firsts{Declines: append(slices.Repeat([]bool{true}, declined), make([]bool, approved)...)}
	}
	for _, c := range []struct {
		f                  Firsts
		was, careful, wide bool
		want               level
	}{
		{f: of(0, 3), want: calm},
		{f: of(7, 13), want: restricted},
		{f: of(20, 9), want: challenged},
		{f: of(20, 4), want: challenged},
		{f: of(20, 4), careful: true, want: restricted},
		{f: of(20, 3), careful: true, want: calm},
		{f: of(20, 0), wide: true, want: challenged},
		{f: of(20, 9), wide: true, want: challenged},
		{f: of(20, 10), wide: true, want: restricted},
		{f: of(20, 5), was: true, want: challenged},
		{f: of(0, 6), was: true, want: restricted},
		{f: Firsts{}, was: true, want: calm},
		{f: Firsts{Made: 30, Unused: 10}, want: calm},
		{f: Firsts{Made: 15, Unused: 10}, want: challenged},
	} {
		if got := levelOf(c.was, c.f, c.careful, c.wide); got != c.want {
			t.Errorf("%+v: level %d, want %d", c, got, c.want)
		}
	}
	if unknownAnHour(of(0, 9)) != 2 || unknownAnHour(Firsts{Declines: []bool{false, false, true}}) != 8 {
		t.Error("approvals do not raise the number of unknown cards")
	}
}
