package money

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sandbox/simulate"
)

// merchant adds a merchant with rates of its own.
func (s *site) merchant(rates fee.Rates) int64 {
	s.t.Helper()
	name, country := "One more", "US"
	out, err := s.Merchants.Create(s.ctx(), authz.Actor{Role: authz.RoleSecretKey, ApplicationID: s.app.AppID},
		merchant.CreateInput{OrganizationID: &s.app.OrganizationID, Name: &name, Country: &country, Rates: &rates}, nil)
	s.must(err)
	s.more = append(s.more, out.Object.ID)
	return out.Object.ID
}

// sale charges a test case's token.
func (s *site) sale(id int64, name string, amount money.Amount, capture bool) charge.Charge {
	s.t.Helper()
	out, err := s.Charges.Create(s.ctx(), s.server(),
		charge.CreateInput{MerchantID: &id, Amount: &amount, Token: ptr(s.token(id, name)), Capture: &capture}, nil)
	if err != nil && !refused(err) {
		s.t.Fatal(err)
	}
	return out.Object
}

// tell has something happen to a charge.
func (s *site) tell(c charge.Charge, outcome string) {
	s.t.Helper()
	in := simulate.ChargeInput{Outcome: &outcome}
	if outcome == "returned" {
		in.ReturnCode = ptr("R10")
	}
	_, err := s.Simulate.Charge(s.ctx(), s.server(), c.ID.String(), in, nil)
	s.must(err)
}

// win lets the merchant's one open chargeback be won.
func (s *site) win(id int64) dispute.Dispute {
	s.t.Helper()
	open, err := pg.Value[ids.Dispute](s.ctx(), s.Pool, `SELECT id FROM disputes WHERE application_id = @app
		AND merchant_id = @id AND status = 'needs_response'`,
		pg.Args{"app": s.app.AppID, "id": id})
	s.must(err)
	_, err = s.Disputes.SubmitEvidence(s.ctx(), s.server(), open.String(),
		dispute.EvidenceInput{Evidence: map[string]string{"access_log": "winning_evidence"}}, nil)
	s.must(err)
	s.must(s.advance(25 * time.Hour))
	d, err := s.Disputes.Get(s.ctx(), s.server(), open.String())
	s.must(err)
	return d
}

// fees are what a merchant was charged until now.
func (s *site) fees(id int64) money.Amount {
	s.t.Helper()
	sum, err := pg.Value[money.Amount](s.ctx(), s.Pool, `
		SELECT coalesce(sum(CASE WHEN credit = 'application_fees' THEN amount ELSE -amount END), 0)::bigint
			FROM ledger_entries
		WHERE application_id = @app AND merchant_id = @id
			AND 'application_fees' IN (debit, credit)`, pg.Args{"app": s.app.AppID, "id": id})
	s.must(err)
	return sum
}

// lines are all fee lines of the application, wherever they stand.
func (s *site) lines() map[string]string {
	s.t.Helper()
	type line struct {
		Where string `db:"at"`
		Text  string `db:"text"`
	}
	all := map[string]string{}
	for _, l := range rows[line](s, `
		SELECT 'charge ' || id AS at, fees::text || fee_total AS text FROM charges WHERE application_id = @app
		UNION ALL SELECT 'dispute ' || id, fees::text || fee_total FROM disputes WHERE application_id = @app
		UNION ALL SELECT 'event ' || source_id || kind, lines::text || total || service_lines::text || service_total
			FROM fee_events WHERE application_id = @app
		UNION ALL SELECT 'entry ' || id, business_key || amount FROM ledger_entries WHERE application_id = @app
			AND business_key LIKE '%fee:%'`) {
		all[l.Where] = l.Text
	}
	return all
}

// change has a merchant's rates change, at once or at a time.
func (s *site) change(id int64, r fee.Rates, at *time.Time) fee.Record {
	s.t.Helper()
	now, err := s.Fees.Current(s.ctx(), s.admin(), id)
	s.must(err)
	rec, err := s.Fees.Schedule(s.ctx(), s.admin(), id,
		fee.Change{Rates: r, EffectiveAt: at, Reason: "A new contract", Base: now.Latest})
	s.must(err)
	return rec
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newWorld(t).open(t)
}

