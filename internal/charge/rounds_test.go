package charge_test

import (
	"fmt"
	"sync"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

func TestConcurrentChargesAreEachMadeOnce(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} { // of one commit, no answer comes
		w := fixture.New(t)
		service, _, armed := overLossy(t, w)
		armed.Store(lost)
		var all sync.WaitGroup
		var mu sync.Mutex
		made := map[string]bool{}
		shared := w.Token(good)
		theirs := w.TokenIn(w.SessionOf(w.Other, w.Other.Merchants.US), good)
		for i := range 40 {
			key, actor := fmt.Sprint("k", i/2), w.Actor() // each twice
			in := charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: ptr(money.Amount(100 + i/2)),
				Token: &shared}
			if i/2%5 == 4 {
				actor, in.MerchantID, in.Token = w.ActorOf(w.Other), &w.Other.Merchants.US, &theirs
			}
			claim := claimOf(w, key)
			claim.ApplicationID = actor.ApplicationID
			all.Go(func() {
				out, err := service.Create(t.Context(), actor, in, claim)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err != nil && !fault.HasCode(err, "idempotency_key_in_use"):
					t.Errorf("%s: %v", key, err)
				case err == nil && out.Prior == nil && !out.Unknown:
					if made[key] || out.Object.Status != charge.Captured || out.Object.Amount != *in.Amount {
						t.Errorf("%s: %+v", key, out.Object)
					}
					made[key] = true
				}
			})
		}
		all.Wait()
		if armed.Load() {
			t.Error("no commit was lost")
		}
		if n := count(t, w, "sandbox_processor_book", pg.Args{}); n != 20 || len(made) != 20 {
			t.Errorf("%d submissions of 20 keys, %d charges told", n, len(made))
		}
		if n := count(t, w, "charges WHERE status = 'captured'", pg.Args{}); n != 20 {
			t.Errorf("%d charges", n)
		}
		audit(t, w)
	}
}
