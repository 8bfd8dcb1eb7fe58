package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/testing/fixture"
)

// The command compares a deployment with its own program, and fails if they differ.
func TestPagesAreVerified(t *testing.T) {
	t.Parallel()
	a := appOf(t, fixture.New(t), apikey.Sandbox)
	pay, err := a.payHandler()
	if err != nil {
		t.Fatal(err)
	}
	changed := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == changed {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = w.Write([]byte("steal()"))
			return
		}
		pay.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	verify := func(url, environment string) (int, string, string) {
		var out, complaints bytes.Buffer
		status := run([]string{"pages", "verify"},
			[]string{"SVCPAY_PAY_URL=" + url, "SVCPAY_ENVIRONMENT=" + environment}, &out, &complaints)
		return status, out.String(), complaints.String()
	}
	if status, out, complaints := verify(s.URL, "sandbox"); status != 0 ||
		!strings.Contains(out, "files as this program has them") {
		t.Errorf("%d: %s %s", status, out, complaints)
	}
	changed = "/3.2/svcpay.js"
	if status, out, complaints := verify(s.URL, "sandbox"); status != 1 ||
		!strings.HasPrefix(out, "/3.2/svcpay.js is sha384-") || !strings.Contains(complaints, "differences: ") {
		t.Errorf("%d: %s %s", status, out, complaints)
	}
	if status, _, complaints := verify(s.URL, "production"); status != 1 ||
		!strings.Contains(complaints, "by https only") {
		t.Errorf("%d: %s", status, complaints)
	}
	if status, _, complaints := verify("", "sandbox"); status != 1 ||
		!strings.Contains(complaints, "SVCPAY_PAY_URL is not set") {
		t.Errorf("%d: %s", status, complaints)
	}
}
