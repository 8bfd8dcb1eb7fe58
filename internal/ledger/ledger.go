// Package ledger keeps the books: immutable postings that each move an amount from one account
// to another, and balances that are sums over them.
//
// Invariants: debits equal credits, because a posting is one row with both sides; a business key
// is posted once; nothing is ever changed or deleted. All three also stand in the database.
package ledger

import (
	"context"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/pg"
)

// Account is one pot of money of a merchant, or one that the merchant's money moves through.
type Account string

// The accounts.
const (
	ProcessorReceivable Account = "processor_receivable" // what the processor owes us
	MerchantPending     Account = "merchant_pending"     // the merchant's, not yet available
	MerchantAvailable   Account = "merchant_available"   // the merchant's, to be paid out next
	MerchantReserved    Account = "merchant_reserved"    // the merchant's, held for open disputes
	MerchantInTransit   Account = "merchant_in_transit"  // the merchant's, on its way to the bank
	ApplicationFees     Account = "application_fees"     // what the merchant paid the application
	ServiceFees         Account = "service_fees"         // what the application paid the service
	Adjustments         Account = "adjustments"          // corrections by hand
)

// Posting moves Amount from Credit to Debit.
type Posting struct {
	ApplicationID int64
	MerchantID    int64
	// BusinessKey names the reason, so that the same reason is never posted twice.
	BusinessKey string
	Kind        string
	Debit       Account
	Credit      Account
	Amount      money.Amount
	Currency    money.Currency
	// SourceID is the object that the posting comes from; ChargeID the charge that it concerns, zero
	// for none.
	SourceID [16]byte
	ChargeID ids.Charge
}

// PostTx queues postings in the caller's transaction. A business key that is posted already fails
// the whole transaction: the caller decides under its own lock whether a thing happened.
func PostTx(tx *pg.Tx, m instant.Moment, postings ...Posting) {
	for _, p := range postings {
		tx.Later(`
			INSERT INTO ledger_entries (id, application_id, merchant_id, business_key, kind, debit, credit,
				amount, currency, source_id, charge_id, created_at)
			VALUES (@id, @application_id, @merchant_id, @business_key, @kind, @debit, @credit,
				@amount, @currency, @source_id, @charge_id, @now)`,
			pg.Args{"id": ids.NewEntry(m.Machine), "application_id": p.ApplicationID, "merchant_id": p.MerchantID,
				"business_key": p.BusinessKey, "kind": p.Kind, "debit": p.Debit, "credit": p.Credit,
				"amount": p.Amount, "currency": p.Currency, "source_id": p.SourceID, "charge_id": p.ChargeID, "now": m.At})
	}
}

// Balance is what an account holds: debits minus credits.
type Balance struct {
	Account  Account        `db:"account"`
	Currency money.Currency `db:"currency"`
	Balance  money.Amount   `db:"balance"`
}

// Balances returns the merchant's accounts. They sum to zero.
func Balances(ctx context.Context, q pg.Querier, applicationID, merchantID int64) ([]Balance, error) {
	return pg.All[Balance](ctx, q, `
		SELECT account, currency, balance FROM ledger_balances
		WHERE application_id = @application_id AND merchant_id = @merchant_id ORDER BY account, currency`,
		pg.Args{"application_id": applicationID, "merchant_id": merchantID})
}
