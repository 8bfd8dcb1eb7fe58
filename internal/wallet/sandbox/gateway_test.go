package sandbox

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/safehttp"
	"svcpay/internal/wallet"
)

func gateway(t *testing.T, i *Issuer) *Gateway {
	t.Helper()
	g, err := i.OpenGateway(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// A merchant session is for one website, for a while, and signed.
func TestMerchantSessions(t *testing.T) {
	t.Parallel()
	i := issuer(t)
	s := gateway(t, i).Sessions()
	session, err := s.Open(t.Context(), ValidationURL, "shop.example", "River Pantry")
	if err != nil {
		t.Fatal(err)
	}
	if err := i.CheckSession(session, "shop.example", time.Now()); err != nil {
		t.Error(err)
	}
	var told map[string]any
	if err := json.Unmarshal(session, &told); err != nil || told["displayName"] != "River Pantry" ||
		told["domainName"] != "shop.example" {
		t.Errorf("%s, %v", session, err)
	}
	for name, err := range map[string]error{
		"another website": i.CheckSession(session, "www.shop.example", time.Now()),
		"later":           i.CheckSession(session, "shop.example", time.Now().Add(sessionLife+time.Second)),
		"another issuer":  issuer(t).CheckSession(session, "shop.example", time.Now()),
		"changed":         i.CheckSession(bytes.Replace(session, []byte("River"), []byte("Rover"), 1), "shop.example", time.Now()),
		"nothing":         i.CheckSession([]byte("null"), "shop.example", time.Now()),
		"no object":       i.CheckSession([]byte("7"), "shop.example", time.Now()),
	} {
		if !errors.Is(err, ErrMerchantSession) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The provider answers those alone who show the certificate that its own root has made for them.
func TestTheProviderWantsItsCertificate(t *testing.T) {
	t.Parallel()
	i := issuer(t)
	g, other := gateway(t, i), gateway(t, i)
	form := gatewayForm("merchant.another", time.Now(), false)
	self, key, err := certificate(form, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	stranger := g.Sessions()
	stranger.MerchantIdentifier = "merchant.another"
	for name, s := range map[string]wallet.Sessions{
		"none":                    g.SessionsAs(),
		"another root's":          g.SessionsAs(other.identity),
		"signed by itself":        g.SessionsAs(tls.Certificate{Certificate: [][]byte{self.Raw}, PrivateKey: key}),
		"of another merchant":     stranger,
		"a provider that is not":  {MerchantIdentifier: MerchantIdentifier, Hosts: g.Sessions().Hosts, Client: safehttp.New(safehttp.Policy{Local: true, LocalPort: "1"})},
		"a provider of elsewhere": {MerchantIdentifier: MerchantIdentifier, Hosts: g.Sessions().Hosts, Client: safehttp.New(safehttp.Policy{})},
	} {
		if session, err := s.Open(t.Context(), ValidationURL, "shop.example", "River Pantry"); !fault.HasCode(err,
			"internal_error") || session != nil {
			t.Errorf("%s: %s, %v", name, session, err)
		}
	}
	if _, err := g.Sessions().Open(t.Context(), ValidationURL, "shop.example",
		strings.Repeat("x", 65)); !fault.HasCode(err, "internal_error") {
		t.Errorf("a long name: %v", err)
	}
}

// The page gives the address: no other than the provider's is called.
func TestOnlyTheProviderIsCalled(t *testing.T) {
	t.Parallel()
	s := gateway(t, issuer(t)).Sessions()
	for _, address := range []string{"", "gateway.wallet-a.localhost",
		"http://gateway.wallet-a.localhost/paymentservices/startSession",
		"https://localhost/paymentservices/startSession", "https://127.0.0.1/", "https://[::1]/",
		"https://169.254.169.254/latest/meta-data", "https://gateway.wallet-a.localhost.evil.example/",
		"https://evil.example/gateway.wallet-a.localhost", "https://gateway.wallet-a.localhost@evil.example/",
		"https://user@gateway.wallet-a.localhost/", "https://gateway.wallet-a.localhost:22/",
		"https://evil.example#gateway.wallet-a.localhost", "https://gateway.wallet-a.localhost/#x",
		"https://gateway-wallet-a.localhost/", "https://x.gateway.wallet-a.localhost/",
		"file://gateway.wallet-a.localhost/etc/passwd", "https://gateway.wallet-a.localhost\\@evil.example/",
		"https:gateway.wallet-a.localhost"} {
		if session, err := s.Open(t.Context(), address, "shop.example", "x"); !fault.HasCode(err,
			"invalid_token_data") || session != nil {
			t.Errorf("%s: %s, %v", address, session, err)
		}
	}
	s.Hosts = nil
	if _, err := s.Open(t.Context(), ValidationURL, "shop.example", "x"); !fault.HasCode(err, "invalid_token_data") {
		t.Errorf("without a pattern: %v", err)
	}
}
