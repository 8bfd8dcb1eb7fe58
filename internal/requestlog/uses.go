package requestlog

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// UseInput asks how often some keys were used: in so many slots of that length, the last of which ends now.
type UseInput struct {
	Keys  []ids.Key
	Slot  time.Duration
	Slots int
}

// Uses counts the requests of each key, the oldest slot first; every key that was asked about is in the answer.
// What a key limited to merchants asked counts like everything else.
func (s *Service) Uses(ctx context.Context, actor authz.Actor, in UseInput) (map[ids.Key][]int64, error) {
	if err := s.deps.Check.Check(actor, authz.RequestLogRead); err != nil {
		return nil, err
	}
	out := make(map[ids.Key][]int64, len(in.Keys))
	for _, key := range in.Keys {
		out[key] = make([]int64, in.Slots)
	}
	type row struct {
		KeyID    ids.Key `db:"key_id"`
		Slot     int     `db:"slot"`
		Requests int64   `db:"requests"`
	}
	since := s.deps.Now().Add(-time.Duration(in.Slots) * in.Slot)
	rows, err := pg.All[row](ctx, s.deps.Pool, `
		SELECT key_id, least(floor(extract(epoch FROM created_at - @since::timestamptz) / @seconds::float8)::int,
			@slots::int - 1) AS slot, count(*) AS requests
		FROM request_logs WHERE application_id = @application_id AND id >= @first AND created_at >= @since
			AND key_id = ANY (@keys)
		GROUP BY 1, 2`,
		pg.Args{"application_id": actor.ApplicationID, "since": since,
			"first": ids.FirstRequest(since.Add(-time.Minute)), "seconds": in.Slot.Seconds(),
			"slots": in.Slots, "keys": in.Keys})
	for _, r := range rows {
		out[r.KeyID][r.Slot] = r.Requests
	}
	return out, err
}
