package accounts

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// removableAfter is how long an account must be disabled before it can be removed. No transaction takes that long: one
// that chose the account while it was active has written its payment by then, or never will.
const removableAfter = time.Minute

// slack is how much the clocks of servers may differ, and more.
const slack = time.Hour

// Remove forgets a disabled account at which no payment or payout was ever made, so that its external account can be
// connected elsewhere. It returns the account as it was. Faults: processor_account_active; processor_account_used;
// object_changed.
func (s *Service) Remove(ctx context.Context, actor authz.Actor, id string, ifVersion *int) (a Account, err error) {
	if a, err = s.managed(ctx, actor, id); err != nil {
		return a, err
	}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		if a, err = lockTx(ctx, tx, actor.ApplicationID, a.ID); err == nil {
			err = check.Version(ifVersion, a.Version)
		}
		if err == nil {
			err = s.refuseRemovalTx(ctx, tx, a)
		}
		if err != nil {
			return err
		}
		deleteTx(tx, a)
		return s.audit.DoneTx(tx, actor, authz.ProcessingManage, about(a), s.derive(a), nil)
	})
	return s.derive(a), err
}

func (s *Service) refuseRemovalTx(ctx context.Context, tx *pg.Tx, a Account) error {
	if a.Status == Active || s.deps.Clock.Machine().Sub(a.UpdatedAt.Time) < removableAfter {
		return fault.New(fault.KindConflict, "processor_account_active",
			"Disable this account and wait a minute before you remove it.")
	}
	used, err := usedTx(ctx, tx, a)
	if err == nil && used {
		err = fault.New(fault.KindConflict, "processor_account_used",
			"This account can't be removed because it has payments, payouts, verifications or connected accounts, "+
				"or one is being created. Leave it disabled instead.")
	}
	return err
}

// usedTx reports whether a payment or a payout was made at an account since it was connected, whether it is verifying a
// payer's bank account, or whether other accounts use its credentials or may be created with
// them. Calls about them are made where they were.
func usedTx(ctx context.Context, tx *pg.Tx, a Account) (bool, error) {
	since := a.CreatedAt.Add(-slack)
	return pg.Value[bool](ctx, tx, `
		SELECT EXISTS (SELECT FROM processor_accounts WHERE platform_id = @id)
			OR EXISTS (SELECT FROM account_creations WHERE status = @requested AND processor = @processor
				AND platform_account = @external)
			OR EXISTS (SELECT FROM charges WHERE application_id = @application_id AND merchant_id = @merchant_id
			AND id >= @charge
				AND processor_name = @processor AND processor_account = @external)
			OR @merchant_id::bigint IS NULL AND EXISTS (SELECT FROM charges WHERE application_id = @application_id
				AND id >= @charge
				AND processor_name = @processor AND processor_account = @external)
			OR EXISTS (SELECT FROM bank_verifications v JOIN tokens t ON t.id = v.token_id
				WHERE v.application_id = @application_id AND t.status = 'pending_verification'
					AND v.processor = @processor AND v.processor_account = @external)
			OR EXISTS (SELECT FROM payouts WHERE application_id = @application_id AND id >= @payout
				AND processor_name = @processor AND processor_account = @external)`,
		pg.Args{"id": a.ID, "requested": requested, "application_id": a.ApplicationID, "merchant_id": a.MerchantID,
			"processor": a.Processor, "external": a.External,
			"charge": ids.FirstCharge(since), "payout": ids.FirstPayout(since)})
}

func deleteTx(tx *pg.Tx, a Account) {
	tx.Later(`DELETE FROM processor_accounts WHERE id = @id`, pg.Args{"id": a.ID})
}
