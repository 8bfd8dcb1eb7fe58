package refund

import (
	"context"

	"svcpay/internal/platform/pg"
)

// Letters write to people, in the transaction of what they report. They call no one.
type Letters interface {
	// RefundFailedTx mails those who may refund the merchant's charges: a refund that had succeeded failed. refundable
	// says whether some of the charge can be refunded now.
	RefundFailedTx(ctx context.Context, tx *pg.Tx, r Refund, refundable bool) error
}

// WriteLetters says who writes to people about refunds. It is called while the service is wired; without it no one
// does.
func (s *Service) WriteLetters(by Letters) { s.letters = by }

// tellFailedTx has people notified of a refund that had succeeded and failed.
func (s *Service) tellFailedTx(ctx context.Context, tx *pg.Tx, r Refund, refundable bool) error {
	if s.letters == nil {
		return nil
	}
	return s.letters.RefundFailedTx(ctx, tx, r, refundable)
}
