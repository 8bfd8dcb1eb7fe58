package sandbox

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"strings"
	"testing"
	"time"

	"svcpay/internal/sensitive"
	"svcpay/internal/wallet"
)

func TestWhatWasMeantForOthersIsRefused(t *testing.T) {
	t.Parallel()
	i, other := issuer(t), issuer(t)
	a, err := i.SealA(card, sale)
	b, errB := i.SealB(card, sale, time.Now())
	a, b = must(t, a, err), must(t, b, errB)
	now, bound := time.Now(), []byte(sale.Bound)

	anotherRoot, anotherName, anotherKey := i.A(), i.A(), i.A()
	anotherRoot.Roots, anotherName.MerchantIdentifier, anotherKey.Keys = other.A().Roots, "merchant.other",
		other.A().Keys
	for why, opener := range map[string]wallet.A{"chain": anotherRoot, "decryption": anotherName,
		"for another key": anotherKey} {
		_, err := opener.Open(a, bound, now)
		wants(t, err, "wallet_signature_invalid", why)
	}
	for _, purpose := range [][]byte{nil, {}, []byte("merchant:8")} {
		_, err := i.A().Open(a, purpose, now)
		wants(t, err, "wallet_signature_invalid", "for another purpose")
	}
	unbound, err := i.SealA(card, Sale{Amount: 1, Currency: sale.Currency})
	if _, err := i.A().Open(must(t, unbound, err), nil, now); err != nil {
		t.Errorf("a token for no purpose: %v", err)
	}
	_, err = i.A().Open(unbound, bound, now)
	wants(t, err, "wallet_signature_invalid", "for another purpose")

	rootB, keyB, gateway := i.B(), i.B(), i.B()
	rootB.Roots, keyB.Keys, gateway.Recipient = other.B().Roots, other.B().Keys, "gateway:other"
	for why, opener := range map[string]wallet.B{"no root has signed": rootB, "for another key": keyB,
		"not the intermediate key": gateway} {
		_, err := opener.Open(b, sale.Bound, now)
		wants(t, err, "wallet_signature_invalid", why)
	}
	_, err = i.B().Open(b, "merchant:8", now)
	wants(t, err, "wallet_signature_invalid", "for another merchant")
}

// A deployment that has changed its keys opens what was sealed for the former.
func TestFormerKeysOpen(t *testing.T) {
	t.Parallel()
	i, other := issuer(t), issuer(t)
	a, err := i.SealA(card, sale)
	b, errB := i.SealB(card, sale, time.Now())
	openA, openB := i.A(), i.B()
	openA.Keys = append(other.A().Keys, openA.Keys...)
	openB.Keys = append(append([]*ecdh.PrivateKey{}, other.B().Keys...), openB.Keys...)
	both := append(other.B().Roots(), openB.Roots()...)
	openB.Roots = func() []wallet.RootB { return both }
	if _, err := openA.Open(must(t, a, err), []byte(sale.Bound), time.Now()); err != nil {
		t.Error(err)
	}
	if _, err := openB.Open(must(t, b, errB), sale.Bound, time.Now()); err != nil {
		t.Error(err)
	}
}

func TestWhatIsOldIsRefused(t *testing.T) {
	t.Parallel()
	i, now := issuer(t), time.Now()
	a, err := i.SealA(card, sale)
	b, errB := i.SealB(card, sale, now)
	a, b = must(t, a, err), must(t, b, errB)
	for away, good := range map[time.Duration]bool{4 * time.Minute: true, -4 * time.Minute: true,
		6 * time.Minute: false, -6 * time.Minute: false} {
		_, err := i.A().Open(a, []byte(sale.Bound), now.Add(away))
		if good != (err == nil) {
			t.Errorf("%s from now: %v", away, err)
		}
		if !good {
			wants(t, err, "wallet_payload_expired", "signed")
		}
	}
	_, err = i.A().Open(a, []byte(sale.Bound), now.Add(life+time.Hour))
	wants(t, err, "wallet_signature_invalid", "chain")
	if _, err := i.B().Open(b, sale.Bound, now.Add(messageLife-time.Second)); err != nil {
		t.Error(err)
	}
	_, err = i.B().Open(b, sale.Bound, now.Add(messageLife))
	wants(t, err, "wallet_payload_expired", "intermediate key")
	old := i.B()
	old.Roots()[0].Expires = now
	_, err = old.Open(b, sale.Bound, now)
	wants(t, err, "wallet_signature_invalid", "no root")
	short, err := i.SealB(card, sale, now.Add(-messageLife+time.Minute))
	_, err = i.B().Open(must(t, short, err), sale.Bound, now.Add(2*time.Minute))
	wants(t, err, "wallet_payload_expired", "expired")
}

