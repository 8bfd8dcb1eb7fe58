package operation

import (
	"context"
	"time"

	"svcpay/internal/platform/pg"
)

// Unsent returns operations of a kind that carry one of the notes, were never sent, and are at least so old, oldest
// first. The notes distinguish them from operations that were sent and did not arrive.
func Unsent(ctx context.Context, q pg.Querier, kind Kind, notes []string, before time.Time) ([]Operation, error) {
	return pg.All[Operation](ctx, q, `
		SELECT `+columns+` FROM processor_operations
		WHERE kind = @kind AND state = 'not_submitted' AND note = ANY (@notes) AND created_at <= @before
		ORDER BY created_at LIMIT @batch`, pg.Args{"kind": kind, "notes": notes, "before": before, "batch": batch})
}
