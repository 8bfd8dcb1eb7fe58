package identity_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
)

// Anyone who was let in by a password that is another one by the time their session begins gets none, nor a second
// step.
func TestAFormerPasswordBeginsNothing(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ola, err := p.SignIn(t.Context(), "ola@example.org", password, identity.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := p.StartSecondStep(t.Context(), ola)
	if err != nil {
		t.Fatal(err)
	}
	held, err := p.SecondStep(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	reset, _, err := p.MakeReset(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin}, "ola@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Reset(t.Context(), reset, "another good password"); err != nil {
		t.Fatal(err)
	}
	for _, of := range []identity.Person{ola, held} {
		if in, err := p.Enter(t.Context(), of, identity.Visitor{}); !fault.HasCode(err, "sign_in_again") {
			_, alive := p.FindSession(t.Context(), in.SessionID)
			t.Errorf("a session by the former password: %v; it is found: %v", err, alive)
		}
		if _, err := p.StartSecondStep(t.Context(), of); !fault.HasCode(err, "sign_in_again") {
			t.Errorf("a second step by the former password: %v", err)
		}
	}
	ola, err = p.SignIn(t.Context(), "ola@example.org", "another good password", identity.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Enter(t.Context(), ola, identity.Visitor{}); err != nil {
		t.Error(err)
	}
}

// A session that begins while the password is being changed begins before that and ends with it, or not at all.
func TestNoSessionBeginsBesideAReset(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	current := password
	for _, next := range []string{"another good password", "brisk heron lagoon", "quiet maple orbit"} {
		old, err := p.SignIn(t.Context(), "ola@example.org", current, identity.Visitor{})
		if err != nil {
			t.Fatal(err)
		}
		reset, _, err := p.MakeReset(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin}, "ola@example.org")
		if err != nil {
			t.Fatal(err)
		}
		over, begun := make(chan struct{}), make(chan struct{})
		begin := sync.OnceFunc(func() { close(begun) })
		entered := make(chan string, 1000)
		go func() {
			defer close(entered)
			for {
				select {
				case <-over:
					return
				default:
				}
				in, err := p.Enter(context.WithoutCancel(t.Context()), old, identity.Visitor{})
				if err == nil {
					entered <- in.SessionID
				}
				begin()
			}
		}()
		<-begun // however busy the machine is
		if err := p.Reset(t.Context(), reset, next); err != nil {
			t.Error(err)
		}
		current = next
		close(over)
		n := 0
		for id := range entered {
			n++
			if _, err := p.FindSession(t.Context(), id); !errors.Is(err, identity.ErrNoSession) {
				t.Errorf("a session lives on beside the reset: %v", err)
			}
		}
		if n == 0 {
			t.Error("no session began before the reset")
		}
	}
}
