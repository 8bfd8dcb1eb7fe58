package refund

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// largeTotal is the total of refunds, in minor units, from which on a person must verify their identity.
const largeTotal money.Amount = 1_000_00

// totalWithin is how long a refund counts in the total of its person.
const totalWithin = 24 * time.Hour

// NeedsProof reports whether a person who refunds that amount of a charge must verify their identity first: whether the
// charge's refunds, succeeded and pending, or those that the person made in the last 24 hours in its currency, of any
// charges, would reach 1,000.00 with it. Refunds that failed or were canceled count for their person. Refunds of the
// same moment don't know of each other yet: see CreateInput.Unproven.
func (s *Service) NeedsProof(ctx context.Context, actor authz.Actor, c charge.Charge,
	amount money.Amount) (bool, error) {
	made, err := s.audit.AmountsWithin(ctx, s.deps.Pool, actor, authz.RefundCreate, totalWithin)
	return needsProof(c, amount, made[c.Currency]), err
}

// needsProof is the rule of NeedsProof. made is the total of the person's refunds in the charge's currency.
func needsProof(c charge.Charge, amount, made money.Amount) bool {
	return amount >= largeTotal-c.AmountRefunded-c.AmountRefundPending || amount >= largeTotal-made
}

// errUnproven refuses a refund that reaches the total only with another one of the same moment.
var errUnproven = fault.New(fault.KindConflict, "proof_required",
	"You made another refund at the same time. Submit this one again.")

// unproven are the totals of people whose refunds of a batch were made without proof, by currency.
type unproven map[int64]map[money.Currency]money.Amount

// lockPeople keeps other transactions from refunds without proof of the same people. They are locked in order, so that
// two transactions never wait for each other.
const lockPeople = `
	SELECT pg_advisory_xact_lock(hashint8extended(p.id, 70657833))
	FROM (SELECT DISTINCT id FROM unnest(@people::bigint[]) AS id ORDER BY id) AS p`

// unprovenTx reads the totals of people whose requests come without proof.
func (s *Service) unprovenTx(ctx context.Context, tx *pg.Tx, requests []request) (unproven, error) {
	out, people := unproven{}, []int64(nil)
	for _, r := range requests {
		if r.in.Unproven {
			people = append(people, r.actor.PersonID)
		}
	}
	if len(people) == 0 {
		return nil, nil
	}
	if _, err := tx.Exec(ctx, lockPeople, pg.Args{"people": people}); err != nil {
		return nil, err
	}
	for _, r := range requests {
		if !r.in.Unproven || out[r.actor.PersonID] != nil {
			continue
		}
		made, err := s.audit.AmountsWithin(ctx, tx, r.actor, authz.RefundCreate, totalWithin)
		if err != nil {
			return nil, err
		}
		out[r.actor.PersonID] = made
	}
	return out, nil
}

// add counts a refund, or refuses it if it needs proof and has none.
func (u unproven) add(req request, c charge.Charge, r Refund) error {
	if !req.in.Unproven {
		return nil
	}
	made := u[req.actor.PersonID]
	if needsProof(c, r.Amount, made[r.Currency]) {
		return errUnproven
	}
	made[r.Currency] += r.Amount
	return nil
}
