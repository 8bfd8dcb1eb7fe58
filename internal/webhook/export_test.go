package webhook

import (
	"context"

	"svcpay/internal/ids"
)

// PurgeStatement finds what ended long ago.
const PurgeStatement = purgeStatement

// DueStatements are those over what is due whose plans are kept.
var DueStatements = map[string]string{"due": dueStatement, "lease": leaseStatement, "release": releaseStatement,
	"end": endStatement, "again": againStatement,
	"cancel": cancelStatement, "cancel left": cancelLeftStatement, "hurry": hurryStatement}

// ClaimOf leases what is due to an endpoint that was enabled a moment ago, and returns how much of it would be sent.
func (s *Service) ClaimOf(ctx context.Context, e Endpoint) (int, error) {
	out, err := s.claim(ctx,
		func([]dueEndpoint) ([]ids.Endpoint, []int) { return []ids.Endpoint{e.ID}, []int{perEndpoint} })
	return len(out), err
}

// everything leases as much as one application may attempt at once.
func everything(due []dueEndpoint) (endpoints []ids.Endpoint, slots []int) {
	for _, e := range due {
		endpoints, slots = append(endpoints, e.ID), append(slots, perApplication)
	}
	return endpoints, slots
}

// SendTogether makes every attempt that is due, and writes the outcome of them down as one batch.
func (s *Service) SendTogether(ctx context.Context) error {
	due, err := s.claim(ctx, everything)
	if err != nil {
		return err
	}
	w := s.NewWorker()
	for _, d := range due {
		d.line = s.deps.Client.Line()
		r, err := s.attempt(ctx, d)
		d.line.Close()
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
