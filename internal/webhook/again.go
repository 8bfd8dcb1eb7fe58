package webhook

import (
	"context"
	"encoding/json"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
)

// RedeliverInput is the body of a redelivery; without an endpoint the event goes to all that want it.
type RedeliverInput struct {
	EndpointID *string `json:"endpoint_id"`
}

// Validate finds no mistakes: text that is no id is no endpoint's.
func (RedeliverInput) Validate() fault.Fields { return nil }

// Redelivery is what came of it.
type Redelivery struct {
	Object    string         `json:"object"`
	EventID   ids.Event      `json:"event_id"`
	Endpoints []ids.Endpoint `json:"endpoints"`
}

// Redeliver sends an event once more, under the same id. Faults: resource_missing, of the event or of
// the endpoint; webhook_endpoint_not_enabled.
func (s *Service) Redeliver(ctx context.Context, actor authz.Actor, id string, in RedeliverInput, claim *idempotency.Claim) (out idempotency.Result[Redelivery], err error) {
	if err := s.Check.Check(actor, authz.EventRedeliver); err != nil {
		return out, err
	}
	eventID, err := ids.ParseEvent(id)
	if err != nil {
		return out, fault.Missing()
	}
	return idempotency.Once(ctx, s.Pool, claim, s.Now(), eventID.Bytes(), func(tx *pg.Tx) (Redelivery, error) {
		e, err := s.Events.Find(ctx, tx, actor.ApplicationID, eventID)
		if err != nil {
			return Redelivery{}, err
		}
		to, err := s.wantedTx(ctx, tx, actor.ApplicationID, e.Type, in)
		if err != nil {
			return Redelivery{}, err
		}
		for _, endpoint := range to {
			deliverTx(tx, actor.ApplicationID, endpoint, []event.Numbered{{ID: e.ID, Type: e.Type, Sequence: e.Cursor()}}, ByRedelivery, s.Now())
		}
		return Redelivery{Object: "redelivery", EventID: e.ID, Endpoints: to}, nil
	})
}

// wantedTx lists the endpoints that an event goes to once more.
func (s *Service) wantedTx(ctx context.Context, tx *pg.Tx, applicationID int64, name string, in RedeliverInput) ([]ids.Endpoint, error) {
	if in.EndpointID != nil {
		id, err := ids.ParseEndpoint(*in.EndpointID)
		if err != nil {
			return nil, fault.Missing().On("endpoint_id")
		}
		e, err := s.lockTx(ctx, tx, applicationID, id)
		switch {
		case fault.HasCode(err, "resource_missing"):
			return nil, fault.Missing().On("endpoint_id")
		case err == nil:
			err = enabled(e)
		}
		return []ids.Endpoint{id}, err
	}
	listeners, err := pg.All[listener](ctx, tx, `
		SELECT id, events FROM webhook_endpoints
		WHERE application_id = @application_id AND status = 'enabled' AND deleted_at IS NULL ORDER BY id`,
		pg.Args{"application_id": applicationID})
	out := []ids.Endpoint{}
	for _, l := range listeners {
		if l.wants(name) {
			out = append(out, l.ID)
		}
	}
	return out, err
}

func enabled(e Endpoint) error {
	if e.Status == Enabled {
		return nil
	}
	return fault.New(fault.KindConflict, "webhook_endpoint_not_enabled", "Nothing is sent to an endpoint that is "+string(e.Status)+". Enable it.").
		With("status", string(e.Status))
}

// TestInput is the body of a test: what to send, a ping if it does not say.
type TestInput struct {
	Type   *string          `json:"type"`
	Object *json.RawMessage `json:"data"`
}

// Validate returns every mistake of the input.
func (in TestInput) Validate() fault.Fields {
	var fs fault.Fields
	check.OneOf(&fs, "type", in.Type, event.Names()...)
	if in.Object != nil && (len(*in.Object) == 0 || (*in.Object)[0] != '{') {
		fs.Add("data", "parameter_invalid", "This must be an object.")
	}
	return fs
}

// Test sends a made-up event to one endpoint, whatever its filters: it is in no list of events, and has
// no sequence. Faults: the mistakes of the input, resource_missing, webhook_endpoint_not_enabled.
func (s *Service) Test(ctx context.Context, actor authz.Actor, id string, in TestInput, claim *idempotency.Claim) (out idempotency.Result[Delivery], err error) {
	if err := s.Check.Check(actor, authz.WebhookManage); err != nil {
		return out, err
	}
	if err := in.Validate().Err(); err != nil {
		return out, err
	}
	endpointID, err := ids.ParseEndpoint(id)
	if err != nil {
		return out, fault.Missing()
	}
	now := s.Now()
	return idempotency.Once(ctx, s.Pool, claim, now, endpointID.Bytes(), func(tx *pg.Tx) (Delivery, error) {
		e, err := s.lockTx(ctx, tx, actor.ApplicationID, endpointID)
		if err == nil {
			err = enabled(e)
		}
		if err != nil {
			return Delivery{}, err
		}
		told := outbox.Event{ID: ids.NewEvent(now), ApplicationID: e.ApplicationID, Type: "ping", ObjectID: ids.NewEvent(now).Bytes(), Position: 1,
			Object: e, RequestID: actor.RequestID, Source: outbox.API, Test: true}
		if in.Type != nil {
			told.Type = *in.Type
		}
		if in.Object != nil {
			told.Object = *in.Object
		}
		if err := outbox.EmitTx(tx, instant.Both(now), told); err != nil {
			return Delivery{}, err
		}
		d := s.delivery(Delivery{ID: ids.NewDelivery(now), EndpointID: e.ID, EventID: told.ID, EventType: told.Type, Cause: ByTest,
			Status: "pending", NextAttemptAt: instant.Ptr(now), Attempts: []Attempt{}, CreatedAt: instant.Of(now)})
		tx.Later(`
			INSERT INTO webhook_deliveries (id, application_id, endpoint_id, event_id, event_type, cause, status, next_attempt_at, created_at)
			VALUES (@id, @application_id, @endpoint, @event, @type, 'test', 'pending', @now, @now)`,
			pg.Args{"id": d.ID, "application_id": e.ApplicationID, "endpoint": e.ID, "event": d.EventID, "type": d.EventType, "now": now})
		return d, nil
	})
}
