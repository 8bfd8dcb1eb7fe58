// Package signature signs webhooks (Standard Webhooks) and explains why a signature is not valid.
//
// It reads no clock, file or network: the caller passes everything to compare with.
package signature

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// The headers of a delivery.
const (
	HeaderID        = standardwebhooks.HeaderWebhookID
	HeaderTimestamp = standardwebhooks.HeaderWebhookTimestamp
	HeaderSignature = standardwebhooks.HeaderWebhookSignature
)

// Tolerance is how far a delivery's time may be from its receiver's.
const Tolerance = 5 * time.Minute

// secretSize is how many random bytes a new secret has.
const secretSize = 32

const secretPrefix = "whsec_"

// version begins each signature.
const version = "v1"

// Secret is what deliveries are signed with.
type Secret struct {
	text string
	hook *standardwebhooks.Webhook
}

// NewSecret makes a secret.
func NewSecret() Secret {
	key := make([]byte, secretSize)
	_, _ = rand.Read(key) // crypto/rand never fails
	s, err := SecretOf(secretPrefix + base64.StdEncoding.EncodeToString(key))
	if err != nil {
		panic(err) // it was written as it is read
	}
	return s
}

// SecretOf reads a secret as its holder writes it: whsec_ and base64. Its errors do not repeat the text.
func SecretOf(text string) (Secret, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	switch {
	case strings.TrimSpace(text) != text:
		return Secret{}, errors.New("a secret has no white space around it")
	case strings.HasPrefix(text, "sk_") || strings.HasPrefix(text, "rk_") || strings.HasPrefix(text, "pk_"):
		return Secret{}, errors.New("this is an API key: webhooks are signed with a secret of their endpoint, whsec_…")
	case !ok || encoded == "":
		return Secret{}, errors.New("a secret begins with whsec_, which base64 follows")
	}
	hook, err := standardwebhooks.NewWebhook(encoded)
	if err != nil {
		return Secret{}, errors.New("what follows whsec_ is not base64: the secret is cut short, or was changed")
	}
	return Secret{text, hook}, nil
}

// Text is the secret as its holder writes it.
func (s Secret) Text() string { return s.text }

// String keeps the secret out of logs.
func (s Secret) String() string { return "whsec_••••" }

// GoString keeps the secret out of logs, too.
func (s Secret) GoString() string { return s.String() }

// Sign makes the headers of a delivery of an event at a time.
func (s Secret) Sign(id string, at time.Time, body []byte) (http.Header, error) {
	text, err := s.hook.Sign(id, at, body)
	if err != nil {
		return nil, err
	}
	h := http.Header{}
	h.Set(HeaderID, id)
	h.Set(HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(HeaderSignature, text)
	return h, nil
}
