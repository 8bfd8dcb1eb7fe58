package chariot_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// described is what Chariot's public description of its API says of the requests that the adapter makes, in our own
// notation: a type, "<=" and the greatest length or value, and "!" if it is required. "dollars" are cents in whole
// dollars, and "texts" an object of strings.
//
//go:embed testdata/requests.json
var described []byte

// request is what is described of a request.
type request struct {
	Query map[string]string `json:"query"`
	Body  map[string]any    `json:"body"`
}

// checked fails a test for every request to a server that is not as described. So the fake can't accept what Chariot
// would refuse.
func checked(t *testing.T, next http.Handler) http.Handler {
	t.Helper()
	var all map[string]request
	ok(t, json.Unmarshal(described, &all))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		for _, mistake := range mistakes(all, r, body) {
			t.Errorf("%s %s: %s", r.Method, r.URL.Path, mistake)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// identified is a path with an id.
var identified = regexp.MustCompile(`^(/v1/(?:simulations/)?[a-z_]+)/[^/]+(/[a-z]+)?$`)

func mistakes(all map[string]request, r *http.Request, body []byte) (found []string) {
	name := r.Method + " " + r.URL.Path
	if _, ok := all[name]; !ok {
		name = r.Method + " " + identified.ReplaceAllString(r.URL.Path, "$1/:id$2")
	}
	of, ok := all[name]
	if !ok {
		return []string{"it is not described"}
	}
	query := map[string]any{}
	for member := range r.URL.Query() {
		query[member] = r.URL.Query().Get(member)
	}
	rules := map[string]any{}
	for member, rule := range of.Query {
		rules[member] = rule
	}
	found = append(found, judge("query", rules, query)...)
	if of.Body == nil {
		if len(body) > 0 {
			found = append(found, "it has a body")
		}
		return found
	}
	var sent map[string]any
	if err := json.Unmarshal(body, &sent); err != nil {
		return append(found, err.Error())
	}
	return append(found, judge("body", of.Body, sent)...)
}

// judge compares an object with the rules of its members.
func judge(at string, rules, sent map[string]any) (found []string) {
	for member, value := range sent {
		switch rule := rules[member].(type) {
		case nil:
			found = append(found, fmt.Sprintf("%s.%s is not described", at, member))
		case map[string]any:
			inner, ok := value.(map[string]any)
			if !ok {
				found = append(found, fmt.Sprintf("%s.%s is no object", at, member))
			}
			found = append(found, judge(at+"."+member, rule, inner)...)
		case string:
			if !fits(rule, value) {
				found = append(found, fmt.Sprintf("%s.%s is no %s", at, member, rule))
			}
		}
	}
	for member, rule := range rules {
		if text, ok := rule.(string); ok && strings.HasSuffix(text, "!") && sent[member] == nil {
			found = append(found, fmt.Sprintf("%s.%s is missing", at, member))
		}
	}
	return found
}

// fits reports whether a value is of a rule. Those of a query are texts.
func fits(rule string, value any) bool {
	kind, bound, bounded := strings.Cut(strings.TrimSuffix(rule, "!"), "<=")
	most, err := strconv.Atoi(bound)
	if bounded && err != nil {
		return false
	}
	text, isText := value.(string)
	number, isNumber := value.(float64)
	if n, err := strconv.Atoi(text); err == nil && isText {
		number, isNumber = float64(n), true
	}
	switch kind {
	case "string":
		return isText && (!bounded || utf8.RuneCountInString(text) <= most)
	case "boolean":
		return text == "true" || text == "false"
	case "integer":
		return isNumber && number == float64(int64(number)) && (!bounded || number <= float64(most))
	case "dollars":
		return !isText && isNumber && number >= 100 && int64(number)%100 == 0
	case "texts":
		object, ok := value.(map[string]any)
		for _, one := range object {
			if _, isText := one.(string); !isText {
				return false
			}
		}
		return ok
	}
	return false
}

// TestRequestsAreChecked: the check finds what is wrong.
func TestRequestsAreChecked(t *testing.T) {
	t.Parallel()
	var all map[string]request
	ok(t, json.Unmarshal(described, &all))
	for text, want := range map[string]int{
		`{"workflowSessionId":"s","amount":100}`:                                           0,
		`{"workflowSessionId":"s","amount":150}`:                                           1,
		`{"workflowSessionId":"s","amount":"100"}`:                                         1,
		`{"amount":100,"other":1}`:                                                         2,
		`{"workflowSessionId":7,"amount":100,"donor":{"name":"x"}}`:                        2,
		`{"workflowSessionId":"s","amount":100,"donor":"x"}`:                               1,
		`{"workflowSessionId":"s","amount":100,"note":"` + strings.Repeat("x", 401) + `"}`: 1,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://chariot.example/v1/grants", nil)
		ok(t, err)
		if found := mistakes(all, r, []byte(text)); len(found) != want {
			t.Errorf("%s: %q", text, found)
		}
	}
	for path, want := range map[string]int{"/v1/grants?pageLimit=100": 0, "/v1/grants?pageLimit=101": 1,
		"/v1/grants?limit=1": 1, "/v1/grants/1": 0, "/v2/grants": 1, "/v1/organizations/search": 1} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://chariot.example"+path, nil)
		ok(t, err)
		if found := mistakes(all, r, nil); len(found) != want {
			t.Errorf("%s: %q", path, found)
		}
	}
}
