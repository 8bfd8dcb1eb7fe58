package history

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/token"
)

const day = 24 * time.Hour

// giveBack refunds a charge, or a part of it, after a while; nothing of one that has failed in the meantime.
func (s *story) giveBack(after time.Duration, by *authz.Actor, part int64, reason, note string) func(charge.Charge) {
	return func(c charge.Charge) {
		s.after(after, func(ctx context.Context) error {
			in := refund.CreateInput{ChargeID: new(c.ID.String()), Reason: &reason}
			if note != "" {
				in.Note = &note
			}
			if part > 1 {
				in.Amount = new(c.Amount / money.Amount(part))
			}
			_, err := s.Refunds.Create(ctx, s.now(*by), in, nil)
			if fault.HasCode(err, "charge_not_refundable") {
				return nil
			}
			return err
		})
	}
}

// contested calls what is to be done with the dispute of a charge, some time after it was opened.
func (s *story) contested(after time.Duration, do func(context.Context, dispute.Dispute) error) func(charge.Charge) {
	return func(c charge.Charge) {
		s.after(after, func(ctx context.Context) error {
			id, err := s.disputeOf(ctx, c.ID)
			if err != nil {
				return err
			}
			return do(ctx, id)
		})
	}
}

func (s *story) disputeOf(ctx context.Context, id ids.Charge) (dispute.Dispute, error) {
	out, err := s.Disputes.List(ctx, s.now(s.ola),
		dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 1}, ChargeID: &id})
	if err == nil && len(out.Items) == 0 {
		err = fault.Missing()
	}
	if err != nil {
		return dispute.Dispute{}, err
	}
	return out.Items[0], nil
}

// answer submits what the organization has of a charge.
func (s *story) answer(ctx context.Context, d dispute.Dispute) error {
	in := dispute.EvidenceInput{Evidence: map[string]string{
		"product_description": "A gift to the Winter meals campaign, made on our donation page.",
		"payer_communication": "The receipt was sent the same minute and opened twice. The giver wrote to thank us a week later.",
		"uncategorized_text":  "The same person has given in each of the last three winters with the same card.",
	}}
	_, err := s.Disputes.SubmitEvidence(ctx, s.now(s.ola), d.ID.String(), in, nil)
	return err
}

// decided answers a dispute, and has it decided some days later.
func (s *story) decided(outcome string) func(context.Context, dispute.Dispute) error {
	return func(ctx context.Context, d dispute.Dispute) error {
		if err := s.answer(ctx, d); err != nil {
			return err
		}
		s.after(9*day, func(ctx context.Context) error { return s.decide(ctx, d, outcome) })
		return nil
	}
}

func (s *story) decide(ctx context.Context, d dispute.Dispute, outcome string) error {
	_, err := s.Simulate.Dispute(ctx, s.now(s.river.server), d.ID.String(),
		simulate.DisputeInput{Outcome: &outcome}, nil)
	return err
}

// accept gives a dispute up.
func (s *story) accept(ctx context.Context, d dispute.Dispute) error {
	_, err := s.Disputes.Accept(ctx, s.now(s.ola), d.ID.String(), nil)
	return err
}

// draft begins an answer that no one has submitted yet.
func (s *story) draft(ctx context.Context, d dispute.Dispute) error {
	_, err := s.Disputes.SaveDraft(ctx, s.now(s.remy), d.ID.String(), dispute.EvidenceInput{Evidence: map[string]string{
		"product_description": "A gift to the Winter meals campaign.", "payer_name": "Rosa Marchetti"}})
	return err
}

// contests plans what payers' banks hold against charges of Riverside.
func (s *story) contests() {
	plans := []struct {
		day    int
		number string
		amount money.Amount
		then   func(charge.Charge)
	}{
		{1, disputedCard, 60_00, nil}, // no one answers: it is lost on its own
		{4, disputedCard, 250_00, s.contested(3*day, s.decided("won"))},
		{9, disputedCard, 120_00, s.contested(2*day, s.accept)},
		{13, disputedCard, 400_00, s.contested(4*day, s.decided("lost"))},
		{20, askedCard, 85_00, s.contested(2*day, s.answer)},
		{34, disputedCard, 310_00, s.contested(3*day, s.answer)},
		{38, disputedCard, 95_00, s.contested(1*day, s.draft)},
		{41, askedCard, 180_00, nil},
		{42, disputedCard, 740_00, nil},
	}
	for i, p := range plans {
		s.at(s.on(p.day, 17, 20),
			s.give(gift{to: &s.river, who: payers[(i*5+12)%len(payers)], at: s.river.Merchants.US, number: p.number,
				amount: p.amount, about: winter, then: p.then}))
	}
}

// otherBank has the animal shelter's payouts go to a closed account for some days: one comes back, and they are
// paused until someone has put the right account in.
func (s *story) otherBank() {
	put := func(number string) func(context.Context) error {
		return func(ctx context.Context) error {
			in := account(payer{first: "Community", last: "Trust"}, number, "US", 0)
			in.Billing, in.Mandate = token.Billing{FirstName: "Community", LastName: "Trust"}, token.Acceptance{}
			if _, err := s.Payouts.ReplaceBankAccount(ctx, s.now(s.ola),
				payoutAccount(s.river.Merchants.USQ, in)); err != nil {
				return err
			}
			_, err := s.Payouts.VerifyBankAccount(ctx, s.now(s.ola), deposits(s.river.Merchants.USQ))
			return err
		}
	}
	s.at(s.on(16, 15, 0), put("000111111116"))
	s.at(s.on(26, 15, 0), put(debited))
	s.at(s.on(26, 15, 30), func(ctx context.Context) error {
		_, err := s.Payouts.Resume(ctx, s.now(s.ola), s.river.Merchants.USQ)
		return err
	})
}
