// Package report reads several flows together for people and their accountants: a merchant's monthly
// statement as an object, a CSV file and a PDF file, and what a payout is made of as a CSV file.
//
// Invariants of a statement: the opening balance and its lines add up to the closing balance, which is
// the next month's opening balance; the lines are the sums of the ledger's entries, and the CSV file
// has each of those entries once.
package report

import (
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/clock"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
)

// Deps are what the service works with.
type Deps struct {
	Pool      *pgxpool.Pool
	Merchants *merchant.Service
	Payouts   *payout.Service
	Check     authz.Checker
	Clock     *clock.Clock
}

// Service holds the reports.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }
