package webhook

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

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

// maxEndpoints is how many endpoints an application can have.
const maxEndpoints = 50

// Create makes an endpoint that is enabled. Its secret is in the answer, and in no later one. Faults:
// the mistakes of the input; permission_denied, of events whose objects the actor may not read;
// webhook_endpoints_exhausted. claim may be nil.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput,
	claim *idempotency.Claim) (idempotency.Result[Endpoint], error) {
	if err := s.audit.Allow(ctx, actor, authz.WebhookManage, about("")); err != nil {
		return idempotency.Result[Endpoint]{}, err
	}
	fs := in.Validate()
	s.checkURL(&fs, in.URL)
	if err := fs.Err(); err != nil {
		return idempotency.Result[Endpoint]{}, err
	}
	now := instant.Of(s.deps.Now())
	e := Endpoint{ID: ids.NewEndpoint(now.Time), Version: 1, ApplicationID: actor.ApplicationID, URL: *in.URL,
		Description: in.Description,
		Events:      in.Events, Status: Enabled, Metadata: in.Metadata, CreatedAt: now, UpdatedAt: now}
	if e.Events == nil {
		e.Events = []string{"*"}
	}
	err := s.reads(actor, "events", event.Covered(e.Events))
	if err := s.refused(ctx, actor, authz.WebhookManage, about(""), err); err != nil {
		return idempotency.Result[Endpoint]{}, err
	}
	e = s.shown(e)
	if e.Secret, e.Sealed, err = s.newSecret(e.ID); err != nil {
		return idempotency.Result[Endpoint]{}, err
	}
	return s.once(ctx, claim, e.ID, func(tx *pg.Tx) (Endpoint, error) {
		if err := insertTx(ctx, tx, e); err != nil {
			return e, err
		}
		return e, s.doneTx(tx, actor, e.ID, nil, e)
	})
}

// about is an endpoint as the audit log names it.
func about(id string) audit.Subject { return audit.Of("webhook_endpoint", id, 0) }

// doneTx queues that someone did something with an endpoint.
func (s *Service) doneTx(tx *pg.Tx, actor authz.Actor, id ids.Endpoint, before, after any) error {
	return s.audit.DoneTx(tx, actor, authz.WebhookManage, about(id.String()), before, after)
}

// insertTx writes an endpoint unless the application has as many as it can have.
func insertTx(ctx context.Context, tx *pg.Tx, e Endpoint) error {
	if _, err := tx.Exec(ctx, `SELECT FROM applications WHERE id = @application_id FOR NO KEY UPDATE`,
		pg.Args{"application_id": e.ApplicationID}); err != nil { // one by one: they are counted
		return err
	}
	n, err := tx.Exec(ctx, `
		INSERT INTO webhook_endpoints (id, application_id, url, description, events, status, secret, metadata,
			created_at, updated_at)
		SELECT @id, @application_id, @url, @description, @events, @status, @secret, @metadata, @now, @now
		WHERE (SELECT count(*) FROM webhook_endpoints WHERE application_id = @application_id
			AND deleted_at IS NULL) < @most`,
		pg.Args{"id": e.ID, "application_id": e.ApplicationID, "url": e.URL, "description": e.Description,
			"events": e.Events,
			"status": e.Status, "secret": e.Sealed, "metadata": e.Metadata, "now": e.CreatedAt, "most": maxEndpoints})
	return pg.Hit(n, err, fault.Refused("webhook_endpoints_exhausted",
		fmt.Sprintf("An application has at most %d endpoints. Delete one.", maxEndpoints)))
}

// Get returns an endpoint of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Endpoint, error) {
	if err := s.deps.Check.Check(actor, authz.WebhookRead); err != nil {
		return Endpoint{}, err
	}
	endpointID, err := ids.ParseEndpoint(id)
	if err != nil {
		return Endpoint{}, fault.Missing()
	}
	e, err := pg.Find[Endpoint](ctx, s.deps.Pool, `
		SELECT `+columns+` FROM webhook_endpoints WHERE application_id = @application_id AND id = @id
			AND deleted_at IS NULL`,
		pg.Args{"application_id": actor.ApplicationID, "id": endpointID})
	return s.shown(e), err
}

// ListInput selects a page of endpoints; what is not set selects all.
type ListInput struct {
	Page     page.Input[ids.Endpoint]
	Statuses []string
}

