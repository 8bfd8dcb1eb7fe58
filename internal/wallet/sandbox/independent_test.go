package sandbox

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"os/exec"
	"testing"
	"time"
)

// oidMerchant has the hash of the merchant identifier in a payment processing certificate.
var oidMerchant = asn1.ObjectIdentifier{1, 2, 840, 113635, 100, 6, 32}

// strangers are two published openers of payloads, which know nothing of ours.
const strangers = `
import walletA from "@basis-theory/apple-pay-js"
import walletB from "@basis-theory/google-pay-js"
const { a, b, certificate, keyA, keyB } = JSON.parse(await new Response(process.stdin).text())
const one = new walletA.ApplePaymentTokenContext({ merchants: [{ certificatePem: Buffer.from(certificate),
	privateKeyPem: Buffer.from(keyA) }] }).decrypt(a.paymentData)
const two = new walletB.GooglePaymentMethodTokenContext({ merchants: [{ privateKeyPem: Buffer.from(keyB) }]
	}).decrypt(b)
console.log(JSON.stringify({ a: one, b: two }))
`

// TestStrangersOpenWhatWeSeal: what the sandbox seals is what the wallets' providers seal.
func TestStrangersOpenWhatWeSeal(t *testing.T) {
	t.Parallel()
	i := issuer(t)
	a, err := i.SealA(card, sale)
	b, errB := i.SealB(card, sale, time.Now())
	in, err := json.Marshal(map[string]any{"a": json.RawMessage(must(t, a, err)),
		"b":           json.RawMessage(must(t, b, errB)),
		"certificate": i.processingCertificate(t), "keyA": sec1(t, i.toA), "keyB": sec1(t, i.toB)})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--input-type=module", "-e", strangers)
	var complaints bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = "../../../static", bytes.NewReader(in), &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	var opened struct {
		A struct {
			Number  string `json:"applicationPrimaryAccountNumber"`
			Expires string `json:"applicationExpirationDate"`
			Amount  int64  `json:"transactionAmount"`
		}
		B struct {
			Merchant string `json:"gatewayMerchantId"`
			Details  struct {
				Number string `json:"pan"`
				Month  int    `json:"expirationMonth"`
			} `json:"paymentMethodDetails"`
		}
	}
	if err := json.Unmarshal(out, &opened); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if opened.A.Number != visa || opened.A.Expires != "310828" || opened.A.Amount != 12_500 {
		t.Errorf("wallet A: %+v", opened.A)
	}
	if opened.B.Details.Number != visa || opened.B.Details.Month != 8 || opened.B.Merchant != sale.Bound {
		t.Errorf("wallet B: %+v", opened.B)
	}
}

// processingCertificate is the certificate of the processing key, as the provider of wallet A makes it.
func (i *Issuer) processingCertificate(t *testing.T) string {
	t.Helper()
	hash := sha256.Sum256([]byte(MerchantIdentifier))
	value, err := asn1.MarshalWithParams(hex.EncodeToString(hash[:]), "utf8")
	if err != nil {
		t.Fatal(err)
	}
	form := form("Payment Processing", 4, time.Now(), false)
	form.ExtraExtensions = []pkix.Extension{{Id: oidMerchant, Value: value}}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &i.toA.PublicKey, i.toA)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func sec1(t *testing.T, key *ecdsa.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
}
