package ratelimit_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/platform/ratelimit"
)

var start = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func TestBurstThenRate(t *testing.T) {
	t.Parallel()
	b := ratelimit.New[string](100, 200, 10)
	for i := range 200 {
		if s := b.Take("a", start); !s.Allowed || s.Remaining != 199-i ||
			s.Full != time.Duration(i+1)*10*time.Millisecond {
			t.Fatalf("request %d: %+v", i, s)
		}
	}
	if s := b.Take("a", start); s.Allowed || s.Remaining != 0 || s.Next != 10*time.Millisecond ||
		s.Full != 2*time.Second {
		t.Errorf("with an empty bucket: %+v", s)
	}
	if s := b.Take("b", start); !s.Allowed || s.Remaining != 199 {
		t.Errorf("another key: %+v", s)
	}
	if s := b.Take("a", start.Add(25*time.Millisecond)); !s.Allowed || s.Remaining != 1 || s.Next != 0 {
		t.Errorf("a moment later: %+v", s)
	}
	if b.Quota() != 200 || b.Window() != 2*time.Second {
		t.Errorf("told as %d in %s", b.Quota(), b.Window())
	}
}

func TestLookingTakesNothing(t *testing.T) {
	t.Parallel()
	b := ratelimit.New[int](1, 1, 10)
	for range 3 {
		if s := b.Look(1, start); !s.Allowed || s.Remaining != 1 || s.Full != 0 {
			t.Errorf("%+v", s)
		}
	}
	b.Take(1, start)
	if s := b.Look(1, start.Add(250*time.Millisecond)); s.Allowed || s.Next != 750*time.Millisecond {
		t.Errorf("%+v", s)
	}
}

// In no span of time does anybody get more than the bucket held and what it got in the meantime, and who
// waits as long as told gets a token.
func TestNobodyGetsMoreThanTheirRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		perSecond, burst := rapid.IntRange(1, 20).Draw(t, "rate"), rapid.IntRange(1, 40).Draw(t, "burst")
		b := ratelimit.New[int](perSecond, burst, 10)
		now := start
		var given []time.Time
		for range rapid.IntRange(1, 100).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 300).Draw(t, "pause")) * time.Millisecond)
			s := b.Take(0, now)
			if !s.Allowed {
				if now = now.Add(s.Next + time.Microsecond); !b.Take(0, now).Allowed {
					t.Fatalf("after %s there is no token", s.Next)
				}
			}
			given = append(given, now)
		}
		for i, from := range given {
			for n, until := range given[i:] {
				if most := float64(burst) + until.Sub(from).Seconds()*float64(perSecond); float64(n+1) > most+0.001 {
					t.Fatalf("%d in %s, at most %f are allowed", n+1, until.Sub(from), most)
				}
			}
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	b := ratelimit.New[int](1, 50, 10)
	var allowed atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 10 {
				if b.Take(0, start).Allowed {
					allowed.Add(1)
				}
			}
		})
	}
	if wg.Wait(); allowed.Load() != 50 {
		t.Errorf("%d of 50 were allowed", allowed.Load())
	}
}

// However many keys come, those that keep coming are remembered.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	b := ratelimit.New[int](1, 2, 100)
	b.Take(-1, start)
	b.Take(-1, start)
	for i := range 10_000 {
		b.Take(i, start)
		if i%50 == 0 && b.Look(-1, start).Allowed {
			t.Fatalf("after %d others, a key that keeps coming has tokens again", i)
		}
		if n := b.Remembered(); n > 200 {
			t.Fatalf("%d are remembered", n)
		}
	}
	if s := b.Look(0, start); s.Remaining != 2 {
		t.Errorf("the first of 10,000 is still remembered: %+v", s)
	}
}

func TestGuesses(t *testing.T) {
	t.Parallel()
	g := ratelimit.NewGuesses(ratelimit.NewAddresses(1, 3))
	refused := func(address, credentials string, at time.Time) bool {
		wait, refused := g.Suspects(address, credentials, at)
		if refused && wait != time.Second {
			t.Errorf("refused for %s", wait)
		}
		return refused
	}
	g.Worked("good")
	for i := range 3 {
		if refused("192.0.2.1", "bad", start) {
			t.Errorf("guess %d is refused", i)
		}
		g.Failed("192.0.2.1", "bad", start)
	}
	for credentials, want := range map[string]bool{"bad": true, "another": true, "": true, "good": false} {
		if refused("192.0.2.1", credentials, start) != want {
			t.Errorf("%q is refused: %v", credentials, !want)
		}
	}
	if refused("192.0.2.2", "bad", start) || refused("192.0.2.1", "bad", start.Add(time.Second)) {
		t.Error("another address, or a second later, is refused")
	}
	g.Failed("192.0.2.3", "good", start) // revoked in the meantime
	if !refused("192.0.2.1", "good", start) {
		t.Error("what worked once and fails now is let through")
	}
}

// TestSuspectsAreLookedUpAFewAtATime fills the turns of an address; those of another are free.
func TestSuspectsAreLookedUpAFewAtATime(t *testing.T) {
	t.Parallel()
	g := ratelimit.NewGuesses(ratelimit.NewAddresses(1, 1))
	var last func()
	for range 4 {
		giveBack, err := g.LookUp(t.Context(), "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		last = giveBack
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.LookUp(gone, "192.0.2.1"); err == nil {
		t.Error("a fifth look-up at once")
	}
	if _, err := g.LookUp(gone, "192.0.2.2"); err != nil {
		t.Errorf("another address: %v", err)
	}
	last()
	if _, err := g.LookUp(gone, "192.0.2.1"); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}

func TestOneCustomersAddressesAreOne(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"2001:db8::1", "2001:db8::ffff:1", true},
		{"2001:db8::1", "2001:db8:0:1::1", false},
		{"192.0.2.1", "192.0.2.2", false},
		{"::ffff:192.0.2.1", "192.0.2.1", true},
		{"fe80::1%eth0", "fe80::1", true},
		{"", "@", true},
		{"", "192.0.2.1", false},
	} {
		g := ratelimit.NewGuesses(ratelimit.NewAddresses(1, 1))
		g.Failed(tt.a, "x", start)
		if _, refused := g.Suspects(tt.b, "x", start); refused != tt.same {
			t.Errorf("%s after %s is refused: %v", tt.b, tt.a, refused)
		}
	}
}
