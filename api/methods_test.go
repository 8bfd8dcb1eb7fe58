package api

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/sandbox/demo"
)

// raw sends a request that the contract may not know, without a body.
func (s *site) raw(t *testing.T, method, path string, as *demo.Application, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if as != nil {
		r.Header.Set("X-API-Key", as.SecretKey)
		r.Header.Set("X-App-ID", fmt.Sprint(as.AppID))
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{status: response.StatusCode, header: response.Header, body: body}
}

// bare checks the headers that every answer under /api has, and that it has none that it must not.
func (a answer) bare(t *testing.T, what string) {
	t.Helper()
	h := a.header
	if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" ||
		h.Get("X-API-Version") != Version ||
		h.Get("Content-Security-Policy") != "default-src 'none'; frame-ancestors 'none'" ||
		!strings.HasPrefix(h.Get("Request-Id"), "req_") {
		t.Errorf("%s is answered %d with %v", what, a.status, h)
	}
	for name := range h {
		if name == "Set-Cookie" || name == "Server" || strings.HasPrefix(name, "Access-Control-") ||
			strings.HasPrefix(name, "X-Powered") {
			t.Errorf("%s is answered with %s", what, name)
		}
	}
}

// methodsOf lists what the table has for each path.
func methodsOf() map[string][]string {
	out := make(map[string][]string)
	for _, r := range new(API).routes() {
		for _, path := range r.paths() {
			out[path] = append(out[path], r.methods()...)
		}
	}
	return out
}

func TestEveryPathTellsItsMethods(t *testing.T) {
	t.Parallel()
	s := open(t)
	paths := methodsOf()
	paths["/api/openapi.yaml"] = []string{http.MethodGet, http.MethodHead}
	paths["/api/openapi.json"] = paths["/api/openapi.yaml"]
	for pattern, methods := range paths {
		before, after, named := aroundName(pattern)
		path := before + after
		if named {
			path = before + "x" + after
		}
		want := append(slices.Clone(methods), http.MethodOptions)
		a := s.raw(t, http.MethodOptions, path, nil, "Origin", "https://shop.example",
			"Access-Control-Request-Method", "POST")
		a.bare(t, "OPTIONS "+path)
		if a.status != http.StatusNoContent || len(a.body) > 0 {
			t.Errorf("OPTIONS %s is answered %d %s", path, a.status, a.body)
		}
		same(t, "Allow of "+path, strings.Split(a.header.Get("Allow"), ", "), want)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"} {
			if slices.Contains(methods, method) {
				continue
			}
			a := s.raw(t, method, path, &s.App)
			a.bare(t, method+" "+path)
			if a.status != http.StatusMethodNotAllowed || method != "HEAD" && a.error().Code != "method_not_allowed" {
				t.Errorf("%s %s is answered %d %s", method, path, a.status, a.body)
			}
			same(t, "Allow of "+path, strings.Split(a.header.Get("Allow"), ", "), want)
		}
	}
	if a := s.raw(t, http.MethodOptions, "/api/none", nil); a.status != http.StatusNotFound ||
		a.error().Code != "route_missing" {
		t.Errorf("OPTIONS of no path is answered %d %s", a.status, a.body)
	}
}

// HEAD is answered as GET is, without the body, and counts as a read.
func TestHeadIsGetWithoutItsBody(t *testing.T) {
	t.Parallel()
	s := limitedTo(t, Limits{Reads: 1000, Writes: 1000})
	for _, c := range everyKeyed(t) {
		if c.method != http.MethodGet {
			continue
		}
		for _, as := range []*demo.Application{&s.App, nil} {
			get, head := s.raw(t, http.MethodGet, c.path, as), s.raw(t, http.MethodHead, c.path, as)
			head.bare(t, "HEAD "+c.path)
			if head.status != get.status || len(head.body) > 0 ||
				head.header.Get("Content-Type") != get.header.Get("Content-Type") ||
				head.header.Get("RateLimit-Policy") != get.header.Get("RateLimit-Policy") ||
				(head.header.Get("RateLimit") == "") != (as == nil) {
				t.Errorf("HEAD %s is answered %d %v %s, GET %d %v", c.path, head.status, head.header, head.body,
					get.status, get.header)
			}
		}
	}
	charge := s.authorized(t, good)
	a := s.raw(t, http.MethodHead, "/api/charges/"+charge.ID.String(), &s.App)
	if a.status != 200 || a.header.Get("ETag") != `"2"` {
		t.Errorf("%d %v", a.status, a.header)
	}
	if l := s.logged(t, a); l.Method != http.MethodHead || value(l.ObjectID) != charge.ID.String() {
		t.Errorf("%+v", l)
	}
}
