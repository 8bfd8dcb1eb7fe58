package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svcpay/internal/ids"
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
