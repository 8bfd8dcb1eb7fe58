package merchant

import (
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// PauseReason says why payouts wait for a person.
type PauseReason string

// The reasons.
const (
	PayoutFailed   PauseReason = "payout_failed"
	PayoutReturned PauseReason = "payout_returned"
)

// PausePayoutsTx stops the payouts of a locked merchant until someone resumes them; a merchant
// whose payouts are paused keeps its first reason and version.
func (s *Service) PausePayoutsTx(tx *pg.Tx, m instant.Moment, locked Merchant, why PauseReason,
	c Cause) (Merchant, error) {
	if locked.PayoutsPausedReason != nil {
		return locked, nil
	}
	after := locked
	after.PayoutsPausedReason = &why
	return s.changeTx(tx, m, locked, after, c)
}

// ResumePayoutsTx lets a locked merchant be paid out again, from its next run on; one whose payouts
// are not paused keeps its version. The caller has checked the actor's right, and writes it down.
func (s *Service) ResumePayoutsTx(tx *pg.Tx, m instant.Moment, locked Merchant, c Cause) (Merchant, error) {
	if locked.PayoutsPausedReason == nil {
		return locked, nil
	}
	after := locked
	after.PayoutsPausedReason = nil
	return s.changeTx(tx, m, locked, after, c)
}

// NextPayoutTx queues when the payout job looks at a locked merchant next. It makes no new version.
func NextPayoutTx(tx *pg.Tx, locked Merchant, at time.Time) {
	tx.Later(`UPDATE merchants SET next_payout_at = @at WHERE application_id = @application_id AND id = @id`,
		pg.Args{"at": at, "application_id": locked.ApplicationID, "id": locked.ID})
}
