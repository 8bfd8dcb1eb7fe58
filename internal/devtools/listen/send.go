package listen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"svcpay/internal/devtools/signature"
)

// timeout is how long a receiver has for its answer, as long as webhooks give it.
const timeout = 15 * time.Second

// maxShown is how much of an answer's body is read, in bytes.
const maxShown = 2 << 10

// userAgent names who sends, as it does in webhooks.
const userAgent = "SvcPay-Webhooks/1"

// Sender posts signed events.
type Sender struct {
	http http.Client
	now  func() time.Time
}

// NewSender makes a sender. The transport may be nil: then it goes out to the network.
func NewSender(now func() time.Time, transport http.RoundTripper) *Sender {
	if transport == nil {
		network := http.DefaultTransport.(*http.Transport).Clone()
		network.DialContext = dial
		transport = network
	}
	return &Sender{now: now, http: http.Client{Timeout: timeout, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// dial connects. Names under localhost are this machine's (RFC 6761, section 6.3), as they are to webhooks, whether or
// not a resolver knows.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	if host, port, err := net.SplitHostPort(address); err == nil && strings.HasSuffix(host, ".localhost") {
		address = net.JoinHostPort("localhost", port)
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// Answer is the outcome of a post. Status is 0 if there was no answer, of which Reason then tells.
type Answer struct {
	Status int
	Reason string // such as 204 No Content, or connection refused
	Body   string // its beginning
	Took   time.Duration
}

// Taken reports whether the receiver took the event.
func (a Answer) Taken() bool { return a.Status >= 200 && a.Status <= 299 }

// Post sends a body with the headers of its signature. Errors are those of ctx and of a URL that none can be sent to.
func (s *Sender) Post(ctx context.Context, to string, signed http.Header, body []byte) (Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	r.Header = signed.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", userAgent)
	began := s.now()
	answer, err := s.http.Do(r)
	if ctx.Err() != nil {
		return Answer{}, ctx.Err()
	}
	if err != nil {
		return Answer{Reason: reason(err), Took: s.now().Sub(began)}, nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxShown))
	a := Answer{Status: answer.StatusCode, Reason: strings.TrimSpace(answer.Status), Body: string(text),
		Took: s.now().Sub(began)}
	if err != nil { // what was begun did not come to its end
		a.Status, a.Reason = 0, reason(err)
	}
	return a, ctx.Err()
}

// reason says in short why there was no answer.
func reason(err error) string {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		if outer.Timeout() {
			return "no answer in " + timeout.String()
		}
		err = outer.Err
	}
	return err.Error()
}

// CheckURL reports whether events can be posted there, to an absolute http or https URL without a password.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return errors.New("not a URL such as http://localhost:3000/webhooks")
	}
	return nil
}

// Sign makes the headers of an event that is sent now.
func (s *Sender) Sign(by signature.Secret, id string, body []byte) (http.Header, error) {
	return by.Sign(id, s.now(), body)
}
