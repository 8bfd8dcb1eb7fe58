package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// secretSize is how many random bytes a secret has; Standard Webhooks wants 24 to 64.
const secretSize = 32

const secretPrefix = "whsec_"

// newSecret makes a secret as its holder writes it, and seals it.
func (s *Service) newSecret(id ids.Endpoint) (text string, sealed []byte, err error) {
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // crypto/rand never fails
	sealed, err = s.deps.Box.Seal(secret, purpose(id))
	return secretPrefix + base64.StdEncoding.EncodeToString(secret), sealed, err
}

// once is [idempotency.Once] for a change of an endpoint. If do makes a secret, it is in the answer, and in
// the one of a repetition; what is kept for that has it sealed.
func (s *Service) once(ctx context.Context, claim *idempotency.Claim, id ids.Endpoint,
	do func(*pg.Tx) (Endpoint, error)) (idempotency.Result[Endpoint], error) {
	secret := ""
	out, err := idempotency.Once(ctx, s.deps.Pool, claim, s.deps.Now(), id.Bytes(), func(tx *pg.Tx) (Endpoint, error) {
		e, err := do(tx)
		if secret = e.Secret; secret != "" {
			e.Secret = base64.StdEncoding.EncodeToString(e.Sealed)
		}
		return e, err
	})
	if err != nil {
		return out, err
	}
	if out.Prior != nil {
		return out, s.reveal(&out.Prior.Outcome)
	}
	out.Object.Secret = secret
	return out, nil
}

// reveal opens the secret in what was kept of an answer.
func (s *Service) reveal(kept *idempotency.Outcome) error {
	var e Endpoint
	if kept.Result == nil {
		return nil
	}
	if err := json.Unmarshal(kept.Result, &e); err != nil || e.Secret == "" {
		return err
	}
	sealed, err := base64.StdEncoding.DecodeString(e.Secret)
	if err != nil {
		return err
	}
	secret, err := s.deps.Box.Open(sealed, purpose(e.ID))
	if err != nil {
		return err
	}
	e.Secret = secretPrefix + base64.StdEncoding.EncodeToString(secret)
	kept.Result, err = json.Marshal(e)
	return err
}

func purpose(id ids.Endpoint) string { return "webhook:" + id.String() }

// signer is what signs an endpoint's messages: its secrets, opened.
type signer struct {
	current, previous *standardwebhooks.Webhook // previous is nil for none
	until             time.Time                 // when the previous one's time is over
}

func (s *Service) signer(e Endpoint) (k signer, err error) {
	if k.current, err = s.opened(e, e.Sealed); err != nil || e.SealedPrevious == nil {
		return k, err
	}
	k.until = e.PreviousUntil.Time
	k.previous, err = s.opened(e, e.SealedPrevious)
	return k, err
}

func (s *Service) opened(e Endpoint, sealed []byte) (*standardwebhooks.Webhook, error) {
	secret, err := s.deps.Box.Open(sealed, purpose(e.ID))
	if err != nil {
		return nil, err
	}
	return standardwebhooks.NewWebhookRaw(secret)
}

// sign signs a message by every secret that is valid at a time, the newest first, as the header webhook-signature
// tells them.
func (k signer) sign(messageID string, at time.Time, body []byte) (string, error) {
	out, err := k.current.Sign(messageID, at, body)
	if err != nil || k.previous == nil || !at.Before(k.until) {
		return out, err
	}
	older, err := k.previous.Sign(messageID, at, body)
	return out + " " + older, err
}
