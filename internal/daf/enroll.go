package daf

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/crash"
)

const (
	// leaseFor is how long an attempt is left alone by those who ask again: the provider may be answering.
	leaseFor = provider.CallTimeout + 5*time.Second
	// mostChecks is how often the provider is asked again, at last every five minutes, before an attempt is
	// given up: about a day.
	mostChecks = 300
	// enrollBatch is how many attempts are asked about at once.
	enrollBatch = 16
)

// LookUpInput asks for the organization of an EIN, in order to enroll a merchant by it.
type LookUpInput struct {
	MerchantID int64
	EIN        string // NN-NNNNNNN
}

// Candidate is what a look-up finds. Without an organization, Outcome says why none was looked for, or found.
type Candidate struct {
	MerchantID   int64
	Outcome      Outcome
	Organization *provider.Organization
}

// LookUp finds the organization by whose name someone then confirms that the merchant is to be enrolled. What
// is in the way is an outcome. The faults: the mistakes of the input, resource_missing, daf_unanswered.
func (s *Service) LookUp(ctx context.Context, actor authz.Actor, in LookUpInput) (Candidate, error) {
	var fs fault.Fields
	merchant.CheckEIN(&fs, &in.EIN)
	m, err := s.ofOrganization(ctx, actor, in.MerchantID, in.EIN, fs)
	if err != nil {
		return Candidate{}, err
	}
	c := Candidate{MerchantID: m.ID, Outcome: m.judge(in.EIN)}
	if c.Outcome != Eligible {
		return c, nil
	}
	c.Organization, c.Outcome = s.directory(ctx, in.EIN)
	if c.Outcome == Unanswered {
		return Candidate{}, Unanswered.refusal()
	}
	return c, nil
}

// ofOrganization checks that the actor administers the merchant's organization, and then tells the mistakes of
// the input, if there are any.
func (s *Service) ofOrganization(ctx context.Context, actor authz.Actor, merchantID int64, ein string,
	fs fault.Fields) (standing, error) {
	if err := s.audit.Allow(ctx, actor, authz.DAFEnrollmentManage, audit.Of("merchant", "", merchantID)); err != nil {
		return standing{}, err
	}
	if err := fs.Err(); err != nil {
		return standing{}, err
	}
	m, err := s.standing(ctx, s.deps.Pool, actor.ApplicationID, merchantID, ein, ids.Enrollment{})
	if err == nil && m.OrganizationID != actor.OrganizationID {
		return standing{}, fault.Missing()
	}
	return m, err
}

// directory asks for an organization, and reports whether it can be enrolled.
func (s *Service) directory(ctx context.Context, ein string) (*provider.Organization, Outcome) {
	ctx, cancel := context.WithTimeout(ctx, provider.CallTimeout)
	defer cancel()
	o, err := s.deps.Provider.Organization(ctx, ein)
	switch {
	case errors.Is(err, provider.ErrNotFound):
		return nil, NotFound
	case err != nil:
		slog.WarnContext(ctx, "the directory of organizations does not answer", "error", err.Error())
		return nil, Unanswered
	}
	return &o, judgeOrganization(o)
}

// EnrollInput confirms that a merchant is the organization that was found by an EIN.
type EnrollInput struct {
	MerchantID int64
	EIN        string // NN-NNNNNNN
	Name       string // of the organization, as it was found
}

// Enroll has the provider take a merchant in as the organization whose name is confirmed, and fills its
// daf_provider_connect_id. If the provider does not answer, the attempt stays [Processing] and is asked about
// until it does. The faults: the mistakes of the input, another name than the organization's among them;
// resource_missing; daf_ with the outcome that is in the way.
func (s *Service) Enroll(ctx context.Context, actor authz.Actor, in EnrollInput) (Enrollment, error) {
	var fs fault.Fields
	merchant.CheckEIN(&fs, &in.EIN)
	check.Required(&fs, "name", strings.TrimSpace(in.Name) != "")
	m, err := s.ofOrganization(ctx, actor, in.MerchantID, in.EIN, fs)
	if err != nil {
		return Enrollment{}, err
	}
	if o := m.judge(in.EIN); o != Eligible {
		return Enrollment{}, o.refusal()
	}
	found, o := s.directory(ctx, in.EIN)
	if o != Eligible {
		return Enrollment{}, o.refusal()
	}
	if !strings.EqualFold(strings.TrimSpace(in.Name), strings.TrimSpace(found.Name)) {
		return Enrollment{}, fault.Invalid("parameter_invalid",
			"This is not the name of the organization that was found.").On("name")
	}
	cause := merchant.Cause{RequestID: actor.RequestID, Source: outbox.SourceOf(actor)}
	return s.enroll(ctx, m, *found, actor.PersonID, cause, standing.judge, s.recordTx(actor))
}

// recordTx records who began an enrollment.
func (s *Service) recordTx(actor authz.Actor) func(*pg.Tx, Enrollment) error {
	return func(tx *pg.Tx, e Enrollment) error {
		return s.audit.DoneTx(tx, actor, authz.DAFEnrollmentManage,
			audit.Of("daf_enrollment", e.ID.String(), e.MerchantID), nil, e)
	}
}

