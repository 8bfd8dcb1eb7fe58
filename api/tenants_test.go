package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"svcpay/internal/apikey"
	"svcpay/internal/sandbox/demo"
)

// This file is the matrix of tenants: whatever a request names of another application's is answered
// as what does not exist, byte by byte but for the request's id. What is in paths is the subject of
// TestAnotherApplicationsObjectsLookMissing, and whose key it is of TestCredentialsThatAreRefused.

// refers are the members of bodies and parameters of queries that name an object, each with the
// path that leads to such objects.
var refers = map[string]string{
	"merchant_id": "/api/merchants/:id", "charge_id": "/api/charges/:id", "token": "/api/tokens/:id",
	"files": "/api/files/:id", "source": "/api/charges/:id",
	"object_id": "/api/charges/:id", "organization_id": "/api/organizations/:id", "key_id": "/api/me",
	"payout_id": "/api/payouts/:id",
	"event_id":  "/api/events/:id", "endpoint_id": "/api/webhook_endpoints/:id", "workflowSessionId": "/client/daf/:id",
}

// noReferences only look as if they named an object of ours.
// an organization has no path
var noReferences = []string{"external_id", "client_request_id", "duplicate_charge_id", "organization_id", "tracking_id",
	"external_grant_id"}

// refersTo is the path that leads to the objects that a member names; "" if it names none. A member
// that looks as if it did must have its line above.
func refersTo(t testing.TB, name string, s *openapi3.Schema) string {
	t.Helper()
	if path := refers[name]; path != "" {
		return path
	}
	pattern := s.Pattern
	if s.Items != nil {
		pattern += s.Items.Value.Pattern
	}
	looks := strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids") || strings.Contains(pattern, "_[0-7]")
	if looks && !slices.Contains(noReferences, name) && name != startingAfter && name != endingBefore {
		t.Errorf("%s looks as if it named an object: say which in refers, or in noReferences", name)
	}
	return ""
}

// ofBoth makes what the resources make for both applications, and adds the keys that they call with.
func (s *site) ofBoth(t *testing.T) (theirs, mine map[string]string) {
	t.Helper()
	theirs, mine = s.theirObjects(t), s.own().theirObjects(t)
	for made, as := range map[*map[string]string]*demo.Application{&theirs: &s.Other, &mine: &s.App} {
		me := readAs[apikey.Me](t, s.send(t, call{method: "GET", path: "/api/me", as: as}))
		(*made)["/api/me"] = me.Key.ID.String()
	}
	return theirs, mine
}

// asMember writes an id as a member of this schema does.
func asMember(s *openapi3.Schema, id string) string {
	text := id
	if !s.Type.Is("integer") {
		text = strconv.Quote(id)
	}
	if s.Type.Is("array") {
		return "[" + text + "]"
	}
	return text
}

// twin is the id of nothing that is of the same kind and time as another.
func twin(id string) string {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		return fmt.Sprint(n + 1_000_000)
	}
	last := "0"
	if strings.HasSuffix(id, last) {
		last = "1"
	}
	return id[:len(id)-1] + last
}

// valid is the call with everything that it names replaced by what exists.
func (c call) valid(t testing.TB, mine map[string]string) call {
	t.Helper()
	c = c.about(t, mine)
	for _, p := range parameters(c) {
		if path := refersTo(t, p.Name, p.Schema.Value); path != "" && p.Required {
			c = c.without(p.Name).with(p.Name + "=" + mine[path])
		}
	}
	if c.op.RequestBody == nil || c.media != mediaJSON {
		return c
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(c.body), &members); err != nil {
		t.Fatal(err)
	}
	properties := bodyOfCall(c).Properties
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if path := refersTo(t, name, properties[name].Value); path != "" && members[name] != nil {
			c = c.put(t, name, asMember(properties[name].Value, mine[path]))
		}
	}
	return c
}

// sameAsMissing sends two calls, of which one names what is another application's.
func (s trap) sameAsMissing(t *testing.T, what string, foreign, absent call) {
	t.Helper()
	a, b := s.send(t, foreign), s.send(t, absent)
	if a.status != b.status || withoutID(a) != withoutID(b) || a.status >= 500 {
		t.Errorf("%s: another application's is answered %d\n%s\na missing one %d\n%s", what, a.status, a.body,
			b.status, b.body)
	}
}

func TestAnotherApplicationsObjectsLookMissingInBodies(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	theirs, mine := s.ofBoth(t)
	before, n := s.written(t), 0
	for _, c := range withJSON(t) {
		properties := bodyOfCall(c).Properties
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			schema := properties[name].Value
			path := refersTo(t, name, schema)
			if path == "" {
				continue
			}
			base := c.valid(t, mine)
			foreign := base.put(t, name, asMember(schema, theirs[path]))
			if a := s.send(t, foreign); a.status < 400 {
				t.Errorf("%s takes another application's %s: %d %s", c.op.OperationID, name, a.status, a.body)
			}
			s.sameAsMissing(t, c.op.OperationID+" "+name, foreign,
				base.put(t, name, asMember(schema, twin(theirs[path]))))
			n++
		}
	}
	if d := cmp.Diff(before, s.written(t)); d != "" || n < 4 {
		t.Errorf("%d members, something was written:\n%s", n, d)
	}
}

func TestAnotherApplicationsObjectsLookMissingInQueries(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	theirs, mine := s.ofBoth(t)
	n := 0
	for _, c := range everyRoute(t) {
		for _, p := range parameters(c) {
			var id string
			if p.Name == startingAfter || p.Name == endingBefore {
				id = s.foreignItem(t, c, theirs)
			} else if path := refersTo(t, p.Name, p.Schema.Value); path != "" {
				id = theirs[path]
			}
			if id == "" {
				continue
			}
			base := c.valid(t, mine).without(p.Name)
			s.sameAsMissing(t, c.op.OperationID+" "+p.Name, base.with(p.Name+"="+id), base.with(p.Name+"="+twin(id)))
			n++
		}
	}
	if n < 20 {
		t.Errorf("only %d parameters name objects", n)
	}
}

// foreignItem is what the other application sees first in a list; "" if it has none there.
func (s trap) foreignItem(t *testing.T, c call, theirs map[string]string) string {
	t.Helper()
	c = c.about(t, theirs)
	c.as = &s.Other
	var page struct {
		Data []struct {
			ID json.RawMessage `json:"id"`
		} `json:"data"`
	}
	if a := s.send(t, c).want(t, 200, ""); json.Unmarshal(a.body, &page) != nil || len(page.Data) == 0 {
		return ""
	}
	return strings.Trim(string(page.Data[0].ID), `"`)
}

// Nothing that the other application has is in any list or record of the first.
func TestAnotherApplicationsObjectsAreInNoList(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	theirs, mine := s.ofBoth(t)
	for _, c := range everyRoute(t) {
		if c.method != "GET" {
			continue
		}
		a := s.send(t, c.valid(t, mine))
		for path, id := range theirs {
			if _, err := strconv.Atoi(id); err == nil {
				id = `_id":` + id
			}
			if strings.Contains(string(a.body), id) {
				t.Errorf("%s tells of %s, another application's of %s:\n%s", c.name(), id, path, a.body)
			}
		}
	}
}
