package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"svcpay/internal/testing/pgtest"
)

// mailbox takes deliveries of webhooks, one after the other.
type mailbox struct {
	url  string
	came chan parcel
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	m := &mailbox{came: make(chan parcel, 100)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		p := parcel{Headers: map[string]string{}, Body: string(body)}
		for name := range r.Header {
			p.Headers[strings.ToLower(name)] = r.Header.Get(name)
		}
		m.came <- p
		if r.URL.Path == "/refuse" {
			http.Error(w, "not that one", http.StatusTeapot)
		}
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	m.url = "http://hooks.localhost:" + port
	return m
}

// next waits for a delivery.
func (m *mailbox) next(t *testing.T) parcel {
	t.Helper()
	select {
	case p := <-m.came:
		return p
	case <-time.After(patience):
		t.Fatal("nothing was delivered")
		return parcel{}
	}
}

// TestEventsCommands lists events, reads them, and has them sent again.
func TestEventsCommands(t *testing.T) {
	t.Parallel()
	d := startDev(t, stateDir(t), []string{"DATABASE_URL=" + pgtest.URL(t)})
	m := newMailbox(t)
	endpoint := d.ask(t, "/api/webhook_endpoints",
		map[string]any{"url": m.url, "events": []string{"charge.captured"}}).text("id")
	id, ch := d.triggered(t, "charge.captured")
	first := m.next(t)
	d.triggered(t, "charge.captured")
	m.next(t)

	listed := d.cli(t, "", "events", "list", "--on", ch)
	if rows := regexp.MustCompile(`(?m)^#\d+ +\S+Z  charge\.(created|authorized|captured) +evt_\S+  `+ch+
		`$`).FindAllString(listed.out, -1); len(rows) != 3 || !strings.HasPrefix(listed.out, "SEQUENCE ") {
		t.Errorf("%+v", listed)
	}
	if s := d.cli(t, "", "events", "list", "--events", "charge.captured,refund.*", "--after", "0", "--limit",
		"1"); strings.Count(s.out, "\n") != 2 || !strings.Contains(s.out, id) {
		t.Errorf("%+v", s)
	}
	var told struct{ ID string }
	if s := d.cli(t, "", "events", "list", "--json", "--limit", "1"); json.Unmarshal([]byte(s.out), &told) != nil ||
		!strings.HasPrefix(told.ID, "evt_") {
		t.Errorf("%+v", s)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(first.Body), "", "  "); err != nil {
		t.Fatal(err)
	}
	if s := d.cli(t, "", "events", "get", id); s.out != indented.String()+"\n" {
		t.Errorf("%+v\nwas delivered as\n%s", s, &indented)
	}
	if s := d.cli(t, "", "events", "get", "--raw", id); s.out != first.Body {
		t.Errorf("%+v\nwas delivered as\n%s", s, first.Body)
	}

	if s := d.cli(t, "", "events", "resend", id); s.out != id+" is on its way to "+endpoint+".\n" {
		t.Errorf("%+v", s)
	}
	if again := m.next(t); again.Body != first.Body || again.Headers["webhook-id"] != id {
		t.Errorf("%+v", again)
	}
	unwanted, _ := d.triggered(t, "charge.failed")
	if s := d.cli(t, "", "events", "resend", unwanted); s.out != "No enabled endpoint wants it.\n" {
		t.Errorf("%+v", s)
	}
	if s := d.cli(t, "", "events", "resend", unwanted, "--endpoint", endpoint); s.status != 0 ||
		m.next(t).Headers["webhook-id"] != unwanted {
		t.Errorf("%+v", s)
	}
	s := d.cli(t, "", "events", "replay", endpoint, "--since", time.Now().Add(-time.Hour).UTC().Format(time.RFC3339))
	if !regexp.MustCompile(`^Replay rpl_\S+ is done: (\d+) of \d+ events were looked at, 2 are sent\.\n$`).MatchString(
		s.out) || s.status != 0 {
		t.Errorf("%+v", s)
	}
	if got := m.next(t).Headers["webhook-id"]; got != id && m.next(t).Headers["webhook-id"] != id {
		t.Errorf("%s came first, then not %s", got, id)
	}
	if s := d.cli(t, "", "events", "replay", endpoint, "--failed", "--since", "2020-01-01T00:00:00Z", "--until",
		"2020-01-02T00:00:00Z"); !strings.Contains(s.out, "0 of 0 events were looked at, 0 are sent") {
		t.Errorf("%+v", s)
	}
	d.refusesEvents(t, endpoint)
}

func (d *devServer) refusesEvents(t *testing.T, endpoint string) {
	t.Helper()
	for args, want := range map[string]string{
		"events get evt_01jq8z6k4t8m2x9v5c7b1n3d0f": "404 resource_missing", "events resend evt_x": "404",
		"events list --events payment.*": "type: ",
		"events list --limit 101":        "limit: ", "events list --on x": "object_id: ",
		"events replay whe_x --since 2026-01-01T00:00:00Z": "404",
		"events replay " + endpoint:                        "--since", "events replay " + endpoint +
			" --since yesterday": "--since",
	} {
		if s := d.cli(t, "", strings.Fields(args)...); s.status == 0 || s.out != "" ||
			!strings.Contains(s.errors, want) {
			t.Errorf("%s: %+v; want %s", args, s, want)
		}
	}
}

// TestWebhooksVerifyTellsWhichMistake was made with a delivery that came.
func TestWebhooksVerifyTellsWhichMistake(t *testing.T) {
	t.Parallel()
	d := startDev(t, stateDir(t), []string{"DATABASE_URL=" + pgtest.URL(t)})
	m := newMailbox(t)
	made := d.ask(t, "/api/webhook_endpoints", map[string]any{"url": m.url, "events": []string{"charge.captured"}})
	secret, path := made.text("secret"), "/api/webhook_endpoints/"+made.text("id")
	id, _ := d.triggered(t, "charge.captured", "--data", d.members(t, `{"description": "Grüße, <100 €> & more"}`))
	came := m.next(t)
	other := d.ask(t, "/api/webhook_endpoints", map[string]any{"url": m.url, "events": []string{"ping"}}).text("secret")
	listens := strings.TrimSpace(d.cli(t, "", "listen", "--print-secret").out)
	var log answer
	eventually(t, patience, "the log of the delivery", func() bool {
		var err error
		log, err = d.api("GET", path+"/deliveries", nil, nil)
		return err == nil && log.at("data.0.attempts.0.request_headers") != nil
	})
	sent, err := json.Marshal(log.at("data.0.attempts.0.request_headers"))
	if err != nil {
		t.Fatal(err)
	}
	var pretty, sorted bytes.Buffer
	var members map[string]any
	if json.Indent(&pretty, []byte(came.Body), "", "  ") != nil || json.Unmarshal([]byte(came.Body), &members) != nil ||
		json.NewEncoder(&sorted).Encode(members) != nil {
		t.Fatal("the body is no JSON")
	}
	headers := func(changes ...string) string {
		h := map[string]string{}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature", "user-agent"} {
			h[name] = came.Headers[name]
		}
		for i := 0; i < len(changes); i += 2 {
			h[changes[i]] = changes[i+1]
		}
		text := "POST /webhooks HTTP/1.1\n"
		for name, value := range h {
			text += "> " + name + ": " + value + "\n"
		}
		return text + "\nsomething: else\n"
	}
	forwarded := d.forwarded(t, m, id, listens)
	for _, c := range []struct {
		what, body, headers, args string
		wants                     []string // the mistakes; none if it is right
	}{
		{"as it came", came.Body, headers(), "--secret " + secret, nil},
		{"with the headers of the log", came.Body, string(sent), "--secret " + secret, nil},
		{"by one of two", came.Body, headers(), "--secret " + other + " --secret " + secret, nil},
		{"hours later", came.Body, headers(), "--secret " + secret + " --at " + time.Now().Add(3*time.Hour).UTC().Format(time.RFC3339), []string{"clock_too_old: It was signed "}},
		{"an hour before", came.Body, headers(), "--secret " + secret + " --at " + time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), []string{"clock_too_new: "}},
		{"patiently", came.Body, headers(), "--secret " + secret + " --tolerance 4h --at " + time.Now().Add(3*time.Hour).UTC().Format(time.RFC3339), nil},
		{"indented", pretty.String(), headers(), "--secret " + secret, []string{"body_reserialized: "}},
		{"in order of the alphabet", sorted.String(), headers(), "--secret " + secret, []string{"body_reserialized: "}},
		{"with another amount", strings.Replace(came.Body, `"amount":2500`, `"amount":2600`, 1), headers(), "--secret " + secret, []string{"body_changed: The body differs from the event that was sent."}},
		{"by another endpoint's secret", came.Body, headers(), "--secret " + other, []string{"secret_wrong: None of the given secrets signed this event."}},
		{"what listen forwarded", forwarded.Body, headers("webhook-signature", forwarded.Headers["webhook-signature"], "webhook-timestamp", forwarded.Headers["webhook-timestamp"]), "--secret " + secret, []string{"secret_wrong: It was signed with the secret of svcpay listen"}},
		{"by production's secret", came.Body, headers(), "--secret " + other + " --other production=" + secret, []string{"secret_wrong: It was signed with the secret of production"}},
		{"with production's event", strings.Replace(came.Body, `"livemode":false`, `"livemode":true`, 1), headers(), "--secret " + secret, []string{"body_changed: "}},
		{"with a key in its place", came.Body, headers(), "--secret " + d.app.SecretKey, []string{"secret_malformed: Secret 1 is malformed: this is an API key"}},
		{"without the signature", came.Body, headers("webhook-signature", ""), "--secret " + secret, []string{"header_missing: The header webhook-signature is missing"}},
		{"in milliseconds", came.Body, headers("webhook-timestamp", came.Headers["webhook-timestamp"]+"000"), "--secret " + secret, []string{"header_malformed: webhook-timestamp"}},
	} {
		file := filepath.Join(t.TempDir(), "headers")
		if err := os.WriteFile(file, []byte(c.headers), 0o600); err != nil {
			t.Fatal(err)
		}
		s := d.cli(t, c.body,
			append([]string{"webhooks", "verify", "-", "--headers", file}, strings.Fields(c.args)...)...)
		right := len(c.wants) == 0
		if right != (s.status == 0) || right != strings.HasPrefix(s.out, "Signature valid: secret ") || !right &&
			!strings.Contains(s.errors, "signature is not valid") {
			t.Errorf("%s: %+v", c.what, s)
		}
		for _, want := range c.wants {
			if !strings.Contains(s.out, want) {
				t.Errorf("%s: %q is not in %+v", c.what, want, s)
			}
		}
	}
}

