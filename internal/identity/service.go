// Package identity keeps the people of the portal: their accounts, how they sign in, their sessions, and their roles in
// the deployment, its applications and their organizations. Programs are package apikey's; neither package imports the
// other.
package identity

import (
	"time"

	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/seal"
	"svcpay/internal/platform/security"
)

// Service holds the use-cases of identity.
type Service struct {
	pool  *pgxpool.Pool
	now   func() time.Time
	check authz.Checker
	audit *audit.Log
	// invite sends invitations; nil sends none.
	invite Inviter
	// letters writes to people about their way in; nil writes nothing.
	letters Letters
	box     *seal.Box
	events  *security.Log
	web     *webauthn.WebAuthn // for passkeys
}

// RecordIn sets the log that records the outcomes of authentication. Call it while the service is wired; without it,
// they are not recorded.
func (s *Service) RecordIn(log *security.Log) { s.events = log }

// New makes the service for one deployment.
func New(pool *pgxpool.Pool, now func() time.Time, check authz.Checker) *Service {
	return &Service{pool: pool, now: now, check: check, audit: audit.New(pool, check, now)}
}
