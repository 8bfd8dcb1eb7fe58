package rig

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strconv"
)

// The names of a service's two hosts behind its address; no one looks them up.
const (
	APIHost = "api.test"
	PayHost = "pay.test"
)

// Site is a running service as the programs of one application see it.
type Site struct {
	Addr        string
	Client      *http.Client
	Application int64
	Merchant    int64
	Secret      string // key
	Public      string // key
}

// Credentials are the header fields by which the application is known.
func (s Site) Credentials() map[string]string {
	return map[string]string{"X-API-Key": s.Secret, "X-App-ID": strconv.FormatInt(s.Application, 10)}
}

// API makes one request of the application's; with a key unless that is "".
func (s Site) API(method, path, key string, body any) (Answer, error) {
	header := s.Credentials()
	if key != "" {
		header["Idempotency-Key"] = key
	}
	return Send(s.Client, s.Addr, APIHost, method, path, body, header)
}

// Ready reports whether a server says that it is.
func (s Site) Ready() bool {
	a, err := Send(s.Client, s.Addr, APIHost, "GET", "/readyz", nil, nil)
	return err == nil && a.Status == http.StatusNoContent
}

// Token makes a token of a card, as a payer's browser does, in a session of its own.
func (s Site) Token(number string) (string, error) {
	a, err := Send(s.Client, s.Addr, PayHost, "POST", "/client/session", map[string]any{"public_key": s.Public,
		"merchant_id": s.Merchant, "page_origin": "http://shop.test", "version": "3.2"}, nil)
	if err != nil || a.Status != http.StatusOK {
		return "", fmt.Errorf("session: %v, %s", err, a)
	}
	body := CardBody(number)
	body["session"] = a.Text("session")
	a, err = Send(s.Client, s.Addr, PayHost, "POST", "/client/tokens", body,
		map[string]string{"Idempotency-Key": rand.Text()})
	if err != nil || a.Status != http.StatusCreated {
		return "", fmt.Errorf("token: %v, %s", err, a)
	}
	return a.Text("token"), nil
}

// Order is the body of a charge.
func (s Site) Order(token string, amount int) map[string]any {
	return map[string]any{"merchant_id": s.Merchant, "amount": amount, "token": token}
}
