package wallet

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/smallstep/pkcs7"

	"svcpay/internal/money"
	"svcpay/internal/sensitive"
)

// Extensions that mark the certificates that sign wallet A's payloads: the leaf, and the one between it and the root.
var (
	OIDLeaf         = asn1.ObjectIdentifier{1, 2, 840, 113635, 100, 6, 29}
	OIDIntermediate = asn1.ObjectIdentifier{1, 2, 840, 113635, 100, 6, 2, 14}
)

// freshness is how far a payload's signature may lie from now.
const freshness = 5 * time.Minute

// A opens wallet A's payment tokens of version EC_v1, as "Payment token format reference" of the wallet's
// provider has them.
type A struct {
	// MerchantIdentifier is the one that the provider knows the deployment by.
	MerchantIdentifier string
	// Keys are the deployment's payment processing keys, on P-256: the present one and those before it.
	Keys []*ecdsa.PrivateKey
	// Roots are the provider's.
	Roots *x509.CertPool
}

// aToken is the payment token as the page gets it. What stands outside paymentData is not signed.
type aToken struct {
	PaymentData struct {
		Version   string    `json:"version"`
		Signature canonical `json:"signature"`
		Data      canonical `json:"data"`
		Header    aHeader   `json:"header"`
	} `json:"paymentData"`
}

type aHeader struct {
	EphemeralPublicKey canonical `json:"ephemeralPublicKey"`
	PublicKeyHash      canonical `json:"publicKeyHash"`
	TransactionID      string    `json:"transactionId"`
	ApplicationData    string    `json:"applicationData"`
}

// aContent is what is encrypted.
type aContent struct {
	Number   string `json:"applicationPrimaryAccountNumber"`
	Expires  string `json:"applicationExpirationDate"` // YYMMDD
	Currency string `json:"currencyCode"`              // ISO 4217 number
	Amount   int64  `json:"transactionAmount"`         // minor units
	Holder   string `json:"cardholderName"`
	Type     string `json:"paymentDataType"`
	Data     struct {
		Cryptogram string `json:"onlinePaymentCryptogram"`
		ECI        string `json:"eciIndicator"`
	} `json:"paymentData"`
}

// Open verifies a payment token and decrypts it. applicationData is what our page had the wallet sign (nil:
// nothing): a token that was made for another purpose is refused. Faults: wallet_signature_invalid,
// wallet_payload_expired.
func (a A) Open(payload []byte, applicationData []byte, now time.Time) (Payment, error) {
	if a.Roots == nil { // which would stand for all that the machine trusts
		return Payment{}, unverified("no root is known")
	}
	var t aToken
	if err := read(payload, &t); err != nil {
		return Payment{}, unverified("a token that cannot be read: %w", err)
	}
	transaction, signed, err := t.signed(applicationData)
	if err != nil {
		return Payment{}, err
	}
	if err := a.verify(t.PaymentData.Signature, signed, now); err != nil {
		return Payment{}, err
	}
	key, err := a.key(t.PaymentData.Header)
	if err != nil {
		return Payment{}, err
	}
	plain, err := decryptA(key, t.PaymentData.Data)
	if err != nil {
		return Payment{}, unverified("decryption: %w", err)
	}
	return paymentOfA(plain, transaction)
}

// signed are the bytes that the signature is of, with the id of the transaction.
func (t aToken) signed(applicationData []byte) (transaction string, signed []byte, err error) {
	d := t.PaymentData
	id, err := lowerHex(d.Header.TransactionID)
	if err != nil || len(id) == 0 || d.Version != "EC_v1" {
		return "", nil, unverified("version %q, transaction %q", d.Version, d.Header.TransactionID)
	}
	application, err := lowerHex(d.Header.ApplicationData)
	if err != nil {
		return "", nil, unverified("application data that is no hex")
	}
	var wanted []byte
	if applicationData != nil {
		sum := sha256.Sum256(applicationData)
		wanted = sum[:]
	}
	if !bytes.Equal(application, wanted) {
		return "", nil, unverified("it was authorized for another purpose")
	}
	return d.Header.TransactionID, bytes.Join([][]byte{d.Header.EphemeralPublicKey, d.Data, id, application}, nil), nil
}

// lowerHex reads hex of which there is one spelling.
func lowerHex(text string) ([]byte, error) {
	b, err := hex.DecodeString(text)
	if err == nil && hex.EncodeToString(b) != text {
		err = errors.New("wallet: capitals in hex")
	}
	return b, err
}

// verify checks the signature, who made it and when.
func (a A) verify(signature, signed []byte, now time.Time) error {
	p, err := pkcs7.Parse(signature)
	if err != nil {
		return unverified("a signature that cannot be read: %w", err)
	}
	if len(p.Content) != 0 {
		return unverified("the signature is of content of its own")
	}
	p.Content = signed
	leaf := p.GetOnlySigner()
	if leaf == nil {
		return unverified("the signature has no one signer")
	}
	if err := a.trusts(leaf, p.Certificates, now); err != nil {
		return err
	}
	if err := p.VerifyWithChain(nil); err != nil {
		return unverified("signature: %w", err)
	}
	var at time.Time
	if err := p.UnmarshalSignedAttribute(pkcs7.OIDAttributeSigningTime, &at); err != nil {
		return unverified("signing time: %w", err)
	}
	if away := now.Sub(at).Abs(); away > freshness {
		return expired("it was signed %s from now", away)
	}
	return nil
}

