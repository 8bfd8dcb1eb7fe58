package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/sandbox/demo"
)

func TestCredentialsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	mine := s.App.AppID
	expired := s.Issue(apikey.CreateInput{Kind: apikey.Secret, ExpiresAt: s.Clock.Now().Add(time.Hour)}).Text
	production, err := apikey.New(s.Pool, apikey.Production, s.Clock.Now, s.Gate).
		Create(t.Context(), s.Admin(), apikey.CreateInput{Kind: apikey.Secret, Name: "Live"})
	if err != nil {
		t.Fatal(err)
	}
	restricted := apikey.CreateInput{Kind: apikey.Restricted, Rights: authz.Rights()}
	partial := s.Issue(restricted).Text
	restricted.AllowedIPs = []string{"192.0.2.0/24", "2001:db8::/32"}
	elsewhereOnly := s.Issue(restricted).Text
	revoked := s.Issue(apikey.CreateInput{Kind: apikey.Secret})
	s.Clock.Advance(2 * time.Hour)
	if _, err := s.APIKeys.Revoke(t.Context(), s.Admin(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	swapped := s.App.SecretKey[:len(s.App.SecretKey)-1] + "!"
	elsewhere := open(t).Issue(apikey.CreateInput{Kind: apikey.Secret}).Text
	tests := []struct {
		name, key, app, origin string
		status                 int
		code                   string
	}{
		{"none", "-", "-", "", 401, "api_key_missing"},
		{"key empty", "", "1", "", 401, "api_key_missing"},
		{"no application", s.App.SecretKey, "-", "", 401, "app_id_missing"},
		{"application empty", s.App.SecretKey, "", "", 401, "app_id_missing"},
		{"malformed", marker, "1", "", 401, "api_key_invalid"},
		{"checksum", swapped, "", "", 401, "app_id_missing"},
		{"checksum, application", swapped, fmt.Sprint(mine), "", 401, "api_key_invalid"},
		{"long", strings.Repeat(marker, 100), "1", "", 401, "api_key_invalid"},
		{"not ASCII", "sk_sandbox_é", "1", "", 401, "api_key_invalid"},
		{"unknown", elsewhere, fmt.Sprint(mine), "", 401, "api_key_invalid"},
		{"revoked", revoked.Text, fmt.Sprint(mine), "", 401, "api_key_invalid"},
		{"twice", s.App.SecretKey + "\n" + s.App.SecretKey, fmt.Sprint(mine), "", 401, "api_key_invalid"},
		{"expired", expired, fmt.Sprint(mine), "", 401, "api_key_expired"},
		{"public", s.App.PublicKey, fmt.Sprint(mine), "", 401, "public_key_not_allowed"},
		{"public, from a page", s.App.PublicKey, fmt.Sprint(mine), "https://shop.example", 401, "public_key_not_allowed"},
		{"other environment", production.Text, fmt.Sprint(mine), "", 401, "key_mode_mismatch"},
		{"other application", s.App.SecretKey, fmt.Sprint(s.Other.AppID), "", 401, "app_id_mismatch"},
		{"key of the other application", s.Other.SecretKey, fmt.Sprint(mine), "", 401, "app_id_mismatch"},
		{"application no integer", s.App.SecretKey, marker, "", 401, "app_id_mismatch"},
		{"application padded", s.App.SecretKey, fmt.Sprintf("0%d", mine), "", 401, "app_id_mismatch"},
		{"application decimal", s.App.SecretKey, fmt.Sprintf("%d.0", mine), "", 401, "app_id_mismatch"},
		{"application negative", s.App.SecretKey, fmt.Sprint(-mine), "", 401, "app_id_mismatch"},
		{"application huge", s.App.SecretKey, strings.Repeat("9", 40), "", 401, "app_id_mismatch"},
		{"application twice", s.App.SecretKey, fmt.Sprintf("%d\n%d", mine, mine), "", 401, "app_id_mismatch"},
		{"from a browser", s.App.SecretKey, fmt.Sprint(mine), "https://" + marker + ".example", 403, "secret_key_in_browser"},
		{"restricted, of the other application", partial, fmt.Sprint(s.Other.AppID), "", 401, "app_id_mismatch"},
		{"restricted, from a browser", partial, fmt.Sprint(mine), "https://shop.example", 403, "secret_key_in_browser"},
		{"from another address", elsewhereOnly, fmt.Sprint(mine), "", 403, "ip_not_allowed"},
		{"from another address, other application", elsewhereOnly, fmt.Sprint(s.Other.AppID), "", 401, "app_id_mismatch"},
		{"from a sandboxed frame", s.App.SecretKey, fmt.Sprint(mine), "null", 403, "secret_key_in_browser"},
		{"unknown, from a browser", elsewhere, fmt.Sprint(mine), "https://shop.example", 403, "secret_key_in_browser"},
	}
	before := s.rows(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range everyKeyed(t) {
				c.header = map[string]string{"X-API-Key": tt.key, "X-App-ID": tt.app}
				if tt.origin != "" {
					c.header["Origin"] = tt.origin
				}
				s.send(t, c).want(t, tt.status, tt.code)
			}
		})
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestSeveralKeysOfAnApplicationWork(t *testing.T) {
	t.Parallel()
	s := open(t)
	second := demo.Application{AppID: s.App.AppID, SecretKey: s.Issue(
		apikey.CreateInput{Kind: apikey.Secret, ExpiresAt: s.Clock.Now().Add(time.Hour)}).Text}
	for _, app := range []demo.Application{s.App, second} {
		s.send(t, call{method: "GET", path: "/api/charges", as: &app}).want(t, 200, "")
	}
	s.Clock.Advance(time.Hour)
	s.send(t, call{method: "GET", path: "/api/charges", as: &second}).want(t, 401, "api_key_expired")
}

// What the other application owns looks exactly like what does not exist, in bodies too.
func TestAnotherApplicationsMerchantsAndTokensLookMissing(t *testing.T) {
	t.Parallel()
	s := open(t)
	theirToken := s.TokenIn(s.SessionOf(s.Other, s.Other.Merchants.US), good)
	mine := s.Token(good)
	for name, pair := range map[string]struct {
		foreign, absent answer
		status          int
		code            string
	}{
		"merchant": {
			s.post(t, s.body(mine, "merchant_id", fmt.Sprint(s.Other.Merchants.US))),
			s.post(t, s.body(mine, "merchant_id", "999999")), 403, "merchant_not_associated",
		},
		"token": {s.post(t, s.body(theirToken)), s.post(t, s.body("tok_01jq8z6k4t8m2x9v5c7b1n3d0f")), 422,
			"token_not_found"},
		"token of my other merchant": {
			s.post(t, s.body(mine, "merchant_id", fmt.Sprint(s.App.Merchants.USQ))),
			s.post(t, s.body(marker)), 422, "token_not_found",
		},
	} {
		t.Run(name, func(t *testing.T) {
			pair.foreign.want(t, pair.status, pair.code)
			pair.absent.want(t, pair.status, pair.code)
			if a, b := withoutID(pair.foreign), withoutID(pair.absent); a != b {
				t.Errorf("another application's answers\n%s\na missing one\n%s", a, b)
			}
		})
	}
}

// withoutID is an error's body but for the request's id.
func withoutID(a answer) string {
	return strings.ReplaceAll(string(a.body), a.header.Get("Request-Id"), "")
}
