package token

import (
	"context"
	"sync"
	"time"
)

const (
	// declinesFor is how long what was notified of a merchant's charges is gone by: who tries numbers out asks often.
	declinesFor = 2 * time.Second
	// declinesMax bounds the memory that many merchants can take.
	declinesMax = 10_000
)

// declines remembers for a moment how merchants' card charges ended.
type declines struct {
	mu sync.Mutex
	m  map[owner]declined
}

type declined struct {
	recent Recent
	until  time.Time
}

// declinesOf is how a merchant's card charges of the last minutes ended, or did a moment ago.
func (s *Service) declinesOf(ctx context.Context, o owner) (Recent, error) {
	now := s.deps.Now()
	if known, ok := s.declines.get(o); ok && now.Before(known.until) {
		return known.recent, nil
	}
	recent, err := s.deps.Recent(ctx, o.ApplicationID, o.MerchantID, now.Add(-declineWindow))
	if err == nil {
		s.declines.put(o, declined{recent, now.Add(declinesFor)})
	}
	return recent, err
}

func (d *declines) get(o owner) (declined, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, ok := d.m[o]
	return v, ok
}

func (d *declines) put(o owner, v declined) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.m) >= declinesMax {
		clear(d.m)
	}
	if d.m == nil {
		d.m = make(map[owner]declined)
	}
	d.m[o] = v
}
