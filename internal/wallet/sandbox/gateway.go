package sandbox

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/platform/safehttp"
	"svcpay/internal/wallet"
)

// GatewayHost is that of the sandbox's provider of wallet A, and ValidationURL is where its sheets have merchant
// sessions asked for.
const (
	GatewayHost   = "gateway.wallet-a.localhost"
	ValidationURL = "https://" + GatewayHost + "/paymentservices/startSession"
)

// sessionLife is how long a merchant session is good.
const sessionLife = 5 * time.Minute

// Gateway is the sandbox's provider of wallet A as a server sees it: it speaks TLS alone, and with those alone who show
// a certificate of its own root.
type Gateway struct {
	issuer   *Issuer
	now      func() time.Time
	roots    *x509.CertPool
	identity tls.Certificate // the deployment's
	listener net.Listener
	server   *http.Server
}

// OpenGateway starts the provider on a free port of loopback, with a root of its own, and makes the certificate that
// the deployment shows it. Close ends it.
func (i *Issuer) OpenGateway(now func() time.Time) (*Gateway, error) {
	root, rootKey, err := certificate(gatewayForm(Names+"Gateway Root", now(), true), nil, nil)
	if err != nil {
		return nil, err
	}
	form := gatewayForm(GatewayHost, now(), false)
	form.DNSNames, form.ExtKeyUsage = []string{GatewayHost}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	own, ownKey, err := certificate(form, root, rootKey)
	if err != nil {
		return nil, err
	}
	form = gatewayForm(MerchantIdentifier, now(), false)
	form.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	client, clientKey, err := certificate(form, root, rootKey)
	if err != nil {
		return nil, err
	}
	g := &Gateway{issuer: i, now: now, roots: x509.NewCertPool(),
		identity: tls.Certificate{Certificate: [][]byte{client.Raw}, PrivateKey: clientKey}}
	g.roots.AddCert(root)
	if g.listener, err = tls.Listen("tcp", "127.0.0.1:0",
		&tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: g.roots,
			Certificates: []tls.Certificate{{Certificate: [][]byte{own.Raw}, PrivateKey: ownKey}}}); err != nil {
		return nil, err
	}
	g.server = &http.Server{Handler: http.HandlerFunc(g.start), ReadTimeout: 10 * time.Second,
		WriteTimeout: 10 * time.Second,
		ErrorLog:     nil, MaxHeaderBytes: 16 << 10}
	go func() { _ = g.server.Serve(g.listener) }() // until Close
	return g, nil
}

// Close ends the provider.
func (g *Gateway) Close() error { return g.server.Close() }

// Sessions asks this provider, with the certificate that it knows.
func (g *Gateway) Sessions() wallet.Sessions { return g.SessionsAs(g.identity) }

// SessionsAs asks this provider with other certificates, or none.
func (g *Gateway) SessionsAs(shown ...tls.Certificate) wallet.Sessions {
	_, port, _ := net.SplitHostPort(g.listener.Addr().String())
	return wallet.Sessions{MerchantIdentifier: MerchantIdentifier,
		Hosts:  regexp.MustCompile("^" + regexp.QuoteMeta(GatewayHost) + "$"),
		Client: safehttp.New(safehttp.Policy{Local: true, LocalPort: port, Roots: g.roots, Certificates: shown})}
}

// merchantSession is what the wallet gets of its provider, and no one else reads.
type merchantSession struct {
	EpochTimestamp            int64  `json:"epochTimestamp"` // milliseconds
	ExpiresAt                 int64  `json:"expiresAt"`      // milliseconds
	MerchantSessionIdentifier string `json:"merchantSessionIdentifier"`
	Nonce                     string `json:"nonce"`
	MerchantIdentifier        string `json:"merchantIdentifier"`
	DomainName                string `json:"domainName"`
	DisplayName               string `json:"displayName"`
	Signature                 string `json:"signature"`
}

func (m merchantSession) signed() []byte {
	return sum([]byte(strings.Join([]string{strconv.FormatInt(m.ExpiresAt, 10), m.MerchantSessionIdentifier, m.Nonce,
		m.MerchantIdentifier, m.DomainName, m.DisplayName}, "\n")))
}

// start answers a request for a merchant session.
func (g *Gateway) start(w http.ResponseWriter, r *http.Request) {
	var in struct{ MerchantIdentifier, DisplayName, Initiative, InitiativeContext string }
	err := json.NewDecoder(io.LimitReader(r.Body, 4<<10)).Decode(&in)
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/paymentservices/startSession":
		http.NotFound(w, r)
		return
	case err != nil || in.Initiative != "web" || in.InitiativeContext == "" || in.DisplayName == "" ||
		len([]rune(in.DisplayName)) > 64,
		r.TLS.PeerCertificates[0].Subject.CommonName != in.MerchantIdentifier:
		http.Error(w, `{"statusCode":"400","statusMessage":"the request or its certificate is not a merchant’s"}`,
			http.StatusBadRequest)
		return
	}
	now := g.now()
	m := merchantSession{EpochTimestamp: now.UnixMilli(), ExpiresAt: now.Add(sessionLife).UnixMilli(),
		MerchantSessionIdentifier: "SSH" + rand.Text(), Nonce: rand.Text(),
		MerchantIdentifier: strings.ToUpper(hex.EncodeToString(sum([]byte(in.MerchantIdentifier)))),
		DomainName:         in.InitiativeContext, DisplayName: in.DisplayName}
	signature, err := ecdsa.SignASN1(rand.Reader, g.issuer.leafKey, m.signed())
	if err != nil {
		http.Error(w, "no signature", http.StatusInternalServerError)
		return
	}
	m.Signature = encode(signature)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(m) // the caller is gone if this fails
}

// ErrMerchantSession is returned for a session that is not one of the provider's for a website, or that is over.
var ErrMerchantSession = errors.New("sandbox: not a merchant session of this website")

// CheckSession reports whether a merchant session lets a sheet pay on a website.
func (i *Issuer) CheckSession(session []byte, domain string, now time.Time) error {
	var m merchantSession
	if err := json.Unmarshal(session, &m); err != nil {
		return ErrMerchantSession
	}
	signature, err := base64.StdEncoding.DecodeString(m.Signature)
	if err != nil || m.DomainName != domain || !now.Before(time.UnixMilli(m.ExpiresAt)) ||
		!ecdsa.VerifyASN1(&i.leafKey.PublicKey, m.signed(), signature) {
		return ErrMerchantSession
	}
	return nil
}

func gatewayForm(name string, now time.Time, authority bool) *x509.Certificate {
	f := form(name, 1, now, authority)
	f.Subject = pkix.Name{CommonName: name}
	return f
}

// certificate makes a key and its certificate, signed by a parent or, for want of one, on its own.
func certificate(form, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate,
	*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if parent == nil {
		parent, parentKey = form, key
	}
	if form.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, form, parent, &key.PublicKey, parentKey)
	if err != nil {
		return nil, nil, err
	}
	made, err := x509.ParseCertificate(der)
	return made, key, err
}
