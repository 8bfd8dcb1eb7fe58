package webhook

import (
	"context"

	"svcpay/internal/ids"
)

// PurgeStatement finds what ended long ago.
const PurgeStatement = purgeStatement

// DueStatements are those over what is due whose plans are kept.
var DueStatements = map[string]string{"due": dueStatement, "lease": leaseStatement, "release": releaseStatement, "end": endStatement, "again": againStatement,
	"cancel": cancelStatement, "cancel left": cancelLeftStatement, "hurry": hurryStatement}

// ClaimOf leases what is due to an endpoint that is known to have some, and tells how much of that would be sent.
func (s *Service) ClaimOf(ctx context.Context, e Endpoint) (int, error) {
	out, _, err := s.claim(ctx, everything, []dueEndpoint{{ApplicationID: e.ApplicationID, ID: e.ID}})
	return len(out), err
}

// everything is room for as much as there may be at all.
var everything = room{to: func(_ ids.Endpoint, most int) (int, int) { return most, 0 }, of: func(int64) (int, int) { return perApplication, 0 }, all: perApplication}

// SendTogether makes every attempt that is due, and writes what came of them down as one batch.
func (s *Service) SendTogether(ctx context.Context) error {
	due, _, err := s.claim(ctx, everything, nil)
	if err != nil {
		return err
	}
	w := s.NewWorker()
	for _, d := range due {
		r, err := s.attempt(ctx, d, s.deps.Client)
		if err != nil {
			return err
		}
		w.done <- r
	}
	close(w.done)
	w.write(ctx)
	return nil
}

// MeasureSpan finds the ends of a span of events.
const MeasureSpan = measureSpan
