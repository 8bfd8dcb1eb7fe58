package totals

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
)

// System is how the deployment does.
type System struct {
	At     time.Time // by the machines' clock
	Queues []Queue
	Jobs   []Job
	// Differences are those between our books and others', and within ours, that no one has cleared up.
	Differences int64
}

// Queue is work that waits.
type Queue struct {
	Name    string     `db:"name"`
	Waiting int64      `db:"waiting"`
	Oldest  *time.Time `db:"oldest"` // since when the first waits, or is due
	// Late is how long the first may wait before someone should look.
	Late time.Duration `db:"-"`
}

// IsLate reports whether something waits for longer than it should.
func (q Queue) IsLate(now time.Time) bool { return q.Oldest != nil && now.Sub(*q.Oldest) > q.Late }

// Job is work that is done every so often, as its runs of the last minutes were.
type Job struct {
	Name   string     `db:"name"`
	Runs   int64      `db:"runs"`
	Failed int64      `db:"failed"`
	Last   *time.Time `db:"last"` // when one ended well; nil if none did
}

// late is how long work of each queue may wait.
var late = map[string]time.Duration{
	"operations": 5 * time.Minute, // calls to the counterparties whose outcome is not known
	"inbound":    time.Minute,     // events of the counterparties that no flow has handled
	"events":     time.Minute,     // events without a number
	"deliveries": 5 * time.Minute, // webhooks that are due
	"exports":    time.Hour,
	"mails":      10 * time.Minute,
}

// System says how the deployment does, for those who run it.
func (s *Service) System(ctx context.Context, actor authz.Actor) (System, error) {
	if err := s.deps.Check.Check(actor, authz.SystemRead); err != nil {
		return System{}, err
	}
	out := System{At: s.deps.Clock.Machine()}
	var err error
	out.Queues, err = pg.All[Queue](ctx, s.deps.Pool, `
		SELECT 'operations' AS name, count(*) AS waiting, min(created_at) AS oldest FROM processor_operations
			WHERE next_check_at IS NOT NULL AND state = 'open'
		UNION ALL SELECT 'inbound', count(*), min(received_at) FROM inbound_events WHERE handled_at IS NULL
		UNION ALL SELECT 'events', count(*), min(created_at) FROM events WHERE sequence IS NULL AND NOT test
		UNION ALL SELECT 'deliveries', count(*), min(next_attempt_at) FROM webhook_due WHERE next_attempt_at <= @now
			AND (leased_until IS NULL OR leased_until <= @now)
		UNION ALL SELECT 'exports', count(*), min(created_at) FROM exports WHERE status IN ('queued', 'running')
		UNION ALL SELECT 'mails', count(*), min(due_at) FROM mails WHERE due_at <= @now`, pg.Args{"now": out.At})
	if err != nil {
		return out, err
	}
	for i, q := range out.Queues {
		out.Queues[i].Late = late[q.Name]
	}
	out.Jobs, err = pg.All[Job](ctx, s.deps.Pool, `
		SELECT args->>'name' AS name, count(*) FILTER (WHERE finalized_at IS NOT NULL) AS runs,
			count(*) FILTER (WHERE state::text IN ('discarded', 'cancelled')) AS failed,
			max(finalized_at) FILTER (WHERE state::text = 'completed') AS last
		FROM river.river_job WHERE kind = 'sweep' AND args ? 'name' GROUP BY 1 ORDER BY 1`, pg.Args{})
	if err != nil {
		return out, err
	}
	out.Differences, err = pg.Value[int64](ctx, s.deps.Pool, `
		SELECT (SELECT count(*) FROM ledger_differences WHERE healed_at IS NULL)
			+ (SELECT count(*) FROM reconciliation_differences WHERE resolved_at IS NULL)`, pg.Args{})
	return out, err
}
