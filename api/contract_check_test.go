package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"svcpay/internal/fault"
)

// contract is openapi.yaml, read and checked once, its examples too.
var contract = sync.OnceValues(func() (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openapiYAML)
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(context.Background())
})

var contractRouter = sync.OnceValues(func() (routers.Router, error) {
	doc, err := contract()
	if err != nil {
		return nil, err
	}
	anywhere := *doc
	anywhere.Servers = nil
	return gorillamux.NewRouter(&anywhere)
})

// nowhere stands for the operation of paths and methods that do not exist.
const nowhere = "nowhere"

// outcome is one documented or given answer: operation, status and, of an error, code.
func outcome(operation string, status int, code string) string {
	return strings.TrimSpace(operation + " " + strconv.Itoa(status) + " " + code)
}

// outcomes are those that the contract reports, listed once.
var outcomes = sync.OnceValues(func() (map[string]bool, error) {
	doc, err := contract()
	if err != nil {
		return nil, err
	}
	return documented(doc), nil
})

// documented lists every outcome that the contract reports, and the two of paths outside it.
func documented(doc *openapi3.T) map[string]bool {
	out := map[string]bool{
		outcome(nowhere, http.StatusNotFound, "route_missing"):              true,
		outcome(nowhere, http.StatusMethodNotAllowed, "method_not_allowed"): true,
		outcome(nowhere, http.StatusMisdirectedRequest, "host_unknown"):     true,
	}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for status, response := range op.Responses.Map() {
				n, _ := strconv.Atoi(status)
				for _, code := range codesOf(response.Value) {
					if status == "default" {
						n = codeByName[code].dress().Status
					}
					out[outcome(op.OperationID, n, code)] = true
				}
			}
		}
	}
	return out
}

// codesOf lists the error codes of a response; a success has "" for JSON, and its other content types.
func codesOf(r *openapi3.Response) []string {
	var out []string
	for media := range r.Content {
		codes, failure := r.Extensions["x-error-codes"].([]any)
		switch {
		case media != mediaJSON:
			out = append(out, media)
		case failure:
			out = append(out, words(codes)...)
		default:
			out = append(out, "")
		}
	}
	return out
}

