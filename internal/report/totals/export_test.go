package totals

import (
	"context"

	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// FoldAtMost has each transaction fold so many events, and about so many new charges.
func (s *Service) FoldAtMost(events int64, charges int) {
	s.foldEvents, s.foldCharges = events, charges
}

// FoldReading folds a batch of an application that was folded before, and says how much it moved and how many rows of
// charges it read.
func (s *Service) FoldReading(ctx context.Context, applicationID int64) (n int, read int64, err error) {
	m, err := s.present(ctx, applicationID)
	if err != nil {
		return 0, 0, err
	}
	const rows = `SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint FROM pg_stat_xact_user_tables
		WHERE relname = 'charges'`
	err = pg.InBatch(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		c, err := pg.One[cutoff](ctx, tx, `
			SELECT c.application_id, c.sequence, c.until, s.last_sequence FROM charge_cutoffs c
				JOIN event_streams s USING (application_id)
			WHERE application_id = @application_id`, pg.Args{"application_id": applicationID})
		if err != nil {
			return err
		}
		before, err := pg.Value[int64](ctx, tx, rows, pg.Args{})
		if err != nil {
			return err
		}
		if n, err = s.foldTx(ctx, tx, m, c); err != nil {
			return err
		}
		read, err = pg.Value[int64](ctx, tx, rows, pg.Args{})
		read -= before
		return err
	})
	return n, read, err
}

// DaysThrough is Days over a connection of the test's, for one who sees everything.
func (s *Service) DaysThrough(ctx context.Context, q pg.Querier, applicationID int64, in Input,
	zone string) ([]Day, error) {
	folded, err := s.folded(ctx, applicationID, in.Created)
	if err != nil {
		return nil, err
	}
	return s.days(ctx, q, applicationID, in, folded, zone)
}

// DaysOfCharges is DaysThrough from the charges alone, without the totals.
func (s *Service) DaysOfCharges(ctx context.Context, q pg.Querier, applicationID int64, in Input,
	zone string) ([]Day, error) {
	return s.days(ctx, q, applicationID, in, page.Times{}, zone)
}
