// Package generators checks the contract of the API with three independent generators: each generates a client, and
// these tests use the clients as an integrator does. tools/generators.sh runs them in a copy of this directory that has
// the generated packages, which are not committed.
package generators

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type object = map[string]any

// contract is the API's contract, as plain values.
type contract struct {
	doc     object
	objects map[string][]object // its examples, by kind of object
}

func read(t *testing.T) *contract {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := &contract{objects: make(map[string][]object)}
	if err := yaml.Unmarshal(text, &c.doc); err != nil {
		t.Fatal(err)
	}
	c.collect(at(c.doc, "components", "examples"))
	for _, schema := range at(c.doc, "components", "schemas").(object) {
		c.collect(schema.(object)["example"])
	}
	return c
}

// at is the value below a path of names.
func at(v any, path ...string) any {
	for _, name := range path {
		v = v.(object)[name]
	}
	return v
}

// collect finds the objects among examples.
func (c *contract) collect(v any) {
	switch v := v.(type) {
	case object:
		if kind, ok := v["object"].(string); ok {
			c.objects[kind] = append(c.objects[kind], v)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			c.collect(v[name])
		}
	case []any:
		for _, below := range v {
			c.collect(below)
		}
	}
}

// resolve follows a $ref.
func (c *contract) resolve(v any) object {
	o := v.(object)
	if ref, ok := o["$ref"].(string); ok {
		return at(c.doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).(object)
	}
	return o
}

// example is an example of a schema's objects: one that has every member that it requires, and no other.
func (c *contract) example(t *testing.T, schema object) object {
	t.Helper()
	properties := schema["properties"].(object)
	kind := c.resolve(properties["object"])["enum"].([]any)[0].(string)
	for _, o := range c.objects[kind] {
		complete := true
		for _, name := range schema["required"].([]any) {
			_, has := o[name.(string)]
			complete = complete && has
		}
		for name := range o {
			_, known := properties[name]
			complete = complete && known
		}
		if complete {
			return o
		}
	}
	t.Fatalf("the contract has no complete example of a %s", kind)
	return nil
}

// events are an event of each type that the contract has, with the names of their schemas.
func (c *contract) events(t *testing.T) (events []object, schemas []string) {
	t.Helper()
	mapping := at(c.doc, "components", "schemas", "Event", "discriminator", "mapping").(object)
	for _, name := range slices.Sorted(maps.Keys(mapping)) {
		ref := mapping[name].(string)
		e := maps.Clone(at(c.doc, "components", "examples", "EventCaptured", "value").(object))
		e["type"] = name
		data := c.resolve(c.resolve(object{"$ref": ref})["properties"].(object)["data"])
		about := c.resolve(data["properties"].(object)["object"])
		if about["x-open"] == nil {
			e["data"] = object{"object": c.example(t, about),
				"previous_attributes": at(e, "data", "previous_attributes")}
		}
		events = append(events, e)
		schemas = append(schemas, ref[strings.LastIndex(ref, "/")+1:])
	}
	return events, schemas
}

// failure is one error answer of an operation.
type failure struct {
	operation string
	status    int
	code      string
	body      object
}

// anyStatus is one of those that only an operation's default answer covers.
const anyStatus = 503

// failures are the examples of all error answers of all operations.
func (c *contract) failures() (all []failure) {
	for _, path := range c.doc["paths"].(object) {
		for _, op := range path.(object) {
			op, ok := op.(object)
			if !ok {
				continue // the parameters of all operations of the path
			}
			for name, response := range op["responses"].(object) {
				if name[0] == '2' || name[0] == '3' {
					continue
				}
				status, err := strconv.Atoi(name)
				if err != nil {
					status = anyStatus
				}
				examples := at(c.resolve(response), "content", "application/json", "examples").(object)
				for code, e := range examples {
					all = append(all, failure{op["operationId"].(string), status, code, c.resolve(e)["value"].(object)})
				}
			}
		}
	}
	return all
}

// failure is the error answer of an operation that has a code.
func (c *contract) failure(operation, code string) failure {
	for _, f := range c.failures() {
		if f.operation == operation && f.code == code {
			return f
		}
	}
	return failure{}
}

// server answers every request as next says, with the headers that the contract's answers have.
func server(t *testing.T, next func() (status int, body any)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if public := strings.HasSuffix(r.URL.Path, "/wallet-a-domain"); !public &&
			(r.Header.Get("X-API-Key") != "sk_test_1" || r.Header.Get("X-App-ID") != "1") {
			t.Errorf("%s %s has the credentials %q and %q", r.Method, r.URL.Path, r.Header.Get("X-API-Key"),
				r.Header.Get("X-App-ID"))
		}
		status, body := next()
		for name, value := range map[string]string{"Content-Type": "application/json", "Retry-After": "1",
			"Etag": `"1"`, "Location": "/api/x/1"} {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// list is a page of a list.
func list(data []object) object {
	return object{"object": "list", "data": data, "has_more": false, "next": nil, "previous": nil, "url": "/api/events"}
}

// method is the name that both Go generators give to an operation.
func method(operation string) string { return strings.ToUpper(operation[:1]) + operation[1:] }