// The example of the price list: 10¢, 20¢, 0.5 %, 5¢ and 1 % of an AMEX charge of 100.00 are 1.85, as the
// preview says, and as a merchant pays who is created with these rates.
func TestAmexOfAHundredCosts185(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	before, second := s.merchant(fee.Fallback()), s.merchant(demo.Rates())
	s.sale(before, "approved_amex", 10_000, true)
	p, err := s.Fees.Preview(s.ctx(), s.admin(), before, demo.Rates())
	s.must(err)
	c := s.sale(second, "approved_amex", 10_000, true)
	if s.fees(before) != 0 || p.OldTotal != 0 || p.NewTotal != 185 || c.FeeTotal != 185 || s.fees(second) != 185 ||
		c.Net != 9_815 {
		t.Errorf("preview %+v, charge %+v", p, c)
	}
}

// happening is one step that two merchants take alike.
type happening struct {
	what    string
	amount  money.Amount
	capture money.Amount // of a hold; 0 is void
	then    string
}

var happenings = rapid.Custom(func(t *rapid.T) happening {
	amount := money.Amount(rapid.IntRange(1, 200_000).Draw(t, "amount"))
	return happening{
		what: rapid.SampledFrom([]string{"approved", "approved_amex", "approved_discover", "declined", "ach_settles",
			"ach_r01", "ach_declined", "ach_returned_r10", "disputed", "retrieval"}).Draw(t, "what"),
		amount:  amount,
		capture: money.Amount(rapid.IntRange(-1, int(amount)).Draw(t, "capture")),
		then: rapid.SampledFrom([]string{"", "refund", "settled", "chargeback", "retrieval", "returned"}).Draw(t,
			"then"),
	}
})

// play lets it happen to a merchant.
func (s *site) play(id int64, h happening) {
	s.t.Helper()
	hold := h.capture >= 0 && h.what[:2] != "ac"
	c := s.sale(id, h.what, h.amount, !hold)
	if hold && c.Status == charge.Authorized {
		var err error
		if h.capture == 0 {
			_, err = s.Charges.Void(s.ctx(), s.server(), c.ID.String(), charge.VoidInput{}, nil)
		} else {
			_, err = s.Charges.Capture(s.ctx(), s.server(), c.ID.String(), charge.CaptureInput{Amount: &h.capture}, nil)
		}
		s.must(err)
	}
	var err error
	switch {
	case c.ID.IsZero() || h.then == "":
	case h.then == "refund":
		_, err = s.Refunds.Create(s.ctx(), s.server(), refund.CreateInput{ChargeID: ptr(c.ID.String())}, nil)
	default:
		in := simulate.ChargeInput{Outcome: &h.then}
		if h.then == "returned" {
			in.ReturnCode = ptr("R10")
		}
		_, err = s.Simulate.Charge(s.ctx(), s.server(), c.ID.String(), in, nil)
	}
	if !expected(err) {
		s.t.Fatalf("%+v: %v", h, err)
	}
}

// What the preview says of a merchant's rates is what another merchant paid who was created with them and
// to whom the same happened.
func TestPreviewIsWhatASecondMerchantPays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := &life{site: w.open(rt), rt: rt}
		rates := [2]fee.Rates{l.drawRates(), l.drawRates()}
		merchants := [2]int64{l.merchant(rates[0]), l.merchant(rates[1])}
		for range rapid.IntRange(3, 15).Draw(rt, "steps") {
			h := happenings.Draw(rt, "happening")
			for _, id := range merchants {
				l.play(id, h)
			}
			// never 30 days in all
			l.must(l.advance(time.Duration(rapid.IntRange(0, 40).Draw(rt, "hours")) * time.Hour))
		}
		for i, id := range merchants {
			p, err := l.Fees.Preview(l.ctx(), l.admin(), id, rates[1-i])
			l.must(err)
			if paid, other := l.fees(id), l.fees(merchants[1-i]); p.OldTotal != paid || p.NewTotal != other {
				rt.Fatalf("%d was paid and by the other rates %d, the preview says %+v", paid, other, p)
			}
			for _, f := range p.Fees {
				if n, sum := l.charged(merchants[1-i], f.Fee); n != f.NewCount || sum != f.NewTotal {
					rt.Fatalf("%s was charged %d times, in all %d; the preview says %+v", f.Fee, n, sum, f)
				}
			}
		}
	})
}

