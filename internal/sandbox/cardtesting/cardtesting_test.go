package cardtesting_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"svcpay/internal/assembly"
	"svcpay/internal/merchant"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/cardtesting"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// declines is the sandbox's processor that declines the simulation's dead cards.
type declines struct{ *sandbox.Processor }

// Authorize declines some cards.
func (d declines) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	if cardtesting.Declined(a.Card.PAN.Reveal()) {
		a.Card.PAN = sensitive.NewPAN("4000000000000002")
	}
	return d.Processor.Authorize(ctx, a)
}

// A small version of `svcpay simulate card-testing`: attackers learn the status of few cards at one merchant, and
// donors of other merchants notice nothing.
func TestAttackersLearnLittle(t *testing.T) {
	t.Parallel()
	const easier = 10
	w := fixture.NewWith(t, func(p *sandbox.Processor) processor.Processor { return declines{p} },
		func(d *assembly.Deps) { d.WatchCards, d.Exempt, d.EasierProofs = true, nil, easier })
	d := cardtesting.Deps{Tokens: w.Tokens, Charges: w.Charges, Clock: w.Clock, Actor: w.Actor(),
		PublicKey: w.App.PublicKey, Page: fixture.PageOrigin, EasierProofs: easier}
	for range 4 {
		d.Merchants = append(d.Merchants, w.Merchant(merchant.CreateInput{}).ID)
	}
	for n, a := range cardtesting.Attacks()[1:3] {
		a.Lasts = time.Hour
		got, err := cardtesting.Run(t.Context(), d, a, 100, 20, uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		elsewhere := got.Donors.Refused - got.Attacked.Refused
		if got.Tried != 100 || got.Learned < 5 || got.Learned > 30 || got.Donors.All != 20 || elsewhere != 0 {
			t.Errorf("%s: %+v", a.Name, got)
		}
		if mean, p95 := got.Donors.Wait(); got.Donors.Challenged > 0 && (mean <= 0 || p95 > 10*time.Second) {
			t.Errorf("%s: waits of %s, %s", a.Name, mean, p95)
		}
		t.Logf("%s: %d of %d learned, %d of %d donors refused", a.Name, got.Learned, got.Tried, got.Donors.Refused,
			got.Donors.All)
	}
}
