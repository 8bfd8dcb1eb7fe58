package token_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// moves lists what each status may become.
var moves = map[token.Status][]token.Status{
	token.PendingVerification: {token.Active, token.Disabled, token.Expired, token.Deleted},
	token.Active:              {token.Disabled, token.Expired, token.Deleted},
	token.Disabled:            {token.Expired, token.Deleted},
	token.Expired:             {token.Deleted},
	token.Deleted:             {},
}

// act does one thing to a token.
func act(t *testing.T, w *fixture.World, name string, now token.Token) error {
	id := now.ID.String()
	switch name {
	case "update":
		city := fmt.Sprint("City ", now.Version)
		return second(w.Tokens.Update(t.Context(), w.Actor(), id,
			token.UpdateInput{Billing: &token.BillingChange{AddressCity: &city}}, nil))
	case "verify":
		return second(w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(32, 45), nil))
	case "guess":
		return second(w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(1, 2), nil))
	case "revoke":
		return second(w.Tokens.RevokeMandate(t.Context(), w.Actor(), now.Mandate.String(), nil))
	case "delete":
		return second(w.Tokens.Delete(t.Context(), w.Actor(), id, token.DeleteInput{}, nil))
	case "expire":
		v := view(t, w)
		v.Moment.At = now.ExpiresAt.Time
		return second(w.Tokens.ExpireTokens(t.Context(), v))
	}
	return pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		if name == "use" {
			token.UsedTx(tx, w.App.AppID, now.MerchantID, now.ID, nil, w.Clock.Now())
			return nil
		}
		return token.DisableTx(t.Context(), tx, instant.Both(w.Clock.Now()),
			token.Ending{ApplicationID: w.App.AppID, Token: now.ID, Reason: "return_R02", Source: outbox.Job})
	})
}

// TestLifeOfAToken: whatever is done in whatever order, the status moves as listed, every version
// has its event, and the vault has the number until the token is expired or deleted.
func TestLifeOfAToken(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	steps := []string{"update", "update", "guess", "guess", "verify", "use", "disable", "revoke", "expire", "delete"}
	accounts := 0 // each token is of another, because wrong answers count for the account
	rapid.Check(t, func(r *rapid.T) {
		accounts++
		now := bank(t, w, rapid.SampledFrom([]int64{w.App.Merchants.US, w.App.Merchants.USQ}).Draw(r, "merchant"),
			account(fmt.Sprintf("%012d", accounts)))
		for _, step := range rapid.SliceOfN(rapid.SampledFrom(steps), 1, 8).Draw(r, "steps") {
			err := act(t, w, step, now)
			if _, refused := fault.As(err); err != nil &&
				!(refused && slices.Contains([]string{"update", "guess", "verify"}, step)) {
				r.Fatalf("%s of a token that is %s: %v", step, now.Status, err)
			}
			next := get(t, w, now.ID.String())
			if next.Status != now.Status && !slices.Contains(moves[now.Status], next.Status) {
				r.Fatalf("%s: from %s to %s", step, now.Status, next.Status)
			}
			if len(events(t, w, next.ID)) != next.Version-1 || next.Version > now.Version+1 ||
				(next.Status != now.Status && next.Version == now.Version) {
				r.Fatalf("%s: version %d after %d, %d events", step, next.Version, now.Version,
					len(events(t, w, next.ID)))
			}
			over := next.Status == token.Expired || next.Status == token.Deleted
			if kept := sealed(t, w, next.ID); (kept == 0) != over ||
				(next.Status == token.Disabled && next.DisabledReason == nil) {
				r.Fatalf("%s: %s, with %d values in the vault", step, next.Status, kept)
			}
			now = next
		}
	})
}
