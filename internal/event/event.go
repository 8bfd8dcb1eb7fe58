// Package event is the event log of applications: every event that package outbox wrote, numbered after its commit,
// without gaps for each application.
//
// Invariants: a number is given once and never changed; the events of one object are numbered in the order of their
// positions; a reader that has read up to a number has read every event numbered before it.
package event

import (
	"encoding/json"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/bulkhead"
	"svcpay/internal/platform/clock"
)

// Event is one thing that happened: the API's object, and the body of a webhook.
type Event struct {
	ID     ids.Event `json:"id"`
	Object string    `json:"object"`
	Type   string    `json:"type"`
	// Timestamp is when it happened, by the application's clock.
	Timestamp instant.Time `json:"timestamp"`
	// Sequence counts the events of the application; null for a test event.
	Sequence      *int64  `json:"sequence"`
	ApplicationID int64   `json:"application_id"`
	MerchantID    *int64  `json:"merchant_id"` // null if it is about none
	Livemode      bool    `json:"livemode"`
	APIVersion    string  `json:"api_version"`
	Request       Request `json:"request"`
	Data          Data    `json:"data"`
}

// Request says what made it happen.
type Request struct {
	ID     *ids.Request `json:"id"`     // null if no request did
	Source string       `json:"source"` // api or job
}

// Data is the object that it happened to.
type Data struct {
	// Object is the API's object as it was then.
	Object json.RawMessage `json:"object"`
	// PreviousAttributes holds the former values of the members that changed.
	PreviousAttributes json.RawMessage `json:"previous_attributes"`
}

// Number is the event's sequence; 0 for none.
func (e Event) Number() int64 {
	if e.Sequence == nil {
		return 0
	}
	return *e.Sequence
}

// Cursor is what the API's lists of events are read by: the sequence.
func (e Event) Cursor() string { return strconv.FormatInt(e.Number(), 10) }

// Deps are what the service works with.
type Deps struct {
	Pool     *pgxpool.Pool
	Check    authz.Checker
	Livemode bool
	Clock    *clock.Clock
}

// Service holds the use-cases of events.
type Service struct {
	deps  Deps
	after []Follow
	// waiting bounds how many lists wait for events at once; released ends their waiting.
	waiting  *bulkhead.Places[int64] // of applications
	released chan struct{}
	release  sync.Once
}

// New makes the service.
func New(d Deps) *Service {
	return &Service{deps: d, waiting: bulkhead.Shared[int64](maxWaiting), released: make(chan struct{})}
}

// row is what an Event is read from; its id is the sequence, along which lists run.
type row struct {
	Sequence      *int64    `db:"id"`
	ID            ids.Event `db:"event_id"`
	ApplicationID int64     `db:"application_id"`
	MerchantID    *int64    `db:"merchant_id"`
	Type          string    `db:"type"`
	// JSON, as the next: the database printed it, so that no one need read it to know
	Object    []byte       `db:"object"`
	Previous  []byte       `db:"previous_attributes"`
	RequestID ids.Request  `db:"request_id"`
	Source    string       `db:"source"`
	CreatedAt instant.Time `db:"created_at"`
}

const columns = `sequence AS id, id AS event_id, application_id, merchant_id, type, object, previous_attributes, request_id, source, created_at`

func (s *Service) event(r row) Event {
	e := Event{ID: r.ID, Object: "event", Type: r.Type, Timestamp: r.CreatedAt, Sequence: r.Sequence,
		ApplicationID: r.ApplicationID,
		MerchantID:    r.MerchantID, Livemode: s.deps.Livemode, APIVersion: apikey.APIVersion, Request: Request{
			Source: r.Source},
		Data: Data{Object: r.Object, PreviousAttributes: r.Previous}}
	if !r.RequestID.IsZero() {
		e.Request.ID = &r.RequestID
	}
	return e
}
