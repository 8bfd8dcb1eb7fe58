package daf

import (
	"context"
	"errors"
	"strconv"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// LastEnrollment returns a merchant's latest attempt, or the fault that says that there is none.
func (s *Service) LastEnrollment(ctx context.Context, actor authz.Actor, merchantID int64) (Enrollment, error) {
	if _, err := s.ofOrganization(ctx, actor, merchantID, "", nil); err != nil {
		return Enrollment{}, err
	}
	e, err := lastEnrollment(ctx, s.deps.Pool, actor.ApplicationID, merchantID)
	return e, pg.Or(err, fault.Missing())
}

// OptOut ends a merchant's enrollment, or an attempt that is in progress. It takes no new donations from then
// on, and no command enrolls it again. A merchant that is not enrolled stays as it is.
func (s *Service) OptOut(ctx context.Context, actor authz.Actor, merchantID int64) (merchant.Merchant, error) {
	if _, err := s.ofOrganization(ctx, actor, merchantID, "", nil); err != nil {
		return merchant.Merchant{}, err
	}
	now, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return merchant.Merchant{}, err
	}
	var after merchant.Merchant
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		locked, err := s.deps.Merchants.LockTx(ctx, tx, actor.ApplicationID, merchantID)
		if err != nil {
			return err
		}
		if err := endEnrollmentTx(ctx, tx, now, locked); err != nil {
			return err
		}
		after, err = s.deps.Merchants.LeaveTx(tx, now, locked,
			merchant.Cause{RequestID: actor.RequestID, Source: outbox.SourceOf(actor)})
		if err != nil {
			return err
		}
		return s.audit.DoneTx(tx, actor, authz.DAFEnrollmentManage,
			audit.Of("merchant", strconv.FormatInt(merchantID, 10), merchantID), locked, after)
	})
	return after, err
}

// endEnrollmentTx ends what a locked merchant has of an attempt or an enrollment.
func endEnrollmentTx(ctx context.Context, tx *pg.Tx, now instant.Moment, locked merchant.Merchant) error {
	e, err := lastEnrollment(ctx, tx, locked.ApplicationID, locked.ID)
	if errors.Is(err, pg.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	switch e.State {
	case Processing:
		e.State, e.FinishedAt = Withdrawn, instant.Ptr(now.At)
	case Enrolled:
		e.State, e.LeftAt = Left, instant.Ptr(now.At)
	case Refused, Withdrawn, Left:
		return nil
	}
	closeEnrollmentTx(tx, e)
	return nil
}

// ResolveEnrollments asks the provider again about up to a batch of attempts without an outcome, and says how
// many those were. Any number of binaries may run it at once.
func (s *Service) ResolveEnrollments(ctx context.Context) (int, error) {
	due, err := s.dueEnrollments(ctx, enrollBatch)
	errs := []error{err}
	for _, e := range due {
		_, err := s.ask(ctx, e, merchant.Cause{RequestID: e.RequestID, Source: outbox.Job})
		errs = append(errs, err)
	}
	return len(due), errors.Join(errs...)
}

// EnrollmentOf is [Service.LastEnrollment] for everybody who may read the merchant.
func (s *Service) EnrollmentOf(ctx context.Context, actor authz.Actor, merchantID int64) (Enrollment, error) {
	if err := s.deps.Check.Check(actor, authz.MerchantRead); err != nil {
		return Enrollment{}, err
	}
	e, err := lastEnrollment(ctx, s.deps.Pool, actor.ApplicationID, merchantID)
	if errors.Is(err, pg.ErrNone) || !actor.Sees(merchantID) {
		return Enrollment{}, fault.Missing()
	}
	return e, err
}
