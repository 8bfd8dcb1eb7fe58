package shop

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func TestEventsAreVerified(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	body := `{"type":"charge.captured"}`
	signature, err := hook.Sign("evt_1", now, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, secret, path, body string
		status                   int
	}{
		{"signed", secret, "/webhooks", body, http.StatusNoContent},
		{"changed", secret, "/webhooks", `{"type":"charge.captured" }`, http.StatusBadRequest},
		{"without a secret", "", "/webhooks", body, http.StatusNotFound},
		{"the failing example", secret, failingPath, body, http.StatusServiceUnavailable},
	} {
		front := New(Config{Merchants: []Merchant{{ID: 1}}, BaseURL: "http://api.example", PayURL: "http://pay.example",
			WebhookSecret: c.secret})
		r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body))
		r.Header.Set("webhook-id", "evt_1")
		r.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
		r.Header.Set("webhook-signature", signature)
		answer := httptest.NewRecorder()
		front.ServeHTTP(answer, r)
		if answer.Code != c.status {
			t.Errorf("%s: %d %s", c.name, answer.Code, answer.Body)
		}
	}
}