// forwarded has svcpay listen bring an event to a mailbox.
func (d *devServer) forwarded(t *testing.T, m *mailbox, id, secret string) parcel {
	t.Helper()
	p := d.listens(t, nil, m.url, "--after", "0", "--events", "charge.captured")
	if got := p.says(t, `Signing secret: (\S+)\n`); got != secret {
		t.Errorf("--print-secret printed another one")
	}
	came := m.next(t)
	interrupted(t, p)
	if came.Headers["webhook-id"] != id {
		t.Errorf("%+v", came)
	}
	return came
}

// TestWebhooksSend signs what is given, and what the API has; verify believes what it prints.
func TestWebhooksSend(t *testing.T) {
	t.Parallel()
	d := startDev(t, stateDir(t), []string{"DATABASE_URL=" + pgtest.URL(t)})
	m := newMailbox(t)
	id, _ := d.triggered(t, "charge.captured")
	secret := "whsec_bm90IGEgc2VjcmV0IGJ1dCBhIHRleHQgb2YgMzIgYnk="
	body := `{"id":"evt_mine","text":"<ü>"}` + "\n"
	file := d.members(t, body)
	for _, c := range []struct{ args, id, body, out, verdict string }{
		{m.url + " --secret " + secret + " --body " + file, "evt_mine", body, "200 OK", ""},
		{m.url + " --secret " + secret + " --body - --id msg_7", "msg_7", "hello", "200 OK", ""},
		{m.url + " --secret " + secret + " --body -", "msg_0", "hello", "200 OK", ""},
		{m.url + " --secret " + secret + " --event " + id, id, "", "200 OK", ""},
		{m.url + " --secret " + secret + " --at 2020-01-01T00:00:00Z --body " + file, "evt_mine", body, "200 OK", "clock_too_old"},
		{m.url + "/refuse --secret " + secret + " --body " + file, "evt_mine", body, "418 I'm a teapot", ""},
	} {
		s := d.cli(t, "hello", append([]string{"webhooks", "send"}, strings.Fields(c.args)...)...)
		p := m.next(t)
		if c.body == "" {
			c.body = d.cli(t, "", "events", "get", "--raw", id).out
		}
		if refused := strings.Contains(c.args, "/refuse"); refused != (s.status == exitFailed) ||
			refused != strings.Contains(s.out, "not that one") || p.Body != c.body || p.Headers["webhook-id"] != c.id ||
			!strings.Contains(s.out, "\n\n"+c.out+"  ") {
			t.Errorf("%s: %+v, %+v", c.args, s, p)
		}
		headers := d.members(t, s.out)
		v := d.cli(t, p.Body, "webhooks", "verify", "-", "--headers", headers, "--secret", secret)
		if (v.status == 0) != (c.verdict == "") || !strings.HasPrefix(v.out, c.verdict) {
			t.Errorf("%s: %+v", c.args, v)
		}
	}
	for args, want := range map[string]string{
		m.url + " --body " + file: "--secret: a secret begins with whsec_", m.url + " --secret x --body " +
			file: "--secret: ", "localhost:1 --secret " + secret + " --body " + file: "not a URL",
		m.url + " --secret " + secret: "give --body or --event", m.url + " --secret " + secret +
			" --event evt_x --body " + file: "can't be used together",
		m.url + " --secret " + secret + " --event evt_x": "404", "http://hooks.localhost:1 --secret " + secret +
			" --body " + file: "did not take it",
	} {
		if s := d.cli(t, "", append([]string{"webhooks", "send"}, strings.Fields(args)...)...); s.status == 0 ||
			!strings.Contains(s.errors, want) {
			t.Errorf("%s: %+v; want %s", args, s, want)
		}
	}
}
