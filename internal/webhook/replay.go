package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Replay is a span of past events that is sent to an endpoint again: the API's object.
type Replay struct {
	ID            ids.Replay    `db:"id" json:"id"`
	Object        string        `db:"-" json:"object"`
	Livemode      bool          `db:"-" json:"livemode"`
	ApplicationID int64         `db:"application_id" json:"-"`
	EndpointID    ids.Endpoint  `db:"endpoint_id" json:"endpoint_id"`
	Which         string        `db:"which" json:"which"` // all or failed
	Since         instant.Time  `db:"since" json:"since"`
	Until         instant.Time  `db:"until" json:"until"`
	Status        string        `db:"status" json:"status"` // running, done or canceled
	Total         int64         `db:"total" json:"total"`   // events from the first of the span to the last
	Done          int64         `db:"done" json:"done"`     // of them, those that were looked at
	Queued        int64         `db:"queued" json:"queued"` // deliveries made
	CreatedAt     instant.Time  `db:"created_at" json:"created_at"`
	FinishedAt    *instant.Time `db:"finished_at" json:"finished_at"`
	Cursor        int64         `db:"cursor" json:"-"` // the last sequence that was looked at
	Last          int64         `db:"last" json:"-"`   // the last of the span
	// Hurried says that all that waits for a later attempt is attempted at once, as what failed is.
	Hurried bool `db:"hurried" json:"-"`
}

const replayColumns = `id, application_id, endpoint_id, which, since, until, status, total, done, queued, created_at, finished_at, cursor, last, hurried`

// ReplayInput is the body of a replay: the span of time in which the events happened, until now if it
// has no end, and whether all of them or those whose delivery failed.
type ReplayInput struct {
	Since *time.Time `json:"since"`
	Until *time.Time `json:"until" absent:"all"`
	Which *string    `json:"which" absent:"all" default:"all"`
}

// Whiches lists what can be replayed of a span.
func Whiches() []string { return []string{"all", "failed"} }

// Validate returns every mistake of the input.
func (in ReplayInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "since", in.Since != nil)
	printable(&fs, "since", in.Since)
	printable(&fs, "until", in.Until)
	check.OneOf(&fs, "which", in.Which, Whiches()...)
	if in.Since != nil && in.Until != nil && in.Until.Before(*in.Since) {
		fs.Add("until", "parameter_invalid", "A span ends after it begins.")
	}
	return fs
}

// printable refuses a time whose year has no four digits in UTC, though it has in its own zone: RFC 3339 cannot print
// it.
func printable(fs *fault.Fields, name string, t *time.Time) {
	if t != nil && (t.UTC().Year() < 0 || t.UTC().Year() > 9999) {
		fs.Add(name, "parameter_invalid", "A time such as 2026-12-01T09:30:00Z.")
	}
}

func (s *Service) replay(r Replay) Replay {
	r.Object, r.Livemode = "webhook_replay", s.deps.Livemode
	return r
}

// StartReplay has the events of a span sent to an endpoint again, each under its id. Faults: the
// mistakes of the input, of which one is that no one knows any more what failed then (see [MissedWithin]);
// resource_missing, webhook_endpoint_not_enabled, operation_in_progress while another replay runs; permission_denied,
// of events whose objects the actor may not read.
func (s *Service) StartReplay(ctx context.Context, actor authz.Actor, id string, in ReplayInput,
	claim *idempotency.Claim) (out idempotency.Result[Replay], err error) {
	endpointID, err := s.managed(ctx, actor, id)
	if err == nil {
		err = in.Validate().Err()
	}
	if err != nil {
		return out, err
	}
	now := instant.Of(s.deps.Now())
	r := Replay{ID: ids.NewReplay(now.Time), ApplicationID: actor.ApplicationID, EndpointID: endpointID, Which: "all",
		Since: instant.Of(*in.Since), Status: "running", CreatedAt: now}
	if in.Which != nil {
		r.Which = *in.Which
	}
	out, err = idempotency.Once(ctx, s.deps.Pool, claim, now.Time, r.ID.Bytes(), func(tx *pg.Tx) (Replay, error) {
		e, err := s.lockTx(ctx, tx, actor.ApplicationID, endpointID)
		if err == nil {
			err = s.reads(actor, "", event.Covered(e.Events))
		}
		if err == nil {
			err = enabled(e)
		}
		if err != nil {
			return r, err
		}
		if r.Hurried = r.Which == "all"; !r.Hurried {
			r.Hurried, err = hurryTx(ctx, tx, r)
		}
		if err == nil {
			r, err = s.startTx(ctx, tx, r, in.Until)
		}
		if err != nil {
			return r, err
		}
		return r, s.doneTx(tx, actor, e.ID, nil, r)
	})
	return out, s.refused(ctx, actor, authz.WebhookManage, about(id), err)
}

