package ledger

import (
	"context"

	"svcpay/internal/pg"
)

// WithBatches is a service that folds and sums so many entries at a time.
func (s *Service) WithBatches(fold, sum int) *Service {
	return &Service{Deps: s.Deps, foldBatch: fold, sumBatch: sum}
}

// FoldTx folds one batch in the caller's transaction.
func (s *Service) FoldTx(ctx context.Context, tx *pg.Tx) (int, error) {
	return s.foldTx(ctx, tx, firstOf(s.Now().Add(-foldLag)))
}

// FoldLag is how old an entry is when it is folded.
const FoldLag = foldLag

// SelectPage reads a page of a list.
const SelectPage = selectPage
