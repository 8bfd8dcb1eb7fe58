package dispute_test

import (
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/testing/fixture"
)

// life is a dispute at the sandbox's processor, heard of through the feed.
type life struct{ *world }

func newLife(t *testing.T, card string) (life, charge.Charge) {
	t.Helper()
	l := life{&world{World: fixture.New(t), t: t}}
	amount, token := money.Amount(12_500), l.Token(card)
	out, err := l.Charges.Create(t.Context(), l.Actor(),
		charge.CreateInput{MerchantID: &l.App.Merchants.US, Amount: &amount, Token: &token}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l, out.Object
}

// pass lets time pass, and hears what the processor tells after it.
func (l life) pass(d time.Duration) {
	l.t.Helper()
	if err := l.Clocks.Advance(l.t.Context(), l.App.AppID, d); err != nil {
		l.t.Fatal(err)
	}
	l.listen()
}

func (l life) listen() {
	l.t.Helper()
	for {
		n, err := l.Inbound.Run(l.t.Context())
		if err != nil {
			l.t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// only is the one dispute that there is.
func (l life) only() dispute.Dispute {
	l.t.Helper()
	p, err := l.Disputes.List(l.t.Context(), l.Actor(), dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 2}})
	if err != nil || len(p.Items) != 1 {
		l.t.Fatalf("%d disputes, %v", len(p.Items), err)
	}
	return p.Items[0]
}

func (l life) is(kind dispute.Kind, status dispute.Status, fees money.Amount) dispute.Dispute {
	l.t.Helper()
	d := l.only()
	if d.Kind != kind || d.Status != status || d.FeeTotal != fees || d.Amount != 12_500 {
		l.t.Fatalf("want %s %s with fees of %d: %s", kind, status, fees, jsonOf(l.t, d))
	}
	l.audit(l.t)
	return d
}

func TestChargebackThatIsWon(t *testing.T) {
	t.Parallel()
	l, c := newLife(t, "4000000000000259")
	l.pass(2 * time.Hour)
	d := l.is(dispute.Chargeback, dispute.NeedsResponse, 1500)
	in := words("winning_evidence")
	in.Files = []string{l.file("a.pdf").String()}
	if out, err := l.submit(d, in, "k"); err != nil || out.Unknown {
		t.Fatalf("%+v, %v", out, err)
	}
	l.is(dispute.Chargeback, dispute.UnderReview, 1500)
	l.pass(25 * time.Hour)
	l.is(dispute.Chargeback, dispute.Won, 1500)
	if now := l.chargeNow(c.ID); now.AmountDisputed != 0 || now.AmountRefundable != 12_500 {
		t.Errorf("%s", jsonOf(t, now))
	}
}

func TestRetrievalThatEscalatesAndIsNotAnswered(t *testing.T) {
	t.Parallel()
	l, c := newLife(t, "4000000000001976")
	l.pass(2 * time.Hour)
	d := l.is(dispute.Retrieval, dispute.NeedsResponse, 500)
	l.pass(11 * 24 * time.Hour)
	after := l.is(dispute.Chargeback, dispute.NeedsResponse, 2000)
	if after.ID != d.ID || !after.RespondBy.After(d.RespondBy.Time) {
		t.Errorf("%s\nwas %s", jsonOf(t, after), jsonOf(t, d))
	}
	// Our own deadline and the processor's word for it come at the same time: whichever is first.
	if err := l.Clocks.Advance(t.Context(), l.App.AppID, 15*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if n := l.sweep(); n != 1 {
		t.Errorf("%d were closed", n)
	}
	lostAt := l.is(dispute.Chargeback, dispute.Lost, 2000)
	l.listen()
	if again := l.is(dispute.Chargeback, dispute.Lost, 2000); again.Version != lostAt.Version {
		t.Errorf("%s", jsonOf(t, again))
	}
	if b := l.balances(); b[ledger.MerchantReserved] != 0 || l.chargeNow(c.ID).AmountDisputed != 12_500 {
		t.Errorf("%v", b)
	}
}

func TestRetrievalThatIsAnsweredAndClosed(t *testing.T) {
	t.Parallel()
	l, c := newLife(t, "4000000000001976")
	l.pass(2 * time.Hour)
	d := l.is(dispute.Retrieval, dispute.NeedsResponse, 500)
	if _, err := l.submit(d, words("the receipt"), ""); err != nil {
		t.Fatal(err)
	}
	l.is(dispute.Retrieval, dispute.UnderReview, 500)
	l.pass(25 * time.Hour)
	if l.is(dispute.Retrieval, dispute.Closed, 500); l.chargeNow(c.ID).AmountDisputed != 0 {
		t.Errorf("%s", jsonOf(t, l.chargeNow(c.ID)))
	}
}

func TestChargebackThatIsAccepted(t *testing.T) {
	t.Parallel()
	l, _ := newLife(t, "4000000000000259")
	l.pass(2 * time.Hour)
	d := l.is(dispute.Chargeback, dispute.NeedsResponse, 1500)
	if _, err := l.accept(d, ""); err != nil {
		t.Fatal(err)
	}
	l.pass(30 * 24 * time.Hour)
	if l.is(dispute.Chargeback, dispute.Accepted, 1500); l.sweep() != 0 {
		t.Error("it was closed again")
	}
}