// trusts checks that a leaf with its mark was signed by an intermediate with its mark, and that by a root.
func (a A) trusts(leaf *x509.Certificate, all []*x509.Certificate, now time.Time) error {
	between := x509.NewCertPool()
	for _, c := range all {
		if marked(c, OIDIntermediate) {
			between.AddCert(c)
		}
	}
	if !marked(leaf, OIDLeaf) {
		return unverified("the signer is not one of payment tokens")
	}
	chains, err := leaf.Verify(x509.VerifyOptions{Roots: a.Roots, Intermediates: between, CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return unverified("chain: %w", err)
	}
	for _, chain := range chains {
		if len(chain) == 3 && marked(chain[1], OIDIntermediate) {
			return nil
		}
	}
	return unverified("the chain is not leaf, intermediate and root")
}

func marked(c *x509.Certificate, mark asn1.ObjectIdentifier) bool {
	return slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(mark) })
}

// key is the AES key of a token: agreed between the token's ephemeral key and the one of ours that its hash
// names (NIST SP 800-56A, section 5.8.1, one round of SHA-256).
func (a A) key(h aHeader) ([]byte, error) {
	ours, err := a.ours(h.PublicKeyHash)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKIXPublicKey(h.EphemeralPublicKey)
	theirs, ok := parsed.(*ecdsa.PublicKey)
	if err != nil || !ok {
		return nil, unverified("an ephemeral key that is none")
	}
	public, err := theirs.ECDH()
	if err != nil {
		return nil, unverified("an ephemeral key of another curve: %w", err)
	}
	secret, err := ours.ECDH(public)
	if err != nil {
		return nil, unverified("agreement: %w", err)
	}
	return deriveA(secret, a.MerchantIdentifier), nil
}

// ours is the key whose public half has that SHA-256.
func (a A) ours(hash []byte) (*ecdh.PrivateKey, error) {
	for _, k := range a.Keys {
		public, err := x509.MarshalPKIXPublicKey(&k.PublicKey)
		if err != nil {
			return nil, err
		}
		if sum := sha256.Sum256(public); bytes.Equal(sum[:], hash) {
			return k.ECDH()
		}
	}
	return nil, unverified("it is for another key")
}

// deriveA makes the AES key of a shared secret of fixed length.
func deriveA(secret []byte, merchantIdentifier string) []byte {
	party := sha256.Sum256([]byte(merchantIdentifier))
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, uint32(1)) // a hash takes everything
	h.Write(secret)
	h.Write([]byte("\x0did-aes256-GCMApple"))
	h.Write(party[:])
	return h.Sum(nil)
}

// cipherA is AES-256-GCM with wallet A's initialization vector of 16 zeros: each key is used once.
func cipherA(key []byte) (aead cipher.AEAD, iv []byte, err error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, err
	}
	aead, err = cipher.NewGCMWithNonceSize(block, aes.BlockSize)
	return aead, make([]byte, aes.BlockSize), err
}

func decryptA(key, data []byte) ([]byte, error) {
	aead, iv, err := cipherA(key)
	if err != nil {
		return nil, err
	}
	return aead.Open(nil, iv, data, nil)
}

// SealA encrypts content for a key of a merchant identifier, as wallet A does: for the sandbox's sheet.
func SealA(content []byte, merchantIdentifier string, ephemeral *ecdh.PrivateKey, to *ecdh.PublicKey) ([]byte, error) {
	secret, err := ephemeral.ECDH(to)
	if err != nil {
		return nil, err
	}
	aead, iv, err := cipherA(deriveA(secret, merchantIdentifier))
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, iv, content, nil), nil
}

func paymentOfA(plain []byte, transaction string) (Payment, error) {
	var c aContent
	if err := read(plain, &c); err != nil {
		return Payment{}, unverified("content that cannot be read")
	}
	expires, err := time.Parse("060102", c.Expires)
	currency, known := currencies[c.Currency]
	if err != nil || !known || c.Amount < 0 || c.Type != "3DSecure" || c.Data.Cryptogram == "" {
		return Payment{}, unverified("content of type %q with currency %q", c.Type, c.Currency)
	}
	p := Payment{ID: transaction, Number: sensitive.NewPAN(c.Number), ExpMonth: int(expires.Month()),
		ExpYear:    expires.Year(),
		Cryptogram: sensitive.NewCryptogram(c.Data.Cryptogram), ECI: c.Data.ECI, Holder: c.Holder,
		Amount: money.Amount(c.Amount), Currency: currency}
	return p, p.plausible()
}
