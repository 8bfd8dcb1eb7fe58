package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svcpay/api/client"
	"svcpay/internal/sandbox/demo"
)

// credentialsFile writes what svcpay dev would.
func credentialsFile(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "credentials.json")
	c := demo.Credentials{BaseURL: "http://localhost:8080",
		Application: demo.Application{AppID: 3, SecretKey: "sk_sandbox_demo", Merchants: demo.Merchants{US: 1001}}}
	if err := demo.Write(path, c); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhomACommandWorksAs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := credentialsFile(t, dir)
	env := []string{"SVCPAY_BASE_URL=https://api.example.org/", "SVCPAY_APP_ID=7", "SVCPAY_API_KEY=rk_production_env"}
	for _, c := range []struct {
		what   string
		access access
		env    []string
		want   string // or the beginning of the mistake
	}{
		{"flags", access{BaseURL: "https://a.example", AppID: 5, APIKey: "sk_sandbox_flag"}, nil, "https://a.example 5 sk_sandbox_flag 0 sandbox"},
		{"settings", access{}, env, "https://api.example.org 7 rk_production_env 0 production"},
		{"flags before settings", access{AppID: 5}, env, "https://api.example.org 5 rk_production_env 0 production"},
		{"settings before a file", access{Credentials: file}, env, "https://api.example.org 7 rk_production_env 0 production"},
		{"a file", access{Credentials: file}, nil, "http://localhost:8080 3 sk_sandbox_demo 1001 sandbox in its directory"},
		{"a file of the settings", access{}, []string{"SVCPAY_CREDENTIALS=" + file}, "http://localhost:8080 3 sk_sandbox_demo 1001 sandbox in its directory"},
		{"a file before that of the settings", access{Credentials: file}, []string{"SVCPAY_CREDENTIALS=/nowhere"}, "http://localhost:8080 3 sk_sandbox_demo 1001 sandbox in its directory"},
		{"a key that does not tell", access{BaseURL: "https://a.example", AppID: 5, APIKey: "key"}, nil, "https://a.example 5 key 0 "},
		{"a key alone", access{APIKey: "sk_sandbox_flag", Credentials: file}, nil, "give all of"},
		{"a server's settings", access{}, env[:1], "give all of"},
		{"no key", access{}, env[:2], "give all of"},
		{"no number", access{}, []string{env[0], "SVCPAY_APP_ID=seven", env[2]}, "SVCPAY_APP_ID is not a number"},
		{"no file", access{Credentials: filepath.Join(dir, "none")}, nil, "there is no svcpay dev here ("},
		{"no file, said otherwise", access{}, []string{"SVCPAY_CREDENTIALS=" + filepath.Join(dir, "none")}, "there is no svcpay dev here ("},
		{"a directory", access{Credentials: dir}, nil, "read "},
		{"no URL", access{BaseURL: "api.example.org", AppID: 5, APIKey: "sk_sandbox_flag"}, nil, "SVCPAY_BASE_URL, SVCPAY_APP_ID or SVCPAY_API_KEY is wrong: "},
	} {
		p, err := c.access.open(&world{ctx: t.Context(), env: append(c.env, "HOME="+dir)})
		got := ""
		if err != nil {
			got = err.Error()
		} else if got = fmt.Sprint(p.url, p.app, " ", p.key, p.merchant, p.environment()); p.stateDir == dir {
			got += " in its directory"
		}
		if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(c.want, " ", "") &&
			(err == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// A server may run in an environment that has the settings of these commands, too.
func TestAServerPassesOverWhatApplicationsAreTold(t *testing.T) {
	t.Parallel()
	for _, name := range applicationSettings {
		if _, err := configFrom(append(goodEnv(), name+"=x")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatAskingAgainDoesNotHelp(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{0: false, 200: false, 400: true, 401: true, 403: true, 404: true, 409: false,
		429: false, 500: false, 503: false} {
		if err := fmt.Errorf("read: %w", &client.Error{StatusCode: status}); final(err) != want {
			t.Errorf("%d: %v", status, final(err))
		}
	}
	if final(errors.New("a cable")) || final(nil) {
		t.Error("what nobody answered is final")
	}
}

func TestErrorsOfTheAPIHaveEveryMistake(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"error": map[string]any{"code": "validation_failed", "message": "Two mistakes.",
				"errors": []map[string]string{{"param": "limit", "message": "Too much."},
					{"param": "type", "message": "No type."}}}})
	}))
	t.Cleanup(api.Close)
	var out, complaints bytes.Buffer
	env := []string{"SVCPAY_BASE_URL=" + api.URL, "SVCPAY_APP_ID=1", "SVCPAY_API_KEY=sk_sandbox_x"}
	status := run([]string{"events", "list"}, env, &out, &complaints)
	if want := "svcpay: GET /api/events: 400 validation_failed: Two mistakes.\n  limit: Too much.\n  type: No type.\n"; status != exitFailed || out.Len() > 0 || complaints.String() != want {
		t.Errorf("%d\n%s%s", status, &out, &complaints)
	}
}

