package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"math/big"
	"strings"
)

// Kind says whom a key is for.
type Kind string

// The kinds of API keys.
const (
	Secret     Kind = "secret"     // an application's server: everything that the API does
	Restricted Kind = "restricted" // a program of its: what the key's rights allow
	Public     Kind = "public"     // payers' browsers
)

// Kinds lists them.
func Kinds() []Kind { return []Kind{Secret, Restricted, Public} }

const (
	randomLength   = 32 // base-62 characters of randomness: 190 bits
	checksumLength = 6  // base-62 characters of CRC-32, so that a mistyped key is known without a look-up
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

var prefixes = map[Kind]string{Secret: "sk", Restricted: "rk", Public: "pk"}

// prefix is how every key of a kind begins.
func (k Kind) prefix(env Environment) string { return prefixes[k] + "_" + string(env) + "_" }

// keyText is a key as its holder writes it: prefix_environment_random+checksum.
type keyText struct {
	kind Kind
	env  Environment
	text string
}

func newText(kind Kind, env Environment) string {
	var b strings.Builder
	for range randomLength {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(base62))))
		if err != nil {
			panic("apikey: no randomness: " + err.Error()) // crypto/rand never fails on a sound system
		}
		b.WriteByte(base62[n.Int64()])
	}
	head := kind.prefix(env) + b.String()
	return head + checksum(head)
}

func checksum(head string) string {
	sum := uint64(crc32.ChecksumIEEE([]byte(head)))
	out := make([]byte, checksumLength)
	for i := checksumLength - 1; i >= 0; i-- {
		out[i] = base62[sum%62]
		sum /= 62
	}
	return string(out)
}

var errMalformed = errors.New("apikey: not a key")

// parseText takes a key apart and checks its checksum.
func parseText(s string) (keyText, error) {
	parts := strings.Split(s, "_")
	if len(parts) != 3 || len(parts[2]) != randomLength+checksumLength {
		return keyText{}, errMalformed
	}
	if head := s[:len(s)-checksumLength]; checksum(head) != s[len(s)-checksumLength:] {
		return keyText{}, errMalformed
	}
	k := keyText{env: Environment(parts[1]), text: s}
	for kind, prefix := range prefixes {
		if parts[0] == prefix {
			k.kind = kind
		}
	}
	if k.kind == "" || (k.env != Sandbox && k.env != Production) {
		return keyText{}, errMalformed
	}
	return k, nil
}

// IsPrivate reports whether a text begins like a key that stays on a server.
func IsPrivate(key string) bool {
	return strings.HasPrefix(key, prefixes[Secret]+"_") || strings.HasPrefix(key, prefixes[Restricted]+"_")
}

// last4 is the end of the key, by which people tell their keys from each other. It is part of the
// checksum: what stays unknown are more than 160 bits.
func (k keyText) last4() string { return k.text[len(k.text)-4:] }

// hash is what the database keeps of a secret or restricted key. The key has 190 bits of its own, so a
// plain digest cannot be searched and needs no salt.
func (k keyText) hash() []byte {
	sum := sha256.Sum256([]byte(k.text))
	return sum[:]
}
