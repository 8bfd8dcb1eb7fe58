// Package described checks exchanges with Chariot's API against a description of it, which we wrote from what is
// publicly known. So the adapter can't send what Chariot would refuse, and the fake can't answer what Chariot would
// not. It is for tests alone.
package described

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed testdata/chariot.yaml
var description []byte

var router = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromData(description)
	if err == nil {
		err = doc.Validate(context.Background())
	}
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

// Serve is a server of which every exchange with the API is checked: a path or a member that is not described fails the
// test. Pages for browsers are not of the API.
func Serve(t testing.TB, next http.Handler) http.Handler {
	t.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/") {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil { // the client is gone
			return
		}
		x := exchange{request: r, body: body}
		for _, mistake := range x.requestMistakes() {
			t.Errorf("%s %s: %s", r.Method, r.URL.Path, mistake)
		}
		answer := httptest.NewRecorder()
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(answer, r) // which may panic, to break the connection
		for _, mistake := range x.answerMistakes(answer) {
			t.Errorf("%s %s: the answer %d: %s", r.Method, r.URL.Path, answer.Code, mistake)
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // the client may be gone
	})
}

// exchange is a request, and what is described of it.
type exchange struct {
	request *http.Request
	body    []byte
	input   *openapi3filter.RequestValidationInput // nil if nothing is described
}

// requestMistakes are what differs from the description.
func (x *exchange) requestMistakes() (found []string) {
	routes, err := router()
	if err != nil {
		return []string{err.Error()}
	}
	route, parameters, err := routes.FindRoute(x.request)
	if err != nil {
		return []string{"it is not described"}
	}
	x.input = &openapi3filter.RequestValidationInput{Request: x.request, Route: route, PathParams: parameters,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, SkipSettingDefaults: true, MultiError: true,
			AuthenticationFunc: identified}}
	for name := range x.request.URL.Query() {
		described := route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name)
		if described == nil {
			found = append(found, fmt.Sprintf("the parameter %s is not described", name))
		}
	}
	if route.Operation.RequestBody == nil && len(x.body) > 0 {
		found = append(found, "it has a body")
	}
	x.request.Body = io.NopCloser(bytes.NewReader(x.body))
	return append(found, each(openapi3filter.ValidateRequest(x.request.Context(), x.input))...)
}

// answerMistakes are what differs from the description. An answer that is not JSON is of something between Chariot and
// us.
func (x *exchange) answerMistakes(answer *httptest.ResponseRecorder) []string {
	media, _, err := mime.ParseMediaType(answer.Header().Get("Content-Type"))
	if err != nil || !strings.HasSuffix(media, "json") || x.input == nil {
		return nil
	}
	return each(openapi3filter.ValidateResponse(x.request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: x.input, Status: answer.Code, Header: answer.Header(),
		Body: io.NopCloser(bytes.NewReader(answer.Body.Bytes())), Options: x.input.Options}))
}

// each is one text for each mistake of an error.
func each(err error) (found []string) {
	var all openapi3.MultiError
	if !errors.As(err, &all) {
		if err != nil {
			found = append(found, err.Error())
		}
		return found
	}
	for _, one := range all {
		found = append(found, each(one)...)
	}
	return found
}

// identified accepts any key: whether it is right is for the server to decide.
func identified(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	if !strings.HasPrefix(in.RequestValidationInput.Request.Header.Get("Authorization"), "Bearer sk_") {
		return errors.New("it has no key")
	}
	return nil
}
