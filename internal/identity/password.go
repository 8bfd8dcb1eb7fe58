package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The cost of a password's hash: argon2id with 64 MiB, two passes, one lane (RFC 9106).
const (
	argonMemory = 64 << 10 // KiB
	argonPasses = 2
	argonLanes  = 1
	saltSize    = 16
	hashSize    = 32
)

// hashing bounds how many hashes are computed at once, and so the memory that sign-ins can take.
var hashing = make(chan struct{}, 2)

var hashText = base64.RawStdEncoding

// nobodysHash is compared with when an address is unknown, so that the answer takes as long.
var nobodysHash = format(make([]byte, saltSize), make([]byte, hashSize))

var errHash = errors.New("identity: a stored password hash is malformed")

func hashPassword(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails (crypto/rand)
	sum, err := argon(ctx, password, salt)
	return format(salt, sum), err
}

func checkPassword(ctx context.Context, hash, password string) (bool, error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 {
		return false, errHash
	}
	salt, err1 := hashText.DecodeString(parts[4])
	want, err2 := hashText.DecodeString(parts[5])
	if err1 != nil || err2 != nil {
		return false, errHash
	}
	sum, err := argon(ctx, password, salt)
	return subtle.ConstantTimeCompare(sum, want) == 1, err
}

func argon(ctx context.Context, password string, salt []byte) ([]byte, error) {
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(password), salt, argonPasses, argonMemory, argonLanes, hashSize), nil
}

// format writes the PHC string of a hash.
func format(salt, sum []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonPasses, argonLanes,
		hashText.EncodeToString(salt), hashText.EncodeToString(sum))
}

// common tells whether a password is a well-known one, or one character or word repeated.
func common(password string) bool {
	p := strings.ToLower(password)
	for _, w := range []string{"password", "passwort", "qwerty", "letmein", "iloveyou", "welcome", "admin", "svcpay", "abc", "123", "1234567890"} {
		if strings.Trim(strings.ReplaceAll(p, w, ""), "0123456789!.-_ ") == "" {
			return true
		}
	}
	return strings.Trim(p, p[:1]) == ""
}
