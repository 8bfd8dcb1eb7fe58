package fee

import (
	"context"
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// Deps are what the service works with.
type Deps struct {
	Pool     *pgxpool.Pool
	Check    authz.Checker
	Clock    *clock.Clock
	Livemode bool // livemode of the records
}

// Service holds the use-cases of fees.
type Service struct {
	deps  Deps
	audit *audit.Log
	// letters tell people of fees that change; nil tells no one.
	letters Letters
	// merchants show a merchant's daf_percentage.
	merchants Merchants
}

// Letters write to people, each with the transaction that it reports. They call no one.
type Letters interface {
	// FeesChangedTx mails those who are responsible for a merchant's fees, and those who pay them, about a schedule
	// that was made, or canceled before it began; before is what was to be in effect then.
	FeesChangedTx(ctx context.Context, tx *pg.Tx, applicationID int64, before, after Record) error
}

// WriteLetters says who writes to people about fees. It is called while the service is wired; without it no one does.
func (s *Service) WriteLetters(by Letters) { s.letters = by }

// New makes the service.
func New(d Deps) *Service {
	return &Service{deps: d, audit: audit.New(d.Pool, d.Check, d.Clock.Machine)}
}

// By says who changed something.
type By struct {
	Kind    string `json:"kind"` // api, portal or service
	KeyName string `json:"key_name,omitempty"`
	User    string `json:"user,omitempty"`
	Role    string `json:"role,omitempty"`
}

const (
	byAPI     = "api"
	byPortal  = "portal"
	byService = "service" // no one: it came with the merchant
)

func byOf(a authz.Actor) By {
	if a.Role.IsServer() {
		return By{Kind: byAPI, KeyName: a.KeyName}
	}
	return By{Kind: byPortal, User: a.PersonName, Role: string(a.Role)}
}

// edit is a change of a series: whose, by whom, by which right.
type edit struct {
	series
	actor      authz.Actor
	permission authz.Permission
}

// editOfMerchant is a change of a merchant's series, if the actor may make it.
func (s *Service) editOfMerchant(ctx context.Context, actor authz.Actor, p authz.Permission,
	merchantID int64) (edit, error) {
	if err := s.audit.Allow(ctx, actor, p, audit.Of("fee_schedule", "", merchantID)); err != nil {
		return edit{}, err
	}
	q, err := s.ofMerchant(actor, p, merchantID)
	return edit{q, actor, p}, err
}

// editOfService is a change of the service's own series to an application, if the actor may make it.
func (s *Service) editOfService(ctx context.Context, actor authz.Actor, applicationID int64) (edit, error) {
	about := audit.Subject{Kind: "service_fee_schedule", Chain: &applicationID}
	if err := s.audit.Allow(ctx, actor, authz.FeeManageService, about); err != nil {
		return edit{}, err
	}
	q, err := s.ofService(actor, applicationID)
	return edit{q, actor, authz.FeeManageService}, err
}

// doneTx queues that the change was made: what was in effect or scheduled, and the outcome of it.
func (s *Service) doneTx(tx *pg.Tx, e edit, before, after Record) error {
	about := audit.Subject{Kind: after.Object, ID: after.ID.String(), Chain: &e.applicationID, MerchantID: e.merchantID}
	if before.ID.IsZero() {
		return s.audit.DoneTx(tx, e.actor, e.permission, about, nil, after)
	}
	return s.audit.DoneTx(tx, e.actor, e.permission, about, s.derive(before), after)
}

// ofMerchant is a merchant's series, if the actor may do p. Whether the merchant exists shows later.
func (s *Service) ofMerchant(actor authz.Actor, p authz.Permission, merchantID int64) (series, error) {
	if err := s.deps.Check.Check(actor, p); err != nil {
		return series{}, err
	}
	if merchantID < 1 || !actor.Sees(merchantID) { // 0 would name the service's own series
		return series{}, fault.Missing()
	}
	return series{actor.ApplicationID, merchantID}, nil
}

// ofService is the series of the service's own rates to an application.
func (s *Service) ofService(actor authz.Actor, applicationID int64) (series, error) {
	if err := s.deps.Check.Check(actor, authz.FeeManageService); err != nil {
		return series{}, err
	}
	if actor.ApplicationID != 0 && actor.ApplicationID != applicationID {
		return series{}, fault.Missing()
	}
	return series{applicationID, 0}, nil
}

// Fees are the rates in effect with what is scheduled after them.
type Fees struct {
	Record             // the schedule in effect
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
	m, err := s.deps.Clock.Moment(ctx, q.applicationID)
	if err != nil {
		return Fees{}, err
	}
	now, err := q.standing(ctx, s.deps.Pool, m.At)
	if err != nil {
		return Fees{}, err
	}
	out := Fees{Record: s.derive(now.effective), Scheduled: now.scheduled, Latest: now.latest}
	for i := range out.Scheduled {
		out.Scheduled[i] = s.derive(out.Scheduled[i])
	}
	return out, nil
}

// derive fills the members that follow from others.
func (s *Service) derive(r Record) Record {
	r.Livemode, r.Object = s.deps.Livemode, "fee_schedule"
	if r.MerchantID == 0 {
		r.Object = "service_fee_schedule"
	}
	return r
}

// made is what a change of a series made: the schedule that it added, found or canceled, and what was to be in effect
// then.
type made struct {
	id     ids.FeeSchedule
	before Record
}

// step makes a change in a transaction.
type step func(tx *pg.Tx, now present) (made, error)

// inTx runs a change of one series while it holds it and returns the schedule that fn answers with, as it then is.
// What had not begun by fn's present has charged nothing.
func (s *Service) inTx(ctx context.Context, q edit, fn step) (Record, error) {
	out, err := s.once(ctx, q, nil, fn)
	return out.Object, err
}

// once is inTx for a request that happens once per key.
func (s *Service) once(ctx context.Context, q edit, claim *idempotency.Claim,
	fn step) (idempotency.Result[Record], error) {
	before, err := s.deps.Clock.Moment(ctx, q.applicationID)
	if err != nil {
		return idempotency.Result[Record]{}, err
	}
	var object [16]byte
	binary.BigEndian.PutUint64(object[8:], uint64(q.merchantID))
	return idempotency.Once(ctx, s.deps.Pool, claim, before.Machine, object, func(tx *pg.Tx) (Record, error) {
		if err := q.lockTx(ctx, tx); err != nil {
			return Record{}, err
		}
		c, err := s.changeTx(ctx, tx, q, before, fn)
		if err != nil {
			return c.after, err
		}
		if err := s.showTx(ctx, tx, q, c); err != nil {
			return c.after, err
		}
		return c.after, s.doneTx(tx, q, c.before, c.after)
	})
}

// changed is a change that was made: the schedule that it added, found or canceled and the one that was to be in effect
// then; when, with the series as it was, and the series as it is.
type changed struct {
	before, after Record
	now           present
	is            standing
}

// nothing reports whether all is as it was.
func (c changed) nothing() bool {
	return c.before.ID == c.after.ID && c.before.Status == c.after.Status
}

// changeTx makes a change of a series whose row the transaction has locked, and publishes it. asked was read before the
// lock.
func (s *Service) changeTx(ctx context.Context, tx *pg.Tx, q edit, asked instant.Moment, fn step) (c changed,
	err error) {
	if err := q.holdTx(ctx, tx); err != nil {
		return c, err
	}
	if c.now, err = q.presentTx(ctx, tx, s.deps.Clock.Since(asked)); err != nil {
		return c, err
	}
	m, err := fn(tx, c.now)
	if err != nil {
		return c, err
	}
	if err := tx.Flush(ctx); err != nil {
		return c, err
	}
	if c.after, err = q.find(ctx, tx, m.id, c.now.from.Time); err != nil {
		return c, err
	}
	if c.is, err = q.standing(ctx, tx, c.now.from.Time); err != nil {
		return c, err
	}
	c.before, c.after = m.before, s.derive(c.after)
	return c, s.publishTx(ctx, tx, q, c)
}

// publishTx lets the application and its people know of a merchant's fees that are others now, or will be.
func (s *Service) publishTx(ctx context.Context, tx *pg.Tx, q edit, c changed) error {
	if q.service() || c.nothing() {
		return nil
	}
	if err := s.noticeTx(tx, q.actor, c); err != nil {
		return err
	}
	if s.letters == nil {
		return nil
	}
	return s.letters.FeesChangedTx(ctx, tx, q.applicationID, c.before, c.after)
}
