package charge_test

import (
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/fee"
	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// What a charge is timed by are the terms of its processor, whatever they are.
func TestChargesAreTimedByTheirProcessorsTerms(t *testing.T) {
	t.Parallel()
	by := processor.Terms{AuthorizationLife: 5 * 24 * time.Hour, CardSettlementDays: 1, BankSettlementDays: 6,
		BatchHour: 11}
	at := func(hour, minute int) time.Time { return time.Date(2027, 5, 3, hour, minute, 0, 0, time.UTC) } // a Monday
	apply := func(kind charge.Type, capture bool, answer processor.Answer, now time.Time) charge.Charge {
		answer.Approved = true
		c := charge.Charge{Type: kind, Status: charge.Processing, Amount: 1000, Currency: money.USD, Capture: capture}
		if kind == charge.Card {
			c.PaymentMethod.CardMethod = &charge.CardMethod{}
		}
		return charge.ApplyBy(c, &answer, fee.Schedule{}, by, now).Charge
	}
	if c := apply(charge.Card, false, processor.Answer{},
		at(9, 0)); !c.AuthorizationExpiresAt.Equal(at(9, 0).AddDate(0, 0, 5)) ||
		!c.NextStepAt.Equal(at(9, 0).AddDate(0, 0, 5)) {
		t.Errorf("an authorization expires at %v, and is looked at then: %v", c.AuthorizationExpiresAt, c.NextStepAt)
	}
	told := processor.Answer{ExpiresAt: at(9, 0).AddDate(0, 0, 29)}
	if c := apply(charge.Card, false, told, at(9, 0)); !c.AuthorizationExpiresAt.Equal(told.ExpiresAt) {
		t.Errorf("an authorization whose answer says when expires at %v", c.AuthorizationExpiresAt)
	}
	for _, p := range []struct {
		kind    charge.Type
		capture bool
		now     time.Time
		want    string
	}{
		{charge.Card, true, at(23, 59), "2027-05-04"},
		{charge.ACH, true, at(10, 59), "2027-05-11"}, // six business days after Monday
		{charge.ACH, true, at(11, 0), "2027-05-12"},  // the batch of Tuesday
	} {
		if c := apply(p.kind, p.capture, processor.Answer{}, p.now); c.AvailableOn == nil ||
			string(*c.AvailableOn) != p.want {
			t.Errorf("%s at %v is available on %v, want %s", p.kind, p.now, c.AvailableOn, p.want)
		}
	}
}
