package identity

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/text/unicode/norm"

	"svcpay/internal/fault"
)

// Not parallel: it takes every turn that the package's other tests would want.
func TestACallerWhoLeftIsNotWaitedFor(t *testing.T) {
	for range max(1, runtime.GOMAXPROCS(0)-1) {
		done, err := hashing.take(t.Context(), true, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer done()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := hashPassword(ctx, "whatever it is"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left is still waited for: %v", err)
	}
	if _, err := checkPassword(ctx, nobodysHash, "whatever it is", false); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left is still waited for: %v", err)
	}
}

// In a flood of sign-ins, people who are known wait for the hash that is being computed alone. All others wait for
// those before them, up to a bound.
func TestKnownPeopleComeFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := turns{free: 1}
		const takes = 100 * time.Millisecond
		var flood sync.WaitGroup
		var late atomic.Int32
		sign := func(known bool) time.Duration {
			begun := time.Now()
			done, err := all.take(t.Context(), known, time.After(hashingWait))
			if fault.HasCode(err, "overloaded") {
				late.Add(1)
				return time.Since(begun)
			}
			time.Sleep(takes)
			done()
			return time.Since(begun)
		}
		for range 150 {
			flood.Go(func() { sign(false) })
		}
		synctest.Wait()
		for range 5 {
			if took := sign(true); took > 2*takes {
				t.Errorf("someone who is known waited %s", took)
			}
		}
		flood.Wait()
		if n := int(late.Load()); n < 54 || n > 56 { // a hundred turns in ten seconds, five of them of others
			t.Errorf("%d of the flood were refused", n)
		}
		if all.free != 1 || len(all.known)+len(all.others) != 0 {
			t.Errorf("left behind: %+v", all.free)
		}
	})
}

func TestStoredHashesKeepTheirOwnCost(t *testing.T) {
	t.Parallel()
	old := cost{memory: 8 << 10, passes: 1, lanes: 1}
	salt := []byte("0123456789abcdef")
	hash := old.format(salt, old.hash("correct horse battery", salt))
	for password, want := range map[string]bool{"correct horse battery": true, "correct horse": false} {
		if is, err := checkPassword(t.Context(), hash, password, false); err != nil || is.right != want || is.former {
			t.Errorf("%q: %+v, %v", password, is, err)
		}
	}
	for _, bad := range []string{"", "$argon2id$v=19$m=1$x$y$z", "$argon2id$v=19$m=8,t=1,p=1$!$!"} {
		if _, err := checkPassword(t.Context(), bad, "x", false); err == nil {
			t.Errorf("%q is taken for a hash", bad)
		}
	}
}

// A password is the same in every form that keyboards give it, and hashes of the form that was typed still count.
func TestPasswordsAreNormalized(t *testing.T) {
	t.Parallel()
	const typed = "Gr\u00fc\u00dfe aus K\u00f6ln 7"
	for _, form := range []string{typed, norm.NFD.String(typed), strings.ReplaceAll(typed, " ", "\u00a0"),
		strings.ReplaceAll(typed, " ", "\u3000")} {
		if prepared(form) != typed {
			t.Errorf("%q is prepared as %q", form, prepared(form))
		}
	}
	old := cost{memory: 8 << 10, passes: 1, lanes: 1}
	salt := []byte("0123456789abcdef")
	former := norm.NFD.String(typed)
	for hashed, want := range map[string]match{typed: {right: true}, former: {true, true}, typed + "x": {}} {
		if is, err := checkPassword(t.Context(), old.format(salt, old.hash(hashed, salt)), former, false); err != nil ||
			is != want {
			t.Errorf("%q against the hash of %q: %+v, %v", former, hashed, is, err)
		}
	}
	if control := "violet horse\x00battery"; prepared(control) != control {
		t.Error("a password that the profile does not allow is changed")
	}
}
