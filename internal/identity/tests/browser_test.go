package identity_test

import (
	"testing"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
)

func TestALockedAccountIsOpenToItsOwnBrowser(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ola, err := p.SignIn(t.Context(), "ola@example.org", password, identity.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.Enter(t.Context(), ola, identity.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		_, _ = p.SignIn(t.Context(), "ola@example.org", "guess", elsewhere(i))
	}
	own := elsewhere(100)
	own.Browser = "the secret of another browser"
	if _, err := p.SignIn(t.Context(), "ola@example.org", password, own); !fault.HasCode(err, "sign_in_failed") {
		t.Errorf("an unknown browser came past the lock: %v", err)
	}
	if err := p.Prove(t.Context(), ola, identity.Proof{Password: password}); err != nil {
		t.Errorf("who is inside cannot prove who they are: %v", err)
	}
	own.Browser = in.Browser
	if _, err := p.SignIn(t.Context(), "ola@example.org", password, own); err != nil {
		t.Errorf("a known browser is kept out: %v", err)
	}
	if _, err := p.SignIn(t.Context(), "ola@example.org", password, elsewhere(101)); err != nil {
		t.Errorf("still locked after a success: %v", err)
	}
}

// A browser's secret is replaced at each sign-in, for everyone who signed in with the browser.
func TestABrowsersSecretIsRenewed(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	if _, err := p.CreatePerson(t.Context(), identity.NewPerson{Email: "sam@example.org", Name: "Sam",
		Password: "brisk heron lagoon"}); err != nil {
		t.Fatal(err)
	}
	enter := func(email, password, browser string) string {
		person, err := p.SignIn(t.Context(), email, password, identity.Visitor{Browser: browser})
		if err != nil {
			t.Fatal(err)
		}
		in, err := p.Enter(t.Context(), person, identity.Visitor{Browser: browser})
		if err != nil {
			t.Fatal(err)
		}
		return in.Browser
	}
	first := enter("ola@example.org", password, "")
	second := enter("sam@example.org", "brisk heron lagoon", first)
	for i := range 10 {
		_, _ = p.SignIn(t.Context(), "ola@example.org", "guess", elsewhere(i))
	}
	from := elsewhere(100)
	if from.Browser = first; first == second {
		t.Error("the secret stays the same")
	}
	if _, err := p.SignIn(t.Context(), "ola@example.org", password, from); !fault.HasCode(err, "sign_in_failed") {
		t.Errorf("the former secret came past the lock: %v", err)
	}
	from.Browser = second
	if _, err := p.SignIn(t.Context(), "ola@example.org", password, from); err != nil {
		t.Errorf("the browser is no longer known to who used it before: %v", err)
	}
}
