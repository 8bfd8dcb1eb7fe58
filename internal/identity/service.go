// Package identity authenticates callers: applications and their organizations, API keys, and the people of the portal with
// their roles and sessions.
package identity

import (
	"time"

	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/seal"
)

// Environment separates sandbox from production: keys and data never cross.
type Environment string

// The two environments.
const (
	Sandbox    Environment = "sandbox"
	Production Environment = "production"
)

// Service holds the use-cases of identity.
type Service struct {
	pool  *pgxpool.Pool
	env   Environment
	now   func() time.Time
	check authz.Checker
	audit *audit.Log
	// invite sends invitations; nil sends none.
	invite Inviter
	// letters writes to people about their way in; nil writes nothing.
	letters Letters
	box     *seal.Box
	// begin adds what else a new application begins with; nil adds nothing.
	begin func(tx *pg.Tx, applicationID int64, now time.Time)
	web   *webauthn.WebAuthn // for passkeys
	cache keyCache
	uses  keyUses
}

// New makes the service for one deployment.
func New(pool *pgxpool.Pool, env Environment, now func() time.Time, check authz.Checker) *Service {
	return &Service{pool: pool, env: env, now: now, check: check, audit: audit.New(pool, check, now), cache: newKeyCache(now), uses: newKeyUses()}
}
