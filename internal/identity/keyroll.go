package identity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"svcpay/internal/audit"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/pg"
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

var overlapFor = map[Overlap]time.Duration{OverlapHour: time.Hour, OverlapDay: 24 * time.Hour, OverlapWeek: 7 * 24 * time.Hour}

// RollInput names a key and says how long it goes on working.
type RollInput struct {
	ID      ids.Key
	Overlap Overlap
}

// Rolled are both keys of a roll.
type Rolled struct {
	Old Key
	New IssuedKey
}

var errKeyNotActive = fault.New(fault.KindConflict, "api_key_not_active",
	"Only a key that works and was not rolled before can be rolled.")

// RollKey makes a key that may do the same as another one and takes its place: the other one expires
// after the overlap, or before if it was to. Faults: api_key_not_active for a key that was rolled
// before, was revoked or has expired.
func (s *Service) RollKey(ctx context.Context, actor authz.Actor, in RollInput) (Rolled, error) {
	if err := s.audit.Allow(ctx, actor, authz.KeyManage, audit.Of("api_key", in.ID.String(), 0)); err != nil {
		return Rolled{}, err
	}
	if !slices.Contains(Overlaps(), in.Overlap) {
		return Rolled{}, fault.Invalid("parameter_invalid", fmt.Sprintf("Allowed here: %q.", Overlaps())).On("overlap")
	}
	var out Rolled
	old, err := s.changeKey(ctx, actor, in.ID, func(tx *pg.Tx, k *Key) error {
		now := s.now()
		if k.Status(now) != KeyActive {
			return errKeyNotActive
		}
		next := *k
		next.ID, next.CreatedAt, next.LastUsedAt, next.LastUsedIP = ids.NewKey(now), instant.Of(now), nil, nil
		var err error
		if out.New, err = s.issueTx(tx, actor, next); err != nil {
			return err
		}
		if end := instant.Of(now.Add(overlapFor[in.Overlap])); k.ExpiresAt == nil || end.Before(k.ExpiresAt.Time) {
			k.ExpiresAt = &end
		}
		k.ReplacedBy = &next.ID
		return nil
	})
	if err != nil {
		return Rolled{}, err
	}
	out.Old = old
	return out, nil
}
