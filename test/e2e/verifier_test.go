package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// parcel is a delivery as it came, with the secret to verify it by, so many seconds after it came.
type parcel struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Later   int               `json:"later"`
}

// judge has the published verifier of Standard Webhooks for JavaScript look at parcels; it knows nothing of ours.
const judge = `
import { Webhook } from "standardwebhooks"
const now = Date.now
const out = JSON.parse(await new Response(process.stdin).text()).map(({ secret, headers, body, later }) => {
	globalThis.Date = class extends Date { constructor(...of) { of.length ? super(...of) : super(now() + later * 1000) }
		static now() { return now() + later * 1000 } }
	try { new Webhook(secret).verify(body,
		headers); return true } catch (e) { if (e.name !== "WebhookVerificationError") throw e; return false }
})
console.log(JSON.stringify(out))
`

func believed(t *testing.T, parcels []parcel) (out []bool) {
	t.Helper()
	in, err := json.Marshal(parcels)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--input-type=module", "-e", judge)
	cmd.Dir, cmd.Stdin = filepath.Join(root, "api/client/typescript"), bytes.NewReader(in)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	text, err := cmd.Output()
	if err != nil || json.Unmarshal(text, &out) != nil || len(out) != len(parcels) {
		t.Fatalf("%v: %s %s", err, text, complaints.String())
	}
	return out
}

// TestAnIndependentVerifierBelievesUs before, during and after a rotation of the secret, and no one else.
func TestAnIndependentVerifierBelievesUs(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program, "SVCPAY_WEBHOOK_LOCAL=true")
	came := make(chan parcel, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		m := parcel{Headers: map[string]string{}, Body: string(body)}
		for name := range r.Header {
			m.Headers[strings.ToLower(name)] = r.Header.Get(name)
		}
		came <- m
	}))
	t.Cleanup(receiver.Close)
	_, port, err := net.SplitHostPort(receiver.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	made := s.ask(t, "/api/webhook_endpoints",
		map[string]any{"url": "http://hooks.localhost:" + port, "events": []string{"charge.*"}})
	path := "/api/webhook_endpoints/" + made.text("id")
	send := func() parcel {
		s.ask(t, path+"/test",
			map[string]any{"type": "charge.captured",
				"data": map[string]any{"id": "ch_1", "description": "Grüße, 100 €", "amount": 12500}})
		return <-came
	}
	before := send()
	first := made.text("secret")
	second := s.ask(t, path+"/rotate_secret", map[string]any{"overlap": "1h"}).text("secret")
	during := send()
	third := s.ask(t, path+"/rotate_secret", map[string]any{"overlap": "now"}).text("secret")
	after := send()
	changed, moved, renamed := before, before, before
	changed.Body = strings.Replace(changed.Body, "12500", "12501", 1)
	moved.Headers = map[string]string{"webhook-id": before.Headers["webhook-id"],
		"webhook-signature": before.Headers["webhook-signature"], "webhook-timestamp": "1700000000"}
	renamed.Headers = map[string]string{"webhook-id": "evt_other",
		"webhook-signature": before.Headers["webhook-signature"],
		"webhook-timestamp": before.Headers["webhook-timestamp"]}
	cases := []struct {
		what   string
		parcel parcel
		secret string
		later  int
		want   bool
	}{
		{"before", before, first, 0, true}, {"before, by a secret that is to come", before, second, 0, false},
		{"during, by the old secret", during, first, 0, true}, {"during, by the new one", during, second, 0, true},
		{"during, by a third", during, third, 0, false},
		{"after, by the new secret", after, third, 0, true}, {"after, by the old ones", after, first, 0, false},
		{"after, by the old ones", after, second, 0, false},
		{"a changed byte", changed, first, 0, false}, {"another time", moved, first, 0, false},
		{"another id", renamed, first, 0, false},
		{"four minutes later", before, first, 240, true}, {"six minutes later", before, first, 360, false},
	}
	parcels := make([]parcel, len(cases))
	for i, c := range cases {
		parcels[i] = c.parcel
		parcels[i].Secret, parcels[i].Later = c.secret, c.later
	}
	for i, got := range believed(t, parcels) {
		if got != cases[i].want {
			t.Errorf("%s: believed %v", cases[i].what, got)
		}
	}
}

// ask posts what must succeed.
func (s *site) ask(t *testing.T, path string, body any) answer {
	t.Helper()
	a, err := s.api("POST", path, body, nil)
	if err != nil || a.status >= 300 {
		t.Fatalf("%s: %v, %s", path, err, a)
	}
	return a
}
