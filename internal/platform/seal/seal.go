// Package seal encrypts secrets at rest that the service must be able to read again, such as webhook signing secrets.
//
// A sealed secret opens only for the purpose that it was sealed for, so one that is moved to another row does not open.
package seal

import (
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// ErrSealed is returned when a secret does not open: another key, another purpose, or changed bytes.
var ErrSealed = errors.New("seal: the sealed secret does not open")

// Box seals and opens by one keyset, which never enters the database.
type Box struct{ aead tink.AEAD }

// New makes a box of a keyset.
func New(h *keyset.Handle) (*Box, error) {
	a, err := aead.New(h)
	if err != nil {
		return nil, fmt.Errorf("seal: keyset: %w", err)
	}
	return &Box{a}, nil
}

// NewKeyset makes a fresh keyset.
func NewKeyset() (*keyset.Handle, error) { return keyset.NewHandle(aead.AES256GCMKeyTemplate()) }

// Seal encrypts a secret for a purpose, such as the id of the row that it belongs to.
func (b *Box) Seal(secret []byte, purpose string) ([]byte, error) {
	sealed, err := b.aead.Encrypt(secret, []byte(purpose))
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// Open decrypts what was sealed for a purpose.
func (b *Box) Open(sealed []byte, purpose string) ([]byte, error) {
	secret, err := b.aead.Decrypt(sealed, []byte(purpose))
	if err != nil {
		return nil, ErrSealed // the cause tells nothing that the caller does not know
	}
	return secret, nil
}
