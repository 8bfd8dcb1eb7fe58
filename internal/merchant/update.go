package merchant

import (
	"context"
	"reflect"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// Update merges the input into a merchant. One that changes nothing makes no version and no event. The
// faults: the mistakes of the input, some of which show only next to what the merchant has;
// resource_missing; object_changed; daf_not_eligible; external_id_taken.
func (s *Service) Update(ctx context.Context, actor authz.Actor, id int64, in UpdateInput,
	claim *idempotency.Claim) (out idempotency.Result[Merchant], err error) {
	if err := s.audit.AllowAll(ctx, actor, in.rights(actor), on(id)); err != nil {
		return out, err
	}
	if err := in.validate(s.sandbox()).Err(); err != nil {
		return out, err
	}
	if !actor.Sees(id) {
		return out, fault.Missing()
	}
	asked, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return out, err
	}
	out, err = idempotency.Once(ctx, s.deps.Pool, claim, asked.Machine, ObjectID(id),
		func(tx *pg.Tx) (Merchant, error) {
			if err := waitTx(ctx, tx, actor.ApplicationID, id); err != nil {
				return Merchant{}, err
			}
			before, err := s.LockTx(ctx, tx, actor.ApplicationID, id)
			if err != nil {
				return before, err
			}
			now := s.deps.Clock.Since(asked) // fees that began while this waited are in effect
			if err := check.Version(in.IfVersion, before.Version); err != nil {
				return before, err
			}
			return s.updateTx(ctx, tx, now, actor, before, in)
		})
	return out, s.told(ctx, err, actor.ApplicationID, in.ExternalID.Value)
}

func (s *Service) updateTx(ctx context.Context, tx *pg.Tx, now instant.Moment, actor authz.Actor, before Merchant,
	in UpdateInput) (Merchant, error) {
	after := in.on(before, s.sandbox())
	if err := after.fits(before); err != nil {
		return before, err
	}
	if bound := s.boundBankProcessor(before); bound != "" && in.BankProcessor.Given {
		if after.ChosenBankProcessor != bound {
			var fs fault.Fields
			fs.Add("bank_processor", "parameter_invalid", "The account for this merchant's bank debits allows only "+
				bound+".")
			return before, fs.Err()
		}
		after.ChosenBankProcessor = before.ChosenBankProcessor
	}
	if reflect.DeepEqual(before, after) {
		return before, nil
	}
	if after.DAFPercentage != before.DAFPercentage {
		if err := s.deps.Fees.SetDAFPercentageTx(ctx, tx, now, actor, before.ID, after.DAFPercentage); err != nil {
			return before, err
		}
	}
	if !reflect.DeepEqual(before.Domains, after.Domains) {
		dropDomainsTx(tx, after)
	}
	if err := after.rescheduleTx(tx, before, now); err != nil {
		return before, err
	}
	return s.changedTx(tx, now, actor, in.rights(actor)[0], before, after)
}

// rights are the permissions that an update takes: what needs one of its own can be changed by people who
// may change nothing else.
func (in UpdateInput) rights(a authz.Actor) []authz.Permission {
	own := rightsOf(in.HasWalletA.Given || in.HasDAFProvider.Given, in.Domains.Given, in.DAFPercentage.Given)
	others := in
	others.HasWalletA, others.HasDAFProvider, others.Domains, others.IfVersion = UpdateInput{}.HasWalletA,
		UpdateInput{}.HasDAFProvider, UpdateInput{}.Domains, nil
	if len(own) > 0 && !a.Role.IsServer() && reflect.ValueOf(others).IsZero() {
		return own
	}
	needed := append([]authz.Permission{authz.MerchantUpdate}, own...)
	if in.BankProcessor.Given && !a.Role.IsServer() { // who runs the program chooses its processor, not its customers
		needed = append(needed, authz.MerchantCreate)
	}
	return needed
}

// changedTx is changeTx for someone who calls: what they did is written down.
func (s *Service) changedTx(tx *pg.Tx, now instant.Moment, actor authz.Actor, p authz.Permission, before,
	after Merchant) (Merchant, error) {
	after, err := s.changeTx(tx, now, before, after, causeOf(actor))
	if err != nil {
		return after, err
	}
	return after, s.audit.DoneTx(tx, actor, p, on(after.ID), before, after)
}

// DAFPercentageChangedTx implements [fee.Merchants].
func (s *Service) DAFPercentageChangedTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor, id int64,
	p fee.DAFPercentages) error {
	before, err := s.LockTx(ctx, tx, actor.ApplicationID, id)
	if err != nil {
		return err
	}
	before.DAFPercentage = p.Old // the new schedule may begin before this is read, or a moment later
	after := before
	after.DAFPercentage = p.New
	_, err = s.changeTx(tx, m, before, after, causeOf(actor))
	return err
}

// fits refuses what cannot be next to what the merchant has.
func (m Merchant) fits(before Merchant) error {
	var fs fault.Fields
	m.checkSchedule(&fs)
	if m.EIN != nil && m.Country != us {
		fs.Add("ein", "parameter_invalid", einOfUS)
	}
	if before.DAFProviderConnectID != nil && deref(m.EIN) != deref(before.EIN) {
		fs.Add("ein", "parameter_read_only", "The merchant is enrolled in DAF Pay by its EIN, which stays.")
	}
	if err := fs.Err(); err != nil {
		return err
	}
	return m.checkDAF()
}

// rescheduleTx has the payout job come by the new schedule, unless it is due by the old one already.
func (m Merchant) rescheduleTx(tx *pg.Tx, before Merchant, now instant.Moment) error {
	same := m.TimeZone == before.TimeZone && m.PayoutSchedule == before.PayoutSchedule &&
		deref(m.PayoutWeekday) == deref(before.PayoutWeekday) &&
		deref(m.PayoutDayOfMonth) == deref(before.PayoutDayOfMonth)
	if same || !before.NextPayoutAt.After(now.At) {
		return nil
	}
	next, err := m.NextPayout(now.At)
	if err == nil {
		NextPayoutTx(tx, m, next)
	}
	return err
}
