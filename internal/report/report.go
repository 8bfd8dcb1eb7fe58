// Package report reads several flows together: merchants' monthly statements (object, CSV, PDF), the contents of a payout as
// CSV, searches over all objects, exports, and the timeline of a charge.
//
// Invariants of a statement: the opening balance and its lines add up to the closing balance, which is the next month's
// opening balance; the lines are the sums of the ledger's entries, and the CSV file has each of those entries once.
//
// Searches query the flows' own tables, so they find everything that is committed. Exports are written by jobs in batches; a
// batch and its position are stored together, so each object is in a file once, whichever process dies.
package report

import (
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/refund"
	"svcpay/internal/token"
)

// Deps are what the service works with.
type Deps struct {
	Pool      *pgxpool.Pool
	Merchants *merchant.Service
	Tokens    *token.Service
	Charges   *charge.Service
	Refunds   *refund.Service
	Disputes  *dispute.Service
	Payouts   *payout.Service
	Donations *daf.Service
	Ledger    *ledger.Service
	Check     authz.Checker
	Clock     *clock.Clock
	// Machine is the machine's time.
	Now      func() time.Time
	Livemode bool
}

// Service holds the reports.
type Service struct {
	deps  Deps
	audit *audit.Log
}

// New makes the service.
func New(d Deps) *Service { return &Service{d, audit.New(d.Pool, d.Check, d.Now)} }
