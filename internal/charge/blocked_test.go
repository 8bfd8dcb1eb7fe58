package charge_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
)

const (
	wrongCVC = "4000000000000101"
	wrongZip = "4000000000000010"
)

// rules sets the rules of the merchant of w.
func rules(t *testing.T, w *fixture.World, s rule.Settings) {
	t.Helper()
	if _, err := w.CardRules.Set(t.Context(), w.Actor(), w.App.Merchants.US, rule.Proposed(s),
		nil); err != nil {
		t.Fatal(err)
	}
}

// lists adds an entry to the lists of the merchant of w.
func lists(t *testing.T, w *fixture.World, list rule.List, kind rule.Kind, value string) {
	t.Helper()
	l, k := string(list), string(kind)
	out, err := w.CardRules.Add(t.Context(), w.Actor(), w.App.Merchants.US,
		rule.Additions{List: &l, Kind: &k, Values: []string{value}}, nil)
	if err != nil || len(out.Object.Entries) != 1 {
		t.Fatalf("%+v, %v", out.Object, err)
	}
}

// only reads the one charge that there is.
func only(t *testing.T, w *fixture.World) charge.Charge {
	t.Helper()
	id, err := pg.Value[ids.Charge](t.Context(), w.Pool, `SELECT id FROM charges`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return get(t, w, id)
}

// blocked checks that the one charge was blocked by a rule.
func blocked(t *testing.T, w *fixture.World, err error, by rule.Name) charge.Charge {
	t.Helper()
	c := only(t, w)
	if code(err) != "blocked_by_rule" || c.Status != charge.Failed || c.Failure.Code != "blocked_by_rule" ||
		c.Failure.Rule != by || c.AmountAuthorized != 0 || c.FeeTotal != 0 {
		t.Errorf("%v: %s, %+v", err, c.Status, c.Failure)
	}
	return c
}

func TestRulesBlockBeforeTheProcessorIsAsked(t *testing.T) {
	t.Parallel()
	least := money.Amount(500)
	w, p := newScripted(t)
	rules(t, w, rule.Settings{MinimumAmount: &least})
	in := input(w, good, 499)
	external := "gift-1"
	in.ExternalID = &external
	claim := claimOf(w, "k")
	_, err := w.Charges.Create(t.Context(), w.Actor(), in, claim)
	c := blocked(t, w, err, rule.MinimumAmount)
	if again, err := w.Charges.Create(t.Context(), w.Actor(), in, claim); again.Prior == nil ||
		again.Prior.Outcome.Refusal == nil || again.Prior.Outcome.Refusal.Code != "blocked_by_rule" {
		t.Errorf("asked again: %+v, %v", again, err)
	}
	if n := count(t, w, "processor_operations", pg.Args{}); n != 0 || len(p.calls) != 0 {
		t.Errorf("%d operations, %d calls", n, len(p.calls))
	}
	*in.Amount = 500 // and the external id is free again
	if out := create(t, w, in, claimOf(w, "more")); out.Object.Status != charge.Captured {
		t.Errorf("the minimum is %s", out.Object.Status)
	}
	if c.Version != 2 || c.Failure.Message == "" || c.Failure.Advice != "use_another_method" {
		t.Errorf("%+v", c.Failure)
	}
	audit(t, w)
}

func TestListsOfAMerchant(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	least := money.Amount(500)
	rules(t, w, rule.Settings{MinimumAmount: &least})
	lists(t, w, rule.Allow, rule.BIN, good[:6])
	if out := create(t, w, input(w, good, 100), nil); out.Object.Status != charge.Captured {
		t.Errorf("an allowed card is %s", out.Object.Status)
	} else {
		lists(t, w, rule.Block, rule.Card, out.Object.ID.String())
	}
	if _, err := w.Charges.Create(t.Context(), w.Actor(), input(w, good, 600), nil); code(err) != "blocked_by_rule" {
		t.Errorf("a blocked card: %v", err)
	}
	if out := create(t, w, input(w, wrongCVC, 600), nil); out.Object.Status != charge.Captured {
		t.Errorf("another card is %s", out.Object.Status)
	}
	other := input(w, good, 600)
	other.MerchantID, other.Token = &w.App.Merchants.CA, ptr(w.TokenIn(w.SessionOf(w.App, w.App.Merchants.CA), good))
	if out := create(t, w, other, nil); out.Object.Status != charge.Captured {
		t.Errorf("at another merchant it is %s", out.Object.Status)
	}
}

// However many charges of a card come at once, as many pass as the window has.
func TestVelocityCountsWhatComesAtOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	rules(t, w, rule.Settings{CardVelocity: &rule.Window{Charges: 3, Hours: 2}})
	token := w.Token(good)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			in := input(w, good, 100)
			in.Token = &token
			_, _ = w.Charges.Create(t.Context(), w.Actor(), in, nil)
		})
	}
	wg.Wait()
	if n := count(t, w, "charges WHERE status = 'captured'", pg.Args{}); n != 3 {
		t.Errorf("%d of 10 passed", n)
	}
	w.Clock.Advance(2*time.Hour + time.Second)
	if out := create(t, w, input(w, good, 100), nil); out.Object.Status != charge.Captured {
		t.Errorf("after the window it is %s", out.Object.Status)
	}
	audit(t, w)
}