type span struct {
	First int64        `db:"first"`
	Last  int64        `db:"last"`
	Until instant.Time `db:"until"`
}

// startTx measures the span and writes the replay, unless another one of the endpoint runs.
func (s *Service) startTx(ctx context.Context, tx *pg.Tx, r Replay, until *time.Time) (Replay, error) {
	runs, err := pg.Value[bool](ctx, tx, `
		SELECT EXISTS (SELECT FROM webhook_replays WHERE application_id = @application_id AND endpoint_id = @endpoint
			AND status = 'running')`,
		pg.Args{"application_id": r.ApplicationID, "endpoint": r.EndpointID})
	if err != nil {
		return r, err
	}
	if runs {
		return r, fault.New(fault.KindConflict, "operation_in_progress",
			"Another replay to this endpoint is in progress.").After(time.Second)
	}
	reach := page.Times{From: &r.Since.Time}
	if until != nil { // which is of the span
		reach.Until = new(until.Add(time.Millisecond))
	}
	oldest, newest, err := event.Spans.Within(ctx, s.deps.Clock.Present(s.deps.Livemode), r.ApplicationID, reach)
	if err != nil {
		return r, err
	}
	of, err := pg.One[span](ctx, tx, measureSpan,
		pg.Args{"application_id": r.ApplicationID, "since": r.Since, "until": until, "oldest": oldest,
			"newest": newest})
	if err != nil {
		return r, err
	}
	if r.Which == "failed" {
		if err := s.rememberedTx(ctx, tx, r.ApplicationID, of.First); err != nil {
			return r, err
		}
	}
	r.Until, r.Cursor, r.Last, r.Total = of.Until, of.First-1, of.Last, of.Last-of.First+1
	if r.Total == 0 && r.Hurried {
		r.Status, r.FinishedAt = "done", &r.CreatedAt
	}
	tx.Later(`
		INSERT INTO webhook_replays (id, application_id, endpoint_id, which, since, until, status, cursor, last, total,
			hurried, created_at, finished_at)
		VALUES (@id, @application_id, @endpoint, @which, @since, @until, @status, @cursor, @last, @total, @hurried,
			@now, @finished)`,
		pg.Args{"id": r.ID, "application_id": r.ApplicationID, "endpoint": r.EndpointID, "which": r.Which,
			"since": r.Since, "until": r.Until,
			"status": r.Status, "cursor": r.Cursor, "last": r.Last, "total": r.Total, "hurried": r.Hurried,
			"now": r.CreatedAt, "finished": r.FinishedAt})
	return s.replay(r), nil
}

// rememberedTx refuses a span of what failed that begins with an event whose delivery may be forgotten: it would be
// taken for one that failed. Deliveries are forgotten by the machine's time, which an event's id has, wherever the
// application's clock stands.
func (s *Service) rememberedTx(ctx context.Context, tx *pg.Tx, applicationID, first int64) error {
	id, err := pg.Value[ids.Event](ctx, tx, `SELECT id FROM events WHERE application_id = @application_id
		AND sequence = @first`, pg.Args{"application_id": applicationID, "first": first})
	if errors.Is(err, pg.ErrNone) { // the span is empty
		return nil
	}
	if err != nil || s.deps.Now().Sub(id.Time()) <= MissedWithin {
		return err
	}
	var fs fault.Fields
	fs.Add("since", "parameter_invalid",
		fmt.Sprintf("It is known for %d days what failed. Begin later, or send all events.",
			int(MissedWithin.Hours())/24))
	return fs.Err()
}

