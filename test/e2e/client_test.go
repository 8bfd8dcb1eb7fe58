package e2e

import (
	"crypto/rand"
	"net/http"
	"strconv"
	"testing"
	"time"

	"svcpay/internal/sandbox/demo"
	"svcpay/test/rig"
)

// site is a running service as clients see it: two host names behind one address.
type site struct {
	addr             string
	apiHost, payHost string
	app              demo.Application
}

// answer is a response, read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

var fresh = rig.NewClient(40 * time.Second)

// send makes one request. body is JSON text, or anything that becomes JSON; nil sends none.
func (s *site) send(host, method, path string, body any, header map[string]string) (answer, error) {
	a, err := rig.Send(fresh, s.addr, host, method, path, body, header)
	return answer{a.Status, a.Header, a.Body}, err
}

// credentials are the header fields by which the site's application is known.
func (s *site) credentials() map[string]string {
	return map[string]string{"X-API-Key": s.app.SecretKey, "X-App-ID": strconv.FormatInt(s.app.AppID, 10)}
}

// api calls the partner API as the site's application.
func (s *site) api(method, path string, body any, header map[string]string) (answer, error) {
	all := s.credentials()
	for name, value := range header {
		all[name] = value
	}
	return s.send(s.apiHost, method, path, body, all)
}

// charge asks once for a charge.
func (s *site) charge(key string, body map[string]any) (answer, error) {
	return s.api("POST", "/api/charges", body, map[string]string{"Idempotency-Key": key})
}

// insist does what a client does that got no final answer: the same request with the same key,
// until one comes. 502 reports the processor and is final.
func (s *site) insist(t *testing.T, key string, body map[string]any) answer {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 90*time.Second; {
		a, err := s.charge(key, body)
		switch {
		case err != nil, a.status == http.StatusAccepted:
			time.Sleep(500 * time.Millisecond)
		case a.status == http.StatusConflict, a.status >= http.StatusInternalServerError &&
			a.status != http.StatusBadGateway:
			seconds, _ := strconv.Atoi(a.header.Get("Retry-After"))
			time.Sleep(time.Duration(max(1, seconds)) * time.Second)
		default:
			return a
		}
		if err != nil || a.status >= http.StatusInternalServerError {
			t.Logf("asking again after: %v, %s", err, a)
		}
	}
	t.Fatal("no final answer in 90 s")
	return answer{}
}

// session opens a payer's session, as the controller frame does.
func (s *site) session(t *testing.T) string {
	t.Helper()
	a, err := s.send(s.payHost, "POST", "/client/session", map[string]any{"public_key": s.app.PublicKey,
		"merchant_id": s.app.Merchants.US, "page_origin": "http://shop.test", "version": "3.2"}, nil)
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("session: %v, %s", err, a)
	}
	return a.text("session")
}

// token tokenizes a card in a session of its own.
func (s *site) token(t *testing.T, number string) string {
	t.Helper()
	a, err := s.tokenize(s.session(t), number, rand.Text(), cardBody(number))
	if err != nil || a.status != http.StatusCreated {
		t.Fatalf("token: %v, %s", err, a)
	}
	return a.text("token")
}

func (s *site) tokenize(session, number, key string, body map[string]any) (answer, error) {
	body["session"] = session
	return s.send(s.payHost, "POST", "/client/tokens", body, map[string]string{"Idempotency-Key": key})
}

var cardBody = rig.CardBody

// order is the body of a charge of the US merchant.
func (s *site) order(token string, amount int) map[string]any {
	return map[string]any{"merchant_id": s.app.Merchants.US, "amount": amount, "token": token}
}

func (a answer) replayed() bool { return a.rig().Replayed() }

// get returns a member by its path.
func (a answer) get(path ...string) any { return a.rig().Get(path...) }

func (a answer) text(path ...string) string { return a.rig().Text(path...) }

// String shows the answer in a failure.
func (a answer) String() string { return a.rig().String() }

func (a answer) rig() rig.Answer { return rig.Answer{Status: a.status, Header: a.header, Body: a.body} }