// Uses are stored by keyed hashes, and deleted after a week also at a merchant that gets no other payment.
func TestUsesArePurgedAfterAWeek(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	rules(t, w, rule.Settings{CardVelocity: &rule.Window{Charges: 3, Hours: 168}})
	create(t, w, input(w, good, 100), nil)
	unkeyed := "card_velocity\n"
	if n := count(t, w, `card_rule_uses u, tokens t
		WHERE u.what IN (sha256(convert_to(@prefix || encode(t.fingerprint, 'hex'), 'UTF8')), t.fingerprint)`,
		pg.Args{"prefix": unkeyed}); n != 0 {
		t.Errorf("%d uses can be computed without the key", n)
	}
	for _, c := range []struct {
		after time.Duration
		gone  int64
	}{{7*24*time.Hour - time.Minute, 0}, {2 * time.Minute, 1}} {
		w.Clock.Advance(c.after)
		if n, err := w.CardRules.PurgeUses(t.Context()); err != nil || n != c.gone {
			t.Errorf("%d uses are purged, %v; want %d", n, err, c.gone)
		}
	}
}

func TestFailedChecksVoidTheHold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		card    string
		capture bool
		by      rule.Name
	}{"cvc": {wrongCVC, true, rule.CVCMismatch}, "postal code": {wrongZip, false, rule.PostalCodeMismatch}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := newScripted(t)
			rules(t, w, rule.Settings{CVCMismatch: true, PostalCodeMismatch: true})
			in := input(w, c.card, 700)
			in.Capture = &c.capture
			_, err := w.Charges.Create(t.Context(), w.Actor(), in, claimOf(w, "k"))
			failed := blocked(t, w, err, c.by)
			if p.calls[0].Capture || failed.Version != 2 || failed.PaymentMethod.Checks == nil {
				t.Errorf("captured %v, %+v", p.calls[0].Capture, failed)
			}
			if n := count(t, w, `processor_operations WHERE kind = 'reverse' AND note = 'void' AND state = 'approved'`,
				pg.Args{}); n != 1 ||
				count(t, w, "sandbox_processor_book WHERE kind = 'void' AND approved", pg.Args{}) != 1 {
				t.Errorf("%d voids", n)
			}
			audit(t, w)
		})
	}
}

func TestPassedChecksAreCaptured(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	rules(t, w, rule.Settings{CVCMismatch: true})
	claim := claimOf(w, "k")
	in := input(w, good, 700)
	recurring := true
	in.Recurring = &recurring
	out := create(t, w, in, claim)
	c := out.Object
	if p.calls[0].Capture || c.Status != charge.Captured || c.AmountCaptured != 700 || c.Version != 3 ||
		c.NetworkTransactionID == nil {
		t.Errorf("%+v", c)
	}
	if again := create(t, w, in, claim); again.Prior == nil || len(again.Prior.Outcome.Result) == 0 {
		t.Errorf("asked again: %+v", again)
	}
	if n := count(t, w, "tokens WHERE network_transaction_id IS NOT NULL", pg.Args{}); n != 1 {
		t.Errorf("%d tokens know the network's id", n)
	}
	if n := count(t, w, "processor_operations WHERE state = 'approved'", pg.Args{}); n != 2 {
		t.Errorf("%d operations", n)
	}
	audit(t, w)
}

