// Package ids defines the typed identifiers: a prefix and a lowercase ULID, stored as uuid. The type parameter keeps
// the id of a refund from being used as that of a charge.
package ids

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oklog/ulid/v2"
)

// Kind is what an id points at; its prefix starts the printed form.
type Kind interface{ Prefix() string }

// ID is a time-ordered identifier of a K. The zero ID is "none" and prints as "".
type ID[K Kind] struct{ u ulid.ULID }

// ErrID is returned for text that is not an id of the wanted kind.
var ErrID = errors.New("ids: not an id of this kind")

// New makes an id whose time part is now.
func New[K Kind](now time.Time) ID[K] {
	return ID[K]{ulid.MustNew(ulid.Timestamp(now), &entropy)}
}

// entropy is the system's own, asked for some hundred ids at a time: a charge makes ten, and to ask costs more than to
// make one.
var entropy = ahead{from: bufio.NewReader(rand.Reader)}

type ahead struct {
	mu   sync.Mutex
	from io.Reader
}

// Read fills p. Any number of goroutines may call it; no two get the same bytes.
func (a *ahead) Read(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return io.ReadFull(a.from, p)
}

// Parse reads the printed form, and only the canonical one. The zero id has none.
func Parse[K Kind](s string) (ID[K], error) {
	var k K
	rest, ok := strings.CutPrefix(s, k.Prefix()+"_")
	if !ok {
		return ID[K]{}, ErrID
	}
	u, err := ulid.ParseStrict(rest)
	if err != nil || strings.ToLower(u.String()) != rest || u == (ulid.ULID{}) {
		return ID[K]{}, ErrID
	}
	return ID[K]{u}, nil
}

// String prints prefix_ulid, or "" for the zero id.
func (id ID[K]) String() string {
	if id.IsZero() {
		return ""
	}
	var k K
	return k.Prefix() + "_" + strings.ToLower(id.u.String())
}

// IsZero reports whether this is no id at all.
func (id ID[K]) IsZero() bool { return id.u == ulid.ULID{} }

// FromBytes takes an id from the 16 bytes as stored.
func FromBytes[K Kind](b [16]byte) ID[K] { return ID[K]{b} }

// First is the least id whose time part is t; the zero id for a time before 1970.
func First[K Kind](t time.Time) ID[K] {
	var id ID[K]
	if ms := t.UnixMilli(); ms > 0 {
		_ = id.u.SetTime(min(uint64(ms), ulid.MaxTime()))
	}
	return id
}

// Time is the id's time part, to the millisecond.
func (id ID[K]) Time() time.Time { return ulid.Time(id.u.Time()).UTC() }

// Bytes gives the 16 bytes as stored, for columns that hold ids of several kinds.
func (id ID[K]) Bytes() [16]byte { return id.u }

// MarshalText prints the id for JSON.
func (id ID[K]) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText parses the printed form.
func (id *ID[K]) UnmarshalText(b []byte) error {
	v, err := Parse[K](string(b))
	if err != nil {
		return err
	}
	*id = v
	return nil
}

// ScanUUID reads a uuid column; NULL becomes the zero id.
func (id *ID[K]) ScanUUID(v pgtype.UUID) error {
	id.u = ulid.ULID{}
	if v.Valid {
		id.u = v.Bytes
	}
	return nil
}

// UUIDValue writes a uuid column; the zero id becomes NULL.
func (id ID[K]) UUIDValue() (pgtype.UUID, error) {
	return pgtype.UUID{Bytes: id.u, Valid: !id.IsZero()}, nil
}
