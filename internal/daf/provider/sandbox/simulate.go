package sandbox

import (
	"context"

	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

// Simulation is something that a test wants to happen to a grant now.
type Simulation struct {
	Account   string
	Reference string // ours, of the grant
	Kind      provider.EventKind
}

// Simulate makes it happen now, instead of what the donor would bring; the feed reports it next. A grant that the
// account does not have is fault.Missing; one that has ended, simulation_not_possible.
func (p *Provider) Simulate(ctx context.Context, s Simulation) error {
	now, err := p.timeOf(ctx, s.Account)
	if err != nil {
		return wrapped(err)
	}
	err = pg.InTx(ctx, p.pool, func(tx *pg.Tx) error {
		if _, err := pg.Value[int64](ctx, tx, `
			SELECT number FROM sandbox_daf_grants WHERE reference = @reference AND account = @account
				AND tracking_id IS NOT NULL`,
			pg.Args{"reference": s.Reference, "account": s.Account}); err != nil {
			return err
		}
		// What is scheduled is what has not happened yet.
		n, err := tx.Exec(ctx, `UPDATE sandbox_daf_schedule SET due_at = @now, kind = @kind
			WHERE reference = @reference`, pg.Args{"now": now, "kind": s.Kind, "reference": s.Reference})
		return pg.Hit(n, err, fault.New(fault.KindConflict, "simulation_not_possible",
			"The grant was completed or canceled already."))
	})
	return pg.Or(err, fault.Missing())
}
