// Package export writes all objects of a kind into a file, as CSV or JSONL. Jobs write it in batches; a batch and its
// position are stored together, so each object is in a file once, whichever process dies.
package export

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
	Now       func() time.Time // the machine's time
	Livemode  bool
}

// Service holds the exports.
type Service struct {
	deps  Deps
	audit *audit.Log
}

// New makes the service.
func New(d Deps) *Service { return &Service{d, audit.New(d.Pool, d.Check, d.Now)} }