func words(enum []any) []string {
	var out []string
	for _, v := range enum {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// given collects the outcomes that the tests provoked, and the messages of errors by code.
var given = struct {
	sync.Mutex
	outcomes, said map[string]bool
}{outcomes: make(map[string]bool), said: make(map[string]bool)}

// gaps says which documented outcomes no test provoked. Undocumented ones fail where they happen.
func gaps() ([]string, error) {
	doc, err := contract()
	if err != nil {
		return nil, err
	}
	given.Lock()
	defer given.Unlock()
	missing := documented(doc)
	maps.DeleteFunc(missing, func(o string, _ bool) bool { return given.outcomes[o] })
	for _, c := range codes {
		if !given.said[c.Name+": "+c.Message] {
			missing[fmt.Sprintf("%s with the message %q", c.Name, c.Message)] = true
		}
	}
	return slices.Sorted(maps.Keys(missing)), nil
}

// everyAnswer are headers of every answer, or of HTTP itself, that the contract does not repeat.
var everyAnswer = []string{
	"Cache-Control", "Content-Length", "Content-Security-Policy", "Content-Type", "Date",
	"Vary", "X-Content-Type-Options",
}

// hold holds an exchange to the contract: the answer always, the request when it was taken for
// good. It reports whether the contract allows the request.
func hold(t testing.TB, r *http.Request, body []byte, a answer) bool {
	t.Helper()
	router, err := contractRouter()
	if err != nil {
		t.Fatal(err)
	}
	route, parameters, err := router.FindRoute(r)
	if err != nil {
		holdOutside(t, r, a)
		return false
	}
	note(t, route.Operation.OperationID, a)
	request := &openapi3filter.RequestValidationInput{
		Request: r, Route: route, PathParams: parameters,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, SkipSettingDefaults: true,
			AuthenticationFunc: identified},
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	lawful := openapi3filter.ValidateRequest(t.Context(), request)
	screened := a.error().Code == "fee_portal_only" // for a member that the contract does not have
	if formal := screened || a.status == 400 || a.status == 401 || a.status == 406 || a.status == 413 ||
		a.status == 415 || a.status == 429; !formal && lawful != nil {
		t.Errorf("%s %s was answered %d, but the contract forbids the request: %v", r.Method, r.URL, a.status, lawful)
	}
	response := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: request, Status: a.status, Header: a.header,
		Body: io.NopCloser(bytes.NewReader(a.body)), Options: request.Options,
	}
	if err := openapi3filter.ValidateResponse(t.Context(), response); err != nil {
		t.Errorf("%s %s: the answer %d breaks the contract: %v\n%s", r.Method, r.URL, a.status, err, a.body)
	}
	documented := route.Operation.Responses.Status(a.status)
	if documented == nil {
		documented = route.Operation.Responses.Default()
	}
	holdHeaders(t, documented.Value.Headers, a)
	return lawful == nil
}

// standardHeaders are those that the contract describes once, for every answer, with their form.
var standardHeaders = map[string]struct {
	form   *regexp.Regexp
	always bool
}{
	"Request-Id":       {regexp.MustCompile(`^req_[0-7][0-9a-hjkmnp-tv-z]{25}$`), true},
	"X-Api-Version":    {regexp.MustCompile(`^2026-12-01$`), true},
	"X-Request-Id":     {regexp.MustCompile(`^[!-~]{1,255}$`), false},
	"Ratelimit-Policy": {regexp.MustCompile(`^"(reads|writes)";q=[1-9][0-9]*;w=[1-9][0-9]*$`), false},
	"Ratelimit":        {regexp.MustCompile(`^"(reads|writes)";r=[0-9]+;t=[0-9]+$`), false},
}

func holdHeaders(t testing.TB, documented openapi3.Headers, a answer) {
	t.Helper()
	for name, h := range standardHeaders {
		if value := a.header.Get(name); (value != "" || h.always) && !h.form.MatchString(value) {
			t.Errorf("the answer %d has %s: %q", a.status, name, value)
		}
	}
	for name := range a.header {
		known := func(d string) bool { return http.CanonicalHeaderKey(d) == name }
		_, standard := standardHeaders[name]
		if !standard && !slices.Contains(everyAnswer, name) &&
			!slices.ContainsFunc(slices.Collect(maps.Keys(documented)), known) {
			t.Errorf("the answer %d has the header %s, which the contract does not tell of", a.status, name)
		}
	}
}

// holdOutside holds the answer to a path or method outside the contract to the form of every error.
func holdOutside(t testing.TB, r *http.Request, a answer) {
	t.Helper()
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	if a.status < 400 {
		t.Errorf("%s %s is not in the contract, but was answered %d", r.Method, r.URL, a.status)
		return
	}
	note(t, nowhere, a)
	if err := doc.Components.Schemas["Error"].Value.VisitJSON(decoded(t, a.body)); err != nil {
		t.Errorf("%s %s: the answer %d has not the form of errors: %v\n%s", r.Method, r.URL, a.status, err, a.body)
	}
}

func note(t testing.TB, operation string, a answer) {
	t.Helper()
	known, err := outcomes()
	if err != nil {
		t.Fatal(err)
	}
	code, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	if code == mediaJSON {
		code = a.error().Code
	}
	o := outcome(operation, a.status, code)
	if !known[o] {
		t.Errorf("the contract does not tell of %q", o)
	}
	given.Lock()
	defer given.Unlock()
	given.outcomes[o] = true
	e := a.error()
	for _, f := range append(e.Errors, fault.Field{Code: e.Code, Message: e.Message}) {
		given.said[f.Code+": "+f.Message] = true
	}
}

// identified finds the credentials of the contract's security schemes.
func identified(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	value := in.RequestValidationInput.Request.Header.Get(in.SecurityScheme.Name)
	if value == "" {
		return errors.New("no " + in.SecurityScheme.Name)
	}
	if in.SecurityScheme.Name == "X-App-ID" {
		_, err := strconv.ParseInt(value, 10, 64)
		return err
	}
	return nil
}
