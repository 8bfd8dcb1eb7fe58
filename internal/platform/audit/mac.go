package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/platform/seal"
)

// ErrNoKey is returned for a chain with keyed hashes by a log without a key.
var ErrNoKey = errors.New("audit: the log has keyed hashes, and there is no key to verify them")

// keyed is a policy together with the key of the log.
type keyed struct {
	authz.Checker
	mac *seal.MAC
}

// Keyed is a policy whose logs write keyed hashes: without the key, even the owner of the tables can't compute them. A
// log that is made with another policy writes plain hashes and verifies only these.
func Keyed(check authz.Checker, mac *seal.MAC) authz.Checker { return keyed{check, mac} }

// entryKey is the key of one entry's hash. The database gets only this key. An attacker who sees it there can forge
// this entry and no other.
func (l *Log) entryKey(e Entry) ([]byte, error) {
	if l.mac == nil {
		return nil, ErrNoKey
	}
	if *e.MACKey < 0 || *e.MACKey > 1<<32-1 {
		return nil, fmt.Errorf("audit: %w", seal.ErrNoKey)
	}
	return l.mac.Sum(uint32(*e.MACKey), []byte("entry "+e.ID.String()))
}

// pads are the two blocks that HMAC (RFC 2104) begins its hashes with, so that the database can compute it.
func pads(key []byte) (inner, outer []byte) {
	inner, outer = make([]byte, sha256.BlockSize), make([]byte, sha256.BlockSize)
	copy(inner, key)
	copy(outer, key)
	for i := range inner {
		inner[i] ^= 0x36
		outer[i] ^= 0x5c
	}
	return inner, outer
}

// hashOf is the hash of an entry that follows another.
func (l *Log) hashOf(e Entry, before []byte) ([]byte, error) {
	content, err := e.content()
	if err != nil || e.MACKey == nil {
		return after(before, content), err
	}
	key, err := l.entryKey(e)
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, key)
	h.Write(before)
	h.Write(content)
	return h.Sum(nil), nil
}
