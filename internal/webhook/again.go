package webhook

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// RedeliverInput is the body of a redelivery; without an endpoint the event goes to all that want it.
type RedeliverInput struct {
	EndpointID *string `json:"endpoint_id" absent:"all"`
}

// Validate finds no mistakes: text that is no id is no endpoint's.
func (RedeliverInput) Validate() fault.Fields { return nil }

// Redelivery is the outcome of it.
type Redelivery struct {
	Object    string         `json:"object"`
	Livemode  bool           `json:"livemode"`
	EventID   ids.Event      `json:"event_id"`
	Endpoints []ids.Endpoint `json:"endpoints"`
}

// Redeliver sends an event again, under the same id. Faults: resource_missing, of the event or of
// the endpoint; webhook_endpoint_not_enabled; permission_denied, of an event whose object the actor may not read.
func (s *Service) Redeliver(ctx context.Context, actor authz.Actor, id string, in RedeliverInput,
	claim *idempotency.Claim) (out idempotency.Result[Redelivery], err error) {
	subject := audit.Of("event", id, 0)
	if err := s.audit.Allow(ctx, actor, authz.EventRedeliver, subject); err != nil {
		return out, err
	}
	eventID, err := ids.ParseEvent(id)
	if err != nil {
		return out, fault.Missing()
	}
	out, err = idempotency.Once(ctx, s.deps.Pool, claim, s.deps.Now(), eventID.Bytes(),
		func(tx *pg.Tx) (Redelivery, error) {
			e, err := s.deps.Events.Find(ctx, tx, actor.ApplicationID, eventID)
			if err == nil {
				err = s.reads(actor, "", []string{e.Type})
			}
			if err != nil {
				return Redelivery{}, err
			}
			to, err := s.wantedTx(ctx, tx, actor.ApplicationID, e.Type, in)
			if err != nil {
				return Redelivery{}, err
			}
			for _, endpoint := range to {
				deliverTx(tx, actor.ApplicationID, endpoint,
					[]event.Numbered{{ID: e.ID, Type: e.Type, Sequence: e.Number()}}, ByRedelivery, s.deps.Now())
			}
			r := Redelivery{Object: "redelivery", Livemode: s.deps.Livemode, EventID: e.ID, Endpoints: to}
			return r, s.audit.DoneTx(tx, actor, authz.EventRedeliver, audit.Of("event", e.ID.String(), 0), nil, r)
		})
	return out, s.refused(ctx, actor, authz.EventRedeliver, subject, err)
}

// wantedTx lists the endpoints that an event goes to again.
func (s *Service) wantedTx(ctx context.Context, tx *pg.Tx, applicationID int64, name string,
	in RedeliverInput) ([]ids.Endpoint, error) {
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
	listeners, err := listenersTx(ctx, tx, applicationID)
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
	return fault.New(fault.KindConflict, "webhook_endpoint_not_enabled", "Nothing is sent to an endpoint that is "+
		string(e.Status)+". Enable it.").
		With("status", string(e.Status))
}
