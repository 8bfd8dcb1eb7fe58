package refund_test

import (
	"sync"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
)

// A person's refunds without proof stay below 1,000.00 in sum, however many are sent at once, to whichever servers.
// With proof, and by programs, they are not bounded.
func TestRefundsAtOnceStayBelowTheTotal(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	person, other := w.Person(authz.RoleApplicationAdmin), w.Person(authz.RoleApplicationAdmin)
	other.PersonID++
	inputs := make([]refund.CreateInput, 8)
	for i := range inputs {
		inputs[i] = of(captured(t, w, 400_00), 300_00)
		inputs[i].Unproven = true
	}
	servers := []*refund.Service{w.Refunds, over(t, w, w.Pool), over(t, w, w.Pool)}
	var made money.Amount
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, in := range inputs {
		all.Go(func() {
			out, err := servers[i%len(servers)].Create(t.Context(), person, in, nil)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				made += out.Object.Amount
			case !fault.HasCode(err, "proof_required"):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made != 900_00 {
		t.Errorf("refunds of %d cents were made at once", made)
	}
	again := of(captured(t, w, 400_00), 100_00)
	again.Unproven = true
	if _, err := w.Refunds.Create(t.Context(), person, again, nil); !fault.HasCode(err, "proof_required") {
		t.Errorf("the refund that reaches 1,000.00: %v", err)
	}
	if _, err := w.Refunds.Create(t.Context(), other, again, nil); err != nil {
		t.Errorf("of another person: %v", err)
	}
	again.Unproven = false
	if _, err := w.Refunds.Create(t.Context(), person, again, nil); err != nil {
		t.Errorf("with proof: %v", err)
	}
}
