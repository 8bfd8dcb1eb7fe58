package shop

import (
	"encoding/json"
	"io"
	"net/http"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	// failingPath is the address of an endpoint that always fails: an example of one to find and repair in the portal.
	failingPath = "/webhooks/failing-example"
	// maxEvent is the most bytes of an event that are read.
	maxEvent = 1 << 20
)

// receiveEvent takes an event that SvcPay sends. It verifies the signature over the body as it came, and acknowledges
// at once; a shop with a database would first write the event down by its id, since one may be delivered twice.
func (s *shop) receiveEvent(w http.ResponseWriter, r *http.Request) {
	hook, err := standardwebhooks.NewWebhook(s.cfg.WebhookSecret)
	if err != nil || s.cfg.WebhookSecret == "" {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEvent))
	if err != nil || hook.Verify(body, r.Header) != nil {
		http.Error(w, "This is not an event that SvcPay signed.", http.StatusBadRequest)
		return
	}
	var event struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "This event is not JSON.", http.StatusBadRequest)
		return
	}
	s.log.Info("event received", "id", r.Header.Get("webhook-id"), "type", event.Type)
	w.WriteHeader(http.StatusNoContent)
}

func failEvent(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "This example endpoint always fails.", http.StatusServiceUnavailable)
}
