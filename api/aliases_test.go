package api

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// aliased are the calls of every route that has another path, valid if it can be.
func aliased(t testing.TB, mine map[string]string) (out []call) {
	t.Helper()
	for _, c := range everyRoute(t) {
		if c.route.alias != "" {
			out = append(out, c.valid(t, mine))
		}
	}
	if len(out) < 4 {
		t.Errorf("only %d routes have another path", len(out))
	}
	return out
}

// alias is the call by the bare path, which the contract does not know.
func (s *site) alias(t *testing.T, c call) answer {
	t.Helper()
	return s.plainly(t, c.method, strings.TrimPrefix(c.path, "/api"), c.body, c.header)
}

// By either path a request gets the same answer, to the byte and header but for what names the request.
func TestOtherPathsAnswerTheSame(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, c := range aliased(t, s.own().theirObjects(t)) {
		calls := []call{c, c.with("no_such_name=1"), c.with("%zz"), c.header1("X-API-Key", "none"),
			c.header1("X-API-Version", "1"), c.header1("Accept", "text/html"), c.header1("If-Match", "x")}
		if c.body != "" {
			broken, wrong := c, c
			broken.body, wrong.body = "{", `{"name":1,"no_such_name":2}`
			calls = append(calls, broken, wrong)
		}
		for i, c := range calls {
			if c.method != "GET" {
				c = c.header1("Idempotency-Key", fmt.Sprint(c.op.OperationID, i)) // so that a creation is made once
			}
			a, b := s.plainly(t, c.method, c.path, c.body, c.header), s.alias(t, c)
			if a.status != b.status || withoutID(a) != withoutID(b) ||
				!maps.EqualFunc(lasting(a), lasting(b), slices.Equal) {
				t.Errorf("%s: %d %v %s\nby the other path %d %v %s", c.name(), a.status, a.header, a.body, b.status,
					b.header, b.body)
			}
		}
	}
}

// lasting are the headers that do not name the request or its time.
func lasting(a answer) map[string][]string {
	h := a.header.Clone()
	for _, name := range []string{"Request-Id", "Date", "Idempotent-Replayed"} {
		h.Del(name)
	}
	return h
}

// What was done by one path is replayed by the other, whichever came first.
func TestOtherPathsShareKeys(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, c := range aliased(t, s.own().theirObjects(t)) {
		if !withKey(c) {
			continue
		}
		c = c.header1("Idempotency-Key", c.op.OperationID)
		first, again := s.alias(t, c), s.plainly(t, c.method, c.path, c.body, c.header)
		if first.status >= 300 || first.replayed() || !again.replayed() || !bytes.Equal(first.body, again.body) ||
			first.header.Get("Location") != again.header.Get("Location") {
			t.Errorf("%s: by the other path %d %s\nthen %v %s", c.name(), first.status, first.body, again.header,
				again.body)
		}
	}
}

// Requests by either path are taken off one limit.
func TestOtherPathsShareLimits(t *testing.T) {
	t.Parallel()
	for _, c := range aliased(t, open(t).own().theirObjects(t)) {
		if c.route.handler.public {
			continue
		}
		s := limitedTo(t, Limits{Reads: 1, Writes: 1})
		c.path = strings.ReplaceAll(c.route.path, ":id", "1")
		for i, status := range []int{0, 0, 429, 429} {
			send := s.alias
			if i%2 == 1 {
				send = func(t *testing.T, c call) answer { return s.plainly(t, c.method, c.path, c.body, c.header) }
			}
			a := send(t, c)
			if (a.status == 429) != (status == 429) ||
				!strings.Contains(a.header.Get("RateLimit"), fmt.Sprintf(";r=%d;", max(0, 1-i))) {
				t.Errorf("%s: request %d is answered %d, %s", c.name(), i, a.status, a.header.Get("RateLimit"))
			}
		}
	}
}
