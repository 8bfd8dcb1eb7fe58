package inbound_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
)

// What happens to payments and payouts, and in which order the processor reports it.
var stories = map[string][][]processor.EventKind{
	"card":   {{}, {processor.ChargeSettled}},
	"held":   {{}, {processor.ChargeSettled}},
	"debit":  {{}, {processor.ChargeSettled}, {processor.DebitReturned}, {processor.ChargeSettled, processor.DebitReturned}},
	"refund": {{processor.RefundSucceeded}, {processor.RefundFailed}, {processor.RefundSucceeded, processor.RefundFailed}},
	"payout": {{processor.PayoutPaid}, {processor.PayoutFailed}, {processor.PayoutPaid, processor.PayoutReturned}},
}

// A card's payment may also be disputed, first as a retrieval or not.
var contests = [][]processor.EventKind{
	{processor.DisputeOpened}, {processor.DisputeOpened, processor.DisputeWon},
	{processor.DisputeOpened, processor.DisputeLost},
	{processor.DisputeOpened, processor.DisputeClosed}, {processor.DisputeOpened, processor.DisputeEscalated},
	{processor.DisputeOpened, processor.DisputeEscalated, processor.DisputeWon},
	{processor.DisputeOpened, processor.DisputeEscalated, processor.DisputeLost},
}

// plot is what happens to one payment, refund or payout.
type plot struct {
	what    string
	amount  money.Amount
	kinds   []processor.EventKind
	contest []processor.EventKind
	held    money.Amount // what the dispute is of
}

func drawPlot(t *rapid.T) plot {
	p := plot{what: rapid.SampledFrom([]string{"card", "held", "debit", "refund", "payout"}).Draw(t, "what"),
		amount: money.Amount(rapid.Int64Range(200, 5000).Draw(t, "amount"))}
	p.kinds = rapid.SampledFrom(stories[p.what]).Draw(t, "story")
	if (p.what == "card" || p.what == "held") && rapid.Bool().Draw(t, "contested") {
		p.contest = rapid.SampledFrom(contests).Draw(t, "contest")
		p.held = money.Amount(rapid.Int64Range(1, int64(p.amount)).Draw(t, "held"))
	}
	return p
}

// subject is a payment, refund or payout to which a plot happens.
type subject struct {
	plot
	merchant  int64
	id        string // of a charge, refund or payout
	reference string
}

// stage is where a history happens twice, each time to a merchant of its own.
type stage struct {
	*fixture.World
	p    *teller
	told int
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{p: &teller{}}
	s.World = fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		s.p.Processor = inner
		return s.p
	})
	// of merchants that come
	if _, err := s.Fees.SetDefaults(t.Context(), s.Person(authz.RoleApplicationAdmin), 0, demo.Rates()); err != nil {
		t.Fatal(err)
	}
	return s
}

// with makes the payments and payouts of the plots. The answers to payments may be lost.
func (s *stage) with(t *rapid.T, plots []plot, mute bool) (all []subject) {
	m := s.Merchant(merchant.CreateInput{}).ID
	s.BankAccount(s.App, m)
	paid := money.Amount(0)
	for _, p := range plots {
		sub := subject{plot: p, merchant: m}
		switch p.what {
		case "payout":
			if paid > 0 {
				continue // a merchant has one payout a day
			}
			paid = p.amount
			sub.id, sub.reference = s.payout(t, m, p.amount)
		case "refund":
			sub.charge(t, s, s.TokenIn(s.SessionOf(s.App, m), "4242424242424242"), true, false)
			sub.refund(t, s, mute)
		case "debit":
			sub.charge(t, s, s.BankToken(m, s.USBank("000123456789")), true, mute)
		default:
			sub.charge(t, s, s.TokenIn(s.SessionOf(s.App, m), "4242424242424242"), p.what == "card", mute)
		}
		all = append(all, sub)
	}
	return all
}

