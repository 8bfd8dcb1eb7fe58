package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svcpay/api/client"
)

const (
	oldSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	newSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	told      = `{"id":"evt_1","type":"charge.captured","timestamp":"2026-12-01T00:00:00.000Z","sequence":7,"application_id":12,"merchant_id":1042,
		"livemode":false,"api_version":"2026-12-01","request":{"id":"req_1","source":"api"},
		"data":{"object":{"id":"ch_1","object":"charge","amount":12500},"previous_attributes":{"status":"authorized"}}}`
)

// delivery signs a body with each of the secrets, as an endpoint's secrets are rotated.
func delivery(t *testing.T, body string, age time.Duration, secrets ...string) http.Header {
	t.Helper()
	at := time.Now().Add(-age)
	var signatures []string
	for _, secret := range secrets {
		w, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := w.Sign("evt_1", at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		signatures = append(signatures, signature)
	}
	header := http.Header{}
	header.Set("Webhook-Id", "evt_1")
	header.Set("Webhook-Timestamp", fmt.Sprint(at.Unix()))
	header.Set("Webhook-Signature", strings.Join(signatures, " "))
	return header
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	for name, secrets := range map[string][]string{"the secret": {oldSecret}, "one of two": {newSecret, oldSecret}} {
		event, err := client.VerifyWebhook(secrets, delivery(t, told, time.Minute, oldSecret), []byte(told), 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		charge, err := client.ObjectOf[client.Charge](event)
		if err != nil || charge.Amount != 12500 || event.Type != "charge.captured" || *event.Sequence != 7 ||
			*event.MerchantID != 1042 ||
			string(event.Data.PreviousAttributes["status"]) != `"authorized"` {
			t.Errorf("%s: %+v, %+v, %v", name, event, charge, err)
		}
		if _, err := client.ObjectOf[[]int](event); err == nil {
			t.Errorf("%s: an object of another form is read", name)
		}
	}
	if _, err := client.VerifyWebhook([]string{newSecret}, delivery(t, told, 0, oldSecret, newSecret), []byte(told),
		0); err != nil {
		t.Errorf("signed by two: %v", err)
	}
	if _, err := client.VerifyWebhook([]string{oldSecret}, delivery(t, told, time.Hour, oldSecret), []byte(told),
		2*time.Hour); err != nil {
		t.Errorf("within a longer tolerance: %v", err)
	}
}

func TestWebhooksThatAreRefused(t *testing.T) {
	t.Parallel()
	good := delivery(t, told, 0, oldSecret)
	without := func(name string) http.Header {
		h := good.Clone()
		h.Del(name)
		return h
	}
	with := func(name, value string) http.Header {
		h := good.Clone()
		h.Set(name, value)
		return h
	}
	only := []string{oldSecret}
	for name, c := range map[string]struct {
		secrets []string
		header  http.Header
		body    string
		want    error
	}{
		"another secret's":  {[]string{newSecret}, good, told, standardwebhooks.ErrNoMatchingSignature},
		"changed":           {only, good, strings.Replace(told, "12500", "99999", 1), standardwebhooks.ErrNoMatchingSignature},
		"another id":        {only, with("Webhook-Id", "evt_2"), told, standardwebhooks.ErrNoMatchingSignature},
		"another time":      {only, with("Webhook-Timestamp", "1"), told, standardwebhooks.ErrNoMatchingSignature},
		"no time":           {only, with("Webhook-Timestamp", "now"), told, standardwebhooks.ErrInvalidHeaders},
		"without signature": {only, without("Webhook-Signature"), told, standardwebhooks.ErrRequiredHeaders},
		"without id":        {only, without("Webhook-Id"), told, standardwebhooks.ErrRequiredHeaders},
		"old":               {only, delivery(t, told, 6*time.Minute, oldSecret), told, standardwebhooks.ErrMessageTooOld},
		"of the future":     {only, delivery(t, told, -6*time.Minute, oldSecret), told, standardwebhooks.ErrMessageTooNew},
		"no event":          {only, delivery(t, "[]", 0, oldSecret), "[]", nil},
		"no secrets":        {nil, good, told, nil},
		"no secret":         {[]string{""}, delivery(t, told, 0, ""), told, nil},
		"an empty secret":   {[]string{"whsec_"}, delivery(t, told, 0, ""), told, nil},
		"a mistyped secret": {[]string{"whsec_?"}, good, told, nil},
	} {
		event, err := client.VerifyWebhook(c.secrets, c.header, []byte(c.body), 0)
		if err == nil || event != nil || (c.want != nil && !errors.Is(err, c.want)) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "whsec_?") {
			t.Errorf("%s: the secret is told: %v", name, err)
		}
	}
}
