package token_test

import (
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/fault"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// proves is the test card that always needs a proof.
const proves = "4000000000000697"

func withProof(d *assembly.Deps) { d.Challenged = assembly.SandboxChallenged }

// challengeOf is the challenge in an error.
func challengeOf(t *testing.T, err error) token.Challenge {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || f.Code != "card_testing_suspected" || f.Kind != fault.KindLimited {
		t.Fatalf("%v is no challenge", err)
	}
	return f.Detail["challenge"].(token.Challenge)
}

func solved(c token.Challenge) token.Proof { return token.Proof{Seed: c.Seed, Solution: c.Solve()} }

func TestProofIsGoodForOneTokenOfItsSession(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, withProof)
	session, in := w.Session(), w.Card(proves)
	try := func(session string, p token.Proof) error {
		in.Proof = p
		_, err := w.Tokens.CreateCard(t.Context(), session, retry(w), in)
		return err
	}
	fresh := func() token.Challenge { return challengeOf(t, try(session, token.Proof{})) }
	right := solved(fresh())
	if err := try(session, right); err != nil {
		t.Errorf("a right proof: %v", err)
	}
	challengeOf(t, try(session, right)) // again
	other := solved(fresh())
	challengeOf(t, try(w.Session(), other))
	if err := try(session, other); err != nil {
		t.Errorf("after another session sent it: %v", err)
	}
	wrong := solved(fresh())
	wrong.Solution[15]++
	challengeOf(t, try(session, wrong))
	short := solved(fresh())
	short.Solution = short.Solution[:15]
	challengeOf(t, try(session, short))
	c := fresh()
	forged := []byte(c.Seed)
	forged[6] = 'A' // of the bits
	c.Seed, c.Bits = string(forged), 1
	challengeOf(t, try(session, solved(c)))
	late := solved(fresh())
	w.Clock.Advance(5 * time.Minute)
	challengeOf(t, try(session, late))
	for _, seed := range []string{"x", "!", string(make([]byte, 36))} {
		challengeOf(t, try(session, token.Proof{Seed: seed}))
	}
}

// Challenges leave a session its ten attempts, and an attempt that is retried with its proof its token.
func TestChallengesUseUpNoAttempts(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, withProof)
	session, in := w.Session(), w.Card(proves)
	var last token.Challenge
	for range 30 {
		_, err := w.Tokens.CreateCard(t.Context(), session, "k", in)
		last = challengeOf(t, err)
	}
	in.Proof = solved(last)
	first, err := w.Tokens.CreateCard(t.Context(), session, "k", in)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.Tokens.CreateCard(t.Context(), session, "k", in); err != nil || again.Token != first.Token {
		t.Errorf("%v, %v", again, err)
	}
}
