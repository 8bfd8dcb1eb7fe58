package wallet

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"time"

	"svcpay/internal/sensitive"
)

const (
	versionB = "ECv2"
	senderB  = "Google"
)

// RootB is a key of wallet B's provider that signs intermediate keys, until a time.
type RootB struct {
	Key     *ecdsa.PublicKey
	Expires time.Time // the zero time: never
}

// B opens wallet B's tokens of version ECv2, as "Payment data cryptography for merchants" of the wallet's provider has
// them.
type B struct {
	// Recipient is whom the messages are signed for, such as "gateway:svcpay".
	Recipient string
	// Keys are the deployment's encryption keys, on P-256: the present one and those before it.
	Keys []*ecdh.PrivateKey
	// Roots tells the provider's root signing keys, which change while we run; nil is none.
	Roots func() []RootB
}

type bToken struct {
	Protocol     string    `json:"protocolVersion"`
	Signature    canonical `json:"signature"`
	Intermediate struct {
		SignedKey  string      `json:"signedKey"`
		Signatures []canonical `json:"signatures"`
	} `json:"intermediateSigningKey"`
	SignedMessage string `json:"signedMessage"`
}

type bSignedKey struct {
	Value   canonical `json:"keyValue"`
	Expires int64     `json:"keyExpiration,string"` // milliseconds
}

type bMessage struct {
	Encrypted canonical `json:"encryptedMessage"`
	Ephemeral canonical `json:"ephemeralPublicKey"`
	Tag       canonical `json:"tag"`
}

type bContent struct {
	Expires  int64  `json:"messageExpiration,string"` // milliseconds
	ID       string `json:"messageId"`
	Merchant string `json:"gatewayMerchantId"`
	Method   string `json:"paymentMethod"`
	Details  struct {
		Number     string `json:"pan"`
		Month      int    `json:"expirationMonth"`
		Year       int    `json:"expirationYear"`
		Auth       string `json:"authMethod"`
		Cryptogram string `json:"cryptogram"`
		ECI        string `json:"eciIndicator"`
	} `json:"paymentMethodDetails"`
}

// Open verifies a token and decrypts it. merchant is the gateway merchant id that our page gave the wallet: a token
// for another is refused. Faults: wallet_signature_invalid, wallet_payload_expired.
func (b B) Open(payload []byte, merchant string, now time.Time) (Payment, error) {
	var t bToken
	if err := read(payload, &t); err != nil {
		return Payment{}, unverified("a token that cannot be read: %w", err)
	}
	if t.Protocol != versionB {
		return Payment{}, unverified("protocol %q", t.Protocol)
	}
	key, err := b.intermediate(t, now)
	if err != nil {
		return Payment{}, err
	}
	sum := sha256.Sum256(SignedB(senderB, b.Recipient, versionB, t.SignedMessage))
	if !ecdsa.VerifyASN1(key, sum[:], t.Signature) {
		return Payment{}, unverified("the message’s signature is not the intermediate key’s")
	}
	var m bMessage
	if err := read([]byte(t.SignedMessage), &m); err != nil {
		return Payment{}, unverified("a message that cannot be read: %w", err)
	}
	plain, err := b.decrypt(m)
	if err != nil {
		return Payment{}, err
	}
	return paymentOfB(plain, merchant, now)
}

// intermediate is the key that signs messages, if a root has signed it and it has not expired.
func (b B) intermediate(t bToken, now time.Time) (*ecdsa.PublicKey, error) {
	sum := sha256.Sum256(SignedB(senderB, versionB, t.Intermediate.SignedKey))
	var roots []RootB
	if b.Roots != nil {
		roots = b.Roots()
	}
	signed := false
	for _, root := range roots {
		for _, s := range t.Intermediate.Signatures {
			signed = signed || (root.Expires.IsZero() || now.Before(root.Expires)) &&
				ecdsa.VerifyASN1(root.Key, sum[:], s)
		}
	}
	if !signed {
		return nil, unverified("no root has signed the intermediate key")
	}
	var k bSignedKey
	if err := read([]byte(t.Intermediate.SignedKey), &k); err != nil {
		return nil, unverified("an intermediate key that cannot be read: %w", err)
	}
	if !now.Before(milliseconds(k.Expires)) {
		return nil, expired("the intermediate key expired at %s", milliseconds(k.Expires))
	}
	parsed, err := x509.ParsePKIXPublicKey(k.Value)
	key, ok := parsed.(*ecdsa.PublicKey)
	if err != nil || !ok {
		return nil, unverified("an intermediate key that is none")
	}
	return key, nil
}

