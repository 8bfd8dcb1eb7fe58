package portal

import (
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/simulate"
	"svcpay/portal/web"
)

// A refund that failed later says so in its row, on its page, in the charge's timeline and on the home page.
func TestRefundsThatFailLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, one := w.as(authz.RoleOrganizationAdmin), w.charged(visaCard, 10_000, nil)
	id, failed := one.ID.String(), "failed"
	out, err := w.World.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := web.RefundsPath + "/" + out.Object.ID.String()
	w.send(at, nil, "Cookie", cookie).lacks(t, "money is back")
	w.Clock.Advance(10 * 24 * time.Hour)
	if _, err := w.Simulate.Refund(t.Context(), w.Actor(), out.Object.ID.String(),
		simulate.RefundInput{Outcome: &failed}, nil); err != nil {
		t.Fatal(err)
	}
	cookie = w.as(authz.RoleOrganizationAdmin)
	w.send(web.RefundsPath, nil, "Cookie", cookie).says(t, "Failed", "the money is back in the balance")
	w.send(at, nil, "Cookie", cookie).says(t, "This refund failed",
		"card or bank account is closed, or the card has expired.",
		"Refund failed, money returned to the balance", "Refund again", "account_closed", "Succeeded")
	w.send(web.ChargesPath+"/"+id, nil, "Cookie", cookie).says(t, "Refund failed, money returned to the balance",
		"Refund succeeded")
	w.send("/portal", nil, "Cookie", cookie).says(t, "$100.00 USD refund failed")
	w.Clock.Advance(8 * 24 * time.Hour)
	w.send("/portal", nil, "Cookie", w.as(authz.RoleOrganizationAdmin)).lacks(t, "refund failed")
}

// The payer of a refund that failed for a dispute gets the money through that, and is not to be refunded twice.
func TestRefundsThatFailForADispute(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 10_000, nil)
	id := one.ID.String()
	out, err := w.World.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := simulate.RefundInput{Outcome: new("failed"), Reason: new("charge_disputed")}
	if _, err := w.Simulate.Refund(t.Context(), w.Actor(), out.Object.ID.String(), in, nil); err != nil {
		t.Fatal(err)
	}
	got := w.send(web.RefundsPath+"/"+out.Object.ID.String(), nil, "Cookie", w.as(authz.RoleOrganizationAdmin))
	got.says(t, "This refund failed", "The payer disputed the charge", "Don’t refund the charge again")
	got.lacks(t, "Refund again")
}

// Failures that no one expects come first on the home page, however many others there are.
func TestLateFailuresComeFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 10_000, nil)
	id := one.ID.String()
	refunded := func(amount money.Amount) string {
		out, err := w.World.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &amount},
			nil)
		if err != nil {
			t.Fatal(err)
		}
		return out.Object.ID.String()
	}
	late := refunded(7_700)
	w.Clock.Advance(time.Hour)
	for range 51 {
		refunded(1)
	}
	if _, err := w.Simulate.Refund(t.Context(), w.Actor(), late, simulate.RefundInput{Outcome: new("failed")},
		nil); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	if n, err := pg.Exec(t.Context(), w.Pool, `
		UPDATE refunds SET status = 'failed', succeeded_at = NULL, failed_at = @now,
			failure = '{"code": "refund_declined", "message": "No."}'
		WHERE amount = 1`, pg.Args{"now": w.Clock.Now()}); err != nil || n != 51 {
		t.Fatal(n, err)
	}
	w.send("/portal", nil, "Cookie", w.as(authz.RoleOrganizationAdmin)).says(t, "$77.00 USD refund failed",
		"$0.01 USD refund failed")
}
