package described

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestMistakesAreFound: the check finds what is wrong, and nothing else.
func TestMistakesAreFound(t *testing.T) {
	t.Parallel()
	const grants = "POST /v1/grants"
	for _, c := range []struct {
		request, body string
		want          int
	}{
		{grants, `{"workflowSessionId":"s","amount":100}`, 0},
		{grants, `{"workflowSessionId":"s","amount":150}`, 1},
		{grants, `{"workflowSessionId":"s","amount":"100"}`, 1},
		{grants, `{"amount":100,"other":1}`, 2},
		{grants, `{"workflowSessionId":7,"amount":100,"donor":{"name":"x"}}`, 2},
		{grants, `{"workflowSessionId":"s","amount":100,"donor":"x"}`, 1},
		{grants, `{"workflowSessionId":"s","amount":100,"note":"` + strings.Repeat("x", 401) + `"}`, 1},
		{"GET /v1/grants?pageLimit=100", "", 0},
		{"GET /v1/grants?pageLimit=101", "", 1},
		{"GET /v1/grants?limit=1", "", 1},
		{"GET /v1/grants/1", "", 0},
		{"GET /v1/grants/1", "{}", 1},
		{"DELETE /v1/grants/1", "", 1},
		{"GET /v1/organizations/search", "", 1},
		{"GET /v1/events?category=grant.shredded", "", 1},
		{"GET /v2/grants", "", 1},
	} {
		method, at, _ := strings.Cut(c.request, " ")
		r := httptest.NewRequestWithContext(t.Context(), method, "https://chariot.example"+at, nil)
		r.Header.Set("Authorization", "Bearer sk_test_1")
		r.Header.Set("Content-Type", "application/json")
		x := exchange{request: r, body: []byte(c.body)}
		if found := x.requestMistakes(); len(found) != c.want {
			t.Errorf("%s %s: %q", c.request, c.body, found)
		}
	}
}

func TestMistakesOfAnswersAreFound(t *testing.T) {
	t.Parallel()
	const json, problem = "application/json", "application/problem+json"
	for _, c := range []struct {
		status      int
		media, body string
		want        int
	}{
		{200, json, `{"id":"1","workflowSessionId":"2","fundId":"3","amount":100}`, 0},
		{200, json, `{"id":"1","workflowSessionId":"2","fundId":"3","amount":150}`, 1},
		{200, json, `{"id":"1","workflowSessionId":"2","fundId":"3","amount":100,"secret":1}`, 1},
		{200, json, `{"id":"1"}`, 3},
		{404, problem, `{"title":"API Error","status":404}`, 0},
		{404, problem, `{"title":"API Error","status":404,"stack":"x"}`, 1},
		{404, json, `{"timestamp":"2026-01-31T23:00:00Z","code":404,"error":"Not Found","message":"x"}`, 0},
		{404, json, `{}`, 4},
		{400, "text/html", `<html>`, 0},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://chariot.example/v1/grants/1", nil)
		r.Header.Set("Authorization", "Bearer sk_test_1")
		x := exchange{request: r}
		if found := x.requestMistakes(); len(found) > 0 {
			t.Fatal(found)
		}
		answer := httptest.NewRecorder()
		answer.Header().Set("Content-Type", c.media)
		answer.WriteHeader(c.status)
		_, _ = answer.WriteString(c.body)
		if found := x.answerMistakes(answer); len(found) != c.want {
			t.Errorf("%d %s: %q", c.status, c.body, found)
		}
	}
}