// SignedB is what a signature of wallet B is of: each part after its length in four bytes, the lowest first.
func SignedB(parts ...string) []byte {
	var out []byte
	for _, p := range parts {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(p)))
		out = append(out, p...)
	}
	return out
}

// decrypt tries each of our keys: a message does not say which it is for, and the tag tells.
func (b B) decrypt(m bMessage) ([]byte, error) {
	ephemeral, err := ecdh.P256().NewPublicKey(m.Ephemeral)
	if err != nil {
		return nil, unverified("an ephemeral key that is none: %w", err)
	}
	for _, k := range b.Keys {
		secret, err := k.ECDH(ephemeral)
		if err != nil {
			return nil, unverified("agreement: %w", err)
		}
		stream, tag, err := deriveB(m.Ephemeral, secret)
		if err != nil {
			return nil, err
		}
		if hmac.Equal(tag(m.Encrypted), m.Tag) {
			plain := bytes.Clone(m.Encrypted)
			stream.XORKeyStream(plain, plain)
			return plain, nil
		}
	}
	return nil, unverified("it is for another key, or its tag is wrong")
}

// deriveB makes cipher and tag of a shared secret: HKDF-SHA256 without salt (RFC 5869), AES-256-CTR from zero,
// HMAC-SHA256.
func deriveB(ephemeral, secret []byte) (cipher.Stream, func([]byte) []byte, error) {
	keys, err := hkdf.Key(sha256.New, bytes.Join([][]byte{ephemeral, secret}, nil), make([]byte, sha256.Size),
		senderB, 64)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(keys[:32])
	if err != nil {
		return nil, nil, err
	}
	tag := func(message []byte) []byte {
		h := hmac.New(sha256.New, keys[32:])
		h.Write(message)
		return h.Sum(nil)
	}
	return cipher.NewCTR(block, make([]byte, aes.BlockSize)), tag, nil
}

// SealB encrypts content for a key, as wallet B does: for the sandbox's sheet.
func SealB(content []byte, ephemeral *ecdh.PrivateKey, to *ecdh.PublicKey) (encrypted, tag []byte, err error) {
	secret, err := ephemeral.ECDH(to)
	if err != nil {
		return nil, nil, err
	}
	stream, sum, err := deriveB(ephemeral.PublicKey().Bytes(), secret)
	if err != nil {
		return nil, nil, err
	}
	encrypted = bytes.Clone(content)
	stream.XORKeyStream(encrypted, encrypted)
	return encrypted, sum(encrypted), nil
}

// Ways in which wallet B vouches for a card.
const (
	authCard   = "PAN_ONLY"       // a card on file: its own number
	authDevice = "CRYPTOGRAM_3DS" // a number of the device, with a cryptogram
)

func paymentOfB(plain []byte, merchant string, now time.Time) (Payment, error) {
	var c bContent
	if err := read(plain, &c); err != nil {
		return Payment{}, unverified("content that cannot be read")
	}
	d := c.Details
	switch {
	case !now.Before(milliseconds(c.Expires)):
		return Payment{}, expired("the message expired at %s", milliseconds(c.Expires))
	case c.Merchant != merchant:
		return Payment{}, unverified("it was authorized for another merchant")
	case c.ID == "" || c.Method != "CARD":
		return Payment{}, unverified("message %q of method %q", c.ID, c.Method)
	case d.Auth != authCard && d.Auth != authDevice, (d.Auth == authDevice) != (d.Cryptogram != ""):
		return Payment{}, unverified("authorization %q does not go with its cryptogram", d.Auth)
	}
	p := Payment{ID: c.ID, Number: sensitive.NewPAN(d.Number), ExpMonth: d.Month, ExpYear: d.Year, ECI: d.ECI}
	if d.Cryptogram != "" {
		p.Cryptogram = sensitive.NewCryptogram(d.Cryptogram)
	}
	return p, p.plausible()
}
