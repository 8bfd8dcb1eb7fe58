package api

import (
	"fmt"
	"net/http"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// Keys that are refused, permissions that a key lacks and card numbers in texts are recorded with the address; so are
// unknown keys, without their text.
func TestRefusalsAreRecorded(t *testing.T) {
	t.Parallel()
	s := open(t)
	revoked := s.Issue(apikey.CreateInput{Kind: apikey.Secret})
	if _, err := s.APIKeys.Revoke(t.Context(), s.Admin(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	narrow := s.Issue(apikey.CreateInput{Kind: apikey.Restricted, Rights: []authz.Right{"payout:read"}})
	elsewhere := s.Issue(apikey.CreateInput{Kind: apikey.Restricted, Rights: []authz.Right{"payout:read"},
		AllowedIPs: []string{"192.0.2.0/24"}})
	unknown := open(t).Issue(apikey.CreateInput{Kind: apikey.Secret})
	ask := func(key, path string, status int, code string) {
		t.Helper()
		c := call{method: http.MethodGet, path: path}.header1("X-API-Key", key)
		s.send(t, c.header1("X-App-ID", fmt.Sprint(s.App.AppID))).want(t, status, code)
	}
	for range 3 {
		ask(revoked.Text, "/api/payouts", 401, "api_key_invalid")
		ask(unknown.Text, "/api/payouts", 401, "api_key_invalid")
		ask(narrow.Text, "/api/charges", 403, "permission_denied")
		ask(elsewhere.Text, "/api/payouts", 403, "ip_not_allowed")
	}
	body := s.body(s.Token(good), "description", `"my card is 4242 4242 4242 4242"`)
	s.send(t, call{method: http.MethodPost, path: "/api/charges", body: body}).want(t, 400, "parameter_invalid")
	if err := s.Security.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		key           *ids.Key
		kind, outcome string
		count         int64
	}{
		{&revoked.ID, "api_key", "api_key_revoked", 3}, {nil, "api_key", "api_key_invalid", 3},
		{&narrow.ID, "permission", "permission_denied", 3}, {&elsewhere.ID, "api_key", "ip_not_allowed", 3},
	} {
		n, err := pg.Value[int64](t.Context(), s.Pool, `
			SELECT coalesce(sum(count), 0)::bigint FROM security_events WHERE kind = @kind AND outcome = @outcome
				AND key_id IS NOT DISTINCT FROM @key::uuid AND address = '127.0.0.1' AND request_id IS NOT NULL
				AND (account IS NULL) = (key_id IS NOT NULL)`,
			pg.Args{"key": want.key, "kind": want.kind, "outcome": want.outcome})
		if err != nil || n != want.count {
			t.Errorf("%s %s: %d, %v", want.kind, want.outcome, n, err)
		}
	}
	found, err := pg.Value[int64](t.Context(), s.Pool, `SELECT count FROM security_events
		WHERE kind = 'card_number' AND application_id = @app`, pg.Args{"app": s.App.AppID})
	if err != nil || found != 1 {
		t.Errorf("card numbers: %d, %v", found, err)
	}
	entries, err := pg.Value[int64](t.Context(), s.Pool, `SELECT count(*) FROM audit_entries
		WHERE application_id = @app AND permission LIKE 'security:%'`, pg.Args{"app": s.App.AppID})
	if err != nil || entries != 4 {
		t.Errorf("%d audit entries, %v", entries, err)
	}
}
