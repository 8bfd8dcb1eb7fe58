package credentials

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svcpay/internal/wallet/sandbox"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

const merchantID = "merchant.org.example.pay"

func key(t *testing.T, c elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(c, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func block(name string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: name, Bytes: der})
}

func keyPEM(t *testing.T, k *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return block("PRIVATE KEY", der)
}

// shown is what a test wants of a certificate.
type shown struct {
	name, owner string
	from, until time.Time
	authority   bool
	public      crypto.PublicKey
}

func certificate(t *testing.T, signer *ecdsa.PrivateKey, s shown) []byte {
	t.Helper()
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: s.name},
		NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(1, 0, 0),
		IsCA: s.authority, BasicConstraintsValid: true}
	if s.owner != "" {
		form.Subject.ExtraNames = []pkix.AttributeTypeAndValue{{Type: oidUserID, Value: s.owner}}
	}
	if !s.from.IsZero() {
		form.NotBefore = s.from
	}
	if !s.until.IsZero() {
		form.NotAfter = s.until
	}
	if s.public == nil {
		s.public = &signer.PublicKey
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, s.public, signer)
	if err != nil {
		t.Fatal(err)
	}
	return block("CERTIFICATE", der)
}

func file(t *testing.T, mode os.FileMode, parts ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(path, bytes.Join(parts, nil), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// says checks that an error is one, in one sentence that quotes nothing of the file.
func says(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n") ||
		strings.Contains(err.Error(), "BEGIN") {
		t.Errorf("%s: %v; want %s", what, err, want)
	}
}

func TestIdentityIsTheCertificateOfItsKeyAndOwner(t *testing.T) {
	t.Parallel()
	own, other := key(t, elliptic.P256()), key(t, elliptic.P256())
	good := certificate(t, own, shown{name: "Identity", owner: merchantID})
	pair, c, err := Identity(file(t, 0o600, good, keyPEM(t, own)), merchantID, now)
	if err != nil || len(pair.Certificate) != 1 || !own.Equal(pair.PrivateKey) ||
		!c.Expires.Equal(now.AddDate(1, 0, 0)) || !strings.Contains(c.Name, "Identity") {
		t.Errorf("%+v, %v", c, err)
	}
	if _, _, err := Identity(file(t, 0o600, certificate(t, own, shown{name: "Plain"}), keyPEM(t, own)), merchantID,
		now); err != nil {
		t.Errorf("a certificate that names no owner: %v", err)
	}
	for name, c := range map[string]struct {
		path string
		want string
	}{
		"others may read it": {file(t, 0o640, good, keyPEM(t, own)), "chmod 600"},
		"it is not there":    {filepath.Join(t.TempDir(), "none"), "no such file"},
		"another key":        {file(t, 0o600, good, keyPEM(t, other)), ErrNoIdentity.Error()},
		"no key":             {file(t, 0o600, good), ErrNoIdentity.Error()},
		"no certificate":     {file(t, 0o600, keyPEM(t, own)), ErrNoIdentity.Error()},
		"another's":          {file(t, 0o600, certificate(t, own, shown{owner: "merchant.other"}), keyPEM(t, own)), ErrNoSuchOwner.Error()},
		"expired":            {file(t, 0o600, certificate(t, own, shown{name: "Old", until: now.Add(-time.Hour)}), keyPEM(t, own)), "“Old” expired on 2026-05-01"},
		"too early":          {file(t, 0o600, certificate(t, own, shown{name: "New", from: now.AddDate(0, 0, 3)}), keyPEM(t, own)), "“New” is not good before 2026-05-04"},
	} {
		_, _, err := Identity(c.path, merchantID, now)
		says(t, name, err, c.want)
	}
}

func TestProcessingKeysHaveAGoodCertificate(t *testing.T) {
	t.Parallel()
	present, former := key(t, elliptic.P256()), key(t, elliptic.P256())
	good, old := certificate(t, present, shown{name: "Present", owner: merchantID}), certificate(t, former,
		shown{name: "Former", until: now.Add(-time.Hour)})
	for name, order := range map[string][][]byte{"present first": {good, old}, "former first": {old, good}} {
		keys, certificates, err := ProcessingKeys(file(t, 0o600, keyPEM(t, present), keyPEM(t, former), order[0],
			order[1]), merchantID, now)
		if err != nil || len(keys) != 2 || !keys[0].Equal(present) || len(certificates) != 2 {
			t.Errorf("%s: %d keys, %v, %v", name, len(keys), certificates, err)
		}
	}
	ec, err := x509.MarshalECPrivateKey(present)
	if err != nil {
		t.Fatal(err)
	}
	if keys, _, err := ProcessingKeys(file(t, 0o600, block("EC PRIVATE KEY", ec), good), merchantID, now); err != nil ||
		len(keys) != 1 {
		t.Errorf("a key as openssl writes it: %v", err)
	}
	wide := key(t, elliptic.P384())
	for name, c := range map[string]struct {
		parts [][]byte
		want  string
	}{
		"no key":                   {[][]byte{good}, ErrNoKey.Error()},
		"nothing":                  {nil, ErrNoKey.Error()},
		"another curve":            {[][]byte{keyPEM(t, wide), certificate(t, wide, shown{})}, ErrNoKey.Error()},
		"no certificate":           {[][]byte{keyPEM(t, present)}, "has keys but no certificate"},
		"a certificate of nobody":  {[][]byte{keyPEM(t, present), good, old}, ErrNotOurs.Error()},
		"all expired":              {[][]byte{keyPEM(t, former), old}, "“Former” expired"},
		"another's":                {[][]byte{keyPEM(t, present), certificate(t, present, shown{owner: "merchant.other"})}, ErrNoSuchOwner.Error()},
		"bytes that are no key":    {[][]byte{block("PRIVATE KEY", []byte("x")), good}, ErrNoKey.Error()},
		"bytes that certify":       {[][]byte{keyPEM(t, present), block("CERTIFICATE", []byte("x"))}, ErrNoRoot.Error()},
		"a sandbox's file of keys": {[][]byte{issuer(t).Save()}, ErrSandbox.Error()},
	} {
		_, _, err := ProcessingKeys(file(t, 0o600, c.parts...), merchantID, now)
		says(t, name, err, c.want)
	}
}

func issuer(t *testing.T) *sandbox.Issuer {
	t.Helper()
	i, err := sandbox.Create(now)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestRootsAreAuthoritiesAndNoSandboxs(t *testing.T) {
	t.Parallel()
	k := key(t, elliptic.P256())
	root := certificate(t, k, shown{name: "Root", authority: true})
	pool, known, err := Roots(file(t, 0o644, root, certificate(t, k, shown{name: "Second root", authority: true})), now)
	if err != nil || len(known) != 2 || pool == nil {
		t.Errorf("%v, %v", known, err)
	}
	// A sandbox's root under the name that its file gives it, and as its certificate alone.
	saved := issuer(t).Save()
	bare, _ := pem.Decode(saved)
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"nothing":                  {nil, ErrNoRoot.Error()},
		"a sandbox's file":         {saved, ErrSandbox.Error()},
		"a sandbox's root":         {block("CERTIFICATE", bare.Bytes), ErrSandbox.Error()},
		"one of many is sandbox's": {append(bytes.Clone(root), block("CERTIFICATE", bare.Bytes)...), ErrSandbox.Error()},
		"no authority":             {certificate(t, k, shown{name: "Leaf"}), "“Leaf” is no certificate that signs others"},
		"expired":                  {certificate(t, k, shown{name: "Old", authority: true, until: now.Add(-time.Hour)}), "“Old” expired"},
	} {
		_, _, err := Roots(file(t, 0o644, c.text), now)
		says(t, name, err, c.want)
	}
}

func TestEncryptionKeys(t *testing.T) {
	t.Parallel()
	one, two := key(t, elliptic.P256()), key(t, elliptic.P256())
	keys, err := EncryptionKeys(file(t, 0o600, keyPEM(t, one), keyPEM(t, two)))
	if err != nil || len(keys) != 2 {
		t.Fatalf("%d, %v", len(keys), err)
	}
	if first, _ := one.ECDH(); !keys[0].Equal(first) {
		t.Error("another key, or in another order")
	}
	if _, err := EncryptionKeys(file(t, 0o604, keyPEM(t, one))); !errors.Is(err, ErrMode) {
		t.Error(err)
	}
	if _, err := EncryptionKeys(file(t, 0o600, issuer(t).Save())); !errors.Is(err, ErrSandbox) {
		t.Error(err)
	}
}
