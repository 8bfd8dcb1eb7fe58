package webhook

import (
	"context"

	"svcpay/internal/ids"
)

// SendTogether makes every attempt that is due, and writes what came of them down as one batch.
func (s *Service) SendTogether(ctx context.Context) error {
	most := func(_ ids.Endpoint, most int) (int, int) { return most, 0 }
	due, _, err := s.claim(ctx, room{to: most, of: func(int64) int { return perApplication }, all: perApplication}, nil)
	if err != nil {
		return err
	}
	w := s.NewWorker()
	for _, d := range due {
		r, err := s.attempt(ctx, d, s.Client)
		if err != nil {
			return err
		}
		w.done <- r
	}
	close(w.done)
	w.write(ctx)
	return nil
}
