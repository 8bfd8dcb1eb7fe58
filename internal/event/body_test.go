package event_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/outbox"
)

// What is sent is what the API shows, to the byte.
func TestABodyIsTheEvent(t *testing.T) {
	t.Parallel()
	now := instant.Of(time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC))
	request := ids.NewRequest(now.Time)
	rapid.Check(t, func(t *rapid.T) {
		object, err := outbox.Text(rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "object"))
		if err != nil {
			t.Fatal(err)
		}
		previous, err := outbox.Text(rapid.MapOf(rapid.String(), rapid.Float64()).Draw(t, "previous attributes"))
		if err != nil {
			t.Fatal(err)
		}
		e := event.Event{ID: ids.NewEvent(now.Time), Object: "event", Type: rapid.String().Draw(t, "type"), Timestamp: now,
			Sequence: rapid.Ptr(rapid.Int64(), true).Draw(t, "sequence"), MerchantID: rapid.Ptr(rapid.Int64(), true).Draw(t, "merchant"),
			APIVersion: rapid.String().Draw(t, "version"), Request: event.Request{Source: "api"},
			Data: event.Data{Object: object, PreviousAttributes: previous}}
		if rapid.Bool().Draw(t, "by a request") {
			e.Request.ID = &request
		}
		want, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.Body(); err != nil || string(got) != string(want) {
			t.Fatalf("%s is sent of %s, %v", got, want, err)
		}
		if e.Data.PreviousAttributes = nil; rapid.Bool().Draw(t, "without both") {
			e.Data.Object = nil
		}
		if got, err := e.Body(); err == nil {
			t.Fatalf("%s is sent of an event without its data", got)
		}
	})
}
