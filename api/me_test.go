package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/sandbox/demo"
)

var meResource = resource{
	shapes: map[string]any{"Me": apikey.Me{}, "Me.application": apikey.MyApplication{}, "ApiKey": apikey.Key{}}}

// as is the first application with another key.
func (s *site) as(k apikey.Issued) *demo.Application {
	return &demo.Application{AppID: s.App.AppID, SecretKey: k.Text}
}

func (s *site) me(t *testing.T, k apikey.Issued) (out apikey.Me) {
	t.Helper()
	a := s.send(t, call{method: "GET", path: "/api/me", as: s.as(k)}).want(t, 200, "")
	if err := json.Unmarshal(a.body, &out); err != nil || strings.Contains(string(a.body), k.Text[len(k.Prefix):]) {
		t.Errorf("%v: %s", err, a.body)
	}
	return out
}

func TestMe(t *testing.T) {
	t.Parallel()
	s := open(t)
	secret := s.Issue(apikey.CreateInput{Kind: apikey.Secret, Name: "Server"})
	restricted := s.Issue(apikey.CreateInput{
		Kind: apikey.Restricted, Rights: []authz.Right{"refund:write"}, Merchants: []int64{s.App.Merchants.CA},
		AllowedIPs: []string{"127.0.0.0/8", "::1"}, ExpiresAt: s.Clock.Now().Add(24 * time.Hour),
	})
	for _, k := range []apikey.Issued{secret, restricted} {
		got := s.me(t, k)
		want := apikey.Me{Object: "me", APIVersion: Version,
			Application: apikey.MyApplication{ID: s.App.AppID, Name: "Riverside Giving"}, Key: k.Key}
		want.Key.ApplicationID, want.Key.AllowedOrigins, want.Key.Version = 0, nil, 0 // not told
		want.Key.LastUsedAt, want.Key.LastUsedIP = got.Key.LastUsedAt, got.Key.LastUsedIP
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	rolled, err := s.APIKeys.Roll(t.Context(), s.Admin(), apikey.RollInput{ID: secret.ID, Overlap: apikey.OverlapHour})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.me(t, secret).Key; *got.ReplacedBy != rolled.New.ID ||
		!got.ExpiresAt.Equal(s.Clock.Now().Add(time.Hour)) {
		t.Errorf("rolled, it is told %+v", got)
	}
	if got := s.me(t, rolled.New).Key; got.ReplacedBy != nil || got.Name != "Server" {
		t.Errorf("the new key is %+v", got)
	}
	s.Clock.Advance(time.Minute)
	for s.me(t, secret).Key.LastUsedAt == nil { // written next to a request
		time.Sleep(10 * time.Millisecond)
	}
	if ip := s.me(t, secret).Key.LastUsedIP; ip == nil || !ip.IsLoopback() {
		t.Errorf("used from %v", ip)
	}
}

// Whatever a restricted key lacks, it is told, and nothing happens.
func TestRestrictedKeyNeedsTheRightOfTheRoute(t *testing.T) {
	t.Parallel()
	s := open(t)
	keys := map[authz.Right]*demo.Application{
		"": s.as(s.Issue(apikey.CreateInput{Kind: apikey.Restricted, Rights: authz.Rights()}))}
	for _, r := range authz.Rights() {
		all := slices.DeleteFunc(authz.Rights(), func(other authz.Right) bool { // but that, and write has read in it
			return other == r || strings.TrimSuffix(string(other), ":write") == strings.TrimSuffix(string(r), ":read")
		})
		keys[r] = s.as(s.Issue(apikey.CreateInput{Kind: apikey.Restricted, Rights: all}))
	}
	before := s.rows(t)
	for _, c := range everyKeyed(t) {
		needed := authz.RightFor(c.route.permission)
		if needed == "" {
			continue
		}
		if c.as = keys[needed]; c.as == nil {
			t.Errorf("%s needs %s, which no key can have", c.name(), needed)
			continue
		}
		if e := s.send(t, c).want(t, 403,
			"permission_denied").error(); e.RequiredPermission != string(c.route.permission) {
			t.Errorf("%s asks for %q", c.name(), e.RequiredPermission)
		}
		c.as = keys[""]
		if c.method == "GET" {
			if a := s.send(t, c); a.error().Code == "permission_denied" {
				t.Errorf("%s with every right: %s", c.name(), a.body)
			}
		}
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}
