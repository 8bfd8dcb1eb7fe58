package webhook

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Delivery is one event on its way to one endpoint: the API's object.
type Delivery struct {
	ID             ids.Delivery  `db:"id" json:"id"`
	Object         string        `db:"-" json:"object"`
	Livemode       bool          `db:"-" json:"livemode"`
	EndpointID     ids.Endpoint  `db:"endpoint_id" json:"endpoint_id"`
	EventID        ids.Event     `db:"event_id" json:"event_id"`
	EventType      string        `db:"event_type" json:"event_type"`
	EventSequence  *int64        `db:"event_sequence" json:"event_sequence"` // null for a test
	Cause          Cause         `db:"cause" json:"cause"`
	Status         string        `db:"status" json:"status"` // pending, succeeded, failed or canceled
	NextAttemptAt  *instant.Time `db:"next_attempt_at" json:"next_attempt_at"`
	LastStatusCode *int          `db:"last_status_code" json:"last_status_code"`
	LastError      *string       `db:"last_error" json:"last_error"` // why there was no answer
	Attempts       []Attempt     `db:"log" json:"attempts"`
	CreatedAt      instant.Time  `db:"created_at" json:"created_at"`
	FinishedAt     *instant.Time `db:"finished_at" json:"finished_at"`
}

// Attempt is what was sent and said once.
type Attempt struct {
	Number       int               `json:"number"`
	URL          string            `json:"url"`
	StatusCode   *int              `json:"status_code"` // null: no answer
	Error        *string           `json:"error"`
	Request      map[string]string `json:"request_headers"`
	Response     map[string]string `json:"response_headers"` // up to 2 KB, without cookies
	ResponseBody string            `json:"response_body"`    // the first 2 KB
	TookMS       int               `json:"took_ms"`
	CreatedAt    instant.Time      `json:"created_at"`
}

// DeliveryStatuses lists every status of a delivery.
func DeliveryStatuses() []string { return []string{"pending", "succeeded", "failed", "canceled"} }

const deliveryColumns = `id, endpoint_id, event_id, event_type, event_sequence, cause, status,
	(SELECT coalesce(w.leased_until, w.next_attempt_at) FROM webhook_due w
		WHERE w.application_id = webhook_deliveries.application_id
			AND w.delivery_id = webhook_deliveries.id) AS next_attempt_at,
	last_status_code, last_error, created_at, finished_at,
	(SELECT coalesce(jsonb_agg(jsonb_build_object('number', a.number, 'url', a.url, 'status_code', a.status_code,
		'error', a.error,
			'request_headers', a.request_headers, 'response_headers', a.response_headers, 'response_body',
				a.response_body, 'took_ms', a.took_ms,
			'created_at', to_char(a.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
				ORDER BY a.number), '[]')
		FROM webhook_attempts a WHERE a.application_id = webhook_deliveries.application_id
			AND a.delivery_id = webhook_deliveries.id) AS log`

// DeliveryInput selects a page of deliveries; what is not set selects all.
type DeliveryInput struct {
	Page     page.Input[ids.Delivery]
	Created  page.Times
	Statuses []string
	Types    []string
	EventID  *ids.Event
}

// Deliveries returns one page of what was sent, or will be, to an endpoint of the application.
func (s *Service) Deliveries(ctx context.Context, actor authz.Actor, id string,
	in DeliveryInput) (page.Of[Delivery], error) {
	e, err := s.Get(ctx, actor, id)
	if err != nil {
		return page.Of[Delivery]{}, err
	}
	oldest, newest, err := deliverySpans.Within(ctx, clock.Unmoved, actor.ApplicationID, in.Created)
	if err != nil {
		return page.Of[Delivery]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, `SELECT `+deliveryColumns+` FROM webhook_deliveries
		WHERE application_id = @application_id AND endpoint_id = @endpoint
			AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
			AND (@types::text[] IS NULL OR event_type = ANY (@types))
			AND (@event::uuid IS NULL OR event_id = @event)
			AND (@from::timestamptz IS NULL OR created_at >= @from)
			AND (@until::timestamptz IS NULL OR created_at < @until)
			AND (@oldest::uuid IS NULL OR id >= @oldest)
			AND (@newest::uuid IS NULL OR id < @newest)`,
		pg.Args{"application_id": actor.ApplicationID, "endpoint": e.ID, "statuses": in.Statuses, "types": in.Types,
			"event": in.EventID, "from": in.Created.From, "until": in.Created.Until, "oldest": oldest,
			"newest": newest}, s.shownDelivery(actor))
}

