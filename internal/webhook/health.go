package webhook

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

const (
	// causesOf is how far back causes are looked for, and mostLooked how many deliveries that are.
	causesOf   = 7 * 24 * time.Hour
	mostLooked = 5000
)

// Failure is a reason for which events did not arrive, with all that did not for it.
type Failure struct {
	Status     string       `db:"status"`      // pending, failed or canceled, as of the deliveries
	StatusCode *int         `db:"status_code"` // nil: no answer, or no attempt
	Error      *string      `db:"error"`       // why there was no answer; nil with no code: it was not attempted
	Deliveries int64        `db:"deliveries"`
	Types      []string     `db:"types"` // of the events
	First      instant.Time `db:"first"` // when the first of these events happened, by the application's time
	Last       instant.Time `db:"last"`  // when the last delivery was made
	Latest     ids.Delivery `db:"latest"`
}

// Failures groups what did not arrive at an endpoint in the last seven days by why, the most frequent first. What
// arrived later, by a replay for example, is left out.
func (s *Service) Failures(ctx context.Context, actor authz.Actor, id ids.Endpoint) ([]Failure, error) {
	if err := s.deps.Check.Check(actor, authz.WebhookRead); err != nil {
		return nil, err
	}
	return pg.All[Failure](ctx, s.deps.Pool, `
		WITH recent AS (
			SELECT id, event_id, event_type, status, last_status_code, last_error, created_at FROM webhook_deliveries
			WHERE application_id = @application_id AND endpoint_id = @endpoint AND created_at >= @since
				ORDER BY id DESC LIMIT @most
		), latest AS (
			SELECT DISTINCT ON (event_id) id, event_id, event_type, status, last_status_code, last_error, created_at
				FROM recent
			WHERE NOT EXISTS (SELECT FROM recent better WHERE better.event_id = recent.event_id
				AND better.status = 'succeeded')
				AND (status <> 'pending' OR last_status_code IS NOT NULL OR last_error IS NOT NULL)
			ORDER BY event_id, id DESC
		)
		SELECT l.status, l.last_status_code AS status_code, l.last_error AS error, count(*) AS deliveries,
			array_agg(DISTINCT l.event_type ORDER BY l.event_type) AS types, min(e.created_at) AS first,
				max(l.created_at) AS last,
			(array_agg(l.id ORDER BY l.id DESC))[1] AS latest
		FROM latest l JOIN events e ON e.application_id = @application_id AND e.id = l.event_id
		GROUP BY 1, 2, 3 ORDER BY count(*) DESC, 2, 3, 1`,
		pg.Args{"application_id": actor.ApplicationID, "endpoint": id, "since": s.deps.Now().Add(-causesOf),
			"most": mostLooked})
}

// Delivery returns a delivery to an endpoint of the actor's application. Ids that are malformed, unknown or
// another's get the same fault.
func (s *Service) Delivery(ctx context.Context, actor authz.Actor, endpoint, id string) (Delivery, error) {
	if err := s.deps.Check.Check(actor, authz.WebhookRead); err != nil {
		return Delivery{}, err
	}
	endpointID, err := ids.ParseEndpoint(endpoint)
	if err != nil {
		return Delivery{}, fault.Missing()
	}
	deliveryID, err := ids.ParseDelivery(id)
	if err != nil {
		return Delivery{}, fault.Missing()
	}
	d, err := pg.Find[Delivery](ctx, s.deps.Pool, `
		SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE application_id = @application_id
			AND endpoint_id = @endpoint AND id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "endpoint": endpointID, "id": deliveryID})
	if err != nil {
		return Delivery{}, err
	}
	return s.shownDelivery(actor)(d), nil
}

// DeliveriesOf returns what was sent of an event, or will be, to any endpoint; a hundred at most, the latest first.
func (s *Service) DeliveriesOf(ctx context.Context, actor authz.Actor, id ids.Event) ([]Delivery, error) {
	if err := s.deps.Check.Check(actor, authz.WebhookRead); err != nil {
		return nil, err
	}
	rows, err := pg.All[Delivery](ctx, s.deps.Pool, `
		SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE application_id = @application_id AND event_id = @event
			ORDER BY id DESC LIMIT 100`,
		pg.Args{"application_id": actor.ApplicationID, "event": id})
	for i, d := range rows {
		rows[i] = s.shownDelivery(actor)(d)
	}
	return rows, err
}

// Replays returns the latest replays to an endpoint.
func (s *Service) Replays(ctx context.Context, actor authz.Actor, id ids.Endpoint, most int) ([]Replay, error) {
	if err := s.deps.Check.Check(actor, authz.WebhookRead); err != nil {
		return nil, err
	}
	rows, err := pg.All[Replay](ctx, s.deps.Pool, `
		SELECT `+replayColumns+` FROM webhook_replays WHERE application_id = @application_id AND endpoint_id = @endpoint
			ORDER BY id DESC LIMIT @most`,
		pg.Args{"application_id": actor.ApplicationID, "endpoint": id, "most": most})
	for i, r := range rows {
		rows[i] = s.replay(r)
	}
	return rows, err
}

// Progress counts the deliveries that a replay made, or had attempted sooner, by their status. Those of events outside
// its span, which waited for a retry and go first, are counted apart.
func (s *Service) Progress(ctx context.Context, actor authz.Actor, r Replay) (within, outside map[string]int64,
	err error) {
	if err := s.deps.Check.Check(actor, authz.WebhookRead); err != nil {
		return nil, nil, err
	}
	type row struct {
		Status  string `db:"status"`
		Outside bool   `db:"outside"`
		Count   int64  `db:"count"`
	}
	rows, err := pg.All[row](ctx, s.deps.Pool, `
		SELECT status, coalesce(event_sequence <= @last::bigint - @total::bigint
			OR event_sequence > @last, false) AS outside, count(*) AS count FROM webhook_deliveries
		WHERE application_id = @application_id AND endpoint_id = @endpoint AND cause = 'replay'
			AND (created_at < @from AND (finished_at IS NULL OR finished_at >= @from)
				OR created_at >= @from AND (@until::timestamptz IS NULL OR created_at <= @until))
		GROUP BY 1, 2`,
		pg.Args{"application_id": actor.ApplicationID, "endpoint": r.EndpointID, "from": r.CreatedAt,
			"until": r.FinishedAt, "last": r.Last, "total": r.Total})
	within, outside = map[string]int64{}, map[string]int64{}
	for _, one := range rows {
		if one.Outside {
			outside[one.Status] = one.Count
		} else {
			within[one.Status] = one.Count
		}
	}
	return within, outside, err
}