// charged is how often a merchant paid a fee, and how much.
func (s *site) charged(id int64, name string) (int64, money.Amount) {
	s.t.Helper()
	type sum struct {
		N      int64        `db:"n"`
		Amount money.Amount `db:"amount"`
	}
	got, err := pg.One[sum](s.ctx(), s.Pool, `
		SELECT count(*) AS n, coalesce(sum(amount), 0)::bigint AS amount FROM ledger_entries
		WHERE application_id = @app AND merchant_id = @id AND kind = @kind AND credit = 'application_fees'`,
		pg.Args{"app": s.app.AppID, "id": id, "kind": name})
	s.must(err)
	return got.N, got.Amount
}

// A change of rates, now or later, the service's own or the defaults, leaves every line as it is; what
// happens afterwards costs the new rates, also to charges that began under the old.
func TestChangeOfRatesAltersNoLine(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.merchant(demo.Rates())
	hold, card, bank := s.sale(id, "approved_amex", 10_000, false), s.sale(id, "approved", 5000, true), s.sale(id,
		"ach_settles", 7000, true)
	s.tell(card, "chargeback")
	dear := demo.Rates()
	dear.AuthorizationFee, dear.CaptureFee, dear.ACHTransferFlatFee, dear.ChargebackFee = 1000, 2000, 2500, 9900
	dearer := dear
	dearer.CaptureFee = 4000
	before := s.lines()
	unchanged := func(when string) {
		t.Helper()
		now := s.lines()
		for where, was := range before {
			if now[where] != was {
				t.Errorf("%s, %s: %s, was %s", when, where, now[where], was)
			}
		}
	}
	s.Clock.Advance(time.Second)
	s.change(id, dear, nil)
	unchanged("after a change at once")
	s.change(id, dearer, ptr(s.at().Add(24*time.Hour)))
	service, err := s.Fees.ServiceRates(s.ctx(), s.admin(), s.app.AppID)
	s.must(err)
	_, err = s.Fees.ScheduleServiceRates(s.ctx(), s.admin(), s.app.AppID,
		fee.Change{Rates: demo.Rates(), Reason: "The first", Base: service.Latest})
	s.must(err)
	_, err = s.Fees.SetDefaults(s.ctx(), s.admin(), 0, dearer)
	s.must(err)
	unchanged("after changes for later and of others")
	out, err := s.Charges.Capture(s.ctx(), s.server(), hold.ID.String(), charge.CaptureInput{}, nil)
	s.must(err)
	// The authorization by the first rates, the capture by the second: 10, 2000 + 50 + 5 + 100.
	if out.Object.FeeTotal != 10+2155 || fmt.Sprint(out.Object.Fees[0].Amount, out.Object.Fees[1].Amount) != "10 2000" {
		t.Errorf("after the capture: %+v", out.Object.Fees)
	}
	delete(before, "charge "+uuid(hold.ID.Bytes()))
	s.must(s.advance(8 * 24 * time.Hour)) // the debit settles by the third rates
	settled, err := s.Charges.Find(s.ctx(), s.app.AppID, bank.ID)
	s.must(err)
	if settled.FeeTotal != 2500+56+5+70 {
		t.Errorf("after the debit settled: %+v", settled.Fees)
	}
	delete(before, "charge "+uuid(bank.ID.Bytes()))
	unchanged("after the change for later began")
	if late := s.sale(id, "approved", 1000, true); late.FeeTotal != 1000+4000+5+10 {
		t.Errorf("a charge after all changes: %+v", late.Fees)
	}
	s.auditFees()
}