// List returns one page of the application's endpoints.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Endpoint], error) {
	if err := s.deps.Check.Check(actor, authz.WebhookRead); err != nil {
		return page.Of[Endpoint]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, `SELECT `+columns+` FROM webhook_endpoints
		WHERE application_id = @application_id AND deleted_at IS NULL
			AND (@statuses::text[] IS NULL OR status = ANY (@statuses))`,
		pg.Args{"application_id": actor.ApplicationID, "statuses": in.Statuses}, s.shown)
}

// Update changes what is sent where. Faults: the mistakes of the input; resource_missing; object_changed;
// permission_denied, of events whose objects the actor may not read: those that were sent, and those that would be.
func (s *Service) Update(ctx context.Context, actor authz.Actor, id string, in UpdateInput,
	claim *idempotency.Claim) (idempotency.Result[Endpoint], error) {
	fs := in.Validate()
	s.checkURL(&fs, in.URL)
	return s.change(ctx, actor, id, fs, claim, func(tx *pg.Tx, e *Endpoint) error {
		err := check.Version(in.IfVersion, e.Version)
		if err == nil {
			err = s.reads(actor, "events", event.Covered(in.Events))
		}
		if err == nil {
			err = s.reads(actor, "", event.Covered(e.Events))
		}
		if err == nil && in.URL != nil && *in.URL != e.URL {
			err = s.readsPendingTx(ctx, tx, actor, *e)
		}
		if err != nil {
			return err
		}
		if in.URL != nil {
			e.URL = *in.URL
		}
		if in.Events != nil {
			e.Events = in.Events
		}
		e.Description = in.Description.On(e.Description)
		if in.Metadata.Given {
			e.Metadata = map[string]string{}
			if in.Metadata.Value != nil {
				e.Metadata = *in.Metadata.Value
			}
		}
		return nil
	})
}

// Enable has events sent to an endpoint again. What happened while it was disabled or paused is sent
// by a replay only, and so is what is still to be canceled of what was on its way then. Faults: resource_missing;
// permission_denied, of events whose objects the actor may not read.
func (s *Service) Enable(ctx context.Context, actor authz.Actor, id string,
	claim *idempotency.Claim) (out idempotency.Result[Endpoint], err error) {
	var left ids.Endpoint
	enable := func(tx *pg.Tx, e *Endpoint) error {
		if e.Status == Enabled {
			return nil
		}
		if err := s.reads(actor, "", event.Covered(e.Events)); err != nil {
			return err
		}
		left = e.ID
		e.Recovering = e.Recovering || e.Status == Paused
		e.Status, e.PausedReason, e.FailingSince = Enabled, nil, nil
		return s.cancelLastTx(ctx, tx, left)
	}
	for {
		if out, err = s.change(ctx, actor, id, nil, claim, enable); !errors.Is(err, errLeft) {
			return out, err
		}
		for n := 1; n > 0; {
			if n, err = s.cancelLeft(ctx, left); err != nil {
				return out, err
			}
		}
	}
}

// Disable has nothing sent to an endpoint any more; what is on its way is canceled.
func (s *Service) Disable(ctx context.Context, actor authz.Actor, id string,
	claim *idempotency.Claim) (idempotency.Result[Endpoint], error) {
	return s.change(ctx, actor, id, nil, claim, func(tx *pg.Tx, e *Endpoint) error {
		if e.Status != Disabled {
			e.Recovering = e.Recovering || e.Status == Paused
			e.Status, e.PausedReason = Disabled, nil
			cancelTx(tx, *e, s.deps.Now())
		}
		return nil
	})
}

// DeleteInput is what a deletion may be bound to.
type DeleteInput struct {
	IfVersion *int // the version that the endpoint must have; nil for any
}

// Deleted is what is notified of an endpoint that is no more.
type Deleted struct {
	ID       ids.Endpoint `json:"id"`
	Object   string       `json:"object"`
	Livemode bool         `json:"livemode"`
	Deleted  bool         `json:"deleted"`
}

