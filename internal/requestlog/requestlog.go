// Package requestlog keeps applications' API requests and responses for their developers. Entries leave the request's
// path: they wait in a bounded queue, are written in batches, and are dropped and counted when the queue is full. No
// request is slowed or failed by its entry.
package requestlog

import (
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
)

// Life is how long an entry is kept.
const Life = 30 * 24 * time.Hour

// Log is the record of a request and the API's object. Card numbers, keys and the values of names that
// stand for secrets were taken out of its texts, which are bounded.
type Log struct {
	ID              ids.Request `db:"id" json:"id"`
	Object          string      `db:"-" json:"object"`
	Livemode        bool        `db:"-" json:"livemode"`
	ClientRequestID *string     `db:"client_request_id" json:"client_request_id"`
	KeyID           ids.Key     `db:"key_id" json:"key_id"`
	KeyName         string      `db:"key_name" json:"key_name"`
	Method          string      `db:"method" json:"method"`
	Path            string      `db:"path" json:"path"` // canonical
	Query           string      `db:"query" json:"query"`
	// RequestBody is nil for a body that is no JSON, or too long; RequestBytes is its length.
	RequestBody  *string `db:"request_body" json:"request_body"`
	RequestBytes int     `db:"request_bytes" json:"request_bytes"`
	Status       int     `db:"status" json:"status"`
	// The members of an error, and the whole answer; nil and none of a success.
	ErrorType          *string      `db:"error_type" json:"error_type"`
	ErrorCode          *string      `db:"error_code" json:"error_code"`
	ErrorParams        []string     `db:"error_params" json:"error_params"`
	ResponseBody       *string      `db:"response_body" json:"response_body"`
	IdempotencyKey     *string      `db:"idempotency_key" json:"idempotency_key"`
	IdempotentReplayed bool         `db:"idempotent_replayed" json:"idempotent_replayed"`
	ObjectID           *string      `db:"object_id" json:"object_id"`
	MerchantID         *int64       `db:"merchant_id" json:"merchant_id"`
	IP                 string       `db:"ip" json:"ip"`
	UserAgent          string       `db:"user_agent" json:"user_agent"`
	TookMS             int          `db:"took_ms" json:"took_ms"`
	APIVersion         string       `db:"api_version" json:"api_version"`
	CreatedAt          instant.Time `db:"created_at" json:"created_at"`
}

// Entry is a request as the edge saw it: nothing is taken out of it yet.
type Entry struct {
	Actor           authz.Actor // its RequestID is the entry's id
	ClientRequestID string
	Method, Path    string
	Query           string
	Body            []byte // nil of a body that is not JSON
	BodyBytes       int
	Status          int
	// Refusal is the fault that the request was answered with, Type its type over HTTP, and Answer the
	// whole answer; unset of a success.
	Refusal        *fault.Error
	Type           string
	Answer         []byte
	IdempotencyKey string
	Replayed       bool
	ObjectID       string
	MerchantID     int64 // 0 if it is not known; the body may tell
	IP, UserAgent  string
	Took           time.Duration
	APIVersion     string
	At             time.Time // the machine's time
}

// Deps are what the service works with.
type Deps struct {
	Pool     *pgxpool.Pool
	Check    authz.Checker
	Livemode bool
	Now      func() time.Time
}

// Service holds the use-cases of request logs and the queue of entries.
type Service struct {
	deps    Deps
	writing sync.Mutex // held while a batch is written
	queue   queue
}

// New makes the service. Nothing is written until [Service.Start] or [Service.Flush].
func New(d Deps) *Service { return &Service{deps: d} }

// derive fills the members that follow from others.
func (s *Service) derive(l Log) Log {
	l.Object, l.Livemode = "request_log", s.deps.Livemode
	return l
}
