package api

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
)

// This file provokes what every operation of some form can answer, for all of them: what a new
// route needs is its example of an id and of a body in the contract.

// contractPath writes a route's path as the contract does.
func contractPath(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if name, ok := strings.CutPrefix(s, ":"); ok {
			segments[i] = "{" + name + "}"
		}
	}
	return strings.Join(segments, "/")
}

// aroundName is what is in a route's path before and after the name of an object, if it has one.
func aroundName(path string) (before, after string, named bool) {
	before, after, named = strings.Cut(path, ":")
	_, after, more := strings.Cut(after, "/")
	if more {
		after = "/" + after
	}
	return before, after, named
}

func described(t testing.TB, r route) *openapi3.Operation {
	t.Helper()
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	op := doc.Paths.Value(contractPath(r.path)).GetOperation(r.method)
	if op == nil {
		t.Fatalf("the contract has no %s %s", r.method, r.path)
	}
	return op
}

// everyRoute calls each route of the table with the contract's examples: of the id, of required
// parameters in the query, and of the body. No object of the examples exists.
func everyRoute(t testing.TB) []call {
	t.Helper()
	var out []call
	for _, r := range new(API).routes() {
		c := call{method: r.method, path: r.path, op: described(t, r), route: r}
		for _, p := range c.op.Parameters {
			switch example := fmt.Sprint(p.Value.Example); {
			case p.Value.In == openapi3.ParameterInPath:
				c.path = strings.ReplaceAll(c.path, ":"+p.Value.Name, example)
			case p.Value.In == openapi3.ParameterInQuery && p.Value.Required:
				c = c.with(p.Value.Name + "=" + example)
			}
		}
		if c.op.RequestBody != nil {
			c.media, c.body = exampleOf(t, c.op.RequestBody.Value.Content)
		}
		out = append(out, c)
	}
	return out
}

// everyKeyed are the routes of everyRoute that ask for credentials: all but the public ones.
func everyKeyed(t testing.TB) []call {
	t.Helper()
	return slices.DeleteFunc(everyRoute(t), func(c call) bool { return c.route.handler.public })
}

// asksNoDatabase are the routes whose answer is part of the program: once the key is known they do without the
// database.
var asksNoDatabase = []string{"/api/sandbox/test_cases"}

// withoutDatabase sends each route of everyRoute while the database does not answer, and gives the answers of those
// that ask it.
func (s *site) withoutDatabase(t *testing.T, status int, code string) iter.Seq2[call, answer] {
	t.Helper()
	return func(yield func(call, answer) bool) {
		for _, c := range everyRoute(t) {
			if a := s.send(t, c); slices.Contains(asksNoDatabase, c.route.path) {
				a.want(t, http.StatusOK, "")
			} else if !yield(c, a.want(t, status, code)) {
				return
			}
		}
	}
}

// exampleOf is the example of a JSON body that is called least, or the first by name.
func exampleOf(t testing.TB, content openapi3.Content) (media, body string) {
	t.Helper()
	c := content[mediaJSON]
	if c == nil {
		media = slices.Sorted(maps.Keys(content))[0]
		if text, ok := content[media].Example.(string); ok {
			return media, text
		}
		return media, "example"
	}
	example := c.Examples["least"]
	if example == nil {
		example = c.Examples[slices.Sorted(maps.Keys(c.Examples))[0]]
	}
	text, err := json.Marshal(example.Value.Value)
	if err != nil {
		t.Fatal(err)
	}
	return mediaJSON, string(text)
}

func (c call) name() string { return c.method + " " + c.path }

// with adds to the call's query.
func (c call) with(query string) call {
	separator := "?"
	if strings.Contains(c.path, "?") {
		separator = "&"
	}
	c.path += separator + query
	return c
}

// documents reports whether the contract has this answer for the call's operation.
func (c call) documents(status int, code string) bool {
	r := c.op.Responses.Status(status)
	if r == nil && slices.Contains(byForm, status) {
		r = c.op.Responses.Default()
	}
	return r != nil && slices.Contains(codesOf(r.Value), code)
}

// provoke sends a call whose operation documents the answer that is wanted, and leaves out others.
func (s *site) provoke(t *testing.T, c call, status int, code string) {
	t.Helper()
	if c.documents(status, code) {
		s.send(t, c).want(t, status, code)
	}
}

