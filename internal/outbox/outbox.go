// Package outbox records what happened in the transaction that made it happen, so that no event
// is lost and none tells of a change that was rolled back.
package outbox

import (
	"bytes"
	"encoding/json"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/pg"
)

// Source says who caused an event.
type Source string

// The sources.
const (
	API    Source = "api"    // a program
	Portal Source = "portal" // a person, or the deployment's operator with a command
	Job    Source = "job"    // what happens by itself
)

// SourceOf is what an event of an actor's doing tells.
func SourceOf(a authz.Actor) Source {
	if a.Role.IsServer() || a.Role == authz.RolePublicKey {
		return API
	}
	return Portal
}

// Event is a change of one object. Object is the API's object after the change; Previous holds
// the former values of the members that changed, empty for a creation.
type Event struct {
	// ID is the event's; a zero one gets a new one.
	ID            ids.Event
	ApplicationID int64
	MerchantID    int64 // 0 if it is about none
	Type          string
	ObjectID      [16]byte
	// Position orders the events of one object; the object's row lock makes it unique.
	Position  int64
	Object    any
	Previous  map[string]any
	RequestID ids.Request
	Source    Source
	// Test is a made-up event for one endpoint, which is not numbered.
	Test bool
}

// EmitTx queues events in the caller's transaction, which holds the object's row lock.
func EmitTx(tx *pg.Tx, m instant.Moment, events ...Event) error {
	for _, e := range events {
		object, err := json.Marshal(e.Object)
		if err != nil {
			return fmt.Errorf("outbox: %s: %w", e.Type, err)
		}
		if e.ID.IsZero() {
			e.ID = ids.NewEvent(m.Machine)
		}
		previous := e.Previous
		if previous == nil {
			previous = map[string]any{}
		}
		tx.Later(`
			INSERT INTO events (id, application_id, merchant_id, type, object_id, position, object,
				previous_attributes, request_id, source, test, created_at)
			VALUES (@id, @application_id, nullif(@merchant_id::bigint, 0), @type, @object_id, @position, @object,
				@previous, @request_id, @source, @test, @now)`,
			pg.Args{"test": e.Test, "id": e.ID, "application_id": e.ApplicationID, "merchant_id": e.MerchantID,
				"type": e.Type, "object_id": e.ObjectID, "position": e.Position, "object": object,
				"previous": previous, "request_id": e.RequestID, "source": e.Source, "now": m.At})
	}
	return nil
}

// Changed returns the members of before, as JSON, that differ in after: an event's previous
// attributes. The two are the same kind of object.
func Changed(before, after any) (map[string]any, error) {
	b, err := members(before)
	if err != nil {
		return nil, err
	}
	a, err := members(after)
	if err != nil {
		return nil, err
	}
	changed := make(map[string]any)
	for name, was := range b {
		if !bytes.Equal(was, a[name]) {
			changed[name] = was
		}
	}
	return changed, nil
}

func members(object any) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	var out map[string]json.RawMessage
	return out, json.Unmarshal(text, &out)
}
