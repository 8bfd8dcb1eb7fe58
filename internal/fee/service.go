package fee

import (
	"context"
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/clock"
	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/pg"
)

// Deps are what the service works with.
type Deps struct {
	Pool  *pgxpool.Pool
	Check authz.Checker
	Clock *clock.Clock
	Live  bool // livemode of the records
}

// Service holds the use-cases of fees.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// By says who changed something.
type By struct {
	Kind    string `json:"kind"` // api, portal or service
	KeyName string `json:"key_name,omitempty"`
	Role    string `json:"role,omitempty"`
}

const (
	byAPI     = "api"
	byPortal  = "portal"
	byService = "service" // nobody: it came with the merchant
)

func byOf(a authz.Actor) By {
	if a.Role.IsServer() {
		return By{Kind: byAPI, KeyName: a.KeyName}
	}
	return By{Kind: byPortal, Role: string(a.Role)}
}

// ofMerchant is a merchant's series, if the actor may do p. Whether the merchant exists shows later.
func (s *Service) ofMerchant(actor authz.Actor, p authz.Permission, merchantID int64) (series, error) {
	if err := s.Check.Check(actor, p); err != nil {
		return series{}, err
	}
	if merchantID < 1 || !actor.Sees(merchantID) { // 0 would name the service's own series
		return series{}, fault.Missing()
	}
	return series{actor.ApplicationID, merchantID}, nil
}

// ofService is the series of the service's own rates to an application.
func (s *Service) ofService(actor authz.Actor, applicationID int64) (series, error) {
	if err := s.Check.Check(actor, authz.FeeManageService); err != nil {
		return series{}, err
	}
	if actor.ApplicationID != 0 && actor.ApplicationID != applicationID {
		return series{}, fault.Missing()
	}
	return series{applicationID, 0}, nil
}

// Fees are the rates in force with what is scheduled after them.
type Fees struct {
	Record             // the schedule in force
	Scheduled []Record `json:"scheduled"` // those that have not begun, in the order in which they will
	// Latest is the schedule added last: what an editor who has seen these fees gives as Base.
	Latest ids.FeeSchedule `json:"latest"`
}

// Current returns a merchant's rates, or the fault that says the merchant is missing.
func (s *Service) Current(ctx context.Context, actor authz.Actor, merchantID int64) (Fees, error) {
	q, err := s.ofMerchant(actor, authz.FeeRead, merchantID)
	if err != nil {
		return Fees{}, err
	}
	fees, err := s.current(ctx, q)
	if err == nil && fees.Latest.IsZero() {
		return fees, fault.Missing()
	}
	return fees, err
}

// ServiceRates returns the service's own rates to an application. Without any, ID and Latest are zero.
func (s *Service) ServiceRates(ctx context.Context, actor authz.Actor, applicationID int64) (Fees, error) {
	q, err := s.ofService(actor, applicationID)
	if err != nil {
		return Fees{}, err
	}
	return s.current(ctx, q)
}

func (s *Service) current(ctx context.Context, q series) (Fees, error) {
	m, err := s.Clock.Moment(ctx, q.applicationID)
	if err != nil {
		return Fees{}, err
	}
	now, err := q.standing(ctx, s.Pool, m.At)
	if err != nil {
		return Fees{}, err
	}
	out := Fees{Record: s.derive(now.inForce), Scheduled: now.scheduled, Latest: now.latest}
	for i := range out.Scheduled {
		out.Scheduled[i] = s.derive(out.Scheduled[i])
	}
	return out, nil
}

// derive fills the members that follow from others.
func (s *Service) derive(r Record) Record {
	r.Livemode, r.Object = s.Live, "fee_schedule"
	if r.MerchantID == 0 {
		r.Object = "service_fee_schedule"
	}
	return r
}

// inTx runs a change of one series under its lock and returns the schedule that fn answers with, as
// it stands then. fn's moment is read under the lock: what had not begun by then has charged nothing.
func (s *Service) inTx(ctx context.Context, q series, fn func(tx *pg.Tx, m instant.Moment) (ids.FeeSchedule, error)) (Record, error) {
	out, err := s.once(ctx, q, nil, fn)
	return out.Object, err
}

// once is inTx for a request that happens once per key.
func (s *Service) once(ctx context.Context, q series, claim *idempotency.Claim,
	fn func(tx *pg.Tx, m instant.Moment) (ids.FeeSchedule, error),
) (idempotency.Result[Record], error) {
	before, err := s.Clock.Moment(ctx, q.applicationID)
	if err != nil {
		return idempotency.Result[Record]{}, err
	}
	var object [16]byte
	binary.BigEndian.PutUint64(object[8:], uint64(q.merchantID))
	return idempotency.Once(ctx, s.Pool, claim, before.Machine, object, func(tx *pg.Tx) (Record, error) {
		if err := q.lockTx(ctx, tx); err != nil {
			return Record{}, err
		}
		m := s.since(before)
		id, err := fn(tx, m)
		if err != nil {
			return Record{}, err
		}
		if err := tx.Flush(ctx); err != nil {
			return Record{}, err
		}
		r, err := q.find(ctx, tx, id, m.At)
		return s.derive(r), err
	})
}

// since is the present of an application whose moment was read before.
func (s *Service) since(before instant.Moment) instant.Moment {
	now := s.Clock.Machine()
	return instant.Moment{Machine: now, At: before.At.Add(now.Sub(before.Machine))}
}
