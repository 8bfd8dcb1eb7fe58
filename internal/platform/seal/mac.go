package seal

import (
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/prf"
)

// macSize is the length of a keyed hash in bytes.
const macSize = 32

// ErrNoKey is returned for a keyed hash by a key that the keyset does not have.
var ErrNoKey = errors.New("seal: the keyset does not have this key")

// MAC computes keyed hashes for one purpose, with keys that never enter the database. Each purpose has other hashes of
// the same text.
type MAC struct {
	set     *prf.Set
	purpose string
}

// NewMAC makes the hashes of a purpose, such as the name of a table.
func NewMAC(set *prf.Set, purpose string) *MAC { return &MAC{set, purpose} }

// Key is the id of the key that new hashes are computed with.
func (m *MAC) Key() uint32 { return m.set.PrimaryID }

// Sum is the hash of a text by one of the keys. It returns [ErrNoKey] for an id that no key has.
func (m *MAC) Sum(key uint32, text []byte) ([]byte, error) {
	by, ok := m.set.PRFs[key]
	if !ok {
		return nil, ErrNoKey
	}
	sum, err := by.ComputePRF(append([]byte(m.purpose+"\x00"), text...), macSize)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sum, nil
}
