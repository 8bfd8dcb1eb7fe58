package fee

import (
	"context"
	"fmt"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// Status is where a schedule is in its series.
type Status string

// The statuses.
const (
	Scheduled  Status = "scheduled"  // it has not begun
	InForce    Status = "in_force"   // events are charged by it
	Superseded Status = "superseded" // another has taken over
	Canceled   Status = "canceled"   // it was taken back before it began
)

// Record is a schedule with its place in the series and who made it why. It is the API's object.
type Record struct {
	Object     string `db:"-" json:"object"` // fee_schedule, or service_fee_schedule
	Version    int    `db:"version" json:"version"`
	Livemode   bool   `db:"-" json:"livemode"`
	MerchantID int64  `db:"merchant_id" json:"merchant_id,omitzero"` // none on the service's own
	Status     Status `db:"status" json:"status"`
	Schedule
	Sets       []string        `db:"sets" json:"-"` // the settings that its editor set; nil: see [Record.sets]
	Reason     string          `db:"reason" json:"reason"`
	Replaces   ids.FeeSchedule `db:"replaces" json:"replaces,omitzero"` // the canceled schedule that this one is in for
	CreatedBy  By              `db:"created_by" json:"created_by"`
	CreatedAt  instant.Time    `db:"created_at" json:"created_at"`
	CanceledBy *By             `db:"canceled_by" json:"canceled_by"`
	CanceledAt *instant.Time   `db:"canceled_at" json:"canceled_at"`
}

// series is a sequence of schedules: a merchant's, or for merchant 0 the service's own to the application.
type series struct{ applicationID, merchantID int64 }

func (q series) service() bool { return q.merchantID == 0 }

func (q series) args(more pg.Args) pg.Args {
	out := pg.Args{"application_id": q.applicationID, "merchant_id": q.merchantID}
	for name, v := range more {
		out[name] = v
	}
	return out
}

// recordColumns lists the members of a record of fee_series s, with its status at @now.
const recordColumns = `s.id, s.merchant_id, s.version, s.effective_at, ` + columns + `,
		s.sets, s.reason, s.replaces, s.created_by, s.created_at, s.canceled_by, s.canceled_at,
		CASE
			WHEN s.canceled_at IS NOT NULL THEN 'canceled'
			WHEN s.effective_at > @now THEN 'scheduled'
			WHEN EXISTS (
				SELECT FROM fee_series o
				WHERE o.application_id = s.application_id AND o.merchant_id = s.merchant_id AND o.canceled_at IS NULL
					AND o.effective_at <= @now AND (o.effective_at, o.version) > (s.effective_at, s.version))
						THEN 'superseded'
			ELSE 'in_force'
		END AS status`

// ofSeries selects from the series.
const ofSeries = ` FROM fee_series s WHERE s.application_id = @application_id AND s.merchant_id = @merchant_id`

// lockTx makes changes of one series wait for each other. Events that are charged by it do not wait.
func (q series) lockTx(ctx context.Context, tx *pg.Tx) error {
	var err error
	if q.service() {
		_, err = pg.Value[int64](ctx, tx, `SELECT id FROM applications WHERE id = @application_id FOR NO KEY UPDATE`,
			pg.Args{"application_id": q.applicationID})
	} else {
		_, err = pg.Value[int64](ctx, tx, `
			SELECT id FROM merchants WHERE application_id = @application_id
				AND id = @merchant_id FOR NO KEY UPDATE`, q.args(nil))
	}
	return pg.Or(err, fault.Missing())
}

// addTx queues a new schedule. Its version is the next of the series.
func (q series) addTx(tx *pg.Tx, r Record) {
	args := r.args(pg.Args{"application_id": q.applicationID, "id": r.ID, "effective_at": r.EffectiveAt, "sets": r.Sets,
		"reason": r.Reason, "replaces": r.Replaces, "created_by": r.CreatedBy, "created_at": r.CreatedAt})
	if q.service() {
		tx.Later(`
			INSERT INTO service_fee_schedules (application_id, id, version,
				effective_at, `+columns+`, sets, reason, replaces, created_by, created_at)
			SELECT @application_id, @id, coalesce(max(version), 0) + 1,
				@effective_at, `+values+`, @sets, @reason, @replaces, @created_by, @created_at
			FROM service_fee_schedules WHERE application_id = @application_id`, args)
		return
	}
	args["merchant_id"] = q.merchantID
	tx.Later(`
		INSERT INTO fee_schedules (application_id, merchant_id, id, version,
			effective_at, `+columns+`, sets, reason, replaces, created_by, created_at)
		SELECT @application_id, @merchant_id, @id, coalesce(max(version), 0) + 1,
			@effective_at, `+values+`, @sets, @reason, @replaces, @created_by, @created_at
		FROM fee_schedules WHERE application_id = @application_id AND merchant_id = @merchant_id`, args)
}

// cancelTx queues the cancellation of a schedule that has not begun.
func (q series) cancelTx(tx *pg.Tx, id ids.FeeSchedule, by By, now time.Time) {
	args := pg.Args{"application_id": q.applicationID, "id": id, "by": by, "now": instant.Of(now)}
	if q.service() {
		tx.Later(`
			UPDATE service_fee_schedules SET canceled_at = @now, canceled_by = @by
			WHERE application_id = @application_id AND id = @id`, args)
		return
	}
	args["merchant_id"] = q.merchantID
	tx.Later(`
		UPDATE fee_schedules SET canceled_at = @now, canceled_by = @by
		WHERE application_id = @application_id AND merchant_id = @merchant_id AND id = @id`, args)
}

// standing is what a series holds for the present and the future.
type standing struct {
	effective Record // zero ID: none yet
	scheduled []Record
	latest    ids.FeeSchedule // the one added last that is not canceled; zero: none yet
}

// at is the schedule that will be in effect then, as things stand.
func (s standing) at(then time.Time) Record {
	r := s.effective
	for _, next := range s.scheduled {
		if !next.EffectiveAt.After(then) {
			r = next
		}
	}
	return r
}

type standingRow struct {
	Record
	Latest ids.FeeSchedule `db:"latest"`
}

// standing reads what applies now and later, in one statement, so that an editor's base is what they see.
func (q series) standing(ctx context.Context, db pg.Querier, now time.Time) (standing, error) {
	rows, err := pg.All[standingRow](ctx, db, `
		SELECT `+recordColumns+`, (
			SELECT l.id FROM fee_series l
			WHERE l.application_id = @application_id AND l.merchant_id = @merchant_id AND l.canceled_at IS NULL
			ORDER BY l.version DESC LIMIT 1) AS latest`+ofSeries+`
			AND s.canceled_at IS NULL AND s.effective_at >= coalesce((
				SELECT max(b.effective_at) FROM fee_series b
				WHERE b.application_id = @application_id AND b.merchant_id = @merchant_id AND b.canceled_at IS NULL
					AND b.effective_at <= @now), '-infinity')
		ORDER BY s.effective_at, s.version`, q.args(pg.Args{"now": now}))
	out := standing{scheduled: []Record{}}
	for _, r := range rows {
		out.latest = r.Latest
		switch r.Status {
		case InForce:
			out.effective = r.Record
		case Scheduled:
			out.scheduled = append(out.scheduled, r.Record)
		case Superseded, Canceled: // began together with the one in effect, or never
		}
	}
	return out, err
}

// find reads one schedule of the series, or the fault that says it is missing.
func (q series) find(ctx context.Context, db pg.Querier, id ids.FeeSchedule, now time.Time) (Record, error) {
	r, err := pg.Find[Record](ctx, db, `SELECT `+recordColumns+ofSeries+` AND s.id = @id`,
		q.args(pg.Args{"id": id, "now": now}))
	return r, err
}

// seenTx refuses an editor whose base is not the series' latest schedule any more.
func (q series) seenTx(ctx context.Context, tx *pg.Tx, base, latest ids.FeeSchedule, now time.Time) error {
	if base == latest {
		return nil
	}
	if first := base.IsZero() && q.service(); !first { // there were none when the editor looked
		if _, err := q.find(ctx, tx, base, now); fault.HasCode(err, "resource_missing") {
			return fault.Invalid("parameter_invalid", "This is not a schedule of these fees.").On("base")
		} else if err != nil {
			return fmt.Errorf("fee: base: %w", err)
		}
	}
	return fault.New(fault.KindChanged, "object_changed",
		"Someone else just changed these fees. Compare both changes, then decide.").
		With("base", base.String()).With("latest", latest.String())
}
