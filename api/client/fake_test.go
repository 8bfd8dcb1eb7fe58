package client_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"svcpay/api/client"
)

// service is what the client talks to: it gives one answer after the other, the last for ever, and keeps what it got.
type service struct {
	answers  []answer
	requests []request
}

type answer struct {
	status int
	body   string
	header map[string]string
	err    error // instead of an answer
}

type request struct {
	*http.Request
	body string
}

// RoundTrip implements http.RoundTripper.
func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	a := s.answers[min(len(s.requests), len(s.answers)-1)]
	s.requests = append(s.requests, request{r, string(body)})
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if a.err != nil {
		return nil, a.err
	}
	header := http.Header{"Request-Id": {"req_1"}, "Content-Type": {"application/json"}}
	for name, value := range a.header {
		header.Set(name, value)
	}
	return &http.Response{StatusCode: a.status, Header: header, Body: io.NopCloser(strings.NewReader(a.body)),
		Request: r}, nil
}

func (s *service) last() request { return s.requests[len(s.requests)-1] }

// refusal is an answer with an error.
func refusal(status int, code string, header ...string) answer {
	a := answer{status: status, header: map[string]string{}, body: fmt.Sprintf(
		`{"error":{"type":"x_error","code":%q,"message":"Said so.","errors":[],"retryable":false,"request_id":"req_2","doc_url":"https://x/docs/errors#x"}}`, code)}
	for i := 0; i+1 < len(header); i += 2 {
		a.header[header[i]] = header[i+1]
	}
	return a
}

const secretKey = "sk_sandbox_topsecret"

// talking returns a client of a service that answers so.
func talking(t *testing.T, settings []client.Setting, answers ...answer) (*client.Client, *service) {
	t.Helper()
	s := &service{answers: answers}
	c, err := client.New("https://api.example/", 12, secretKey,
		append([]client.Setting{client.WithHTTPClient(&http.Client{Transport: s})}, settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// cut is a body that ends too early.
type cut struct{ io.Reader }

// Read implements io.Reader.
func (c cut) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close implements io.Closer.
func (cut) Close() error { return nil }

// cutting answers first with half an object, then as next does.
type cutting struct {
	next http.RoundTripper
	done bool
}

// RoundTrip implements http.RoundTripper.
func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.done {
		return c.next.RoundTrip(r)
	}
	c.done = true
	return &http.Response{StatusCode: 201, Header: http.Header{}, Body: cut{bytes.NewReader([]byte(`{"id":"ch`))},
		Request: r}, nil
}
