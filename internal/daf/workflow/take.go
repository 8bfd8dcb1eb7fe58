package workflow

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// errUsed is of an id that has become a donation already.
var errUsed = errors.New("workflow: the id has become a donation")

// Authorized is what a donor authorized. Amount is what he authorized last, in US cents; whole
// dollars.
type Authorized struct {
	ApplicationID int64          `db:"application_id"`
	MerchantID    int64          `db:"merchant_id"`
	Kind          Kind           `db:"kind"`
	Amount        money.Amount   `db:"authorized_amount"`
	FundID        string         `db:"fund_id"`
	FundName      string         `db:"fund_name"`
	VisitID       string         `db:"visit_id"` // of an integrated one
	Donor         provider.Donor `db:"donor"`
	DonationID    ids.Donation   `db:"donation_id"` // zero: not used yet
	// ExpiresAt is the last moment, by the machine's time, at which it can become a donation.
	ExpiresAt time.Time `db:"expires_at"`
	// SecretHash is the row's key.
	SecretHash []byte `db:"secret_hash"`
}

// TakeTx finds what was authorized under an id, exactly one of the two, of an application's merchant,
// and keeps everybody else from it until the transaction ends. It is ErrUnknown if the id is forged or
// another's; one whose time is over, or that was used, is found.
func (s *Service) TakeTx(ctx context.Context, tx *pg.Tx, applicationID, merchantID int64, workflowSessionID,
	grantID string) (Authorized, error) {
	a, err := pg.One[Authorized](ctx, tx, `
		SELECT secret_hash, application_id, merchant_id, kind, authorized_amount, fund_id, fund_name,
			coalesce(visit_id, '') AS visit_id, donor, donation_id, expires_at
		FROM daf_workflows
		WHERE application_id = @application_id AND merchant_id = @merchant_id AND state = 'authorized'
			AND (workflow_session_id = nullif(@session::text, '') AND @grant = '' OR grant_id = nullif(@grant::text, '')
				AND @session = '')
		FOR UPDATE`,
		pg.Args{"application_id": applicationID, "merchant_id": merchantID, "session": workflowSessionID,
			"grant": grantID})
	return a, pg.Or(err, ErrUnknown)
}

// UsedTx notes which donation became of what TakeTx found in the same transaction.
func UsedTx(ctx context.Context, tx *pg.Tx, a Authorized, donation ids.Donation) error {
	n, err := tx.Exec(ctx, `
		UPDATE daf_workflows SET donation_id = @donation
		WHERE application_id = @application_id AND secret_hash = @hash AND donation_id IS NULL`,
		pg.Args{"donation": donation, "application_id": a.ApplicationID, "hash": a.SecretHash})
	return pg.Hit(n, err, errUsed)
}
