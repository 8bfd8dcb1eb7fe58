package portal

import (
	"testing"
	"time"

	"svcpay/internal/authz"
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
	if _, err := w.Simulate.Refund(t.Context(), w.Actor(), out.Object.ID.String(), simulate.RefundInput{Outcome: &failed}, nil); err != nil {
		t.Fatal(err)
	}
	cookie = w.as(authz.RoleOrganizationAdmin)
	w.send(web.RefundsPath, nil, "Cookie", cookie).says(t, "Failed", "the money is back in the balance")
	w.send(at, nil, "Cookie", cookie).says(t, "This refund failed", "card or bank account is closed, or the card has expired.",
		"Refund failed, money returned to the balance", "Refund again", "account_closed", "Succeeded")
	w.send(web.ChargesPath+"/"+id, nil, "Cookie", cookie).says(t, "Refund failed, money returned to the balance", "Refund succeeded")
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
