package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/secure/precis"
)

// cost is how hard a password's hash is to compute. It is written into the hash, so that raising it
// leaves the old ones valid.
type cost struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
}

// today is the cost of new hashes: argon2id (RFC 9106) with 64 MiB, two passes, one lane.
var today = cost{memory: 64 << 10, passes: 2, lanes: 1}

const (
	saltSize = 16
	hashSize = 32
)

var hashText = base64.RawStdEncoding

// nobodysHash is compared with when an address is unknown, so that the answer takes as long.
var nobodysHash = today.format(make([]byte, saltSize), make([]byte, hashSize))

var errHash = errors.New("identity: a stored password hash is malformed")

func hashPassword(ctx context.Context, password string) (string, error) {
	done, err := hashing.take(ctx, true, nil)
	if err != nil {
		return "", err
	}
	defer done()
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails (crypto/rand)
	return today.format(salt, today.hash(prepared(password), salt)), nil
}

// prepared is a password as it is hashed: the same whatever keyboard it was typed on (RFC 8265, OpaqueString). One
// that the profile does not allow is hashed as it is.
func prepared(password string) string {
	if p, err := precis.OpaqueString.String(password); err == nil {
		return p
	}
	return password
}

// match is how a password compares with a hash.
type match struct {
	right  bool
	former bool // only as it was typed: the hash is from before passwords were prepared
}

// checkPassword is what anybody can ask for, so its wait is bounded. Someone who is known waits least.
func checkPassword(ctx context.Context, hash, password string, known bool) (match, error) {
	form := prepared(password)
	right, err := compare(ctx, hash, form, known)
	if err != nil || right || form == password {
		return match{right: right}, err
	}
	right, err = compare(ctx, hash, password, known)
	return match{right, right}, err
}

func compare(ctx context.Context, hash, password string, known bool) (bool, error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 {
		return false, errHash
	}
	var c cost
	_, err := fmt.Sscanf(parts[3], costFormat, &c.memory, &c.passes, &c.lanes)
	salt, err1 := hashText.DecodeString(parts[4])
	want, err2 := hashText.DecodeString(parts[5])
	if errors.Join(err, err1, err2) != nil {
		return false, errHash
	}
	done, err := hashing.take(ctx, known, time.After(hashingWait))
	if err != nil {
		return false, err
	}
	defer done()
	return subtle.ConstantTimeCompare(c.hash(password, salt), want) == 1, nil
}

func (c cost) hash(password string, salt []byte) []byte {
	return argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.lanes, hashSize)
}

const costFormat = "m=%d,t=%d,p=%d"

// format writes the PHC string of a hash.
func (c cost) format(salt, sum []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$"+costFormat+"$%s$%s", argon2.Version, c.memory, c.passes, c.lanes,
		hashText.EncodeToString(salt), hashText.EncodeToString(sum))
}
