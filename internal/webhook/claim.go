package webhook

import (
	"context"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

const (
	// attemptTimeout bounds one attempt.
	attemptTimeout = 15 * time.Second
	// leaseFor is how long an attempt is left alone before it is taken for lost with its binary.
	leaseFor = 2 * attemptTimeout
	// perEndpoint is how many attempts to one endpoint are under way at once in one binary.
	perEndpoint = 8
)

// claimed is a delivery whose next attempt belongs to this binary.
type claimed struct {
	ID            ids.Delivery `db:"id"`
	ApplicationID int64        `db:"application_id"`
	EndpointID    ids.Endpoint `db:"endpoint_id"`
	EventID       ids.Event    `db:"event_id"`
	Attempts      int          `db:"attempts"` // this one included
	DueAt         time.Time    `db:"due_at"`   // when the lease ends
}

type dueEndpoint struct {
	ApplicationID int64        `db:"application_id"`
	ID            ids.Endpoint `db:"id"`
}

// claim leases deliveries that are due, for each endpoint no more than free tells: however many are due
// to one that does not answer, they take nothing from the others.
func (s *Service) claim(ctx context.Context, free func(ids.Endpoint) int) ([]claimed, error) {
	now := s.Now()
	due, err := pg.All[dueEndpoint](ctx, s.Pool, `
		SELECT application_id, id FROM webhook_endpoints e
		WHERE status = 'enabled' AND deleted_at IS NULL AND EXISTS (
			SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.status = 'pending' AND d.next_attempt_at <= @now)`,
		pg.Args{"now": now})
	if err != nil || len(due) == 0 {
		return nil, err
	}
	endpoints, slots := make([]ids.Endpoint, 0, len(due)), make([]int, 0, len(due))
	for _, e := range due {
		if n := free(e.ID); n > 0 {
			endpoints, slots = append(endpoints, e.ID), append(slots, n)
		}
	}
	if len(endpoints) == 0 {
		return nil, nil
	}
	return pg.All[claimed](ctx, s.Pool, `
		WITH free AS (
			SELECT endpoint_id, slots FROM unnest(@endpoints::uuid[], @slots::int[]) AS f(endpoint_id, slots)
		), due AS (
			SELECT d.application_id, d.id FROM free f CROSS JOIN LATERAL (
				SELECT application_id, id FROM webhook_deliveries
				WHERE endpoint_id = f.endpoint_id AND status = 'pending' AND next_attempt_at <= @now
				ORDER BY next_attempt_at, event_sequence LIMIT f.slots FOR UPDATE SKIP LOCKED) d
		)
		UPDATE webhook_deliveries d SET attempts = d.attempts + 1, next_attempt_at = @until FROM due
		WHERE d.application_id = due.application_id AND d.id = due.id
		RETURNING d.id, d.application_id, d.endpoint_id, d.event_id, d.attempts, d.next_attempt_at AS due_at`,
		pg.Args{"endpoints": endpoints, "slots": slots, "now": now, "until": now.Add(leaseFor)})
}

// endpointOf reads the endpoint of a delivery as it is now.
func (s *Service) endpointOf(ctx context.Context, d claimed) (Endpoint, error) {
	return pg.Find[Endpoint](ctx, s.Pool, `
		SELECT `+columns+` FROM webhook_endpoints WHERE application_id = @application_id AND id = @id AND deleted_at IS NULL`,
		pg.Args{"application_id": d.ApplicationID, "id": d.EndpointID})
}
