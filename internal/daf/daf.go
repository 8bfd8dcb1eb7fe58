// Package daf keeps donations from donor-advised funds: who may take them, what they cost, and what
// becomes of them.
package daf

import (
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/clock"
	"svcpay/internal/daf/provider"
	"svcpay/internal/merchant"
)

// Deps are what the service works with.
type Deps struct {
	Pool      *pgxpool.Pool
	Check     authz.Checker
	Clock     *clock.Clock
	Merchants *merchant.Service
	Provider  provider.Provider
}

// Service holds the use-cases of donations.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }
