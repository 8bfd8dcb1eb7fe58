// Package vault encrypts card and bank account numbers, and decrypts a token's data for one call to a processor.
//
// Every token has its own data key, wrapped by a key that is not in the database. Each value is sealed with the
// associated data token ‖ application ‖ merchant ‖ field, so a sealed value that is moved to another row does not open.
// Deleting the wrapped key shreds the token.
package vault

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"

	"svcpay/internal/ids"
	box "svcpay/internal/platform/seal"
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

// Sealed is a token's data as stored: a card's, whose CVC and Cryptogram are empty when there is none, or a
// bank account's.
type Sealed struct {
	WrappedKey    []byte
	PAN           []byte
	CVC           []byte
	Cryptogram    []byte
	AccountNumber []byte
	once          bool // there is a code or cryptogram, whose time may be over
}

// Card is a token's data in clear.
type Card struct {
	PAN sensitive.PAN
	CVC sensitive.CVC
	// Cryptogram stands for the CVC of a card that came from a wallet. ECI is the electronic commerce indicator of the
	// same payload, "" if there was none. It is sealed and deleted with the cryptogram.
	Cryptogram sensitive.Cryptogram
	ECI        string
}

// ErrSealed is returned when data does not open: another key, another row, or changed bytes.
var ErrSealed = errors.New("vault: the sealed data does not open")

// Vault seals and opens. It holds no database: its rows travel in the caller's transactions.
type Vault struct {
	keys *Keys
	// Page is how many tokens a rotation looks at in one statement.
	Page int
	// Unreadable is called for each use of a token that failed because its data does not open; nil calls nothing.
	Unreadable func(ctx context.Context)
}

// MAC makes keyed hashes for one purpose.
func (v *Vault) MAC(purpose string) *box.MAC { return v.keys.MAC(purpose) }

// ReportUnreadable logs that a token could not be used because its data does not open, and counts it. An operator must
// look: a key or a row is wrong.
func (v *Vault) ReportUnreadable(ctx context.Context, ref Ref) {
	slog.ErrorContext(ctx, "stored payment data does not open", "token", ref.Token.String(), "application_id",
		ref.ApplicationID, "merchant_id", ref.MerchantID)
	if v.Unreadable != nil {
		v.Unreadable(ctx)
	}
}

// New makes a vault over the keysets.
func New(keys *Keys) *Vault { return &Vault{keys: keys, Page: rotationPage} }

// Fingerprint is the same for the same card number and tells nothing about it without the key.
func (v *Vault) Fingerprint(pan sensitive.PAN) ([]byte, error) { return v.digest(pan.Reveal()) }

// AccountFingerprint is the same for the same account at the same bank.
func (v *Vault) AccountFingerprint(routing string, number sensitive.AccountNumber) ([]byte, error) {
	return v.digest(routing + ":" + number.Reveal())
}

// DepositsDigest is the same for the same two amounts, in either order, of one token. Without the key
// nothing says which of the few possible amounts they are.
func (v *Vault) DepositsDigest(ref Ref, amounts [2]int64) ([]byte, error) {
	return v.digest(fmt.Sprintf("%x%d:%d", associated(ref, "deposits"), min(amounts[0], amounts[1]),
		max(amounts[0], amounts[1])))
}

func (v *Vault) digest(clear string) ([]byte, error) {
	f, err := v.keys.fingerprint.ComputePrimaryPRF([]byte(clear), FingerprintSize)
	if err != nil {
		return nil, fmt.Errorf("vault: fingerprint: %w", err)
	}
	return f, nil
}

// Seal encrypts a card under a fresh data key.
func (v *Vault) Seal(ref Ref, card Card) (s Sealed, err error) {
	cipher, err := v.newKey(ref, &s)
	if err != nil {
		return Sealed{}, err
	}
	if s.PAN, err = seal(cipher, ref, "pan", card.PAN.Reveal()); err != nil {
		return Sealed{}, err
	}
	if !card.CVC.IsZero() {
		s.CVC, err = seal(cipher, ref, "cvc", card.CVC.Reveal())
	} else if !card.Cryptogram.IsZero() {
		s.Cryptogram, err = seal(cipher, ref, "cryptogram", strings.TrimSpace(card.Cryptogram.Reveal()+" "+card.ECI))
	}
	return s, err
}

// SealAccount encrypts the number of a bank account under a fresh data key.
func (v *Vault) SealAccount(ref Ref, number sensitive.AccountNumber) (s Sealed, err error) {
	cipher, err := v.newKey(ref, &s)
	if err != nil {
		return Sealed{}, err
	}
	s.AccountNumber, err = seal(cipher, ref, "account_number", number.Reveal())
	return s, err
}

// newKey makes a data key, keeps it wrapped in s, and returns what seals with it.
func (v *Vault) newKey(ref Ref, s *Sealed) (tink.AEAD, error) {
	handle, err := keyset.NewHandle(aead.AES256GCMNoPrefixKeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("vault: data key: %w", err)
	}
	var wrapped bytes.Buffer
	err = handle.WriteWithAssociatedData(keyset.NewBinaryWriter(&wrapped), v.keys.wrap, associated(ref, "key"))
	if err != nil {
		return nil, fmt.Errorf("vault: wrap: %w", err)
	}
	cipher, err := aead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("vault: data key: %w", err)
	}
	s.WrappedKey = wrapped.Bytes()
	return cipher, nil
}

// Open decrypts the card that Seal encrypted for the same ref.
func (v *Vault) Open(ref Ref, s Sealed) (Card, error) {
	cipher, err := v.unwrap(ref, s)
	if err != nil {
		return Card{}, err
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
	if len(s.Cryptogram) > 0 {
		cryptogram, err := cipher.Decrypt(s.Cryptogram, associated(ref, "cryptogram"))
		if err != nil {
			return Card{}, ErrSealed
		}
		text, eci, _ := strings.Cut(string(cryptogram), " ") // which no cryptogram has
		card.Cryptogram, card.ECI = sensitive.NewCryptogram(text), eci
	}
	return card, nil
}

// OpenAccount decrypts the number that SealAccount encrypted for the same ref.
func (v *Vault) OpenAccount(ref Ref, s Sealed) (sensitive.AccountNumber, error) {
	cipher, err := v.unwrap(ref, s)
	if err != nil {
		return sensitive.AccountNumber{}, err
	}
	number, err := cipher.Decrypt(s.AccountNumber, associated(ref, "account_number"))
	if err != nil {
		return sensitive.AccountNumber{}, ErrSealed
	}
	return sensitive.NewAccountNumber(string(number)), nil
}

func (v *Vault) unwrap(ref Ref, s Sealed) (tink.AEAD, error) {
	reader := keyset.NewBinaryReader(bytes.NewReader(s.WrappedKey))
	handle, err := keyset.ReadWithAssociatedData(reader, v.keys.wrap, associated(ref, "key"))
	if err != nil {
		return nil, ErrSealed
	}
	cipher, err := aead.New(handle)
	if err != nil {
		return nil, ErrSealed
	}
	return cipher, nil
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