// measureSpan finds where a span of events begins and ends, and reads none of those between: numbers have no gaps.
// A span without an end ends with the latest of the last events.
const (
	measureSpan = `
		WITH around AS MATERIALIZED (SELECT ` + event.Before + ` AS before, ` + event.Behind + ` AS behind),
			ends AS MATERIALIZED (SELECT (` + ofSpan + `
				ORDER BY sequence LIMIT 1) AS first, (` + ofSpan + `
				ORDER BY sequence DESC LIMIT 1) AS last)
		SELECT coalesce(first, 1) AS first, coalesce(last, 0) AS last,
			coalesce(@until::timestamptz, greatest(@since::timestamptz, (
			SELECT max(created_at) FROM (SELECT created_at FROM events
				WHERE application_id = @application_id AND sequence <= (SELECT last FROM ends)
					ORDER BY sequence DESC LIMIT 1000) l))) AS until
		FROM ends`
	ofSpan = `SELECT sequence FROM events WHERE application_id = @application_id
				AND sequence > (SELECT before FROM around) AND sequence < (SELECT behind FROM around)
				AND created_at >= @since AND (@until::timestamptz IS NULL OR created_at <= @until)`
)

// GetReplay returns a replay of the actor's application, with how far it is. A malformed id, an unknown
// one and another application's get the same fault.
func (s *Service) GetReplay(ctx context.Context, actor authz.Actor, id string) (Replay, error) {
	if err := s.deps.Check.Check(actor, authz.WebhookRead); err != nil {
		return Replay{}, err
	}
	replayID, err := ids.ParseReplay(id)
	if err != nil {
		return Replay{}, fault.Missing()
	}
	r, err := pg.Find[Replay](ctx, s.deps.Pool, `
		SELECT `+replayColumns+` FROM webhook_replays WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "id": replayID})
	return s.replay(r), err
}

// ReplayListInput selects a page of replays; what is not set selects all.
type ReplayListInput struct {
	Page       page.Input[ids.Replay]
	Created    page.Times
	Statuses   []string // of ReplayStatuses
	EndpointID *ids.Endpoint
}

// ReplayStatuses lists every status that a replay can have.
func ReplayStatuses() []string { return []string{"running", "done", "canceled"} }

// ListReplays returns one page of the application's replays.
func (s *Service) ListReplays(ctx context.Context, actor authz.Actor, in ReplayListInput) (page.Of[Replay], error) {
	if err := s.deps.Check.Check(actor, authz.WebhookRead); err != nil {
		return page.Of[Replay]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectReplays,
		pg.Args{"application_id": actor.ApplicationID, "endpoint": in.EndpointID,
			"statuses": in.Statuses, "from": in.Created.From, "until": in.Created.Until}, s.replay)
}

const selectReplays = `SELECT ` + replayColumns + ` FROM webhook_replays
	WHERE application_id = @application_id
		AND (@endpoint::uuid IS NULL OR endpoint_id = @endpoint)
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`

// CancelReplay ends a replay where it is; what it queued is sent all the same. One that has ended is
// answered as it is.
func (s *Service) CancelReplay(ctx context.Context, actor authz.Actor, id string,
	claim *idempotency.Claim) (out idempotency.Result[Replay], err error) {
	if err := s.audit.Allow(ctx, actor, authz.WebhookManage, audit.Of("webhook_replay", id, 0)); err != nil {
		return out, err
	}
	replayID, err := ids.ParseReplay(id)
	if err != nil {
		return out, fault.Missing()
	}
	return idempotency.Once(ctx, s.deps.Pool, claim, s.deps.Now(), replayID.Bytes(), func(tx *pg.Tx) (Replay, error) {
		r, err := pg.Find[Replay](ctx, tx, `
			SELECT `+replayColumns+` FROM webhook_replays WHERE application_id = @application_id
				AND id = @id FOR UPDATE`,
			pg.Args{"application_id": actor.ApplicationID, "id": replayID})
		if err != nil || r.Status != "running" {
			return s.replay(r), err
		}
		before := s.replay(r)
		r.Status, r.FinishedAt = "canceled", instant.Ptr(s.deps.Now())
		tx.Later(`UPDATE webhook_replays SET status = @status, finished_at = @now WHERE application_id = @application_id
			AND id = @id`,
			pg.Args{"status": r.Status, "now": r.FinishedAt, "application_id": r.ApplicationID, "id": r.ID})
		r = s.replay(r)
		return r, s.doneTx(tx, actor, r.EndpointID, before, r)
	})
}
