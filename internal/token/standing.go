package token

import (
	"context"
	"sync"
	"time"

	"svcpay/internal/platform/pg"
)

const (
	// standingFor is how long a merchant's standing is remembered: attackers come often.
	standingFor = 2 * time.Second
	// standingsMax bounds the memory that many merchants can take.
	standingsMax = 10_000
)

// standing is what is known of a merchant's card payments at some time.
type standing struct {
	level  level
	facts  Firsts
	across bool // cards are tested at many merchants of the application, or were within a day
	until  time.Time
}

// standings remembers for a moment how merchants stand; those of merchant 0 are of an application.
type standings struct {
	mu sync.Mutex
	m  map[owner]standing
}

// standingOf is how a merchant stands, or did a moment ago. It begins and ends restrictions.
func (s *Service) standingOf(ctx context.Context, o owner) (standing, error) {
	now := s.deps.Now()
	if known, ok := s.standings.get(o); ok && now.Before(known.until) {
		return known, nil
	}
	all, err := s.acrossMerchants(ctx, o.ApplicationID)
	if err != nil {
		return standing{}, err
	}
	facts, err := s.deps.Firsts(ctx, Group{ApplicationID: o.ApplicationID, MerchantID: o.MerchantID,
		Since: now.Add(-attemptsKept), Charged: now.Add(-firstsWindow), Hour: now.Add(-time.Hour),
		Waited: now.Add(-chargedAfter), Most: firstsMost})
	if err != nil {
		return standing{}, err
	}
	known, err := s.restriction(ctx, o)
	if err != nil {
		return standing{}, err
	}
	was, careful := known.began() && known.EndedAt == nil, known.endedSince(now.Add(-firstsWindow))
	out := standing{levelOf(was, facts, careful, all.level != calm), facts, all.across, now.Add(standingFor)}
	if is := out.level == restricted; is != was {
		if err := s.restrict(ctx, o, is, now); err != nil {
			return standing{}, err
		}
	}
	s.standings.put(o, out)
	return out, nil
}

// seenEvery is how often an attack that goes on is noted.
const seenEvery = time.Minute

// acrossMerchants is how an application stands, or did a moment ago: whether cards are tested at many of its merchants.
func (s *Service) acrossMerchants(ctx context.Context, applicationID int64) (standing, error) {
	o, now := owner{applicationID, 0}, s.deps.Now()
	if known, ok := s.standings.get(o); ok && now.Before(known.until) {
		return known, nil
	}
	facts, err := s.deps.Firsts(ctx, Group{ApplicationID: applicationID, Since: now.Add(-attemptsKept),
		Charged: now.Add(-wideWindow), Hour: now.Add(-time.Hour), Waited: now.Add(-chargedAfter), Most: firstsMost})
	if err != nil {
		return standing{}, err
	}
	out := standing{facts: facts, until: now.Add(standingFor)}
	if facts.wide() {
		out.level, out.across = challenged, true
		_, err = pg.Exec(ctx, s.deps.Pool, `
			INSERT INTO card_testing_across_merchants AS c (application_id, seen_at) VALUES (@application_id, @now)
			ON CONFLICT (application_id) DO UPDATE SET seen_at = @now WHERE c.seen_at < @old`,
			pg.Args{"application_id": applicationID, "now": now, "old": now.Add(-seenEvery)})
	} else {
		out.across, err = pg.Value[bool](ctx, s.deps.Pool, `SELECT EXISTS (SELECT FROM card_testing_across_merchants
			WHERE application_id = @application_id AND seen_at > @since)`,
			pg.Args{"application_id": applicationID, "since": now.Add(-firstsWindow)})
	}
	if err != nil {
		return standing{}, err
	}
	s.standings.put(o, out)
	return out, nil
}

// restriction is the last restriction of a merchant.
type restriction struct {
	BeganAt *time.Time `db:"began_at"`
	EndedAt *time.Time `db:"ended_at"`
}

func (r restriction) began() bool { return r.BeganAt != nil }

func (r restriction) endedSince(t time.Time) bool { return r.EndedAt != nil && r.EndedAt.After(t) }

func (s *Service) restriction(ctx context.Context, o owner) (restriction, error) {
	return pg.One[restriction](ctx, s.deps.Pool, `
		SELECT max(began_at) AS began_at, max(ended_at) AS ended_at FROM card_testing
		WHERE application_id = @application_id AND merchant_id = @merchant_id`,
		pg.Args{"application_id": o.ApplicationID, "merchant_id": o.MerchantID})
}

func (d *standings) get(o owner) (standing, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, ok := d.m[o]
	return v, ok
}

func (d *standings) put(o owner, v standing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.m) >= standingsMax {
		clear(d.m)
	}
	if d.m == nil {
		d.m = make(map[owner]standing)
	}
	d.m[o] = v
}