// Delete ends an endpoint for good, with its secrets and what is on its way to it. Faults: resource_missing,
// object_changed.
func (s *Service) Delete(ctx context.Context, actor authz.Actor, id string, in DeleteInput,
	claim *idempotency.Claim) (out idempotency.Result[Deleted], err error) {
	endpointID, err := s.managed(ctx, actor, id)
	if err != nil {
		return out, err
	}
	return idempotency.Once(ctx, s.deps.Pool, claim, s.deps.Now(), endpointID.Bytes(),
		func(tx *pg.Tx) (Deleted, error) {
			e, err := s.lockTx(ctx, tx, actor.ApplicationID, endpointID)
			if err == nil {
				err = check.Version(in.IfVersion, e.Version)
			}
			if err != nil {
				return Deleted{}, err
			}
			tx.Later(`
			UPDATE webhook_endpoints SET deleted_at = @now, secret = '', previous_secret = NULL, previous_until = NULL
			WHERE application_id = @application_id AND id = @id`,
				pg.Args{"now": s.deps.Now(), "application_id": e.ApplicationID, "id": e.ID})
			cancelTx(tx, e, s.deps.Now())
			return Deleted{ID: e.ID, Object: e.Object, Livemode: e.Livemode, Deleted: true}, s.doneTx(tx, actor,
				e.ID, e, nil)
		})
}

// managed authorizes a change of an endpoint and reads its id.
func (s *Service) managed(ctx context.Context, actor authz.Actor, id string) (ids.Endpoint, error) {
	if err := s.audit.Allow(ctx, actor, authz.WebhookManage, about(id)); err != nil {
		return ids.Endpoint{}, err
	}
	endpointID, err := ids.ParseEndpoint(id)
	if err != nil {
		return ids.Endpoint{}, fault.Missing()
	}
	return endpointID, nil
}

// change changes an endpoint once for a claim, under its lock. One that stays the same keeps its version.
func (s *Service) change(ctx context.Context, actor authz.Actor, id string, mistakes fault.Fields,
	claim *idempotency.Claim, do func(*pg.Tx, *Endpoint) error,
) (out idempotency.Result[Endpoint], err error) {
	endpointID, err := s.managed(ctx, actor, id)
	if err == nil {
		err = mistakes.Err()
	}
	if err != nil {
		return out, err
	}
	out, err = s.once(ctx, claim, endpointID, func(tx *pg.Tx) (Endpoint, error) {
		before, err := s.lockTx(ctx, tx, actor.ApplicationID, endpointID)
		if err != nil {
			return Endpoint{}, err
		}
		after := before
		if err := do(tx, &after); err != nil {
			return Endpoint{}, err
		}
		after = s.writeTx(tx, before, after)
		return after, s.doneTx(tx, actor, endpointID, before, after)
	})
	return out, s.refused(ctx, actor, authz.WebhookManage, about(id), err)
}

// lockTx locks an endpoint that is not deleted.
func (s *Service) lockTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.Endpoint) (Endpoint, error) {
	e, err := pg.Find[Endpoint](ctx, tx, `
		SELECT `+columns+` FROM webhook_endpoints
		WHERE application_id = @application_id AND id = @id AND deleted_at IS NULL FOR NO KEY UPDATE`,
		pg.Args{"application_id": applicationID, "id": id})
	return s.shown(e), err
}

// writeTx queues what changed of an endpoint as its next version, if anything did.
func (s *Service) writeTx(tx *pg.Tx, before, after Endpoint) Endpoint {
	if same(before, after) {
		return before
	}
	after.Version, after.UpdatedAt = before.Version+1, instant.Of(s.deps.Now())
	tx.Later(`
		UPDATE webhook_endpoints SET version = @version, url = @url, description = @description, events = @events,
			status = @status,
			paused_reason = @paused, secret = @secret, previous_secret = @previous, previous_until = @until,
			failing_since = @failing, last_success_at = @success, recovering = @recovering, metadata = @metadata,
				updated_at = @now
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"version": after.Version, "url": after.URL, "description": after.Description, "events": after.Events,
			"status": after.Status, "paused": after.PausedReason, "secret": after.Sealed,
			"previous": after.SealedPrevious,
			"until":    after.PreviousUntil, "failing": after.FailingSince, "success": after.LastSuccessAt,
			"recovering": after.Recovering, "metadata": after.Metadata,
			"now": after.UpdatedAt, "application_id": after.ApplicationID, "id": after.ID})
	return after
}

// same reports whether nothing changed that a version reports.
func same(a, b Endpoint) bool {
	text := func(p *string) string {
		if p == nil {
			return "\x00"
		}
		return *p
	}
	return a.URL == b.URL && text(a.Description) == text(b.Description) && slices.Equal(a.Events, b.Events) &&
		a.Status == b.Status &&
		text(a.PausedReason) == text(b.PausedReason) && maps.Equal(a.Metadata, b.Metadata) &&
		slices.Equal(a.Sealed, b.Sealed) &&
		a.Recovering == b.Recovering
}
