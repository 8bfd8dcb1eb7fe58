package webhook_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/webhook"
)

// What is leased for an endpoint and has not been begun is not sent to where the endpoint was, nor at all when it is
// gone.
func TestAnEndpointThatChangesGetsLittleOfWhatWasLeasedBefore(t *testing.T) {
	t.Parallel()
	const events, before, most = 640, 250, 96 // those in progress, and as many more twice
	// A worker learns of the change when it writes down what attempts came to. It has three of these for that, and a
	// worker that does not learn of it sends all that it has leased within five.
	const later = 400 * time.Millisecond
	for what, c := range map[string]struct {
		change func(w world, e webhook.Endpoint, elsewhere string) error
		rest   bool // it goes elsewhere
	}{
		"moves": {func(w world, e webhook.Endpoint, elsewhere string) error {
			_, err := w.Webhooks.Update(t.Context(), w.Actor(), e.ID.String(),
				webhook.UpdateInput{URL: &elsewhere}, nil)
			return err
		}, true},
		"is deleted": {func(w world, e webhook.Endpoint, _ string) error {
			_, err := w.Webhooks.Delete(t.Context(), w.Actor(), e.ID.String(), webhook.DeleteInput{}, nil)
			return err
		}, false},
		"is disabled": {func(w world, e webhook.Endpoint, _ string) error {
			_, err := w.Webhooks.Disable(t.Context(), w.Actor(), e.ID.String(), nil)
			return err
		}, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var changed atomic.Bool
			r := receive(t, func(http.ResponseWriter, *http.Request) {
				if changed.Load() {
					time.Sleep(later)
					return
				}
				time.Sleep(60 * time.Millisecond)
			})
			elsewhere := receive(t, answer(200))
			e := w.listen(r, "charge.created")
			w.emit(events, "charge.created")
			w.number()
			stop := w.work()
			r.await(before)
			changed.Store(true)
			if err := c.change(w, e, elsewhere.url); err != nil {
				t.Fatal(err)
			}
			sent := len(r.messages())
			if c.rest {
				elsewhere.await(events - sent - most)
				eventually(t, func() bool { return len(r.messages())+len(elsewhere.messages()) >= events },
					"%d messages", events)
			} else {
				time.Sleep(5 * later)
			}
			stop()
			late, seen := len(r.messages())-sent, make(map[string]bool)
			if late > most {
				t.Errorf("%d came when the endpoint was another", late)
			}
			for _, m := range append(r.messages(), elsewhere.messages()...) {
				if c.rest && seen[m.ID] {
					t.Errorf("%s came twice", m.ID)
				}
				seen[m.ID] = true
			}
		})
	}
}