func (sub *subject) charge(t *rapid.T, s *stage, token string, capture, mute bool) {
	s.p.set(mute && capture)
	defer s.p.set(false)
	out, err := s.Charges.Create(s.T.Context(), s.Actor(),
		charge.CreateInput{MerchantID: &sub.merchant, Amount: &sub.amount, Token: &token, Capture: &capture}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sub.id, sub.reference = out.Object.ID.String(), out.Object.Processor.Reference
	if capture {
		return
	}
	s.p.set(mute)
	if _, err := s.Charges.Capture(s.T.Context(), s.Actor(), sub.id, charge.CaptureInput{}, nil); err != nil {
		t.Fatal(err)
	}
}

// refund returns half of a payment.
func (sub *subject) refund(t *rapid.T, s *stage, mute bool) {
	s.p.set(mute)
	defer s.p.set(false)
	half := sub.amount / 2
	out, err := s.Refunds.Create(s.T.Context(), s.Actor(), refund.CreateInput{ChargeID: &sub.id, Amount: &half}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sub.id, sub.reference = out.Object.ID.String(), out.Object.Processor.Reference
}

// payout pays a merchant what it earned.
func (s *stage) payout(t *rapid.T, m int64, amount money.Amount) (id, reference string) {
	ctx, c := s.T.Context(), ids.NewCharge(s.Clock.Now())
	p := ledger.Posting{ApplicationID: s.App.AppID, MerchantID: m, BusinessKey: c.String() + ":capture",
		Kind: "capture", Debit: ledger.ProcessorReceivable,
		Credit: ledger.MerchantPending, Amount: amount, Currency: money.USD, SourceID: c.Bytes(), ChargeID: c}
	released := p
	released.BusinessKey, released.Debit, released.Credit = p.BusinessKey+
		":release", ledger.MerchantPending, ledger.MerchantAvailable
	err := pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, instant.Both(s.Clock.Now()), p, released)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	owner, err := s.Merchants.Find(ctx, s.App.AppID, m)
	if err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(max(0, owner.NextPayoutAt.Sub(s.Clock.Now())))
	views, err := s.Clocks.Views(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		for n := 1; n > 0; {
			if n, err = s.Payouts.Run(ctx, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	type row struct {
		ID        ids.Payout `db:"id"`
		Reference string     `db:"reference"`
	}
	r, err := pg.One[row](ctx, s.Pool, `
		SELECT p.id, o.reference FROM payouts p JOIN processor_operations o ON o.subject_id = p.id
			WHERE p.merchant_id = @m`, pg.Args{"m": m})
	if err != nil {
		t.Fatal(err)
	}
	return r.ID.String(), r.Reference
}

// events are what the processor reports a subject, in order. A dispute may begin before the money settles or after.
func (s *stage) events(sub subject) (out []processor.Event) {
	for _, kind := range append(slices.Clone(sub.kinds), sub.contest...) {
		e := processor.Event{Adapter: "sandbox", Kind: kind,
			Account: processor.MerchantAccount(s.App.AppID, sub.merchant), Reference: sub.reference, At: s.Clock.Now()}
		switch kind {
		case processor.DebitReturned:
			e.ReturnCode, e.Settled = "R01", len(sub.kinds) == 2
		case processor.PayoutFailed, processor.PayoutReturned:
			e.ReturnCode = "R02"
		case processor.RefundFailed:
			e.Failure, e.RawCode = processor.LostOrStolenCard, "lost_or_stolen_card"
		}
		if slices.Contains(sub.contest, kind) {
			asks := slices.Contains(sub.contest, processor.DisputeEscalated) ||
				slices.Contains(sub.contest, processor.DisputeClosed)
			e.Dispute = &processor.DisputeNotice{ID: "case-" + sub.id, Reason: "fraudulent", Amount: sub.held,
				Currency: money.USD, RespondBy: s.Clock.Now().Add(90 * 24 * time.Hour)}
			e.Dispute.Retrieval = asks && (kind == processor.DisputeOpened || kind == processor.DisputeClosed)
		}
		out = append(out, s.named(e))
	}
	return out
}

// named gives an event an id of the feed's order.
func (s *stage) named(e processor.Event) processor.Event {
	s.told++
	e.ID = fmt.Sprintf("%09d", s.told)
	return e
}

// forgeries make of an event that fits one that fits nothing of ours.
var forgeries = []func(s *stage, e *processor.Event){
	func(s *stage, e *processor.Event) {
		e.Account = processor.MerchantAccount(s.Other.AppID, s.Other.Merchants.US)
	},
	func(_ *stage, e *processor.Event) { e.Account = "" },
	func(s *stage, e *processor.Event) { e.Reference = ids.NewOperation(s.Clock.Now()).String() },
	func(_ *stage, e *processor.Event) { e.Kind = "charge_given_away" },
	func(_ *stage, e *processor.Event) { e.Kind, e.Dispute = processor.DisputeLost, nil },
	func(_ *stage, e *processor.Event) {
		e.Kind, e.Dispute = processor.DisputeLost, &processor.DisputeNotice{ID: "forged", Amount: 1,
			Currency: money.CAD}
	},
}

func (s *stage) forged(e processor.Event, how func(*stage, *processor.Event)) processor.Event {
	how(s, &e)
	e.ID = "forged-" + s.named(e).ID
	return e
}

// failing is what tests and properties have in common.
type failing interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func (s *stage) run(t failing) {
	for n := 1; n > 0; {
		var err error
		if n, err = s.Inbound.Run(s.T.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// until lets time pass until all calls have an outcome and all events that are not forged are understood.
func (s *stage) until(t *rapid.T, what string) {
	ctx := s.T.Context()
	for range 6 {
		if _, err := s.Operations.Resolve(ctx); err != nil {
			t.Fatal(err)
		}
		s.run(t)
		n, err := pg.Value[int](ctx, s.Pool, `SELECT ((SELECT count(*) FROM inbound_events
			WHERE handled_at IS NULL AND id NOT LIKE 'forged-%')
			+ (SELECT count(*) FROM processor_operations WHERE state = 'open'))::int`, pg.Args{})
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		s.Clock.Advance(6 * time.Minute)
	}
	t.Fatalf("%s: some events are never understood", what)
}

// A history is told once as it happened, when everything of ours has its outcome; and once in any order, twice, some of
// it before we know the outcome of our own calls, with forged events in between.
func TestAnyHistoryEndsAsInOrder(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	late, shuffled := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		plots := []plot{}
		for range rapid.IntRange(1, 2).Draw(rt, "subjects") {
			plots = append(plots, drawPlot(rt))
		}
		straight := s.with(rt, plots, false)
		for _, sub := range straight {
			for _, e := range s.events(sub) {
				s.p.tell(e)
				s.run(rt)
			}
		}
		s.until(rt, "in order")
		want := s.rows(rt, straight)

		early := rapid.Bool().Draw(rt, "early")
		mixed := s.with(rt, plots, early)
		if s.tellMixed(rt, mixed) {
			shuffled++
		}
		if early {
			late++
		}
		s.until(rt, "mixed")
		if got := s.rows(rt, mixed); got != want {
			rt.Fatalf("%+v\nends as\n%s\nin order as\n%s", plots, got, want)
		}
		s.forget(rt)
	})
	if late < 3 || shuffled < 3 {
		t.Errorf("%d histories were early, %d out of order: nothing much was tried", late, shuffled)
	}
}

// tellMixed says what happens to subjects in any order, by notices and by the feed, with what is forged among it. It is
// false if nothing happens.
func (s *stage) tellMixed(t *rapid.T, all []subject) bool {
	var feed []processor.Event
	for _, sub := range all {
		feed = append(feed, s.events(sub)...)
	}
	if len(feed) == 0 {
		return false
	}
	notices := slices.Clone(feed)
	for _, e := range rapid.SliceOfN(rapid.SampledFrom(feed), 0, 3).Draw(t, "again") {
		notices = append(notices, s.named(e)) // under another name: what it tells is told already
	}
	for _, e := range rapid.SliceOfN(rapid.SampledFrom(feed), 0, 3).Draw(t, "forged") {
		notices = append(notices, s.forged(e, rapid.SampledFrom(forgeries).Draw(t, "how")))
	}
	notices = rapid.Permutation(notices).Draw(t, "order")
	at := rapid.IntRange(0, len(notices)-1).Draw(t, "when the feed is read")
	for i, e := range notices {
		if i == at {
			s.p.tell(feed...)
		}
		header, body, err := s.p.SignedNotice(s.T.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		account := processor.Account{Adapter: s.p.Name(), External: e.Account}
		err = s.Inbound.Notice(s.T.Context(), account, header, body)
		if _, ok := processor.ApplicationOf(e.Account); !ok && errors.Is(err, notice.ErrNoSender) {
			continue // forged for an account that there is not
		}
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "handle") {
			s.run(t)
		}
	}
	return true
}

// forget looks that no forged event was taken in, and leaves them out of the next history.
func (s *stage) forget(t *rapid.T) {
	ctx := s.T.Context()
	n, err := pg.Value[int](ctx, s.Pool, `SELECT count(*)::int FROM inbound_events WHERE handled_at IS NOT NULL
		AND id LIKE 'forged-%'`, pg.Args{})
	if err != nil || n > 0 {
		t.Fatalf("%d forged events were taken in, %v", n, err)
	}
	if _, err := pg.Exec(ctx, s.Pool, `DELETE FROM inbound_events WHERE id LIKE 'forged-%'`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
}
