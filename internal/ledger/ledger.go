// Package ledger keeps the books: immutable postings that each move an amount from one account to another, and balances
// that are sums over them.
//
// Invariants: debits equal credits, because a posting is one row with both sides; a business key is posted once; a kind
// moves money only between its own accounts ([Rules]); nothing is ever changed or deleted. The database enforces all
// four.
//
// Sums over a long history are kept as running totals up to a cut-off ([Service.Fold]); a read adds the few entries
// after it. Posting does not touch the totals, so no payment waits for another one's counter; they can be compared with
// the entries and rebuilt.
package ledger

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/pg"
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
	// what the merchant owes the service for donations, to be invoiced
	DAFInvoice      Account = "daf_invoice"
	DAFServiceFees  Account = "daf_service_fees"  // what the service earned by donations
	DAFWithheld     Account = "daf_withheld"      // what the provider keeps of the grants that it pays
	DAFProviderFees Account = "daf_provider_fees" // what the provider earned by donations
)

// MerchantAccounts lists the accounts whose money is the merchant's.
func MerchantAccounts() []Account {
	return []Account{MerchantPending, MerchantAvailable, MerchantReserved, MerchantInTransit}
}

func (a Account) ofMerchant() bool { return slices.Contains(MerchantAccounts(), a) }

// Posting moves Amount from Credit to Debit.
type Posting struct {
	ApplicationID int64
	MerchantID    int64
	// BusinessKey names the reason, so that the same reason is never posted twice.
	BusinessKey string
	// Kind is one of [Rules], which says between which accounts it moves money.
	Kind     string
	Debit    Account
	Credit   Account
	Amount   money.Amount
	Currency money.Currency
	// SourceID is the object that the posting comes from; ChargeID the charge that it concerns, zero
	// for none.
	SourceID [16]byte
	ChargeID ids.Charge
}

// PostTx queues postings in the caller's transaction. A business key that is posted already fails
// the whole transaction, and so does a pair of accounts that the kind does not have: the caller
// decides under its own lock whether a thing happened.
//
// The machine's time of the moment must be young when the transaction commits: entries that appear
// minutes after the time in their id miss the running totals.
func PostTx(tx *pg.Tx, m instant.Moment, postings ...Posting) {
	for _, p := range postings {
		tx.Row(nil, `
			INSERT INTO ledger_entries (id, application_id, merchant_id, business_key, kind, debit, credit,
				amount, currency, source_id, charge_id, created_at)
			SELECT * FROM unnest(@rows::new_ledger_entry[])`,
			pg.Args{"id": ids.NewEntry(m.Machine), "application_id": p.ApplicationID, "merchant_id": p.MerchantID,
				"key":  p.BusinessKey,
				"kind": p.Kind, "debit": p.Debit, "credit": p.Credit, "amount": p.Amount, "currency": p.Currency,
				"source_id": p.SourceID, "charge_id": p.ChargeID, "now": m.At})
	}
}

// Deps are what the service works with.
type Deps struct {
	Pool     *pgxpool.Pool
	Check    authz.Checker
	Livemode bool
	Clock    *clock.Clock
	Now      func() time.Time // the machine's time
	// How many entries a transaction folds and a statement sums, and for how long a comparison looks at one
	// application; zero for what is usual.
	FoldBatch, SumBatch int
	Share               time.Duration
}

// Service holds the use-cases of balances and the work on running totals.
type Service struct {
	deps      Deps
	comparing sync.Map // what has begun, by application
}

// New makes the service.
func New(d Deps) *Service {
	d.FoldBatch, d.SumBatch = cmp.Or(d.FoldBatch, foldBatch), cmp.Or(d.SumBatch, sumBatch)
	d.Share = cmp.Or(d.Share, compareShare)
	return &Service{deps: d}
}
