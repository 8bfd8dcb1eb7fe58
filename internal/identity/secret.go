package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// newSecret is a text of 256 random bits, for a cookie or a link.
func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(b)
}

// digest is what the database keeps of a secret that has enough randomness to need no salt.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