func TestEveryBodyIsReadStrictly(t *testing.T) {
	t.Parallel()
	s := open(t)
	before := s.rows(t)
	for _, c := range everyRoute(t) {
		t.Run(c.name(), func(t *testing.T) {
			s.provoke(t, c.with(marker+"="+strings.Repeat("x", maxURL)), 400, "parameter_invalid")
			s.provoke(t, c.header1("Idempotency-Key", "two "+marker), 400, "idempotency_key_invalid")
			s.provoke(t, c.header1("If-Match", marker), 400, "parameter_invalid")
			if c.body == "" {
				return
			}
			large, plain, packed := c, c, c.header1("Content-Encoding", "gzip")
			large.body, plain.media = strings.Repeat(" ", 6<<20), "text/x-"+marker
			s.provoke(t, large, 413, "request_too_large")
			s.provoke(t, plain, 415, "content_type_unsupported")
			s.provoke(t, packed, 415, "content_type_unsupported")
			if c.media == mediaJSON {
				s.provokeMembers(t, c)
			}
		})
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

// provokeMembers sends bodies with a member too many and with one too few.
func (s *site) provokeMembers(t *testing.T, c call) {
	t.Helper()
	whole := c.body
	send := func(body string, status int, code string) {
		c.body = body
		s.provoke(t, c, status, code)
	}
	send(strings.TrimSuffix(whole, "}"), 400, "json_invalid")
	inner := strings.TrimSuffix(strings.TrimPrefix(whole, "{"), "}")
	if inner != "" {
		inner = "," + inner
	}
	send(`{"no_such_name":1`+inner+"}", 400, "parameter_unknown")
	send(`{"no_such_name":1,"nor_this_one":2`+inner+"}", 400, "validation_failed")
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(whole), &members); err != nil {
		t.Fatal(err)
	}
	for _, name := range c.op.RequestBody.Value.Content[mediaJSON].Schema.Value.Required {
		less := maps.Clone(members)
		delete(less, name)
		text, err := json.Marshal(less)
		if err != nil {
			t.Fatal(err)
		}
		send(string(text), 400, "parameter_missing")
	}
}

func TestEveryQueryIsReadStrictly(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, c := range everyRoute(t) {
		t.Run(c.name(), func(t *testing.T) {
			s.provoke(t, c.with("no_such_name=1"), 400, "parameter_unknown")
			s.provoke(t, c.with("no_such_name=1&nor_this_one=2"), 400, "validation_failed")
			p := c.op.Parameters.GetByInAndName(openapi3.ParameterInQuery, startingAfter)
			if p == nil {
				return
			}
			if !strings.Contains(c.route.path, ":") {
				if l := decoded(t, s.send(t, c).want(t, 200, "").body).(map[string]any); l["url"] != c.route.path {
					t.Errorf("the list calls itself %v", l["url"])
				}
			}
			id := fmt.Sprint(p.Schema.Value.Example)
			s.provoke(t, c.with("starting_after="+marker), 400, "cursor_invalid")
			s.provoke(t, c.with("ending_before="), 400, "cursor_invalid")
			s.provoke(t, c.with("starting_after="+id+"&ending_before="+id), 400, "parameters_exclusive")
		})
	}
}

// header1 is the call with one header more.
func (c call) header1(name, value string) call {
	c.header = maps.Clone(c.header)
	if c.header == nil {
		c.header = make(map[string]string)
	}
	c.header[name] = value
	return c
}

// What the other application owns looks exactly like what does not exist.
func TestAnotherApplicationsObjectsLookMissing(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.theirObjects(t)
	for _, c := range everyRoute(t) {
		if _, _, named := aroundName(c.route.path); !named {
			continue
		}
		theirs := c.about(t, made)
		absent := s.send(t, c).want(t, 404, "resource_missing")
		if foreign := s.send(t, theirs).want(t, 404, "resource_missing"); withoutID(foreign) != withoutID(absent) {
			t.Errorf("%s: another application's answers\n%s\na missing one\n%s", c.name(), foreign.body, absent.body)
		}
		if c.method == http.MethodGet {
			theirs.as = &s.Other
			if a := s.send(t, theirs); a.status != 200 {
				t.Errorf("%s: its owner is answered %d", c.name(), a.status)
			}
		}
	}
}

func TestEveryRouteAsksForItsPermission(t *testing.T) {
	t.Parallel()
	s := open(t)
	before := s.rows(t)
	s.Gate.Shut()
	for _, c := range everyKeyed(t) {
		e := s.send(t, c).want(t, 403, "permission_denied").error()
		if e.RequiredPermission != string(c.route.permission) {
			t.Errorf("%s asks for %q, its route says %q", c.name(), e.RequiredPermission, c.route.permission)
		}
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestBrokenDatabaseIsToldWithoutDetail(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.get(t, "/api/charges").want(t, 200, "") // the key is known from here on
	s.execute(t, `ALTER SCHEMA public RENAME TO elsewhere`, pg.Args{})
	for c, a := range s.withoutDatabase(t, 500, "internal_error") {
		if e := a.error(); e.Message != "Something went wrong on our side. It has been recorded." {
			t.Errorf("%s: told as %q", c.name(), e.Message)
		}
	}
}

// As long as a key is not known, the routes that ask no database for their answer need it for the key.
func TestUnknownKeyNeedsTheDatabase(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.execute(t, `ALTER SCHEMA public RENAME TO elsewhere`, pg.Args{})
	for _, path := range asksNoDatabase {
		s.get(t, path).want(t, 500, "internal_error")
	}
}

func TestBusyDatabaseIsToldToComeBack(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.get(t, "/api/charges").want(t, 200, "") // the key is known from here on
	busy := serve(t, s.World, configOf(s.World), 50*time.Millisecond)
	var held []*pgxpool.Conn
	for range s.Pool.Config().MaxConns {
		c, err := s.Pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	for c, a := range busy.withoutDatabase(t, 503, "overloaded") {
		if a.header.Get("Retry-After") != "1" || !a.error().Retryable {
			t.Errorf("%s: %v %s", c.name(), a.header, a.body)
		}
	}
	for _, c := range held {
		c.Release()
	}
	s.get(t, "/api/charges").want(t, 200, "")
}
