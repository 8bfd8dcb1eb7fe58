// Package sandbox is the test-mode counterpart of both wallets' providers: an issuer with its own roots, which signs
// and seals payloads that package wallet opens as it opens real ones.
package sandbox

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"time"

	"svcpay/internal/platform/atomicfile"
	"svcpay/internal/wallet"
)

// What the sandbox's providers know the deployment by.
const (
	MerchantIdentifier = "merchant.sandbox.svcpay"
	GatewayID          = "svcpay"
	Recipient          = "gateway:" + GatewayID
)

// Names is how the names of the sandbox's certificates begin.
const Names = "Sandbox Wallet "

// life is how long the sandbox's certificates and keys are good.
const life = 20 * 365 * 24 * time.Hour

// Issuer signs payloads of both wallets, and knows the deployment's keys that they are sealed for.
type Issuer struct {
	roots         *x509.CertPool
	leaf, between *x509.Certificate
	leafKey       *ecdsa.PrivateKey
	toA           *ecdsa.PrivateKey // the deployment's payment processing key
	rootB         *ecdsa.PrivateKey
	toB           *ecdsa.PrivateKey // the deployment's encryption key
	bundle        []byte
}

// Blocks of a saved issuer, in their order.
const (
	blockRoot    = "WALLET A ROOT"
	blockBetween = "WALLET A INTERMEDIATE"
	blockLeaf    = "WALLET A LEAF"
	blockLeafKey = "WALLET A LEAF KEY"
	blockToA     = "WALLET A PROCESSING KEY"
	blockRootB   = "WALLET B ROOT KEY"
	blockToB     = "WALLET B ENCRYPTION KEY"
)

// Create makes an issuer with fresh keys.
func Create(now time.Time) (*Issuer, error) {
	keys := make([]*ecdsa.PrivateKey, 6)
	for i := range keys {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		keys[i] = k
	}
	rootKey, betweenKey, leafKey := keys[0], keys[1], keys[2]
	rootForm, betweenForm, leafForm := form(Names+"Root", 1, now, true), form(Names+"Intermediate", 2, now,
		true), form(Names+"Signing", 3, now, false)
	betweenForm.ExtraExtensions = []pkix.Extension{{Id: wallet.OIDIntermediate, Value: asn1.NullBytes}}
	leafForm.ExtraExtensions = []pkix.Extension{{Id: wallet.OIDLeaf, Value: asn1.NullBytes}}
	root, err := x509.CreateCertificate(rand.Reader, rootForm, rootForm, &rootKey.PublicKey, rootKey)
	if err != nil {
		return nil, err
	}
	between, err := x509.CreateCertificate(rand.Reader, betweenForm, rootForm, &betweenKey.PublicKey, rootKey)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.CreateCertificate(rand.Reader, leafForm, betweenForm, &leafKey.PublicKey, betweenKey)
	if err != nil {
		return nil, err
	}
	var bundle []byte
	add := func(name string, content []byte) {
		bundle = append(bundle, pem.EncodeToMemory(&pem.Block{Type: name, Bytes: content})...)
	}
	add(blockRoot, root)
	add(blockBetween, between)
	add(blockLeaf, leaf)
	for i, name := range []string{blockLeafKey, blockToA, blockRootB, blockToB} {
		key, err := x509.MarshalPKCS8PrivateKey(keys[2+i])
		if err != nil {
			return nil, err
		}
		add(name, key)
	}
	return Load(bundle)
}

func form(name string, serial int64, now time.Time, authority bool) *x509.Certificate {
	usage := x509.KeyUsageDigitalSignature
	if authority {
		usage = x509.KeyUsageCertSign
	}
	return &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(life),
		IsCA: authority, BasicConstraintsValid: true, KeyUsage: usage}
}

// ErrBundle is returned for a saved issuer that is not whole.
var ErrBundle = errors.New("sandbox: the wallets’ keys are not whole")

// Load reads what Save wrote.
func Load(bundle []byte) (*Issuer, error) {
	i := &Issuer{roots: x509.NewCertPool(), bundle: bundle}
	certificates := map[string]**x509.Certificate{blockBetween: &i.between, blockLeaf: &i.leaf}
	keys := map[string]**ecdsa.PrivateKey{blockLeafKey: &i.leafKey, blockToA: &i.toA, blockRootB: &i.rootB,
		blockToB: &i.toB}
	found := 0
	for rest := bundle; ; found++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		var err error
		switch to, key := certificates[block.Type], keys[block.Type]; {
		case block.Type == blockRoot:
			var root *x509.Certificate
			if root, err = x509.ParseCertificate(block.Bytes); err == nil {
				i.roots.AddCert(root)
			}
		case to != nil:
			*to, err = x509.ParseCertificate(block.Bytes)
		case key != nil:
			*key, err = parseKey(block.Bytes)
		default:
			err = ErrBundle
		}
		if err != nil {
			return nil, fmt.Errorf("sandbox: %s: %w", block.Type, err)
		}
	}
	if found != 1+len(certificates)+len(keys) || i.leaf == nil || i.between == nil || i.leafKey == nil ||
		i.toA == nil || i.rootB == nil || i.toB == nil {
		return nil, ErrBundle
	}
	return i, nil
}

func parseKey(der []byte) (*ecdsa.PrivateKey, error) {
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, ErrBundle
	}
	return key, nil
}

// File is the issuer that is kept in a file, which is made unless it is there.
func File(path string, now time.Time) (*Issuer, error) {
	bundle, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return nil, err
		}
		return Load(bundle)
	}
	made, err := Create(now)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.PutOnce(path, made.Save()); err != nil {
		return nil, err
	}
	return File(path, now) // of several who made one at once, one has put it
}

// Save is the issuer as text, with its private keys.
func (i *Issuer) Save() []byte { return i.bundle }

// A opens what the issuer seals for the deployment as wallet A.
func (i *Issuer) A() wallet.A {
	return wallet.A{MerchantIdentifier: MerchantIdentifier, Keys: []*ecdsa.PrivateKey{i.toA}, Roots: i.roots}
}

// B opens what the issuer seals for the deployment as wallet B.
func (i *Issuer) B() wallet.B {
	to, err := i.toB.ECDH()
	if err != nil { // of P-256, which Load has seen to
		return wallet.B{}
	}
	roots := []wallet.RootB{{Key: &i.rootB.PublicKey}}
	return wallet.B{Recipient: Recipient, Keys: []*ecdh.PrivateKey{to}, Roots: func() []wallet.RootB { return roots }}
}
