package daf

import (
	"context"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/pg"
)

// EnrollmentState is how far an attempt to enroll a merchant has come.
type EnrollmentState string

// The states.
const (
	Processing EnrollmentState = "processing" // the provider has not answered yet; it is asked again
	Enrolled   EnrollmentState = "enrolled"
	Refused    EnrollmentState = "refused"
	Withdrawn  EnrollmentState = "withdrawn" // the organization opted out before the provider answered
	Left       EnrollmentState = "left"      // it opted out afterwards
)

// Enrollment is an attempt to enroll a merchant. Its id is the reference by which the provider knows it.
type Enrollment struct {
	ID            ids.Enrollment `db:"id"`
	ApplicationID int64          `db:"application_id"`
	MerchantID    int64          `db:"merchant_id"`
	EIN           string         `db:"ein"`
	Name          string         `db:"name"` // the organization's
	Provider      string         `db:"provider"`
	// Contact is the person whom the provider is given as the organization's contact; nil if none is known.
	Contact    *provider.Contact `db:"contact" json:"-"`
	State      EnrollmentState   `db:"state"`
	Refusal    *Outcome          `db:"refusal"`
	RequestID  ids.Request       `db:"request_id"`
	Checks     int               `db:"checks"` // how often the provider was asked again
	CreatedAt  instant.Time      `db:"created_at"`
	FinishedAt *instant.Time     `db:"finished_at"`
	LeftAt     *instant.Time     `db:"left_at"`
}

const enrollmentColumns = `id, application_id, merchant_id, ein, name, provider, state, refusal, request_id, checks,
	created_at, finished_at, left_at, contact`

// selectStanding selects what is known of merchants m that are to be enrolled by @ein, or by their own.
// @but is an attempt that does not count.
const selectStanding = `SELECT m.id, m.application_id, m.organization_id, m.name, m.country, m.nonprofit,
	m.status, m.ein,
		m.daf_provider_connect_id IS NOT NULL AS enrolled, coalesce(e.processing, false) AS processing,
			coalesce(e.has_left, false) AS has_left,
		EXISTS (
			SELECT FROM merchants o WHERE o.application_id = m.application_id AND o.id <> m.id
				AND o.ein = coalesce(@ein::text, m.ein)
				AND (o.daf_provider_connect_id IS NOT NULL OR m.ein IS NULL)
		) OR EXISTS (
			SELECT FROM daf_enrollments o WHERE o.application_id = m.application_id AND o.merchant_id <> m.id
				AND o.ein = coalesce(@ein::text, m.ein)
				AND o.state IN ('processing', 'enrolled')
		) AS taken
	FROM merchants m LEFT JOIN LATERAL (
		SELECT bool_or(state = 'processing') AS processing, (array_agg(state ORDER BY id DESC))[1] IN ('left',
			'withdrawn') AS has_left
		FROM daf_enrollments WHERE application_id = m.application_id AND merchant_id = m.id AND id IS DISTINCT FROM @but
	) e ON true`

// standing reads what is known of a merchant that is to be enrolled by an EIN, a given attempt apart.
func (s *Service) standing(ctx context.Context, q pg.Querier, applicationID, merchantID int64, ein string,
	but ids.Enrollment) (standing, error) {
	return pg.Find[standing](ctx, q, selectStanding+` WHERE m.application_id = @application_id AND m.id = @id`,
		pg.Args{"application_id": applicationID, "id": merchantID, "ein": ein, "but": but})
}

func insertEnrollmentTx(ctx context.Context, tx *pg.Tx, e Enrollment, next time.Time) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO daf_enrollments (id, application_id, merchant_id, ein, name, provider, contact, state, request_id,
			next_check_at, created_at)
		VALUES (@id, @application_id, @merchant_id, @ein, @name, @provider, @contact, @state, @request_id,
			@next, @now)`,
		pg.Args{"id": e.ID, "application_id": e.ApplicationID, "merchant_id": e.MerchantID, "ein": e.EIN,
			"name":     e.Name,
			"provider": e.Provider, "contact": e.Contact, "state": e.State, "request_id": e.RequestID, "next": next,
			"now": e.CreatedAt})
	return err
}

// closeEnrollmentTx queues the end of an attempt, or of an enrollment.
func closeEnrollmentTx(tx *pg.Tx, e Enrollment) {
	tx.Later(`
		UPDATE daf_enrollments SET state = @state, refusal = @refusal, finished_at = @finished, left_at = @left,
			next_check_at = NULL
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"state": e.State, "refusal": e.Refusal, "finished": e.FinishedAt, "left": e.LeftAt,
			"application_id": e.ApplicationID, "id": e.ID})
}

// lockEnrollmentTx locks one attempt of a merchant, whose row the caller holds.
func lockEnrollmentTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.Enrollment) (Enrollment, error) {
	return pg.One[Enrollment](ctx, tx, `
		SELECT `+enrollmentColumns+` FROM daf_enrollments WHERE application_id = @application_id
			AND id = @id FOR UPDATE`,
		pg.Args{"application_id": applicationID, "id": id})
}

// lastEnrollment reads the latest attempt of a merchant; pg.ErrNone if there is none.
func lastEnrollment(ctx context.Context, q pg.Querier, applicationID, merchantID int64) (Enrollment, error) {
	return pg.One[Enrollment](ctx, q, `
		SELECT `+enrollmentColumns+` FROM daf_enrollments
		WHERE application_id = @application_id AND merchant_id = @merchant_id ORDER BY id DESC LIMIT 1`,
		pg.Args{"application_id": applicationID, "merchant_id": merchantID})
}

// dueEnrollments leases attempts without an outcome that are to be asked about again, by moving their next
// check ahead.
func (s *Service) dueEnrollments(ctx context.Context, limit int) (due []Enrollment, err error) {
	now := s.deps.Clock.Machine()
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		due, err = pg.All[Enrollment](ctx, tx, `
			SELECT `+enrollmentColumns+` FROM daf_enrollments WHERE next_check_at <= @now
			ORDER BY next_check_at LIMIT @limit FOR UPDATE SKIP LOCKED`, pg.Args{"now": now, "limit": limit})
		for i, e := range due {
			due[i].Checks++
			tx.Later(`
				UPDATE daf_enrollments SET checks = checks + 1, next_check_at = @next
					WHERE application_id = @application_id AND id = @id`,
				pg.Args{"next": now.Add(leaseFor + operation.Backoff(e.Checks)), "application_id": e.ApplicationID,
					"id": e.ID})
		}
		return err
	})
	return due, err
}

// askSoon has an attempt asked about when its call has ended without an answer.
func (s *Service) askSoon(ctx context.Context, e Enrollment) error {
	_, err := pg.Exec(context.WithoutCancel(ctx), s.deps.Pool, `
		UPDATE daf_enrollments SET next_check_at = @next WHERE application_id = @application_id AND id = @id
			AND state = 'processing'`,
		pg.Args{"next": s.deps.Clock.Machine().Add(operation.Backoff(e.Checks)), "application_id": e.ApplicationID,
			"id": e.ID})
	return err
}
