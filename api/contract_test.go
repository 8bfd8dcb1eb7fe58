package api

import (
	"bytes"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/token"
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

// jsonNames lists the members of a struct as JSON, and those that are always there.
func jsonNames(v any) (all, always []string) {
	t := reflect.TypeOf(v)
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		all = append(all, name)
		if !strings.Contains(options, "omitempty") {
			always = append(always, name)
		}
	}
	return all, always
}

func TestSchemasAreTheStructs(t *testing.T) {
	t.Parallel()
	s := read(t).Components.Schemas
	method := s["PaymentMethod"].Value.Properties
	failure, reference := s["Charge"].Value.Properties["failure"], s["Charge"].Value.Properties["processor"]
	field := s["FieldError"]
	for name, pair := range map[string]struct {
		schema *openapi3.SchemaRef
		value  any
	}{
		"Charge": {s["Charge"], charge.Charge{}}, "PaymentMethod": {s["PaymentMethod"], charge.PaymentMethod{}},
		"Failure": {failure, charge.Failure{}}, "processor": {reference, charge.ProcessorRef{}},
		"Billing": {s["Billing"], token.Billing{}}, "FeeLine": {s["FeeLine"], fee.Line{}},
		"ChargeList": {s["ChargeList"], list{}}, "checks": {method["checks"], processor.Checks{}},
		"FieldError": {field, fault.Field{}},
	} {
		all, always := jsonNames(pair.value)
		same(t, name+": properties", slices.Collect(keys(pair.schema.Value.Properties)), all)
		same(t, name+": required", pair.schema.Value.Required, always)
	}
	all, _ := jsonNames(charge.CreateInput{})
	same(t, "CreateCharge: properties", slices.Collect(keys(s["CreateCharge"].Value.Properties)), all)
	var missing []string
	for _, f := range (charge.CreateInput{}).Validate() {
		missing = append(missing, f.Param)
	}
	same(t, "CreateCharge: required", s["CreateCharge"].Value.Required, missing)
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// closed fails for an object that takes members it does not name.
func closed(t *testing.T, name string, ref *openapi3.SchemaRef) {
	t.Helper()
	s := ref.Value
	open := s.AdditionalProperties.Has == nil || *s.AdditionalProperties.Has
	if s.Type.Is("object") && s.AdditionalProperties.Schema == nil && open {
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

func TestEnumsAreTheCodesWords(t *testing.T) {
	t.Parallel()
	s := read(t).Components.Schemas
	var names, declineNames, currencies, types []string
	for _, c := range codes {
		names = append(names, c.Name)
		if d := c.dress(); !slices.Contains(types, d.Type) {
			types = append(types, d.Type)
		}
	}
	for _, d := range declines {
		declineNames = append(declineNames, d.Name)
	}
	for _, c := range money.Currencies() {
		currencies = append(currencies, string(c))
	}
	same(t, "error codes", words(s["ErrorCode"].Value.Enum), names)
	same(t, "error types", words(s["ErrorType"].Value.Enum), types)
	same(t, "decline codes", words(s["DeclineCode"].Value.Enum), declineNames)
	same(t, "statuses", words(s["ChargeStatus"].Value.Enum), charge.Statuses())
	same(t, "currencies", words(s["Currency"].Value.Enum), currencies)
	var sent []string
	for o := range documented(read(t)) {
		if words := strings.Fields(o); len(words) == 3 && !slices.Contains(sent, words[2]) {
			sent = append(sent, words[2])
		}
	}
	same(t, "codes of some operation", sent, names)
}

func TestEveryBodyHasAnExampleAndEveryAnswerItsIds(t *testing.T) {
	t.Parallel()
	for path, item := range read(t).Paths.Map() {
		for method, op := range item.Operations() {
			if body := op.RequestBody; body != nil && len(body.Value.Content["application/json"].Examples) == 0 {
				t.Errorf("%s %s has no example of a request", method, path)
			}
			for status, r := range op.Responses.Map() {
				if len(r.Value.Content["application/json"].Examples) == 0 {
					t.Errorf("%s %s has no example of %s", method, path, status)
				}
				if r.Value.Headers["Request-Id"] == nil || r.Value.Headers["X-API-Version"] == nil {
					t.Errorf("%s %s: %s tells of no Request-Id or no version", method, path, status)
				}
			}
		}
	}
}

func TestTableOfCodesIsComplete(t *testing.T) {
	t.Parallel()
	cards := make(map[string]string)
	for _, c := range sandbox.Cases() {
		cards[c.Number] = c.Decline
	}
	for _, c := range codes {
		if c.Meaning == "" || c.Remedy == "" || c.dress().Status < 400 {
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
		if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("X-Content-Type-Options") != "nosniff" {
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
	if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || bytes.Contains(page.body, []byte("<script")) {
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