// Only the provider's signers of payment tokens sign them: not anyone else who has a certificate below the same root.
func TestSignersAreMarked(t *testing.T) {
	t.Parallel()
	for name, marks := range map[string][2]bool{"the leaf": {false, true}, "the intermediate": {true, false}} {
		i := issuer(t)
		root, rootKey := authority(t, nil, nil, false)
		between, betweenKey := authority(t, root, rootKey, marks[1])
		form := form("Leaf", 9, time.Now(), false)
		if marks[0] {
			form.ExtraExtensions = []pkix.Extension{{Id: wallet.OIDLeaf, Value: []byte{5, 0}}}
		}
		der, err := x509.CreateCertificate(rand.Reader, form, between, &i.leafKey.PublicKey, betweenKey)
		if err != nil {
			t.Fatal(err)
		}
		if i.leaf, err = x509.ParseCertificate(der); err != nil {
			t.Fatal(err)
		}
		i.between, i.roots = between, x509.NewCertPool()
		i.roots.AddCert(root)
		token, err := i.SealA(card, sale)
		_, err = i.A().Open(must(t, token, err), []byte(sale.Bound), time.Now())
		if err == nil {
			t.Errorf("%s has no mark, and its token is opened", name)
		}
	}
}

// authority is a certificate that signs others, under a root or on its own.
func authority(t *testing.T, parent *x509.Certificate, parentKey *ecdsa.PrivateKey, mark bool) (*x509.Certificate,
	*ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := form("Authority", 8, time.Now(), true)
	if mark {
		form.ExtraExtensions = []pkix.Extension{{Id: wallet.OIDIntermediate, Value: []byte{5, 0}}}
	}
	if parent == nil {
		parent, parentKey = form, key
	} else {
		form.Subject.CommonName = "Between"
	}
	der, err := x509.CreateCertificate(rand.Reader, form, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	out, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return out, key
}

func TestNonsenseIsRefused(t *testing.T) {
	t.Parallel()
	i := issuer(t)
	a, err := i.SealA(card, sale)
	b, errB := i.SealB(card, sale, time.Now())
	a, b = must(t, a, err), must(t, b, errB)
	version := func(token []byte, path []string, to string) []byte {
		return with(t, token, path, func(string) string { return to })
	}
	twice := bytes.Replace(a, []byte(`"version"`), []byte(`"version":"EC_v1","version"`), 1)
	for _, token := range [][]byte{nil, []byte("{}"), []byte("[]"), []byte(`"x"`), a[:len(a)-1],
		append(bytes.Clone(a), '{'), twice, version(a, []string{"paymentData", "version"}, "RSA_v1"),
		version(a, []string{"paymentData", "header", "transactionId"}, ""), bytes.Repeat([]byte(" "), 40<<10),
		bytes.ReplaceAll(a, []byte("ephemeralPublicKey"), []byte("EphemeralPublicKey"))} {
		if _, err := i.A().Open(token, []byte(sale.Bound), time.Now()); err == nil ||
			!strings.Contains(err.Error(), "verified") {
			t.Errorf("%.40q: %v", token, err)
		}
	}
	for _, token := range [][]byte{nil, []byte("{}"), b[1:], version(b, []string{"protocolVersion"}, "ECv1"),
		bytes.Replace(b, []byte(`"signature"`), []byte(`"signature":"","signature"`), 1)} {
		if _, err := i.B().Open(token, sale.Bound, time.Now()); err == nil ||
			!strings.Contains(err.Error(), "verified") {
			t.Errorf("%.40q: %v", token, err)
		}
	}
	for _, c := range []Card{{Number: sensitive.NewPAN("4242424242424241"), ExpMonth: 8, ExpYear: 2031},
		{Number: sensitive.NewPAN(""), ExpMonth: 8, ExpYear: 2031},
		{Number: card.Number, ExpMonth: 13, ExpYear: 2031}, {Number: card.Number, ExpMonth: 1, ExpYear: 1999}} {
		token, err := i.SealB(c, sale, time.Now())
		if _, err := i.B().Open(must(t, token, err), sale.Bound, time.Now()); err == nil {
			t.Errorf("%+v is a card", c)
		}
	}
}

func TestABundleIsWholeOrNone(t *testing.T) {
	t.Parallel()
	whole := issuer(t).Save()
	blocks := bytes.SplitAfter(whole, []byte("-----\n-----BEGIN"))
	if len(blocks) < 5 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for _, bundle := range [][]byte{nil, whole[:len(whole)/2],
		bytes.ReplaceAll(whole, []byte("WALLET B ROOT KEY"), []byte("WALLET C")),
		bytes.ReplaceAll(whole, []byte("WALLET A LEAF KEY"), []byte("WALLET A LEAF")),
		append(bytes.Clone(whole), whole...)} {
		if _, err := Load(bundle); err == nil {
			t.Errorf("%d bytes are loaded", len(bundle))
		}
	}
}
