package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFrameHeaders(t *testing.T) {
	t.Parallel()
	for name, hashes := range map[string]string{"field": "",
		"controller": " 'sha256-AvyuiL0SD1mVY3NNxR+V2uo+lhk6RMFrytWmRt6CrJQ='"} { // of run()
		response := get(t, library(), true, "/3.2/frame/"+name+"?k=pk_bound&m=1&i=x", "Accept-Encoding", "br")
		if response.StatusCode != http.StatusOK {
			t.Fatalf("%s: got %d", name, response.StatusCode)
		}
		h := response.Header.Clone()
		for _, name := range []string{"Etag", "Content-Encoding", "Content-Length"} {
			h.Del(name)
		}
		if diff := cmp.Diff(http.Header{
			"Content-Security-Policy": {
				"default-src 'none'; script-src 'self'" + hashes + "; style-src 'self'; img-src 'self'; connect-src 'self'; " +
					"base-uri 'none'; report-uri /csp-reports; report-to csp; form-action 'none'; " +
					"require-trusted-types-for 'script'; trusted-types 'none'; " +
					"frame-ancestors https://shop.example http://shop.localhost:8081"},
			"Reporting-Endpoints":          {`csp="/csp-reports"`},
			"Cross-Origin-Resource-Policy": {"cross-origin"},
			"Cross-Origin-Embedder-Policy": {"require-corp"},
			"Referrer-Policy":              {"no-referrer"},
			"X-Content-Type-Options":       {"nosniff"},
			"Cache-Control":                {"no-store"},
			"Content-Type":                 {"text/html; charset=utf-8"},
			"Vary":                         {"Accept-Encoding"},
		}, h); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFrameAncestorsFollowTheKey(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		key        string
		production bool
		want       string
	}{
		{"pk_open", false, "* file:"},
		{"pk_open", true, "'none'"},
		{"pk_bound", false, "https://shop.example http://shop.localhost:8081"},
		{"pk_forged", false, "'none'"},
		{"pk_below", true, "https://*.example.org"},
		{"pk_widget", true, "* file:"},
		{"pk_domains&m=1001", true, "https://give.example.org http://nonprofit.localhost:*"},
		{"pk_domains&m=1002", false, "'none'"},
		{"pk_domains", false, "'none'"}, // of no merchant
		{"pk_nowhere", true, "'none'"},
		{"pk_unknown", false, "* file:"}, // so that the frame can say invalid_public_key
		{"pk_unknown", true, "* file:"},
		{"", false, "* file:"},
		{"", true, "'none'"},
	} {
		if got := ancestorsAt(t, tc.production, "/3.2/frame/field?k="+tc.key); got != tc.want {
			t.Errorf("key %q, production %v: got %q, want %q", tc.key, tc.production, got, tc.want)
		}
	}
}

// ancestorsAt says who may embed a frame.
func ancestorsAt(t *testing.T, production bool, target string) string {
	t.Helper()
	_, ancestors, _ := strings.Cut(get(t, library(), production, target).Header.Get("Content-Security-Policy"),
		"frame-ancestors ")
	return ancestors
}

// A browser reads a key in parameters that are none to a server: no one may embed what could have been made with it.
func TestParametersThatCannotBeReadAreEmbeddedNowhere(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"too many":     "k=pk_bound&" + strings.Repeat("&", 10_000),
		"a semicolon":  "k=pk_bound;m=1",
		"half escaped": "k=pk_bound&i=%2",
		"a second key": "k=%zz&k=pk_open",
	} {
		for _, production := range []bool{false, true} {
			if got := ancestorsAt(t, production, "/3.2/frame/field?"+query); got != "'none'" {
				t.Errorf("%s, production %v: %q", name, production, got)
			}
		}
	}
	if got := ancestorsAt(t, true,
		"/3.2/frame/field?m=1&k=pk_bound&k=pk_open"); got != "https://shop.example http://shop.localhost:8081" {
		t.Errorf("the first of two keys, as a browser reads it: %q", got)
	}
}

func TestFrameIsUnavailableWhenTheKeyCannotBeRead(t *testing.T) {
	t.Parallel()
	response := get(t, library(), false, "/3.2/frame/field?k=pk_down")
	if response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("got %d, want 503", response.StatusCode)
	}
	if policy := response.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "frame-ancestors 'none'") {
		t.Errorf("the refusal can be embedded: %s", policy)
	}
}
