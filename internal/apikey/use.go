package apikey

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// A key's last use is written down at most this often, and not waited for.
const (
	useEvery   = time.Minute
	useTimeout = 5 * time.Second
)

// uses remembers when this binary last tried to write down the use of each key.
type uses struct {
	mu    *sync.Mutex
	tried map[ids.Key]time.Time
}

func newUses() uses { return uses{mu: new(sync.Mutex), tried: make(map[ids.Key]time.Time)} }

// due reports whether a use is to be written down, and takes that for done.
func (u uses) due(id ids.Key, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, ok := u.tried[id]; ok && now.Sub(last) < useEvery {
		return false
	}
	u.tried[id] = now
	return true
}

// noteUse writes down that a key was used, next to the request that used it: neither slower nor
// failing for it. What could not be written down is left to the next use after a minute.
func (s *Service) noteUse(ctx context.Context, k Key, from netip.Addr) {
	now := s.now()
	if k.LastUsedAt != nil && now.Sub(k.LastUsedAt.Time) < useEvery || !s.uses.due(k.ID, now) {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), useTimeout)
		defer cancel()
		_, _ = pg.Exec(ctx, s.pool, `
			UPDATE api_keys SET last_used_at = @now, last_used_ip = @from
			WHERE application_id = @application_id AND id = @id AND (last_used_at IS NULL OR last_used_at <= @before)`,
			pg.Args{"application_id": k.ApplicationID, "id": k.ID, "now": now, "from": from,
				"before": now.Add(-useEvery)})
	}()
}