// deliverySpans are of the ids of deliveries, which have the same time.
var deliverySpans = clock.Spans[ids.Delivery]{First: ids.FirstDelivery, Apart: time.Second}

// shownDelivery makes what the actor sees of a delivery: anyone who helps others does not see what was sent
// and answered; programs see their own. What a receiver answers can repeat the event, so both are for those who may
// read the event's object.
func (s *Service) shownDelivery(actor authz.Actor) func(Delivery) Delivery {
	content := actor.Role.IsServer() || s.deps.Check.Check(actor, authz.ContentRead) == nil
	return func(d Delivery) Delivery {
		if content && authz.Reads(s.deps.Check, actor, event.Kind(d.EventType)) == nil {
			return s.delivery(d)
		}
		for i := range d.Attempts {
			a := &d.Attempts[i]
			a.Request, a.Response, a.ResponseBody = map[string]string{}, map[string]string{}, ""
		}
		return s.delivery(d)
	}
}

func (s *Service) delivery(d Delivery) Delivery {
	d.Object, d.Livemode = "webhook_delivery", s.deps.Livemode
	return d
}

const (
	// keepFor is how long finished deliveries are kept.
	keepFor = 30 * 24 * time.Hour
	// MissedWithin is how old events may be for it to be known whether an endpoint took them: none of their deliveries
	// is forgotten while a replay looks for them.
	MissedWithin = 28 * 24 * time.Hour
)

// Purge forgets a batch of the deliveries that ended long ago, with their attempts, and says how many those were. They
// were made before they ended, and their ids say when: an application's first ones are looked at.
func (s *Service) Purge(ctx context.Context) (n int64, err error) {
	before := s.deps.Now().Add(-keepFor)
	err = pg.InBatch(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		n, err = pg.Value[int64](ctx, tx, purgeStatement,
			pg.Args{"before": before, "made": ids.FirstDelivery(before.Add(time.Millisecond)), "batch": pg.PurgeBatch})
		return err
	})
	return n, err
}

const purgeStatement = `
	WITH ended AS (
		SELECT d.row FROM applications a CROSS JOIN LATERAL (
			SELECT ctid AS row FROM webhook_deliveries
			WHERE application_id = a.id AND id < @made AND finished_at < @before LIMIT @batch) d
		ORDER BY a.id LIMIT @batch
	), gone AS (
		DELETE FROM webhook_deliveries d USING ended WHERE d.ctid = ended.row AND d.finished_at < @before
			RETURNING d.application_id, d.id
	), log AS (
		DELETE FROM webhook_attempts a USING gone WHERE a.application_id = gone.application_id
			AND a.delivery_id = gone.id
	) SELECT count(*) FROM gone`

// OfEvents returns what was sent, or will be, of some events of the application, to all endpoints, the
// earliest first.
func (s *Service) OfEvents(ctx context.Context, actor authz.Actor, events []ids.Event) ([]Delivery, error) {
	if err := s.deps.Check.Check(actor, authz.WebhookRead); err != nil {
		return nil, err
	}
	out, err := pg.All[Delivery](ctx, s.deps.Pool, `SELECT `+deliveryColumns+` FROM webhook_deliveries
		WHERE application_id = @application_id AND event_id = ANY (@events::uuid[]) ORDER BY id`,
		pg.Args{"application_id": actor.ApplicationID, "events": events})
	shown := s.shownDelivery(actor)
	for i := range out {
		out[i] = shown(out[i])
	}
	return out, err
}
