// Package vault keeps card data encrypted: a token's data in, and out again for one
// authorization.
//
// Every token has a data key of its own, wrapped by a key that the database does not hold. Each
// value is sealed with associated data token ‖ application ‖ merchant ‖ field, so that a sealed
// value moved to another row does not open. Deleting the wrapped key shreds the token.
package vault

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"

	"svcpay/internal/ids"
	"svcpay/internal/sensitive"
)

// CVCLife is how long a verification code is kept when no authorization uses it.
const CVCLife = 15 * time.Minute

// FingerprintSize is the length of a fingerprint in bytes.
const FingerprintSize = 32

// Ref says whose data a sealed value is.
type Ref struct {
	Token         ids.Token
	ApplicationID int64
	MerchantID    int64
}

// Sealed is a token's data as stored. CVC is empty when there is none.
type Sealed struct {
	WrappedKey []byte
	PAN        []byte
	CVC        []byte
}

// Card is a token's data in clear.
type Card struct {
	PAN sensitive.PAN
	CVC sensitive.CVC
}

// ErrSealed is returned when data does not open: another key, another row, or changed bytes.
var ErrSealed = errors.New("vault: the sealed data does not open")

// Vault seals and opens. It holds no database: its rows travel in the caller's transactions.
type Vault struct{ keys *Keys }

// New makes a vault over the keysets.
func New(keys *Keys) *Vault { return &Vault{keys: keys} }

// Fingerprint is the same for the same card number and tells nothing about it without the key.
func (v *Vault) Fingerprint(pan sensitive.PAN) ([]byte, error) {
	f, err := v.keys.fingerprint.ComputePrimaryPRF([]byte(pan.Reveal()), FingerprintSize)
	if err != nil {
		return nil, fmt.Errorf("vault: fingerprint: %w", err)
	}
	return f, nil
}

// Seal encrypts a card under a fresh data key.
func (v *Vault) Seal(ref Ref, card Card) (Sealed, error) {
	handle, err := keyset.NewHandle(aead.AES256GCMNoPrefixKeyTemplate())
	if err != nil {
		return Sealed{}, fmt.Errorf("vault: data key: %w", err)
	}
	var wrapped bytes.Buffer
	err = handle.WriteWithAssociatedData(keyset.NewBinaryWriter(&wrapped), v.keys.wrap, associated(ref, "key"))
	if err != nil {
		return Sealed{}, fmt.Errorf("vault: wrap: %w", err)
	}
	cipher, err := aead.New(handle)
	if err != nil {
		return Sealed{}, fmt.Errorf("vault: data key: %w", err)
	}
	s := Sealed{WrappedKey: wrapped.Bytes()}
	if s.PAN, err = seal(cipher, ref, "pan", card.PAN.Reveal()); err != nil {
		return Sealed{}, err
	}
	if !card.CVC.IsZero() {
		s.CVC, err = seal(cipher, ref, "cvc", card.CVC.Reveal())
	}
	return s, err
}

// Open decrypts what Seal made for the same ref.
func (v *Vault) Open(ref Ref, s Sealed) (Card, error) {
	reader := keyset.NewBinaryReader(bytes.NewReader(s.WrappedKey))
	handle, err := keyset.ReadWithAssociatedData(reader, v.keys.wrap, associated(ref, "key"))
	if err != nil {
		return Card{}, ErrSealed
	}
	cipher, err := aead.New(handle)
	if err != nil {
		return Card{}, ErrSealed
	}
	pan, err := cipher.Decrypt(s.PAN, associated(ref, "pan"))
	if err != nil {
		return Card{}, ErrSealed
	}
	card := Card{PAN: sensitive.NewPAN(string(pan))}
	if len(s.CVC) > 0 {
		cvc, err := cipher.Decrypt(s.CVC, associated(ref, "cvc"))
		if err != nil {
			return Card{}, ErrSealed
		}
		card.CVC = sensitive.NewCVC(string(cvc))
	}
	return card, nil
}

func seal(cipher tink.AEAD, ref Ref, field, clear string) ([]byte, error) {
	out, err := cipher.Encrypt([]byte(clear), associated(ref, field))
	if err != nil {
		return nil, fmt.Errorf("vault: seal %s: %w", field, err)
	}
	return out, nil
}

// associated is fixed-width but for the trailing field name, so no two refs give the same bytes.
func associated(ref Ref, field string) []byte {
	id := ref.Token.Bytes()
	b := append([]byte(nil), id[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(ref.ApplicationID))
	b = binary.BigEndian.AppendUint64(b, uint64(ref.MerchantID))
	return append(b, field...)
}
