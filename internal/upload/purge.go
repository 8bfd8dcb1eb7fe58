package upload

import (
	"context"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// life is how long a file is kept that no dispute has among its evidence, by the machine's clock.
const life = 7 * 24 * time.Hour

// purgeBatch is how many files one transaction deletes: each may have 5 MiB.
const purgeBatch = 100

// unattached selects files f that no dispute has among its evidence, be it a draft or submitted.
const unattached = `NOT EXISTS (SELECT FROM disputes d
	WHERE d.application_id = f.application_id AND d.evidence_files @> ARRAY[f.id])`

// Purge deletes a batch of old files that are attached to no dispute, and returns how many. It first locks them: a
// dispute that attaches one either has done so before the second statement looks, or waits and finds it missing (see
// [HoldTx]).
func (s *Service) Purge(ctx context.Context) (n int64, err error) {
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		old, err := pg.All[struct {
			ID ids.File `db:"id"`
		}](ctx, tx, `
			SELECT f.id FROM files f WHERE f.id < @before AND `+unattached+`
			ORDER BY f.id LIMIT @batch FOR UPDATE SKIP LOCKED`,
			pg.Args{"before": ids.FirstFile(s.deps.Clock.Machine().Add(-life)), "batch": purgeBatch})
		if err != nil || len(old) == 0 {
			return err
		}
		files := make([]ids.File, len(old))
		for i, f := range old {
			files[i] = f.ID
		}
		n, err = tx.Exec(ctx, `DELETE FROM files f WHERE f.id = ANY (@files::uuid[]) AND `+unattached,
			pg.Args{"files": files})
		return err
	})
	return n, err
}

// HoldTx reports whether all of some files of an application exist, and keeps them from being purged until the end of
// the transaction, which attaches them. Each is named once.
func HoldTx(ctx context.Context, tx *pg.Tx, applicationID int64, files []ids.File) (bool, error) {
	if len(files) == 0 {
		return true, nil
	}
	n, err := tx.Exec(ctx, `
		SELECT FROM files WHERE application_id = @application_id AND id = ANY (@files::uuid[]) FOR KEY SHARE`,
		pg.Args{"application_id": applicationID, "files": files})
	return n == int64(len(files)), err
}
