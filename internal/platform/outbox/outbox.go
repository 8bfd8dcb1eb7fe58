// Package outbox stores events in the transaction that makes the change, so that no event is lost and none reports a
// change that was rolled back.
package outbox

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// Source says who caused an event.
type Source string

// The sources.
const (
	API    Source = "api"    // a program
	Portal Source = "portal" // a person, or the deployment's operator with a command
	Job    Source = "job"    // what happens on its own
)

// SourceOf is what an event of an actor's doing tells.
func SourceOf(a authz.Actor) Source {
	if a.Role.IsServer() || a.Role == authz.RolePublicKey {
		return API
	}
	return Portal
}

// Event is a change of one object. Object is the API's object after the change, or its [Text]; Previous holds
// the former values of the members that changed, empty for a creation.
type Event struct {
	// ID is the event's; a zero one gets a new one.
	ID            ids.Event
	ApplicationID int64
	MerchantID    int64 // 0 if it is about none
	Type          string
	ObjectID      [16]byte
	// Position orders the events of one object; the object's row, which each changes, makes it unique.
	Position  int64
	Object    any
	Previous  map[string]any
	RequestID ids.Request
	Source    Source
	// Test is a made-up event for one endpoint, which is not numbered.
	Test bool
}

// EmitTx queues events in the caller's transaction, which changes the object's row.
func EmitTx(tx *pg.Tx, m instant.Moment, events ...Event) error {
	for _, e := range events {
		object, err := Text(e.Object)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Type, err)
		}
		if e.ID.IsZero() {
			e.ID = ids.NewEvent(m.Machine)
		}
		previous := e.Previous
		if previous == nil {
			previous = map[string]any{}
		}
		tx.Row(nil, `
			INSERT INTO events (id, application_id, merchant_id, type, object_id, position, object,
				previous_attributes, request_id, source, test, created_at)
			SELECT e.id, e.application_id, nullif(e.merchant_id, 0), e.type, e.object_id, e.position, e.object,
				e.previous, e.request_id, e.source, e.test, e.now
			FROM unnest(@rows::new_event[]) AS e`,
			pg.Args{"test": e.Test, "id": e.ID, "application_id": e.ApplicationID, "merchant_id": e.MerchantID,
				"type": e.Type, "object_id": e.ObjectID, "position": e.Position, "object": object,
				"previous": previous, "request_id": e.RequestID, "source": e.Source, "now": m.At})
	}
	return nil
}

// Text is an object as JSON. Of what is text already it makes no other: who needs an object's text more than
// once has it written once.
func Text(object any) (json.RawMessage, error) {
	if text, ok := object.(json.RawMessage); ok {
		return text, nil
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	return text, nil
}

// Changed returns the members of before, as JSON, that differ in after: an event's previous
// attributes. The two are the same kind of object, or the [Text] of one.
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
		if was.Raw != a[name].Raw { // "" if it is gone
			changed[name] = json.RawMessage(was.Raw)
		}
	}
	return changed, nil
}

// members are those of an object, by name.
func members(object any) (map[string]gjson.Result, error) {
	text, err := Text(object)
	if err != nil {
		return nil, err
	}
	all := gjson.ParseBytes(text)
	if !all.IsObject() {
		return nil, fmt.Errorf("outbox: %.20q is no object", text)
	}
	return all.Map(), nil
}
