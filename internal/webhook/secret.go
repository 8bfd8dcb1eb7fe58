package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

// secretSize is how many random bytes a secret has; Standard Webhooks wants 24 to 64.
const secretSize = 32

const secretPrefix = "whsec_"

// newSecret makes a secret as its holder writes it, and seals it.
func (s *Service) newSecret(id ids.Endpoint) (text string, sealed []byte, err error) {
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // crypto/rand never fails
	sealed, err = s.Box.Seal(secret, purpose(id))
	return secretPrefix + base64.StdEncoding.EncodeToString(secret), sealed, err
}

// once is [idempotency.Once] for a change of an endpoint. If do makes a secret, it is in the answer, and in
// the one of a repetition; what is kept for that has it sealed.
func (s *Service) once(ctx context.Context, claim *idempotency.Claim, id ids.Endpoint, do func(*pg.Tx) (Endpoint, error)) (idempotency.Result[Endpoint], error) {
	secret := ""
	out, err := idempotency.Once(ctx, s.Pool, claim, s.Now(), id.Bytes(), func(tx *pg.Tx) (Endpoint, error) {
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
	secret, err := s.Box.Open(sealed, purpose(e.ID))
	if err != nil {
		return err
	}
	e.Secret = secretPrefix + base64.StdEncoding.EncodeToString(secret)
	kept.Result, err = json.Marshal(e)
	return err
}

func purpose(id ids.Endpoint) string { return "webhook:" + id.String() }

// signatures signs a message by every secret of an endpoint that is valid at a time, the newest first,
// as the header webhook-signature tells them.
func (s *Service) signatures(e Endpoint, messageID string, at time.Time, body []byte) (string, error) {
	secrets := [][]byte{e.Sealed}
	if e.SealedPrevious != nil && at.Before(e.PreviousUntil.Time) {
		secrets = append(secrets, e.SealedPrevious)
	}
	out := make([]string, len(secrets))
	for i, sealed := range secrets {
		secret, err := s.Box.Open(sealed, purpose(e.ID))
		if err != nil {
			return "", err
		}
		hook, err := standardwebhooks.NewWebhookRaw(secret)
		if err != nil {
			return "", err
		}
		if out[i], err = hook.Sign(messageID, at, body); err != nil {
			return "", err
		}
	}
	return strings.Join(out, " "), nil
}
