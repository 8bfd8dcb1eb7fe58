package apikey

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// Overlap is how long a key goes on working after it was rolled.
type Overlap string

// The overlaps.
const (
	OverlapNone Overlap = "now" // it stops at once
	OverlapHour Overlap = "1h"
	OverlapDay  Overlap = "24h"
	OverlapWeek Overlap = "7d"
)

// Overlaps lists them, shortest first.
func Overlaps() []Overlap { return []Overlap{OverlapNone, OverlapHour, OverlapDay, OverlapWeek} }

var overlapFor = map[Overlap]time.Duration{OverlapHour: time.Hour, OverlapDay: 24 * time.Hour,
	OverlapWeek: 7 * 24 * time.Hour}

// RollInput names a key and says how long it goes on working.
type RollInput struct {
	ID      ids.Key
	Overlap Overlap
	// Claim has the key rolled once; nil for a request that cannot be sent twice.
	Claim *idempotency.Claim
}

// Rolled are both keys of a roll.
type Rolled struct {
	Old Key
	New Issued
}

var errNotActive = fault.New(fault.KindConflict, "api_key_not_active",
	"Only a key that works and was not rolled before can be rolled.")

// Roll makes a key that may do the same as another one and takes its place: the other one expires
// after the overlap, or before if it was to. Faults: api_key_not_active for a key that was rolled
// before, was revoked or has expired.
func (s *Service) Roll(ctx context.Context, actor authz.Actor, in RollInput) (Rolled, error) {
	if err := s.audit.Allow(ctx, actor, authz.KeyManage, audit.Of("api_key", in.ID.String(), 0)); err != nil {
		return Rolled{}, err
	}
	if !slices.Contains(Overlaps(), in.Overlap) {
		return Rolled{}, fault.Invalid("parameter_invalid", check.AllowedValues(Overlaps()...)).On("overlap")
	}
	now := s.now()
	next := ids.NewKey(now)
	var out Rolled
	made, err := idempotency.Once(ctx, s.pool, in.Claim, now, next.Bytes(), func(tx *pg.Tx) (Key, error) {
		out = Rolled{}
		old, err := s.changeTx(ctx, tx, actor, in.ID, func(tx *pg.Tx, k *Key) (err error) {
			out.New, err = s.replaceTx(tx, actor, k, next, overlapFor[in.Overlap])
			return err
		})
		if err != nil {
			return Key{}, err
		}
		out.Old = old
		return out.New.Key, s.mailTx(ctx, tx, old, ChangeRolled, actor)
	})
	switch {
	case err != nil:
		return Rolled{}, err
	case made.Prior != nil:
		return s.rolledBefore(ctx, actor, in.ID, *made.Prior)
	}
	s.cache.forget()
	return out, nil
}

// replaceTx queues the key that takes another one's place, and bounds the other one's life.
func (s *Service) replaceTx(tx *pg.Tx, actor authz.Actor, k *Key, id ids.Key, overlap time.Duration) (Issued, error) {
	now := s.now()
	if k.Status(now) != Active {
		return Issued{}, errNotActive
	}
	next := *k
	next.ID, next.CreatedAt, next.LastUsedAt, next.LastUsedIP = id, instant.Of(now), nil, nil
	issued, err := s.issueTx(tx, actor, next)
	if err != nil {
		return Issued{}, err
	}
	if end := instant.Of(now.Add(overlap)); k.ExpiresAt == nil || end.Before(k.ExpiresAt.Time) {
		k.ExpiresAt = &end
	}
	k.ReplacedBy = &next.ID
	return issued, nil
}

// rolledBefore are both keys of a roll that an earlier request with the same claim made.
func (s *Service) rolledBefore(ctx context.Context, actor authz.Actor, id ids.Key,
	p idempotency.Prior) (Rolled, error) {
	old, err := s.Get(ctx, actor, id.String())
	if err != nil {
		return Rolled{}, err
	}
	issued, err := s.issuedBefore(ctx, actor, p)
	return Rolled{Old: old, New: issued}, err
}
