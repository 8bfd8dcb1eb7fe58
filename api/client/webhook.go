package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// DefaultTolerance is how far a delivery's time may be from ours.
const DefaultTolerance = 5 * time.Minute

// ObjectOf reads an event's object, which its Type names: ObjectOf[Charge] of charge.captured.
func ObjectOf[T any](e *Event) (*T, error) {
	object := new(T)
	if err := json.Unmarshal(e.Data.Object, object); err != nil {
		return nil, fmt.Errorf("svcpay: the object of %s: %w", e.Type, err)
	}
	return object, nil
}

// VerifyWebhook returns the event of a delivery, whose body is as it came, if one of the endpoint's secrets (whsec_…)
// signed it no longer ago than tolerance; 0 is [DefaultTolerance]. While a secret is rotated, give the old and the new
// one. Answer 400 to what fails, and 2xx to the rest before the work that follows from it.
func VerifyWebhook(secrets []string, header http.Header, body []byte, tolerance time.Duration) (*Event, error) {
	if err := signed(secrets, header, body); err != nil {
		return nil, fmt.Errorf("svcpay: webhook: %w", err)
	}
	seconds, err := strconv.ParseInt(header.Get(standardwebhooks.HeaderWebhookTimestamp), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("svcpay: webhook: %w", err)
	}
	if tolerance == 0 {
		tolerance = DefaultTolerance
	}
	switch age := time.Since(time.Unix(seconds, 0)); {
	case age > tolerance:
		return nil, fmt.Errorf("svcpay: webhook: %w", standardwebhooks.ErrMessageTooOld)
	case age < -tolerance:
		return nil, fmt.Errorf("svcpay: webhook: %w", standardwebhooks.ErrMessageTooNew)
	}
	event := new(Event)
	if err := json.Unmarshal(body, event); err != nil {
		return nil, fmt.Errorf("svcpay: webhook: %w", err)
	}
	return event, nil
}

// signed reports whether one of the secrets signed a delivery.
func signed(secrets []string, header http.Header, body []byte) error {
	err := errors.New("no secret was given")
	for _, secret := range secrets {
		var w *standardwebhooks.Webhook
		if w, err = standardwebhooks.NewWebhook(secret); err != nil || strings.TrimPrefix(secret, "whsec_") == "" {
			return errors.New("a secret is whsec_ and base64") // without the library's words: they are about the secret
		}
		if err = w.VerifyIgnoringTimestamp(body, header); err == nil {
			return nil
		}
	}
	return err
}
