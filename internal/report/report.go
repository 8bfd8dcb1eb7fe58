// Package report reads several flows together for people and their accountants: a merchant's monthly
// statement as an object, a CSV file and a PDF file, what a payout is made of as a CSV file; searches over
// objects of all kinds, exports of all objects of a kind, and what
// happened to a charge.
//
// Invariants of a statement: the opening balance and its lines add up to the closing balance, which is
// the next month's opening balance; the lines are the sums of the ledger's entries, and the CSV file
// has each of those entries once.
//
// Searches ask the flows' own tables, so that they find what was written before. Exports are written by
// jobs in batches; a batch and how far it came are kept together, so that each object is in a file once
// whatever dies meanwhile.
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