// enroll makes an attempt: our reference is committed, the provider called, its answer written down. In the transaction
// of the first the merchant is judged again, as it stands then by the organization's EIN, and begun is called.
func (s *Service) enroll(ctx context.Context, m standing, o provider.Organization, personID int64, c merchant.Cause,
	judge func(standing, string) Outcome, begun func(*pg.Tx, Enrollment) error,
) (Enrollment, error) {
	now, err := s.deps.Clock.Moment(ctx, m.ApplicationID)
	if err != nil {
		return Enrollment{}, err
	}
	contact, err := s.contact(ctx, m, personID)
	if err != nil {
		return Enrollment{}, err
	}
	e := Enrollment{ID: ids.NewEnrollment(now.Machine), ApplicationID: m.ApplicationID, MerchantID: m.ID, EIN: o.EIN,
		Name: o.Name, Provider: s.deps.Provider.Name(), Contact: contact, State: Processing, RequestID: c.RequestID,
		CreatedAt: instant.Of(now.At)}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		if _, err := s.deps.Merchants.LockTx(ctx, tx, e.ApplicationID, e.MerchantID); err != nil {
			return err
		}
		m, err := s.standing(ctx, tx, e.ApplicationID, e.MerchantID, e.EIN, e.ID)
		if err != nil {
			return err
		}
		if o := judge(m, e.EIN); o != Eligible {
			return o.refusal()
		}
		if err := insertEnrollmentTx(ctx, tx, e, now.Machine.Add(leaseFor)); err != nil {
			return err
		}
		return begun(tx, e)
	})
	if pg.Violated(err) == "daf_enrollments_one_ein" { // two merchants at once
		err = EINTaken.refusal()
	}
	if err != nil {
		return Enrollment{}, err
	}
	crash.Point("enrollment.begun")
	return s.ask(ctx, e, c)
}

// ask calls the provider about an attempt that is written down, the first time or again: it answers the same
// organization the same. Without an answer the attempt stays as it is, until it is given up.
func (s *Service) ask(ctx context.Context, e Enrollment, c merchant.Cause) (Enrollment, error) {
	connectID, err := s.call(ctx, e)
	crash.Point("enrollment.called")
	switch {
	case errors.Is(err, provider.ErrNotFound):
		return s.close(ctx, e, "", NotFound, c)
	case errors.Is(err, provider.ErrContact):
		return s.close(ctx, e, "", ContactRefused, c)
	case err != nil && e.Checks >= mostChecks:
		return s.close(ctx, e, "", Unanswered, c)
	case err != nil:
		slog.WarnContext(ctx, "the outcome of an enrollment is unknown", "enrollment", e.ID.String(), "error",
			err.Error())
		return e, s.askSoon(ctx, e)
	}
	return s.close(ctx, e, connectID, Eligible, c)
}

func (s *Service) call(ctx context.Context, e Enrollment) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), provider.CallTimeout)
	defer cancel()
	in := provider.Enrollment{Reference: e.ID.String(), EIN: e.EIN, Name: e.Name}
	if e.Contact != nil {
		in.Contact = *e.Contact
	}
	return s.deps.Provider.Enroll(ctx, in)
}

// contact is the contact of a merchant's organization that the provider is given; nil if none is known.
func (s *Service) contact(ctx context.Context, m standing, personID int64) (*provider.Contact, error) {
	if s.deps.Contact == nil {
		return nil, nil
	}
	c, err := s.deps.Contact(ctx, m.ApplicationID, m.ID, personID)
	if err != nil || c.Email == "" {
		return nil, err
	}
	return &c, nil
}

// close writes the outcome of an attempt, unless it has one. A merchant that cannot be enrolled any more
// stays as it is.
func (s *Service) close(ctx context.Context, e Enrollment, connectID string, answer Outcome,
	c merchant.Cause) (Enrollment, error) {
	ctx = context.WithoutCancel(ctx)
	now, err := s.deps.Clock.Moment(ctx, e.ApplicationID)
	if err != nil {
		return e, err
	}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		locked, err := s.deps.Merchants.LockTx(ctx, tx, e.ApplicationID, e.MerchantID)
		if err != nil {
			return err
		}
		if e, err = lockEnrollmentTx(ctx, tx, e.ApplicationID, e.ID); err != nil || e.State != Processing {
			return err
		}
		o := answer
		if o == Eligible {
			m, err := s.standing(ctx, tx, e.ApplicationID, e.MerchantID, e.EIN, e.ID)
			if err != nil {
				return err
			}
			o = m.judge(e.EIN)
		}
		e.FinishedAt = instant.Ptr(now.At)
		if e.State = Enrolled; o != Eligible {
			e.State, e.Refusal = Refused, &o
		}
		closeEnrollmentTx(tx, e)
		if o != Eligible {
			return nil
		}
		_, err = s.deps.Merchants.EnrollTx(tx, now, locked, e.EIN, connectID, c)
		return err
	})
	return e, err
}
