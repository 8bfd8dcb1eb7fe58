package api

import (
	"slices"
	"strings"
	"testing"

	"svcpay/internal/ids"
)

// noIDs are texts in a path that are the id of nothing, whatever the path leads to.
func noIDs(s *site) []string {
	now := s.Clock.Now()
	out := []string{
		"0", "-1", "-0", "00", "01042", "1042.0", "1e3", "0x412", "1_042", "%2B1", "%201042", "1042%20", "1042%00",
		"1042,1043", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		strings.Repeat("9", 3000), "%D9%A1%D9%A0%D9%A4%D9%A2", "NaN", "null", "undefined", "true", "{}", "[]", "*",
		"me", "search", "%22%22",
		marker, "ch_", "_", "ch", "ch-01jq8z6k4t8m2x9v5c7b1n3d0f", "ch_01JQ8Z6K4T8M2X9V5C7B1N3D0F",
		"CH_01jq8z6k4t8m2x9v5c7b1n3d0f", "01jq8z6k4t8m2x9v5c7b1n3d0f", "zz_01jq8z6k4t8m2x9v5c7b1n3d0f",
		"ch_01jq8z6k4t8m2x9v5c7b1n3d0", "ch_01jq8z6k4t8m2x9v5c7b1n3d0f0", "ch_01jq8z6k4t8m2x9v5c7b1n3d0u",
		"ch_81jq8z6k4t8m2x9v5c7b1n3d0f", "ch_00000000000000000000000000", "ch_7zzzzzzzzzzzzzzzzzzzzzzzzz",
		"ch_01jq8z6k4t8m2x9v5c7b1n3d0f%00", "ch_01jq8z6k4t8m2x9v5c7b1n3d0f%0A", "%20ch_01jq8z6k4t8m2x9v5c7b1n3d0f",
		"ch_01jq8z6k4t8m2x9v5c7b1n3d0f;v=1", "ch_01jq8z6k4t8m2x9v5c7b1n3d0f.json",
		"018f3a5e-7b1c-7d2e-8f90-a1b2c3d4e5f6", "%00", "%ff", "%C0%AF", "%ED%A0%80", "%2e", "%2e%2e", "..", ".", "...",
		"%2E%2E%2F%2E%2E%2Fetc%2Fpasswd", "a%2Fb", "a%5Cb", "%2F", "..%252f", "%5C..%5C",
		"%27%20OR%201=1--", "1;%20DROP%20TABLE%20charges", "$%7Bjndi:ldap:%2F%2F" + marker +
			"%7D", "%7B%7B7*7%7D%7D", "%3Cscript%3E" + marker + "%3C%2Fscript%3E", "%0d%0aSet-Cookie:" +
			marker, "%E2%80%AE", "%F0%9F%92%B3", "caf%C3%A9", strings.Repeat(marker, 300),
	}
	return append(out,
		ids.NewCharge(now).String(), ids.NewToken(now).String(), ids.NewEvent(now).String(),
		ids.NewRequest(now).String(), ids.NewKey(now).String(), ids.NewFeeSchedule(now).String(),
		ids.NewEntry(now).String(),
		ids.NewOperation(now).String(), ids.NewRefund(now).String(), ids.NewDispute(now).String(),
		ids.NewPayout(now).String(), ids.NewMandate(now).String(), ids.NewFile(now).String(),
		ids.NewBankAccount(now).String(),
	)
}

func TestBadInputInEveryPath(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	var cases []bad
	for _, c := range everyRoute(t) {
		before, after, named := aroundName(c.route.path)
		if !named {
			continue
		}
		_, query, _ := strings.Cut(c.path, "?")
		cases = append(cases, bad{label(c, "example", ""), c, 404, "resource_missing", nil})
		for _, id := range noIDs(s.site) {
			c.path = before + id + after
			if query != "" {
				c.path += "?" + query
			}
			cases = append(cases, bad{label(c, "id", id), c, 404, "resource_missing", nil})
		}
	}
	s.refuse(t, cases)
}

func TestBadInputOnPathsThatDoNotExist(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	var cases []bad
	for _, path := range []string{
		"/api", "/api/", "/api//", "/api/charge", "/api/" + marker, "/api/%00", "/api/%ff", "/api//charges",
		"/api/..%2fcharges", "/api/./charges", "/api/../api/charges", "/api/charges/../charges",
		"/api/charges/", "/api/charges//", "/api/charges/ch_1/", "/api/charges/ch_1/" +
			marker, "/api/charges/ch_1/capture/", "/api/charges/ch_1/capture/%ff", "/api/charges/ch_1//capture",
		"/api/Charges",
		"/api/charges;v=1", "/api/charges%20", "/api/charges%00", "/api/charges%2F", "/api/charges.json",
		"/api/v1/charges", "/api/charges,tokens", "/api/*", "/api/:id", "/api/%2e%2e/%2e%2e/etc/passwd",
		"/api/.git/config", "/api/.env",
		"/api/" + strings.Repeat("a/", 1000), "/api/" + strings.Repeat("x", 4000), "/api/graphql", "/api/sandbox",
		"/api/sandbox/", "/api/sandbox/" + marker, "/api/ch\u00e4rges",
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			cases = append(cases,
				bad{method + " " + path[:min(len(path), 60)],
					call{method: method, path: path, body: `{"a":"` + marker + `"}`}, 404, "route_missing", nil})
		}
	}
	s.refuse(t, cases)
}

// Every path is called with methods that it does not have, whatever else is wrong with the request.
func TestBadInputAsMethods(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	taken := make(map[string][]string)
	for _, c := range everyRoute(t) {
		taken[c.route.path] = append(taken[c.route.path], c.method)
	}
	var cases []bad
	for _, c := range everyRoute(t) {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY", "LINK",
			"get", "Post", strings.ToUpper(marker), "M-SEARCH", "!"} {
			if slices.Contains(taken[c.route.path], method) {
				continue
			}
			cases = append(cases,
				bad{label(c, method, ""),
					call{method: method, path: c.path, body: marker, header: map[string]string{"X-API-Key": marker}},
					405, "method_not_allowed", nil})
		}
	}
	s.refuse(t, cases)
}
