package identity_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/testing/fixture"
)

// dayOfCodes is how many wrong codes are checked in any 24 hours.
const dayOfCodes = 50

// coder is a person with an authenticator app, whose codes are tried.
type coder struct {
	*fixture.World
	t        *testing.T
	person   identity.Person
	secret   string
	recovery []string
}

func newCoder(t *testing.T) coder {
	t.Helper()
	w := fixture.New(t)
	c := coder{World: w, t: t}
	if _, err := w.Identity.CreatePerson(t.Context(),
		identity.NewPerson{Email: "ola@example.org", Name: "Ola", Password: password}); err != nil {
		t.Fatal(err)
	}
	c.signIn()
	app, err := w.Identity.SetUpAuthenticator(t.Context(), c.person)
	if err != nil {
		t.Fatal(err)
	}
	c.secret = strings.ReplaceAll(app.Secret, " ", "")
	if c.recovery, err = w.Identity.ConfirmAuthenticator(t.Context(), c.person, c.right()); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *coder) signIn() {
	c.t.Helper()
	var err error
	if c.person, err = c.Identity.SignIn(c.t.Context(), "ola@example.org", password, identity.Visitor{}); err != nil {
		c.t.Fatal(err)
	}
}

// right is the code that the app shows.
func (c *coder) right() string {
	c.t.Helper()
	out, err := totp.GenerateCode(c.secret, c.Clock.Now())
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// wrong is a code that the app shows neither now nor soon.
func (c *coder) wrong() string {
	c.t.Helper()
	near := map[string]bool{}
	for step := -2; step <= 2; step++ {
		out, err := totp.GenerateCode(c.secret, c.Clock.Now().Add(time.Duration(step)*30*time.Second))
		if err != nil {
			c.t.Fatal(err)
		}
		near[out] = true
	}
	for n := 0; ; n++ {
		if out := fmt.Sprintf("%06d", n); !near[out] {
			return out
		}
	}
}

// try enters a code, in a sign-in or as a proof.
func (c *coder) try(proof bool, code string) error {
	c.t.Helper()
	if proof {
		return c.Identity.Prove(c.t.Context(), c.person, identity.Proof{Code: code})
	}
	step, err := c.Identity.StartSecondStep(c.t.Context(), c.person)
	if err != nil {
		c.t.Fatal(err)
	}
	_, err = c.Identity.FinishSecondStep(c.t.Context(), step, code)
	return err
}

// In any 24 hours, 50 wrong codes of a person are checked, however they are spread, in sign-ins and proofs together and
// with right codes in between. The refusal says when the next one is checked.
func TestWrongCodesAreBoundedByTheDay(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	c := newCoder(t)
	c.Clock.Advance(time.Minute)
	const day, most = 24 * time.Hour, 15 * time.Minute // of the bound of a few minutes
	var heard []time.Time
	refused, succeeded := 0, 0
	for end := c.Clock.Now().Add(4 * day); c.Clock.Now().Before(end); {
		now := c.Clock.Now()
		for len(heard) > 0 && !heard[0].After(now.Add(-day)) {
			heard = heard[1:]
		}
		good := random.IntN(10) == 0
		entered := c.wrong()
		if good {
			entered = c.right()
		}
		err := c.try(random.IntN(2) == 0, entered)
		f, _ := fault.As(err)
		pass := time.Duration(random.Int64N(480_000))*time.Millisecond + 31*time.Second
		switch {
		case len(heard) == dayOfCodes:
			refused++
			if next := heard[0].Add(day).Sub(now); f == nil || f.Code != "too_many_attempts" || f.RetryAfter != next ||
				!strings.Contains(f.Message, "recovery code") {
				t.Fatalf("seed %d, after %d wrong codes: %v, want to wait %s", seed, len(heard), err, next)
			}
			if random.IntN(5) == 0 {
				pass = f.RetryAfter
			}
		case err == nil && good:
			succeeded++
		case f != nil && f.Code == "code_wrong" && !good:
			heard = append(heard, now)
		case f == nil || f.Code != "too_many_attempts" || f.RetryAfter > most:
			t.Fatalf("seed %d, after %d wrong codes, right: %v: %v", seed, len(heard), good, err)
		}
		c.Clock.Advance(pass)
	}
	if refused < 10 || succeeded < 5 {
		t.Errorf("seed %d: %d refusals, %d right codes", seed, refused, succeeded)
	}
}

// When the day's codes are used up, a right code of the app is refused, a recovery code is taken, other people are not
// concerned, and the operator's reset lets codes work again.
func TestWaysInAfterTooManyWrongCodes(t *testing.T) {
	t.Parallel()
	c := newCoder(t)
	for n := range dayOfCodes {
		if n%5 == 0 {
			c.Clock.Advance(16 * time.Minute)
		}
		if err := c.try(false, c.wrong()); code(err) != "code_wrong" {
			t.Fatalf("code %d: %v", n, err)
		}
	}
	c.Clock.Advance(16 * time.Minute)
	if err := c.try(false, c.right()); code(err) != "too_many_attempts" {
		t.Errorf("a right code: %v", err)
	}
	for _, proof := range []bool{true, false} {
		if err := c.try(proof, c.recovery[0]); err != nil {
			t.Errorf("a recovery code: %v", err)
		}
		c.recovery = c.recovery[1:]
	}
	if _, _, err := c.Identity.MakeReset(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin},
		"ola@example.org"); err != nil {
		t.Fatal(err)
	}
	if err := c.try(false, c.right()); err != nil {
		t.Errorf("after the reset: %v", err)
	}
}
