package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"svcpay/internal/platform/idempotency"
)

// inputOf is the type that an operation's body is read into.
func inputOf(t testing.TB, c call) reflect.Type {
	t.Helper()
	ref := c.op.RequestBody.Value.Content[mediaJSON].Schema.Ref
	name := ref[strings.LastIndex(ref, "/")+1:]
	for _, r := range resources {
		if shape, ok := r.shapes[name]; ok {
			return reflect.TypeOf(shape)
		}
	}
	t.Fatalf("no resource has the shape %q of %s", name, c.op.OperationID)
	return nil
}

// claimed is the claim that a call makes of a key.
func claimed(t testing.TB, c call) *idempotency.Claim {
	t.Helper()
	raw, err := members([]byte(c.body))
	if err != nil {
		t.Fatal(err)
	}
	ctx := echo.New().NewContext(httptest.NewRequest(c.method, c.path, nil), httptest.NewRecorder())
	ctx.Request().Header.Set("Idempotency-Key", "k")
	claim, err := claimOf(ctx, new(request), raw, []byte(c.body), inputOf(t, c))
	if err != nil {
		t.Fatal(err)
	}
	return claim
}

// clears reports whether a null is said to change something, instead of to count as not sent.
func clears(in reflect.Type, path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		if in.Kind() == reflect.Pointer {
			in = in.Elem()
		}
		field := fieldsOf(reflect.New(in).Elem())[name]
		if _, holds := field.Interface().(interface{ Holds() reflect.Type }); holds {
			return true
		}
		in = field.Type()
	}
	return false
}

// withMembers are the operations whose JSON body has members.
func withMembers(t testing.TB) []call {
	t.Helper()
	return slices.DeleteFunc(withJSON(t), func(c call) bool { return len(bodyOfCall(c).Properties) == 0 })
}

// keyedBodies are the operations with a JSON body that take an Idempotency-Key, once with each example of a body.
func keyedBodies(t testing.TB) (out []call) {
	for _, c := range withMembers(t) {
		for _, p := range c.op.Parameters {
			if p.Value.Name != "Idempotency-Key" {
				continue
			}
			for _, e := range c.op.RequestBody.Value.Content[mediaJSON].Examples {
				text, err := json.Marshal(e.Value.Value)
				if err != nil {
					t.Fatal(err)
				}
				c.body = string(text)
				out = append(out, c)
			}
		}
	}
	return out
}

// A request that names its defaults, or has null where that counts as not sent, is the same request in all operations.
func TestDefaultsAndNullsAreTheSameRequest(t *testing.T) {
	t.Parallel()
	var nulls, defaults int
	for _, c := range keyedBodies(t) {
		first, in := claimed(t, c), inputOf(t, c)
		sent := make(map[string]json.RawMessage)
		if err := json.Unmarshal([]byte(c.body), &sent); err != nil {
			t.Fatal(err)
		}
		same := func(what, value string, other call) {
			t.Helper()
			if again := claimed(t, other); again.Meaning != first.Meaning || again.Fingerprint == first.Fingerprint ||
				!maps.Equal(again.Params, first.Params) {
				t.Errorf("%s with %s %s is another request than %s", c.op.OperationID, what, value, c.body)
			}
		}
		for _, p := range placesOf(t, c) {
			top, _, within := strings.Cut(p.name, ".")
			if _, there := sent[top]; there || within {
				continue
			}
			if p.schema.Nullable && !p.required && !clears(in, p.name) {
				nulls++
				same(p.name, "null", p.put("null"))
			}
			if p.schema.Extensions["x-default"] != nil {
				defaults++
				text, err := json.Marshal(p.schema.Extensions["x-default"])
				if err != nil {
					t.Fatal(err)
				}
				same(p.name, string(text), p.put(string(text)))
			}
		}
	}
	if nulls < 60 || defaults < 10 {
		t.Errorf("the contract has %d members that may be null, and %d with a default", nulls, defaults)
	}
}

// Every member of an example counts: without it, or with another value, the request is another one.
func TestEveryMemberTellsRequestsApart(t *testing.T) {
	t.Parallel()
	for _, c := range keyedBodies(t) {
		first, in := claimed(t, c), inputOf(t, c)
		sent := make(map[string]json.RawMessage)
		if err := json.Unmarshal([]byte(c.body), &sent); err != nil {
			t.Fatal(err)
		}
		for name, value := range sent {
			rest := maps.Clone(sent)
			delete(rest, name)
			text, err := json.Marshal(rest)
			if err != nil {
				t.Fatal(err)
			}
			without := c
			without.body = string(text)
			isDefault := normal(map[string]jsontext.Value{name: jsontext.Value(value)}, in)[name] == nil
			if again := claimed(t, without); (again.Meaning == first.Meaning) != isDefault {
				t.Errorf("%s without %s is the same request as %s: %v", c.op.OperationID, name, c.body,
					again.Meaning == first.Meaning)
			}
			if again := claimed(t, c.put(t, name, `"another"`)); again.Meaning == first.Meaning {
				t.Errorf("%s with another %s is the same request as %s", c.op.OperationID, name, c.body)
			}
			if clears(in, name) && string(value) != "null" {
				if again := claimed(t, c.put(t, name, "null")); again.Meaning == first.Meaning ||
					again.Meaning == claimed(t, without).Meaning {
					t.Errorf("%s does not tell a null %s from none", c.op.OperationID, name)
				}
			}
		}
	}
}

