// Package credentials reads a deployment's wallet certificates, keys and roots from its operator's files.
//
// It refuses those of the sandbox's wallets in production: a payload that anyone can seal must not pay.
package credentials

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"svcpay/internal/wallet/sandbox"
)

// oidUserID marks the merchant identifier in the subject of the certificates that wallet A's provider makes.
var oidUserID = asn1.ObjectIdentifier{0, 9, 2342, 19200300, 100, 1, 1}

// Certificate is one of the deployment's, by what it is called and until when it is good.
type Certificate struct {
	Name    string
	Expires time.Time
}

// Mistakes of files.
var (
	ErrMode        = errors.New("the file must be readable by its owner alone (chmod 600)")
	ErrSandbox     = errors.New("this is a sandbox's own, which anybody can make")
	ErrNoKey       = errors.New("the file holds no private key on the curve P-256, in PEM")
	ErrNoRoot      = errors.New("the file holds no certificate in PEM")
	ErrNotOurs     = errors.New("a certificate in the file belongs to none of its keys")
	ErrNoIdentity  = errors.New("the file does not hold a certificate with its private key, in PEM")
	ErrNoSuchOwner = errors.New("the certificate is another merchant identifier's")
)

// Identity reads the certificate by which wallet A's provider knows the deployment, with its key.
func Identity(path, merchantID string, now time.Time) (tls.Certificate, Certificate, error) {
	text, err := secret(path)
	if err != nil {
		return tls.Certificate{}, Certificate{}, err
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return pair, Certificate{}, ErrNoIdentity // the cause may quote the file
	}
	c, err := ours(pair.Leaf, merchantID, now)
	return pair, c, err
}

// ProcessingKeys reads the keys that wallet A's payloads are sealed for, and their certificates: the present ones and
// those before them, in any order.
func ProcessingKeys(path, merchantID string, now time.Time) (keys []*ecdsa.PrivateKey, certificates []Certificate,
	err error) {
	text, err := secret(path)
	if err != nil {
		return nil, nil, err
	}
	if keys, err = privateKeys(text); err != nil {
		return nil, nil, err
	}
	found, err := certificatesIn(text)
	if err != nil {
		return nil, nil, err
	}
	good := errors.New("the file has keys but no certificate")
	for _, f := range found {
		if !belongs(f, keys) {
			return nil, nil, ErrNotOurs
		}
		c, err := ours(f, merchantID, now)
		certificates = append(certificates, c)
		if good != nil {
			good = err
		}
	}
	return keys, certificates, good // former certificates may have expired, the present one must not
}

// Roots reads the certificates that wallet A's provider signs by.
func Roots(path string, now time.Time) (*x509.CertPool, []Certificate, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	found, err := certificatesIn(text)
	if err != nil {
		return nil, nil, err
	}
	if len(found) == 0 {
		return nil, nil, ErrNoRoot
	}
	pool, known := x509.NewCertPool(), make([]Certificate, 0, len(found))
	for _, c := range found {
		switch {
		case strings.HasPrefix(c.Subject.CommonName, sandbox.Names):
			return nil, nil, ErrSandbox
		case !c.IsCA:
			return nil, nil, fmt.Errorf("%s is no certificate that signs others", called(c))
		case now.After(c.NotAfter):
			return nil, nil, expired(c)
		}
		pool.AddCert(c)
		known = append(known, Certificate{called(c), c.NotAfter})
	}
	return pool, known, nil
}

// EncryptionKeys reads the keys that wallet B's payloads are sealed for.
func EncryptionKeys(path string) ([]*ecdh.PrivateKey, error) {
	text, err := secret(path)
	if err != nil {
		return nil, err
	}
	found, err := privateKeys(text)
	if err != nil {
		return nil, err
	}
	keys := make([]*ecdh.PrivateKey, len(found))
	for i, k := range found {
		if keys[i], err = k.ECDH(); err != nil {
			return nil, ErrNoKey
		}
	}
	return keys, nil
}

// secret reads a file that no one else may read.
func secret(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.Mode().Perm()&0o077 != 0 {
		return nil, ErrMode
	}
	return os.ReadFile(path)
}

// blocks calls a function with each block of PEM.
func blocks(text []byte, do func(*pem.Block) error) error {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if err := do(block); err != nil {
			return err
		}
	}
	return nil
}

func privateKeys(text []byte) (keys []*ecdsa.PrivateKey, err error) {
	err = blocks(text, func(b *pem.Block) error {
		var parsed any
		var err error
		switch {
		case strings.HasPrefix(b.Type, "WALLET "): // how a sandbox keeps them
			return ErrSandbox
		case b.Type == "PRIVATE KEY":
			parsed, err = x509.ParsePKCS8PrivateKey(b.Bytes)
		case b.Type == "EC PRIVATE KEY":
			parsed, err = x509.ParseECPrivateKey(b.Bytes)
		default:
			return nil
		}
		key, ok := parsed.(*ecdsa.PrivateKey)
		if err != nil || !ok || key.Curve != elliptic.P256() {
			return ErrNoKey
		}
		keys = append(keys, key)
		return nil
	})
	if err == nil && len(keys) == 0 {
		err = ErrNoKey
	}
	return keys, err
}

func certificatesIn(text []byte) (found []*x509.Certificate, err error) {
	err = blocks(text, func(b *pem.Block) error {
		if strings.HasPrefix(b.Type, "WALLET ") {
			return ErrSandbox
		}
		if b.Type != "CERTIFICATE" {
			return nil
		}
		c, err := x509.ParseCertificate(b.Bytes)
		if err != nil {
			return ErrNoRoot
		}
		found = append(found, c)
		return nil
	})
	return found, err
}

func belongs(c *x509.Certificate, keys []*ecdsa.PrivateKey) bool {
	return slices.ContainsFunc(keys, func(k *ecdsa.PrivateKey) bool { return k.PublicKey.Equal(c.PublicKey) })
}

// ours checks that a certificate is good now and, where it says so, our merchant identifier's.
func ours(c *x509.Certificate, merchantID string, now time.Time) (Certificate, error) {
	out := Certificate{called(c), c.NotAfter}
	if id := userID(c.Subject); id != "" && id != merchantID {
		return out, ErrNoSuchOwner
	}
	if now.After(c.NotAfter) {
		return out, expired(c)
	}
	if now.Before(c.NotBefore) {
		return out, fmt.Errorf("%s is not good before %s", called(c), c.NotBefore.UTC().Format(time.DateOnly))
	}
	return out, nil
}

func expired(c *x509.Certificate) error {
	return fmt.Errorf("%s expired on %s", called(c), c.NotAfter.UTC().Format(time.DateOnly))
}

func called(c *x509.Certificate) string { return "the certificate “" + c.Subject.CommonName + "”" }

func userID(subject pkix.Name) string {
	for _, n := range subject.Names {
		if text, ok := n.Value.(string); ok && n.Type.Equal(oidUserID) {
			return text
		}
	}
	return ""
}
