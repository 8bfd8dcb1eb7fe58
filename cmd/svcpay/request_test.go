package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// runAt runs a command as the application of a server.
func runAt(t *testing.T, at *httptest.Server, args ...string) (status int, out, complaints string) {
	t.Helper()
	var stdout, stderr strings.Builder
	env := []string{"SVCPAY_BASE_URL=" + at.URL, "SVCPAY_APP_ID=7", "SVCPAY_API_KEY=sk_sandbox_x"}
	status = run(args, env, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func TestRequestsOfTheCommandLine(t *testing.T) {
	t.Parallel()
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Header.Get("X-App-ID") != "7" || r.Header.Get("X-API-Key") != "sk_sandbox_x":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/api/moved":
			http.Redirect(w, r, "/api/file", http.StatusFound)
		case r.URL.Path == "/api/lost":
			panic(http.ErrAbortHandler)
		case r.URL.Path == "/api/file":
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = io.WriteString(w, "%PDF")
		case r.URL.Path == "/api/charges" && r.Method == http.MethodPost && string(body) == `{"amount":5}` &&
			len(r.Header.Get("Idempotency-Key")) > 10:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"id":"ch_1","fees":[{"amount":3}]}`)
		case r.URL.Path == "/api/charges" && r.URL.RawQuery == "limit=1" && r.Header.Get("Idempotency-Key") == "":
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = io.WriteString(w, `{"data":[{"id":"ch_1","note":null}]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"code":"resource_missing"}`)
		}
	}))
	t.Cleanup(at.Close)
	for _, c := range []struct {
		args        string
		status      int
		out, failed string
	}{
		{"get /api/charges?limit=1", 0, "{\n  \"data\": [\n    {\n      \"id\": \"ch_1\",\n      \"note\": null\n    }\n  ]\n}\n", ""},
		{"get /api/charges?limit=1 --field data.0.id", 0, "ch_1\n", ""},
		{"get /api/charges?limit=1 --field data.0.note", 0, "null\n", ""},
		{"get /api/charges?limit=1 --field data.1.id", exitFailed, "", `the response has no "1"`},
		{"get /api/charges?limit=1 --field data.0.name", exitFailed, "", `the response has no "name"`},
		{"get /api/file", 0, "%PDF", ""},
		{"get /api/moved", exitFailed, "", "302 Found"},
		{"post /api/lost --idempotency-key mine", exitFailed, "", "The outcome is unknown. Repeat the request with --idempotency-key mine"},
		{"get /api/nothing", exitFailed, "", "404 Not Found\n{\"code\":\"resource_missing\"}"},
		{"get https://other.example/api/charges", exitFailed, "", "the path must begin with /"},
		{"get //other.example/api/charges", exitFailed, "", "the path must begin with /"},
		{`post /api/charges -d {"amount":5} --field fees.0.amount`, 0, "3\n", ""},
		{"post /api/charges -d {", exitFailed, "", "--data is not JSON"},
		{"post /api/charges", exitFailed, "", "404"},
	} {
		status, out, complaints := runAt(t, at, strings.Fields(c.args)...)
		if status != c.status || out != c.out || !strings.Contains(complaints, c.failed) ||
			(c.failed == "") != (complaints == "") {
			t.Errorf("%s: %d, %q, %q", c.args, status, out, complaints)
		}
	}
}

func TestCredentialsArePrinted(t *testing.T) {
	t.Parallel()
	file := credentialsFile(t, t.TempDir())
	for field, want := range map[string]string{"secret_key": "sk_sandbox_demo\n", "app_id": "3\n",
		"merchants.us": "1001\n"} {
		var stdout, stderr strings.Builder
		if status := run([]string{"credentials", field}, []string{"SVCPAY_CREDENTIALS=" + file}, &stdout,
			&stderr); status != 0 || stdout.String() != want {
			t.Errorf("%s: %d, %q, %q", field, status, &stdout, &stderr)
		}
	}
	var stdout, stderr strings.Builder
	if status := run([]string{"credentials"}, []string{"SVCPAY_CREDENTIALS=" + file + ".none"}, &stdout,
		&stderr); status != exitFailed || !strings.Contains(stderr.String(), "start svcpay dev first") {
		t.Errorf("%d, %q, %q", status, &stdout, &stderr)
	}
}