// What a member holds in names of the caller's counts whole, however deep, but for the order of the names.
func TestFreeFormMembersCountWhole(t *testing.T) {
	t.Parallel()
	found := make(map[string]bool)
	for _, c := range keyedBodies(t) {
		for name, member := range bodyOfCall(c).Properties {
			open := member.Value.Extensions["x-open"] != nil
			if !open && member.Value.AdditionalProperties.Schema == nil {
				continue
			}
			found[name] = true
			values := []string{`{"a":"1"}`, `{"a":"2"}`, `{"a":""}`, `{"b":"1"}`, `{"a":"1","b":"1"}`,
				`{"type":"ping"}`}
			if open {
				values = append(values, `{}`, `{"a":null}`, `{"a":{}}`, `{"a":{"b":[1,null]}}`, `{"a":{"b":[1]}}`,
					`{"a":{"b":[1],"c":null}}`, `{"a":false}`)
			}
			meanings := make(map[string]string)
			for _, value := range values {
				meaning := fmt.Sprint(claimed(t, c.put(t, name, value)).Meaning)
				if before, ok := meanings[meaning]; ok {
					t.Errorf("%s with %s %s is the same request as with %s", c.op.OperationID, name, value, before)
				}
				meanings[meaning] = value
			}
			if turned := claimed(t,
				c.put(t, name, `{"b":"1", "a":"1"}`)); meanings[fmt.Sprint(turned.Meaning)] != `{"a":"1","b":"1"}` {
				t.Errorf("%s: the order of names in %s makes another request", c.op.OperationID, name)
			}
		}
	}
	if !found["data"] || !found["metadata"] {
		t.Errorf("found only %v", found)
	}
}

func TestFormIsNoMeaning(t *testing.T) {
	t.Parallel()
	replay := call{}
	for _, c := range withJSON(t) {
		if c.op.OperationID == "replayWebhookEndpoint" {
			replay = c
		}
	}
	meaning := func(body string) any {
		replay.body = body
		return claimed(t, replay).Meaning
	}
	first := meaning(`{"since":"2026-12-01T00:00:00Z","until":"2026-12-02T00:00:00.5Z"}`)
	for body, same := range map[string]bool{
		` { "until" : "2026-12-02T00:00:00.500Z", "since":"2026-12-01T00:00:00.000Z" }`:             true,
		`{"since":"2026-12-01T01:00:00+01:00","until":"2026-12-01T19:00:00.5-05:00","which":"all"}`: true,
		`{"since":"2026-12-01T01:00:00+00:00","until":"2026-12-02T00:00:00.5Z"}`:                    false,
		`{"since":"2026-12-01T00:00:00Z","until":"2026-12-02T00:00:00.5Z","which":"failed"}`:        false,
		`{"since":"2026-12-01T00:00:00Z","until":"2026-12-02T00:00:00.501Z"}`:                       false,
		`{"since":"2026-12-01T00:00:00Z"}`:                                                          false,
		`{"\u0073ince":"2026-12-01T00:00:00\u005a","until":"2026-12-02T00:00:00.5Z"}`:               true,
	} {
		if (meaning(body) == first) != same {
			t.Errorf("%s is the same request: %v", body, !same)
		}
	}
}

// The defaults of inputs are those of the contract.
func TestDefaultsOfInputsAreTheContracts(t *testing.T) {
	t.Parallel()
	for _, c := range withMembers(t) {
		fields := fieldsOf(reflect.New(inputOf(t, c)).Elem())
		for name, member := range bodyOfCall(c).Properties {
			want, err := json.Marshal(member.Value.Extensions["x-default"])
			if err != nil {
				t.Fatal(err)
			}
			if got := fields[name].byDefault; member.Value.Extensions["x-default"] != nil &&
				string(got) != string(want) {
				t.Errorf("%s %s is %s by default, and %s in the contract", c.op.OperationID, name, got, want)
			}
			if text, ok := fields[name].Value.Interface().(*string); ok && text == nil &&
				fields[name].byDefault != nil {
				var word string
				if err := json.Unmarshal(fields[name].byDefault, &word); err != nil || enumOf(member.Value) != nil &&
					!slices.Contains(enumOf(member.Value), word) {
					t.Errorf("%s %s cannot be %s", c.op.OperationID, name, fields[name].byDefault)
				}
			}
		}
	}
}
