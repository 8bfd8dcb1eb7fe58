package api

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svcpay/internal/processor/sandbox"
)

func read(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// same compares lists whose order says nothing.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s differ (-want +got):\n%s", what, d)
	}
}

func TestContractAndRouterHaveTheSamePaths(t *testing.T) {
	t.Parallel()
	var described, served []string
	for path, item := range read(t).Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+path)
		}
	}
	for _, r := range new(API).routes() {
		segments := strings.Split(r.path, "/")
		for i, s := range segments {
			if name, ok := strings.CutPrefix(s, ":"); ok {
				segments[i] = "{" + name + "}"
			}
		}
		served = append(served, r.method+" "+strings.Join(segments, "/"))
	}
	same(t, "paths", described, served)
}

func TestOperationsThatTakeAVersionSayIt(t *testing.T) {
	t.Parallel()
	for _, r := range new(API).routes() {
		if told := described(t, r).Parameters.GetByInAndName(openapi3.ParameterInHeader,
			"If-Match") != nil; told != r.handler.versioned {
			t.Errorf("%s %s takes If-Match: %v, told: %v", r.method, r.path, r.handler.versioned, told)
		}
	}
}

// jsonNames lists the members of a struct as JSON, and those that are always there.
func jsonNames(t reflect.Type) (all, always []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && f.Anonymous:
			a, w := jsonNames(f.Type)
			all, always = append(all, a...), append(always, w...)
		case strings.Contains(options, "omitempty"), strings.Contains(options, "omitzero"):
			all = append(all, name)
		default:
			all, always = append(all, name), append(always, name)
		}
	}
	return all, always
}

func TestSchemasAreTheStructs(t *testing.T) {
	t.Parallel()
	doc := read(t)
	for _, r := range resources {
		for name, value := range r.shapes {
			schema := schemaAt(doc, name)
			if schema == nil {
				t.Errorf("there is no schema %s", name)
				continue
			}
			all, required := jsonNames(reflect.TypeOf(value))
			_, answer := reflect.TypeOf(value).FieldByName("Object") // may have Validate of a part
			if in, ok := value.(validator); ok && !answer {          // what is missing in an empty body
				required = nil
				for _, f := range in.Validate() {
					if !slices.Contains(r.either[name], f.Param) {
						required = append(required, f.Param)
					}
				}
			}
			same(t, name+": properties", slices.Collect(maps.Keys(schema.Properties)), append(all, r.expands[name]...))
			same(t, name+": required", schema.Required, append(required, r.always[name]...))
		}
	}
}

// schemaAt finds a schema by its name; Charge.failure is a member's.
func schemaAt(doc *openapi3.T, name string) *openapi3.Schema {
	first, rest, _ := strings.Cut(name, ".")
	ref := doc.Components.Schemas[first]
	for member := range strings.SplitSeq(rest, ".") {
		if ref == nil || ref.Value == nil {
			return nil
		}
		if member != "" {
			ref = ref.Value.Properties[member]
		}
	}
	if ref == nil {
		return nil
	}
	return ref.Value
}

// closed fails for an object that takes members it does not name, unless it says that it is x-open: its
// members are told elsewhere.
func closed(t *testing.T, name string, ref *openapi3.SchemaRef) {
	t.Helper()
	s := ref.Value
	open := s.AdditionalProperties.Has == nil || *s.AdditionalProperties.Has
	if s.Type.Is("object") && s.AdditionalProperties.Schema == nil && open && s.Extensions["x-open"] == nil {
		t.Errorf("%s is an open object", name)
	}
	for member, p := range s.Properties {
		closed(t, name+"."+member, p)
	}
	if s.Items != nil {
		closed(t, name+"[]", s.Items)
	}
}

func TestSchemasAreClosed(t *testing.T) {
	t.Parallel()
	for name, s := range read(t).Components.Schemas {
		closed(t, name, s)
	}
}

// An object that is kept somewhere tells on its own whether it is real.
func TestEveryObjectTellsWhetherItIsLive(t *testing.T) {
	t.Parallel()
	objects := 0
	for name, s := range read(t).Components.Schemas {
		kind := s.Value.Properties["object"]
		if kind == nil || len(kind.Value.Enum) != 1 || kind.Value.Enum[0] == "list" {
			continue
		}
		if objects++; !slices.Contains(s.Value.Required, "livemode") {
			t.Errorf("%s has no livemode", name)
		}
	}
	if objects < 20 {
		t.Errorf("only %d objects were looked at", objects)
	}
}

func TestEnumsAreTheCodesWords(t *testing.T) {
	t.Parallel()
	doc := read(t)
	for _, r := range resources {
		for name, enum := range r.enums {
			if schema := schemaAt(doc, name); schema == nil {
				t.Errorf("there is no schema %s", name)
			} else {
				same(t, name, words(schema.Enum), enum)
			}
		}
	}
}

