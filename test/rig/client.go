package rig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Answer is a response, read to its end.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// NewClient makes a client that opens a connection per request: on a kept one, Go's client would itself
// repeat a request that carries an Idempotency-Key.
func NewClient(patience time.Duration) *http.Client {
	return &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
}

// Send makes one request to a host name behind an address. body is JSON text, or anything that becomes
// JSON; nil sends none.
func Send(client *http.Client, addr, host, method, path string, body any, header map[string]string) (Answer, error) {
	r, err := newRequest(addr, host, method, path, body, header)
	if err != nil {
		return Answer{}, err
	}
	resp, err := client.Do(r)
	if err != nil {
		return Answer{}, err
	}
	return read(resp)
}

func newRequest(addr, host, method, path string, body any, header map[string]string) (*http.Request, error) {
	text, ok := body.(string)
	if !ok && body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		text = string(encoded)
	}
	r, err := http.NewRequest(method, "http://"+addr+path, bytes.NewReader([]byte(text)))
	if err != nil {
		return nil, err
	}
	r.Host = host
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	return r, nil
}

func read(resp *http.Response) (Answer, error) {
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return Answer{resp.StatusCode, resp.Header, got}, err
}

// Replayed reports whether an earlier request with the key had this answer.
func (a Answer) Replayed() bool { return a.Header.Get("Idempotent-Replayed") == "true" }

// Get returns a member by its path.
func (a Answer) Get(path ...string) any {
	return gjson.GetBytes(a.Body, strings.Join(path, ".")).Value()
}

// Text is [Answer.Get] of a text; "" if it is none.
func (a Answer) Text(path ...string) string { s, _ := a.Get(path...).(string); return s }

// String shows the answer in a failure.
func (a Answer) String() string { return fmt.Sprintf("%d %.300s", a.Status, a.Body) }

// CardBody is what the controller frame sends for a complete card.
func CardBody(number string) map[string]any {
	cvc := "739"
	if len(number) == 15 {
		cvc = "7391"
	}
	return map[string]any{"type": "card",
		"card": map[string]any{"number": number, "exp_month": 8, "exp_year": time.Now().Year() + 3, "cvc": cvc},
		"billing": map[string]any{"first_name": "Dana", "last_name": "Reed", "address_line_1": "12 Elm Street",
			"address_zip": "97301", "address_country": "US", "email": "dana@example.org"}}
}