func TestNothingIsTriggeredInProduction(t *testing.T) {
	t.Parallel()
	var out, complaints bytes.Buffer
	env := []string{"SVCPAY_BASE_URL=http://127.0.0.1:1", "SVCPAY_APP_ID=1", "SVCPAY_API_KEY=sk_production_x"}
	if status := run([]string{"trigger", "charge.created"}, env, &out, &complaints); status != exitFailed ||
		!strings.Contains(complaints.String(), "this works in a sandbox only") {
		t.Errorf("%d %s%s", status, &out, &complaints)
	}
}

// A command whose server is gone says at once that it retries.
func TestCommandsSayThatTheyRetry(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	var stdout, stderr bytes.Buffer
	status := run([]string{"events", "list", "--base-url", gone.URL, "--app-id", "1", "--api-key", "sk_sandbox_x"}, nil,
		&stdout, &stderr)
	first, rest, _ := strings.Cut(stderr.String(), "\n")
	if status != exitFailed || !strings.Contains(first, "connection refused") ||
		!strings.HasPrefix(rest, "Retrying.\n") {
		t.Errorf("%d: %s", status, stderr.String())
	}
}

// TestVerifyNeedsNoNetwork: without a deployment, and with one that does not answer.
func TestVerifyNeedsNoNetwork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const secret, other = "whsec_bm90IGEgc2VjcmV0IGJ1dCBhIHRleHQgb2YgMzIgYnk=",
		"whsec_YW5vdGhlciB0ZXh0IHRoYXQgaXMgb2YgMzIgYnl0ZXM="
	body := file("body", `{"id":"evt_1","object":"event","application_id":4,"livemode":false}`)
	var sent, complaints bytes.Buffer
	if status := run([]string{"webhooks", "send", "http://127.0.0.1:1/", "--secret", secret, "--body", body, "--at",
		"2026-12-01T09:00:00Z"}, nil, &sent, &complaints); status != exitFailed {
		t.Fatalf("%d %s", status, &complaints)
	}
	if !strings.HasPrefix(sent.String(), "webhook-id: evt_1\nwebhook-timestamp: 1796115600\nwebhook-signature: v1,") ||
		!strings.Contains(sent.String(), "connection refused") {
		t.Errorf("%s", &sent)
	}
	headers := file("headers", sent.String())
	spoiled := file("spoiled", "webhook-id evt_1\n"+sent.String())
	none := "SVCPAY_CREDENTIALS=" + filepath.Join(dir, "none")
	silent := []string{"SVCPAY_BASE_URL=http://127.0.0.1:1", "SVCPAY_APP_ID=4", "SVCPAY_API_KEY=sk_sandbox_x"}
	at := " --at 2026-12-01T09:00:07Z "
	for _, c := range []struct {
		args string
		env  []string
		ok   bool
		want string
	}{
		{body + " --headers " + headers + at + "--secret " + secret, []string{none}, true, "Signature valid: secret 1 signed evt_1 7s ago.\n"},
		{body + " --headers " + spoiled + at + "--secret " + secret, []string{none}, true, "secret 1 signed"},
		{body + " --headers " + headers + at, []string{none, "SVCPAY_WEBHOOK_SECRET=" + secret}, true, "secret 1 signed"},
		{body + " --headers " + headers + at + "--secret " + other, []string{none, "SVCPAY_WEBHOOK_SECRET=" + secret}, false, "secret_wrong: "},
		{body + " --headers " + headers + at + "--secret " + secret, silent, true, "secret 1 signed"},
		{body + " --headers " + headers + at + "--secret " + other, silent, false, "secret_wrong: "},
		{body + " --headers " + headers + at + "--secret " + other, silent, false, "could not be compared with the API's: "},
		{body + " --headers " + headers + " --secret " + secret, []string{none}, false, "clock_too_"},
		{body + " -H webhook-id:evt_1 -H webhook-timestamp:1 -H webhook-signature:v1,x --secret " + secret, []string{none}, false, "header_malformed: "},
		{body + " -H webhook-id --secret " + secret, []string{none}, false, "--header: not a name and a value"},
		{body + " --headers " + headers, []string{none}, false, "give the endpoint's secret"},
		{body + " --headers " + headers + " --secret " + secret, silent[:1], false, "give all of"},
		{filepath.Join(dir, "none") + " --secret " + secret, []string{none}, false, "no such file"},
	} {
		var out, complaints bytes.Buffer
		status := run(append([]string{"webhooks", "verify"}, strings.Fields(c.args)...), c.env, &out, &complaints)
		if told := out.String() + complaints.String(); (status == 0) != c.ok || !strings.Contains(told, c.want) ||
			strings.Contains(told, "bm90IGEg") {
			t.Errorf("%s: %d\n%s; want %s", c.args, status, told, c.want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("something was written: %v, %v", left, err)
	}
}

func TestObjectsOfEvents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`{"id":"ch_1"}`: "ch_1", `{"id":1001}`: "1001", `{}`: "-",
		`{"id":null}`: "-", `7`: "-", ``: "-"} {
		if got := objectOf(client.Event{Data: client.EventData{Object: []byte(text)}}); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	for text, want := range map[string]string{`{"id":"evt_1"}`: "evt_1", `{"id":7}`: "7", `{}`: "msg_0",
		`hello`: "msg_0", ``: "msg_0"} {
		if got := ownID([]byte(text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
