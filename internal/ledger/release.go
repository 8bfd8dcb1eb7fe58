package ledger

import (
	"context"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// unreleased is a posting that left money in, or took it from, merchant_pending.
type unreleased struct {
	MerchantID  int64          `db:"merchant_id"`
	BusinessKey string         `db:"business_key"`
	Kind        string         `db:"kind"`
	Debit       Account        `db:"debit"`
	Credit      Account        `db:"credit"`
	Amount      money.Amount   `db:"amount"`
	Currency    money.Currency `db:"currency"`
	SourceID    [16]byte       `db:"source_id"`
	ChargeID    ids.Charge     `db:"charge_id"`
}

// ReleaseTx moves what charges have in merchant_pending to merchant_available: each posting on
// merchant_pending that was not released yet gets one of the same kind that takes it along, so that
// what the charges have pending sums to zero, whatever happened to them. Repeating it adds nothing.
//
// The caller holds the row locks of the charges. What it queued before is flushed, so that postings
// of this transaction are released too; the releases themselves are queued.
func ReleaseTx(ctx context.Context, tx *pg.Tx, m instant.Moment, applicationID int64, charges []ids.Charge) error {
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	// Of the postings with merchant_pending on one side, exactly the releases have
	// merchant_available on the other.
	rows, err := pg.All[unreleased](ctx, tx, `
		SELECT merchant_id, business_key, kind, debit, credit, amount, currency, source_id, charge_id
		FROM ledger_entries e
		WHERE application_id = @application_id AND charge_id = ANY (@charges)
			AND 'merchant_pending' IN (debit, credit) AND 'merchant_available' NOT IN (debit, credit)
			AND NOT EXISTS (SELECT FROM ledger_entries r
				WHERE r.application_id = e.application_id AND r.business_key = e.business_key || ':release')
		ORDER BY id`,
		pg.Args{"application_id": applicationID, "charges": charges})
	if err != nil {
		return err
	}
	releases := make([]Posting, len(rows))
	for i, r := range rows {
		to, _ := Pair{r.Debit, r.Credit}.released()
		releases[i] = Posting{
			ApplicationID: applicationID, MerchantID: r.MerchantID, BusinessKey: r.BusinessKey + ":release",
			Kind: r.Kind, Debit: to.Debit, Credit: to.Credit, Amount: r.Amount, Currency: r.Currency,
			SourceID: r.SourceID, ChargeID: r.ChargeID,
		}
	}
	PostTx(tx, m, releases...)
	return nil
}
