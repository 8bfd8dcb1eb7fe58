package history

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/audit"
	"svcpay/internal/token"
	"svcpay/internal/webhook"
)

func payoutAccount(merchantID int64, in token.BankInput) payout.BankInput {
	return payout.BankInput{MerchantID: merchantID, Account: in}
}

func deposits(merchantID int64) payout.VerifyInput {
	return payout.VerifyInput{MerchantID: merchantID, Amounts: payout.SandboxDeposits}
}

// plan writes down everything that happens on its own; the rest follows from it.
func (s *story) plan() {
	s.everydays()
	s.standing()
	s.givenBack()
	s.contests()
	s.donations()
	s.otherBank()
	s.neighbors()
	s.administration()
}

// everydays are the gifts of each day: fewer at weekends, from bank accounts every third day.
func (s *story) everydays() {
	n := 0
	for d := range Days + 1 {
		gifts := 3 + d%3
		if w := s.on(d, 0, 0).Weekday(); w == time.Saturday || w == time.Sunday {
			gifts = 1
		}
		for i := range gifts {
			s.at(s.on(d, 13+2*i, (n*17)%60), s.give(s.everyday(n)))
			n++
		}
		if d%3 == 1 {
			s.at(s.on(d, 15, 45), s.give(s.debits(d/3)))
		}
		if d%5 == 2 {
			s.at(s.on(d, 18, 10), s.give(s.held(d/5)))
		}
		if d%15 == 3 { // the same people each time
			for i := range 4 {
				s.at(s.on(d, 9, i),
					s.give(gift{to: &s.river, who: payers[i], at: s.river.Merchants.US, number: approved[i],
						amount: amounts[i], about: monthly, again: true}))
			}
		}
	}
}

// standing is an authorization that still waits to be captured.
func (s *story) standing() { s.at(s.on(43, 12, 30), s.give(s.held(2))) }

// givenBack are gifts of which something is returned.
func (s *story) givenBack() {
	program := &s.river.server
	plans := []struct {
		day    int
		number string
		bank   string
		amount money.Amount
		then   func(gift) gift
	}{
		{3, approved[0], "", 200_00, s.refunded(2*day, &s.remy, 1, "requested_by_payer", "Gave twice by mistake.")},
		{7, approved[1], "", 90_00, s.refunded(1*day, program, 3, "other", "")},
		{12, approved[3], "", 480_00, s.refunded(6*day, &s.ola, 2, "requested_by_payer", "Meant to give 240.")},
		{17, approved[0], "", 35_00, s.refunded(3*time.Hour, program, 1, "duplicate", "")},
		{23, noRefunds, "", 150_00, s.refunded(1*day, &s.remy, 1, "requested_by_payer", "")},
		{28, debited, "US", 600_00, s.refunded(9*day, &s.avery, 4, "requested_by_payer", "Part of it was for another campaign.")},
		{36, approved[2], "", 66_00, s.refunded(2*day, &s.remy, 1, "fraudulent", "The holder of the card wrote to us.")},
		{42, debited, "US", 320_00, s.refunded(5*time.Hour, &s.remy, 1, "duplicate", "Waits until the debit has settled.")},
		{43, approved[4], "", 110_00, s.refunded(4*time.Hour, program, 2, "requested_by_payer", "")},
	}
	for i, p := range plans {
		g := gift{to: &s.river, who: payers[(i*4+1)%len(payers)], at: s.river.Merchants.US, number: p.number,
			bank: p.bank, amount: p.amount, about: winter}
		s.at(s.on(p.day, 14, 35), s.give(p.then(g)))
	}
}

func (s *story) refunded(after time.Duration, by *authz.Actor, part int64, reason, note string) func(gift) gift {
	return func(g gift) gift {
		g.then = s.giveBack(after, by, part, reason, note)
		return g
	}
}

// neighbors are the gifts of the other application, of which no one else sees anything.
func (s *story) neighbors() {
	for d := range Days + 1 {
		if d%2 == 0 {
			s.at(s.on(d, 16, 5),
				s.give(gift{to: &s.harbor, who: payers[(d+9)%len(payers)], at: s.harbor.Merchants.US,
					number: approved[d%len(approved)], amount: amounts[d%len(amounts)], about: winter}))
		}
	}
}

// administration is what people change besides.
func (s *story) administration() {
	s.at(s.on(10, 14, 0),
		s.newRates("Agreed with the food bank for the winter.", nil,
			func(r fee.Rates) fee.Rates { r.CaptureFee = 15; return r }))
	// From then on the rates are those of the documents, for anyone who starts the demo and follows them.
	s.at(s.on(38, 14, 0),
		s.newRates("The winter agreement has ended.", nil, func(r fee.Rates) fee.Rates { r.CaptureFee = 20; return r }))
	s.at(s.on(39, 14, 0), s.newRates("Inquiries cost less from then on.", new(s.until.AddDate(0, 0, 21)),
		func(r fee.Rates) fee.Rates { r.RetrievalFee = 300; return r }))
	s.at(s.on(40, 16, 40), func(ctx context.Context) error {
		secret, err := s.endpoint(ctx, "/webhooks", "Demo shop", "charge.*", "refund.*", "dispute.*", "payout.*",
			"daf_donation.*", "daf_donation_updated")
		s.Demo.WebhookSecret = secret
		return err
	})
	s.at(s.on(41, 9, 5), func(ctx context.Context) error {
		_, err := s.endpoint(ctx, "/webhooks/failing-example", "Example of an endpoint that always fails", "payout.*")
		return err
	})
	s.at(s.on(41, 10, 15), func(ctx context.Context) error {
		_, err := s.Identity.Invite(ctx, s.now(s.ola),
			identity.NewInvitation{Email: "jo.winter@riverside.example", Role: authz.RoleOrganizationStaff,
				Domain: s.ola.Granted})
		return err
	})
	s.at(s.on(41, 11, 2), func(ctx context.Context) error { // refused, and written down
		err := s.Audit.Allow(ctx, s.now(s.remy), authz.TeamManage, audit.Of("page", "team.invite", 0))
		if fault.HasCode(err, "permission_denied") {
			return nil
		}
		return errors.Join(err, errors.New("staff may invite people"))
	})
}

// endpoint adds a webhook endpoint of the demo shop, and returns its secret.
func (s *story) endpoint(ctx context.Context, path, about string, events ...string) (secret string, err error) {
	made, err := s.Webhooks.Create(ctx, s.now(s.avery),
		webhook.CreateInput{URL: new(s.Origin + path), Description: &about, Events: events}, nil)
	return made.Object.Secret, err
}

// newRates changes the food bank's rates at once, or from a later time on.
func (s *story) newRates(reason string, from *time.Time, change func(fee.Rates) fee.Rates) func(context.Context) error {
	return func(ctx context.Context) error {
		current, err := s.Fees.Current(ctx, s.now(s.avery), s.river.Merchants.US)
		if err != nil {
			return err
		}
		_, err = s.Fees.Schedule(ctx, s.now(s.avery), s.river.Merchants.US,
			fee.Change{Rates: change(current.Rates), EffectiveAt: from, Reason: reason, Base: current.Latest})
		return err
	}
}