// lostCapture is a charge whose rules passed and whose capture has no answer.
func lostCapture(t *testing.T, capture func(*scripted, context.Context, processor.FollowUp) error) (*fixture.World,
	*scripted) {
	t.Helper()
	w, p := newScripted(t)
	rules(t, w, rule.Settings{CVCMismatch: true})
	p.capture = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		return processor.Answer{}, capture(p, ctx, f)
	}
	out := create(t, w, input(w, good, 700), claimOf(w, "k"))
	if !out.Unknown || out.Object.Status != charge.Processing {
		t.Fatalf("%+v", out)
	}
	w.Clock.Advance(p.SettleWindow() + time.Second)
	return w, p
}

func TestLostCaptureIsFoundOut(t *testing.T) {
	t.Parallel()
	w, _ := lostCapture(t, func(p *scripted, ctx context.Context, f processor.FollowUp) error {
		_, err := p.Processor.Capture(ctx, f)
		return errors.Join(err, errors.New("the connection was lost"))
	})
	resolve(t, w, 1)
	if c := only(t, w); c.Status != charge.Captured || c.AmountCaptured != 700 {
		t.Errorf("%+v", c)
	}
	audit(t, w)
}

func TestHoldWithoutACaptureIsVoided(t *testing.T) {
	t.Parallel()
	w, _ := lostCapture(t, func(*scripted, context.Context, processor.FollowUp) error {
		return errors.New("the connection was refused")
	})
	resolve(t, w, 1)
	if c := only(t, w); c.Status != charge.Failed || c.Failure.Code != "not_submitted" {
		t.Errorf("%s, %+v", c.Status, c.Failure)
	}
	if n := count(t, w, "sandbox_processor_book WHERE kind = 'void' AND approved", pg.Args{}); n != 1 {
		t.Errorf("%d voids", n)
	}
	audit(t, w)
}

// The resolver that finds a lost authorization proceeds as the request would have.
func TestLostAuthorizationIsHeldToTheRules(t *testing.T) {
	t.Parallel()
	for card, want := range map[string]charge.Status{good: charge.Captured, wrongCVC: charge.Failed} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			w, p := newScripted(t)
			rules(t, w, rule.Settings{CVCMismatch: true})
			p.authorize = p.lose
			if out := create(t, w, input(w, card, 700), claimOf(w, "k")); !out.Unknown {
				t.Fatalf("%+v", out)
			}
			w.Clock.Advance(time.Second)
			resolve(t, w, 1)
			if c := only(t, w); c.Status != want {
				t.Errorf("%s", c.Status)
			}
			if n := count(t, w, "processor_operations WHERE state = 'approved'", pg.Args{}); n != 2 {
				t.Errorf("%d operations", n)
			}
			audit(t, w)
		})
	}
}

// The resolver may write the outcome of an authorization before the request that made the call does.
func TestRequestThatIsSlowerThanTheResolver(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	rules(t, w, rule.Settings{CVCMismatch: true})
	p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
		answer, err := p.Processor.Authorize(ctx, a)
		w.Clock.Advance(3 * time.Second)
		resolve(t, w, 1)
		return answer, err
	}
	p.capture = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		_, err := p.Processor.Capture(ctx, f)
		return processor.Answer{}, errors.Join(err, errors.New("the connection was lost"))
	}
	if out := create(t, w, input(w, good, 700), claimOf(w, "k")); !out.Unknown ||
		out.Object.Status != charge.Processing {
		t.Errorf("%+v", out)
	}
	if n := count(t, w, "processor_operations", pg.Args{}); n != 2 {
		t.Errorf("%d operations", n)
	}
	w.Clock.Advance(p.SettleWindow() + time.Second)
	resolve(t, w, 1)
	if c := only(t, w); c.Status != charge.Captured || c.AmountCaptured != 700 {
		t.Errorf("%+v", c)
	}
	audit(t, w)
}

func TestLostAuthorizationsAreCapturedTogether(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	rules(t, w, rule.Settings{CVCMismatch: true})
	p.authorize = p.lose
	const many = 20
	for range many {
		create(t, w, input(w, good, 700), nil)
	}
	w.Clock.Advance(time.Second)
	resolve(t, w, many)
	if n := count(t, w, "charges WHERE status = 'captured'", pg.Args{}); n != many {
		t.Errorf("%d are captured", n)
	}
	audit(t, w)
}
