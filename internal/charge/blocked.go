package charge

import (
	"context"

	"svcpay/internal/charge/rule"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// blockTx applies the rules of merchants to the charges that are written. It asks nothing if no merchant
// among them has rules.
func (s *Service) blockTx(ctx context.Context, tx *pg.Tx, at moments, requests []request, out []claimed) error {
	var of []int
	var payments []rule.Payment
	for i, o := range out {
		if !o.Proceeds() || !o.payer.HasRules || o.Object.Type != Card {
			continue
		}
		c := o.Object
		of = append(of, i)
		payments = append(payments, rule.Payment{ApplicationID: c.ApplicationID, MerchantID: c.MerchantID,
			Charge: c.ID, Amount: c.Amount, Country: c.PaymentMethod.Country,
			Traits: traitsOf(c, o.payer.Fingerprint), At: at[requests[i].applicationID].At})
	}
	if len(payments) == 0 {
		return nil
	}
	decisions, err := rule.DecideTx(ctx, tx, s.deps.Vault.MAC(rule.UsesMAC), payments)
	if err != nil {
		return err
	}
	for n, i := range of {
		out[i].rules = decisions[n]
	}
	return nil
}

// traitsOf are what rules know a card payment by; fingerprint is its card's.
func traitsOf(c Charge, fingerprint []byte) rule.Traits {
	return rule.TraitsOf(fingerprint, c.PaymentMethod.BIN, c.Billing.Email, c.Billing.AddressLine1,
		c.Billing.AddressZip)
}

// failBlockedTx ends a charge that a rule blocked, which is written with it. Its request is answered, and no processor
// is asked.
func (s *Service) failBlockedTx(ctx context.Context, tx *pg.Tx, m instant.Moment, r request,
	o claimed) (claimed, error) {
	before := o.Object
	e := effects{charge: failed(changed(before, m.At), blockedFailure(o.rules.Blocked), m.At)}
	c, _, err := s.writeTx(ctx, tx, m, before, e, r.id, outbox.API)
	if err != nil {
		return o, err
	}
	o.Object = c
	return o, r.claim.StoreTx(tx, c.ID.Bytes(), nil, refusal(c))
}