func uuid(b [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Neither a refund nor a void, a dispute that is won or a return gives a fee back.
func TestNoFeeIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.merchant(demo.Rates())
	costs := func(what string, want money.Amount, do func()) {
		t.Helper()
		before := s.fees(id)
		do()
		if got := s.fees(id) - before; got != want {
			t.Errorf("%s: fees of %d, want %d", what, got, want)
		}
	}
	var c charge.Charge
	costs("a hold", 10, func() { c = s.sale(id, "approved", 10_000, false) })
	costs("its void", 0, func() {
		_, err := s.Charges.Void(s.ctx(), s.server(), c.ID.String(), charge.VoidInput{}, nil)
		s.must(err)
	})
	costs("a hold", 10, func() { c = s.sale(id, "approved", 10_000, false) })
	costs("its end", 0, func() { s.must(s.advance(8 * 24 * time.Hour)) })
	costs("an AMEX charge", 185, func() { c = s.sale(id, "approved_amex", 10_000, true) })
	costs("its refund", 0, func() {
		_, err := s.Refunds.Create(s.ctx(), s.server(), refund.CreateInput{ChargeID: ptr(c.ID.String())}, nil)
		s.must(err)
	})
	costs("another charge", 135, func() { c = s.sale(id, "approved", 10_000, true) })
	costs("its chargeback", 1500, func() { s.tell(c, "chargeback") })
	costs("the win", 0, func() {
		if d := s.win(id); d.Status != dispute.Won || d.FeeTotal != 1500 {
			t.Errorf("%+v", d)
		}
	})
	costs("a debit", 0, func() { c = s.sale(id, "ach_settles", 10_000, true) })
	costs("its void", 0, func() {
		_, err := s.Charges.Void(s.ctx(), s.server(), c.ID.String(), charge.VoidInput{}, nil)
		if !expected(err) { // after five in New York it is with the bank
			t.Fatal(err)
		}
	})
	costs("another debit, settled", 210, func() {
		c = s.sale(id, "ach_settles", 10_000, true)
		s.tell(c, "settled")
	})
	costs("its return", 500, func() { s.tell(c, "returned") })
	s.auditFees()
	s.auditLedger()
}

// An application's defaults are copied to merchants that are made later; those that exist keep their rates.
func TestDefaultsAreCopied(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	was, err := s.Fees.Current(s.ctx(), s.admin(), s.app.Merchants.US)
	s.must(err)
	dear := demo.Rates()
	dear.AuthorizationFee = 777
	_, err = s.Fees.SetDefaults(s.ctx(), s.admin(), 0, dear)
	s.must(err)
	var copied fee.Rates
	s.must(pg.InTx(s.ctx(), s.Pool, func(tx *pg.Tx) (err error) {
		copied, _, err = fee.DefaultsTx(s.ctx(), tx, s.app.AppID)
		return err
	}))
	later := s.merchant(copied)
	s.Clock.Advance(time.Second)
	now, err := s.Fees.Current(s.ctx(), s.admin(), s.app.Merchants.US)
	s.must(err)
	if now.ID != was.ID || !now.Rates.Equal(was.Rates) {
		t.Errorf("the rates of an existing merchant are %+v, were %+v", now, was)
	}
	if old, next := s.sale(s.app.Merchants.US, "approved", 1000, true), s.sale(later, "approved", 1000,
		true); next.FeeTotal-old.FeeTotal != 767 {
		t.Errorf("an existing merchant pays %d, a new one %d", old.FeeTotal, next.FeeTotal)
	}
	_, err = s.Fees.SetDefaults(s.ctx(), s.admin(), 1, fee.Fallback())
	s.must(err)
	if again := s.sale(later, "approved", 1000, true); again.FeeTotal != 777+20+5+10 {
		t.Errorf("after the defaults changed back: %+v", again.Fees)
	}
}
