package event_test

import (
	"encoding/json"
	"testing"
	"time"

	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
)

// FuzzBody demands that an event is sent byte for byte as the API shows it, whatever its object was when it was
// written.
func FuzzBody(f *testing.F) {
	for _, text := range []string{`null`, `{}`, `[ ]`, `{"a": [1, 2.50, -3e5], "b": {"c": null}}`, `" a  b "`,
		`"\" , \\"`, `{"\\": "\\\" : \\"}`,
		`"<b>&amp;</b>"`, `{"<": "\u003c"}`, "\"\u2028 \u2029 \u2027 \u20ac\"", "\"\xe2\"", " [ true ,\tfalse\r\n] "} {
		f.Add(text, text, text)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	sequence, merchant, request := int64(7), int64(1001), ids.NewRequest(at)
	f.Fuzz(func(t *testing.T, object, previous, name string) {
		written, err := json.Marshal(json.RawMessage(object))
		former, other := json.Marshal(json.RawMessage(previous))
		if err != nil || other != nil {
			return // what is no JSON
		}
		for _, e := range []event.Event{
			{ID: ids.NewEvent(at), Object: "event", Type: name, Timestamp: instant.Of(at), Sequence: &sequence,
				ApplicationID: 3,
				MerchantID:    &merchant, Livemode: true, APIVersion: "2026-01-01", Request: event.Request{
					ID: &request, Source: "api"},
				Data: event.Data{Object: written, PreviousAttributes: former}},
			{Data: event.Data{Object: former, PreviousAttributes: written}},
		} {
			want, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Body(); string(got) != string(want) {
				t.Errorf("%q and %q of %q are sent as\n%s, want\n%s", object, previous, name, got, want)
			}
		}
	})
}
