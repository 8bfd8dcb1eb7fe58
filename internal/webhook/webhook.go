// Package webhook delivers events to applications: endpoints, deliveries with their attempts, and replays.
//
// An event gets its deliveries in the transaction that numbers it, one for each endpoint that wants it. A delivery is
// attempted until an attempt succeeds or the last one fails; each attempt is leased before it is made, so another
// server repeats one whose server died. The body is the same at every attempt, under the event's id, signed by Standard
// Webhooks.
//
// Invariants: a delivery is pending exactly while it has a row in the table of due deliveries, at every commit;
// production calls public hosts only; an endpoint that does not respond delays no other.
package webhook

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/safehttp"
	"svcpay/internal/platform/seal"
)

// Status says what is sent to an endpoint.
type Status string

// The statuses.
const (
	Enabled  Status = "enabled"
	Disabled Status = "disabled" // by its application
	Paused   Status = "paused"   // by us
)

// Statuses lists every status of an endpoint.
func Statuses() []string { return []string{string(Enabled), string(Disabled), string(Paused)} }

// Why an endpoint is paused.
const (
	failing = "failing" // no success for [pauseAfter]
	gone    = "gone"    // it answered 410
)

// Endpoint is where events are sent: the record, and the API's object.
type Endpoint struct {
	ID            ids.Endpoint  `db:"id" json:"id"`
	Object        string        `db:"-" json:"object"`
	Version       int           `db:"version" json:"version"`
	Livemode      bool          `db:"-" json:"livemode"`
	ApplicationID int64         `db:"application_id" json:"application_id"`
	URL           string        `db:"url" json:"url"`
	Description   *string       `db:"description" json:"description"`
	Events        []string      `db:"events" json:"events"` // names, and filters with *
	Status        Status        `db:"status" json:"status"`
	PausedReason  *string       `db:"paused_reason" json:"paused_reason"` // failing or gone
	PreviousUntil *instant.Time `db:"previous_until" json:"previous_secret_until"`
	// the first failure since the last success
	FailingSince  *instant.Time     `db:"failing_since" json:"failing_since"`
	LastSuccessAt *instant.Time     `db:"last_success_at" json:"last_success_at"`
	Metadata      map[string]string `db:"metadata" json:"metadata"`
	CreatedAt     instant.Time      `db:"created_at" json:"created_at"`
	UpdatedAt     instant.Time      `db:"updated_at" json:"updated_at"`
	// Secret signs what is sent; it is shown when it is made and never again.
	Secret string `db:"-" json:"secret,omitempty"`

	Sealed         []byte `db:"secret" json:"-"`
	SealedPrevious []byte `db:"previous_secret" json:"-"`
	Recovering     bool   `db:"recovering" json:"-"`
}

// Gone reports whether an endpoint is paused because it said that it wants no more events.
func (e Endpoint) Gone() bool { return e.PausedReason != nil && *e.PausedReason == gone }

const columns = `id, version, application_id, url, description, events, status, paused_reason, previous_until,
	failing_since, last_success_at, metadata, created_at, updated_at, secret, previous_secret, recovering`

// Deps are what the service works with. Now is the machine's time, by which all of this goes: events
// have the application's time in them, but they are sent in the real one.
type Deps struct {
	Pool     *pgxpool.Pool
	Check    authz.Checker
	Events   *event.Service
	Box      *seal.Box
	Client   *safehttp.Client
	Livemode bool
	Clock    *clock.Clock // by which events happened
	Now      func() time.Time
}

// Service holds the use-cases of endpoints and deliveries.
type Service struct {
	deps  Deps
	audit *audit.Log
	// letters tell people of endpoints that do not answer; nil tells no one.
	letters Letters
	// Attempted, unless nil, is notified of each attempt by the status of its answer, 0 for none.
	Attempted func(status int)
}

// Letters write to people, each with the transaction that it reports. They call no one.
type Letters interface {
	// EndpointPausedTx mails those who may change an endpoint: nothing is sent to it any more.
	EndpointPausedTx(ctx context.Context, tx *pg.Tx, e Endpoint) error
}

// WriteLetters says who writes to people about endpoints. It is called while the service is wired; without it no one
// does.
func (s *Service) WriteLetters(by Letters) { s.letters = by }

// New makes the service, and has deliveries follow from events that are numbered.
func New(d Deps) *Service {
	s := &Service{deps: d, audit: audit.New(d.Pool, d.Check, d.Now)}
	d.Events.Then(s.fanOutTx)
	return s
}

// shown fills the members that follow from others, and forgets a former secret whose time is over.
func (s *Service) shown(e Endpoint) Endpoint {
	e.Object, e.Livemode = "webhook_endpoint", s.deps.Livemode
	if e.PreviousUntil != nil && !s.deps.Now().Before(e.PreviousUntil.Time) {
		e.PreviousUntil, e.SealedPrevious = nil, nil
	}
	if e.Metadata == nil {
		e.Metadata = map[string]string{}
	}
	return e
}

// ignoreMissing is nil for a record that is gone.
func ignoreMissing(err error) error {
	if fault.HasCode(err, "resource_missing") {
		return nil
	}
	return err
}
