package sandbox

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/smallstep/pkcs7"

	"svcpay/internal/money"
	"svcpay/internal/sensitive"
	"svcpay/internal/wallet"
)

// Card is one in a person's wallet.
type Card struct {
	Number   sensitive.PAN
	ExpMonth int
	ExpYear  int
	Network  string // as the wallet calls it: Visa, MasterCard …
	Holder   string
	Plain    bool // wallet B gives the card's own number, without a cryptogram
}

// Sale is what the sheet showed and for whom.
type Sale struct {
	Amount   money.Amount
	Currency money.Currency
	// Bound is what the page had the wallet bind the payload to: application data of wallet A, the gateway merchant id
	// of wallet B.
	Bound string
}

// messageLife is how long wallet B's messages are good.
const messageLife = 7 * 24 * time.Hour

var numbers = map[money.Currency]string{money.USD: "840", money.CAD: "124"}

// object is a JSON object of a wallet's.
type object map[string]any

// SealA makes a payment token of wallet A.
func (i *Issuer) SealA(c Card, s Sale) ([]byte, error) {
	content, err := json.Marshal(object{
		"applicationPrimaryAccountNumber": c.Number.Reveal(),
		"applicationExpirationDate":       fmt.Sprintf("%02d%02d28", c.ExpYear%100, c.ExpMonth),
		"currencyCode":                    numbers[s.Currency], "transactionAmount": int64(s.Amount),
		"cardholderName":               c.Holder,
		"deviceManufacturerIdentifier": "040010030273", "paymentDataType": "3DSecure",
		"paymentData": object{"onlinePaymentCryptogram": random(20), "eciIndicator": "7"},
	})
	if err != nil {
		return nil, err
	}
	ephemeral, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	to, err := i.toA.PublicKey.ECDH()
	if err != nil {
		return nil, err
	}
	encrypted, err := wallet.SealA(content, MerchantIdentifier, ephemeral, to)
	if err != nil {
		return nil, err
	}
	return i.tokenA(c, s, encrypted, ephemeral.PublicKey())
}

// tokenA signs what was encrypted.
func (i *Issuer) tokenA(c Card, s Sale, encrypted []byte, ephemeral *ecdh.PublicKey) ([]byte, error) {
	public, err := x509.MarshalPKIXPublicKey(ephemeral)
	if err != nil {
		return nil, err
	}
	ours, err := x509.MarshalPKIXPublicKey(&i.toA.PublicKey)
	if err != nil {
		return nil, err
	}
	transaction := make([]byte, sha256.Size)
	_, _ = rand.Read(transaction) // never fails
	bound := []byte(nil)
	header := object{"ephemeralPublicKey": encode(public), "publicKeyHash": encode(sum(ours)),
		"transactionId": hex.EncodeToString(transaction)}
	if s.Bound != "" {
		bound = sum([]byte(s.Bound))
		header["applicationData"] = hex.EncodeToString(bound)
	}
	signed := append(append(append(public, encrypted...), transaction...), bound...)
	signature, err := i.sign(signed)
	if err != nil {
		return nil, err
	}
	last4 := c.Number.Last4()
	return json.Marshal(object{
		"paymentData":           object{"version": "EC_v1", "data": encode(encrypted), "signature": encode(signature), "header": header},
		"paymentMethod":         object{"displayName": c.Network + " " + last4, "network": c.Network, "type": "credit"},
		"transactionIdentifier": hex.EncodeToString(transaction),
	})
}

// sign makes a detached signature, with the chain up to the root.
func (i *Issuer) sign(content []byte) ([]byte, error) {
	signed, err := pkcs7.NewSignedData(content)
	if err != nil {
		return nil, err
	}
	signed.SetDigestAlgorithm(pkcs7.OIDDigestAlgorithmSHA256)
	if err := signed.AddSigner(i.leaf, i.leafKey, pkcs7.SignerInfoConfig{}); err != nil {
		return nil, err
	}
	signed.AddCertificate(i.between)
	signed.Detach()
	return signed.Finish()
}

// SealB makes a token of wallet B.
func (i *Issuer) SealB(c Card, s Sale, now time.Time) ([]byte, error) {
	details := object{"pan": c.Number.Reveal(), "expirationMonth": c.ExpMonth, "expirationYear": c.ExpYear,
		"authMethod": "PAN_ONLY"}
	if !c.Plain {
		details["authMethod"], details["cryptogram"], details["eciIndicator"] = "CRYPTOGRAM_3DS", random(20), "05"
	}
	content, err := json.Marshal(object{"messageExpiration": milliseconds(now.Add(messageLife)),
		"messageId": random(24), "gatewayMerchantId": s.Bound,
		"paymentMethod": "CARD", "paymentMethodDetails": details})
	if err != nil {
		return nil, err
	}
	ephemeral, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	to, err := i.toB.PublicKey.ECDH()
	if err != nil {
		return nil, err
	}
	encrypted, tag, err := wallet.SealB(content, ephemeral, to)
	if err != nil {
		return nil, err
	}
	message, err := json.Marshal(object{"encryptedMessage": encode(encrypted),
		"ephemeralPublicKey": encode(ephemeral.PublicKey().Bytes()), "tag": encode(tag)})
	if err != nil {
		return nil, err
	}
	return i.tokenB(string(message), now)
}

// tokenB signs a message with an intermediate key of its own, and that with the root.
func (i *Issuer) tokenB(message string, now time.Time) ([]byte, error) {
	between, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(&between.PublicKey)
	if err != nil {
		return nil, err
	}
	signedKey, err := json.Marshal(object{"keyValue": encode(public),
		"keyExpiration": milliseconds(now.Add(messageLife))})
	if err != nil {
		return nil, err
	}
	byRoot, err := ecdsa.SignASN1(rand.Reader, i.rootB, sum(wallet.SignedB("Google", "ECv2", string(signedKey))))
	if err != nil {
		return nil, err
	}
	signature, err := ecdsa.SignASN1(rand.Reader, between, sum(wallet.SignedB("Google", Recipient, "ECv2", message)))
	if err != nil {
		return nil, err
	}
	return json.Marshal(object{"protocolVersion": "ECv2", "signature": encode(signature), "signedMessage": message,
		"intermediateSigningKey": object{"signedKey": string(signedKey), "signatures": []string{encode(byRoot)}}})
}

func encode(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func sum(b []byte) []byte { s := sha256.Sum256(b); return s[:] }

func milliseconds(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// random is text of that many random bytes.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return encode(b)
}
