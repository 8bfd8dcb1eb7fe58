// Package apikey keeps the applications that use the service and their API keys, and authenticates requests by them. It
// knows no people: the portal's accounts and roles are package identity's. The two packages share the tables of
// applications and audit log but no code, so neither imports the other.
package apikey

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
)

// Environment separates sandbox from production: keys and data never cross.
type Environment string

// The two environments.
const (
	Sandbox    Environment = "sandbox"
	Production Environment = "production"
)

// Service holds the use-cases of applications and their keys.
type Service struct {
	pool  *pgxpool.Pool
	env   Environment
	now   func() time.Time
	check authz.Checker
	audit *audit.Log
	// mail sends mails about keys; nil sends none.
	mail Mailer
	// begin adds what else a new application begins with; nil adds nothing.
	begin  func(tx *pg.Tx, applicationID int64, now time.Time)
	events *security.Log
	cache  cache
	uses   uses
}

// RecordIn sets the log that records rejected keys. Call it while the service is wired; without it, they are not
// recorded.
func (s *Service) RecordIn(log *security.Log) { s.events = log }

// New makes the service for one deployment.
func New(pool *pgxpool.Pool, env Environment, now func() time.Time, check authz.Checker) *Service {
	return &Service{pool: pool, env: env, now: now, check: check, audit: audit.New(pool, check, now),
		cache: newCache(now), uses: newUses()}
}

// Mailer mails those who may create keys of an application about a change of one, in the transaction of the change.
type Mailer func(ctx context.Context, tx *pg.Tx, k Key, what Change, by authz.Actor, at time.Time) error

// SendMails says who sends mails about keys. It is called while the service is wired; without it none are sent.
func (s *Service) SendMails(by Mailer) { s.mail = by }

// Change is a change of a key that people get a mail about.
type Change string

// The changes.
const (
	ChangeMade    Change = "made"
	ChangeRolled  Change = "rolled" // of the key that was replaced
	ChangeRevoked Change = "revoked"
)

// mailTx queues the mails about a change of a key.
func (s *Service) mailTx(ctx context.Context, tx *pg.Tx, k Key, what Change, by authz.Actor) error {
	if s.mail == nil {
		return nil
	}
	return s.mail(ctx, tx, s.derive(k), what, by, s.now())
}