// Generators make types of everything that has a name, whatever it names.
func TestNamesOfComponentsAreUnique(t *testing.T) {
	t.Parallel()
	c := read(t).Components
	seen := make(map[string]bool)
	for _, names := range [][]string{
		slices.Collect(maps.Keys(c.Schemas)), slices.Collect(maps.Keys(c.Parameters)),
		slices.Collect(maps.Keys(c.Headers)),
		slices.Collect(maps.Keys(c.Responses)), slices.Collect(maps.Keys(c.RequestBodies)),
		slices.Collect(maps.Keys(c.SecuritySchemes)),
	} {
		for _, name := range names {
			if seen[strings.ToLower(name)] {
				t.Errorf("two components are called %s", name)
			}
			seen[strings.ToLower(name)] = true
		}
	}
	if len(seen) < 150 {
		t.Errorf("only %d names were looked at", len(seen))
	}
}

// An error answer is one of the named components, with the one schema of errors.
func TestErrorAnswersAreNamed(t *testing.T) {
	t.Parallel()
	n := 0
	for path, item := range read(t).Paths.Map() {
		for method, op := range item.Operations() {
			for status, r := range op.Responses.Map() {
				if status < "300" {
					continue
				}
				n++
				if !strings.HasPrefix(r.Ref, "#/components/responses/") ||
					r.Value.Content[mediaJSON].Schema.Ref != "#/components/schemas/Error" {
					t.Errorf("%s %s: the answer %s is not a named error", method, path, status)
				}
			}
		}
	}
	if n < 300 {
		t.Errorf("only %d answers were looked at", n)
	}
}

// A schema with the keyword default makes generators ask for what may be left out.
func TestNoSchemaHasADefault(t *testing.T) {
	t.Parallel()
	told := 0
	for name, s := range read(t).Components.Schemas {
		for member, p := range s.Value.Properties {
			if p.Value.Default != nil {
				t.Errorf("%s.%s has a default", name, member)
			}
			if p.Extensions["x-default"] != nil || p.Value.Extensions["x-default"] != nil {
				told++
			}
		}
	}
	if told < 8 {
		t.Errorf("only %d defaults are told", told)
	}
}

func TestEveryCodeIsToldOnceAndGivenSomewhere(t *testing.T) {
	t.Parallel()
	var names, sent []string
	for _, c := range codes {
		names = append(names, c.Name)
	}
	for o := range documented(read(t)) {
		if words := strings.Fields(o); len(words) == 3 && words[1] >= "400" && !slices.Contains(sent, words[2]) {
			sent = append(sent, words[2])
		}
	}
	same(t, "codes of some operation", sent, names)
}

func TestEveryBodyAndAnswerHasAnExample(t *testing.T) {
	t.Parallel()
	for path, item := range read(t).Paths.Map() {
		for method, op := range item.Operations() {
			if body := op.RequestBody; body != nil && untold(body.Value.Content) {
				t.Errorf("%s %s has no example of a request", method, path)
			}
			for status, r := range op.Responses.Map() {
				if untold(r.Value.Content) {
					t.Errorf("%s %s has no example of %s", method, path, status)
				}
			}
		}
	}
}

// untold reports whether JSON has no example. Files speak for themselves.
func untold(content openapi3.Content) bool {
	c := content[mediaJSON]
	return len(content) == 0 || (c != nil && len(c.Examples) == 0)
}

func TestTableOfCodesIsComplete(t *testing.T) {
	t.Parallel()
	cards := make(map[string]string)
	for _, c := range sandbox.Cases() {
		cards[c.Number] = c.Decline
	}
	for _, c := range codes {
		if c.Meaning == "" || c.Remedy == "" || c.Message == "" || c.dress().Status < 400 {
			t.Errorf("%s is not told in full", c.Name)
		}
		if _, ok := cards[c.Card]; !ok && c.Card != "" {
			t.Errorf("the sandbox does not know the card of %s", c.Name)
		}
	}
	for _, d := range declines {
		if cards[d.Card] != d.Name || d.Meaning == "" {
			t.Errorf("%s has a card that gives %q", d.Name, cards[d.Card])
		}
	}
}

func TestContractAndErrorsAreServed(t *testing.T) {
	t.Parallel()
	s := open(t)
	fetch := func(path string) answer {
		response, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		var body bytes.Buffer
		_, err = body.ReadFrom(response.Body)
		if err != nil || response.StatusCode != http.StatusOK ||
			response.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v %v", path, response.StatusCode, response.Header, err)
		}
		return answer{status: response.StatusCode, header: response.Header, body: body.Bytes()}
	}
	if file, err := os.ReadFile("openapi.yaml"); err != nil || !bytes.Equal(fetch("/api/openapi.yaml").body, file) {
		t.Errorf("openapi.yaml is not served as it is: %v", err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(fetch("/api/openapi.json").body)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(t, doc), asJSON(t, read(t)); got != want {
		t.Error("openapi.json says something else than openapi.yaml")
	}
	page := fetch("/docs/errors")
	for _, c := range codes {
		if !bytes.Contains(page.body, []byte(`id="`+c.Name+`"`)) {
			t.Errorf("/docs/errors has no anchor %s", c.Name)
		}
	}
	policy := page.header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") ||
		bytes.Contains(page.body, []byte("<script")) {
		t.Errorf("/docs/errors is served under %s", policy)
	}
	if bytes.Contains(page.body, []byte("ZgotmplZ")) || !bytes.Contains(page.body, []byte("4000 0000 0000 9995")) {
		t.Error("/docs/errors was not rendered as meant")
	}
}

func asJSON(t *testing.T, doc *openapi3.T) string {
	t.Helper()
	text, err := doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
