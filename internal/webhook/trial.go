package webhook

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
)

// ping is the type of a test that says nothing else; it reports the endpoint itself.
const ping = "ping"

// TestInput is the body of a test: the type of the event, ping if it does not say, and its data.object,
// which only a ping need not bring.
type TestInput struct {
	Type *string `json:"type" default:"ping"`
	Data *Sample `json:"data"`
}

// Sample is an object that a caller made up, in short form: without escapes where none need be, its
// numbers those of JavaScript.
type Sample struct {
	text json.RawMessage
	card bool // it holds what reads as a card number
}

// UnmarshalJSON reads an object.
func (s *Sample) UnmarshalJSON(text []byte) error {
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	out, err := json.Marshal(object)
	s.text, s.card = out, sensitive.HoldsPAN(string(out)) || holdsCard(object)
	return err
}

// holdsCard looks into the texts of a JSON value, in which some separators are escaped once they are printed.
func holdsCard(value any) bool {
	switch v := value.(type) {
	case string:
		return sensitive.HoldsPAN(v)
	case []any:
		return slices.ContainsFunc(v, holdsCard)
	case map[string]any:
		for name, member := range v {
			if sensitive.HoldsPAN(name) || holdsCard(member) {
				return true
			}
		}
	}
	return false
}

// MarshalJSON prints the object.
func (s Sample) MarshalJSON() ([]byte, error) { return s.text, nil }

// name is the type of the event.
func (in TestInput) name() string {
	if in.Type == nil {
		return ping
	}
	return *in.Type
}

// Validate returns every mistake of the input.
func (in TestInput) Validate() fault.Fields {
	var fs fault.Fields
	check.OneOf(&fs, "type", in.Type, event.Names()...)
	if in.Data == nil {
		check.Required(&fs, "data", in.name() == ping)
		return fs
	}
	switch {
	case strings.Contains(string(in.Data.text), `\u0000`):
		fs.Add("data", "parameter_invalid", "Texts have no character NUL.")
	case in.Data.card:
		fs.Add("data", "parameter_invalid",
			"This holds what looks like a card number. Card numbers belong in the payment fields only.")
	}
	return fs
}

// Test sends a made-up event to one endpoint, whatever its filters: it is in no list of events, and has
// no sequence. Faults: the mistakes of the input, permission_denied, of a type whose objects the actor may not read,
// resource_missing, webhook_endpoint_not_enabled.
func (s *Service) Test(ctx context.Context, actor authz.Actor, id string, in TestInput,
	claim *idempotency.Claim) (out idempotency.Result[Delivery], err error) {
	endpointID, err := s.managed(ctx, actor, id)
	if err == nil {
		err = in.Validate().Err()
	}
	if err == nil {
		err = s.refused(ctx, actor, authz.WebhookManage, about(id), s.reads(actor, "type", []string{in.name()}))
	}
	if err != nil {
		return out, err
	}
	now := s.deps.Now()
	return idempotency.Once(ctx, s.deps.Pool, claim, now, endpointID.Bytes(), func(tx *pg.Tx) (Delivery, error) {
		e, err := s.lockTx(ctx, tx, actor.ApplicationID, endpointID)
		if err == nil {
			err = enabled(e)
		}
		if err != nil {
			return Delivery{}, err
		}
		told := trial(e, in, now)
		told.RequestID, told.Source = actor.RequestID, outbox.SourceOf(actor)
		if err := outbox.EmitTx(tx, instant.Both(now), told); err != nil {
			return Delivery{}, err
		}
		return s.tryTx(tx, e, told, now), s.doneTx(tx, actor, e.ID, nil, tested{told.Type})
	})
}

// tested is what the audit log keeps of a test.
type tested struct {
	Test string `json:"test"` // the type of the event
}

// trial is the event of a test.
func trial(e Endpoint, in TestInput, now time.Time) outbox.Event {
	id := ids.NewEvent(now)
	told := outbox.Event{ID: id, ApplicationID: e.ApplicationID, Type: in.name(), ObjectID: id.Bytes(), Position: 1,
		Object: e, Test: true}
	if in.Data != nil {
		told.Object = in.Data
	}
	return told
}

// tryTx queues the delivery of a test.
func (s *Service) tryTx(tx *pg.Tx, e Endpoint, told outbox.Event, now time.Time) Delivery {
	d := s.delivery(Delivery{ID: ids.NewDelivery(now), EndpointID: e.ID, EventID: told.ID, EventType: told.Type,
		Cause:  ByTest,
		Status: "pending", NextAttemptAt: instant.Ptr(now), Attempts: []Attempt{}, CreatedAt: instant.Of(now)})
	insertDeliveriesTx(tx, e.ApplicationID, e.ID, []ids.Delivery{d.ID},
		[]event.Numbered{{ID: told.ID, Type: told.Type}}, ByTest, now)
	return d
}
