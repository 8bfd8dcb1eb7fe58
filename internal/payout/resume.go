package payout

import (
	"context"
	"strconv"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// Resume lets a merchant be paid out again after a payout failed or came back, from its next run on.
// A merchant whose payouts are not paused stays as it is.
func (s *Service) Resume(ctx context.Context, actor authz.Actor, merchantID int64) (merchant.Merchant, error) {
	about := audit.Of("merchant", strconv.FormatInt(merchantID, 10), merchantID)
	if err := s.audit.Allow(ctx, actor, authz.PayoutResume, about); err != nil {
		return merchant.Merchant{}, err
	}
	if !actor.Sees(merchantID) {
		return merchant.Merchant{}, fault.Missing()
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return merchant.Merchant{}, err
	}
	var after merchant.Merchant
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		owner, err := s.deps.Merchants.LockTx(ctx, tx, actor.ApplicationID, merchantID)
		if err != nil {
			return err
		}
		after, err = s.deps.Merchants.ResumePayoutsTx(tx, m, owner,
			merchant.Cause{RequestID: actor.RequestID, Source: outbox.SourceOf(actor)})
		if err != nil {
			return err
		}
		return s.audit.DoneTx(tx, actor, authz.PayoutResume, about, owner, after)
	})
	return after, err
}
