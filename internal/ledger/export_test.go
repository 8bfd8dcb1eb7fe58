package ledger

import (
	"context"
	"time"

	"svcpay/internal/platform/pg"
)

// WithBatches is a service that folds and sums so many entries at a time.
func (s *Service) WithBatches(fold, sum int) *Service {
	return &Service{deps: s.deps, foldBatch: fold, sumBatch: sum, share: time.Minute}
}

// InShares is a service that sums so many entries of an application in a comparison before it turns to the next.
func (s *Service) InShares(sum int) *Service {
	return &Service{deps: s.deps, foldBatch: s.foldBatch, sumBatch: sum}
}

// FoldTx folds one batch in the caller's transaction.
func (s *Service) FoldTx(ctx context.Context, tx *pg.Tx) (int, error) {
	return s.foldTx(ctx, tx, firstOf(s.deps.Now().Add(-foldLag)))
}

// FoldLag is how old an entry is when it is folded.
const FoldLag = foldLag

// SelectPage reads a page of a list.
const SelectPage = selectPage
