package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/sandbox/demo"
)

// This file holds keys that are limited to merchants to every route of the table. The objects are
// those that the resources make of the other application, all of its merchant US.

// limited is the other application with a key that has every right, for one merchant.
func (s *site) limited(t *testing.T, merchantID int64) *demo.Application {
	t.Helper()
	k, err := s.APIKeys.Create(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: s.Other.AppID},
		apikey.CreateInput{Kind: apikey.Restricted, Name: fmt.Sprint("Merchant ", merchantID), Rights: authz.Rights(),
			Merchants: []int64{merchantID}})
	if err != nil {
		t.Fatal(err)
	}
	out := s.Other
	out.SecretKey = k.Text
	return &out
}

// coversRoute reports whether a key that is limited to merchants may use a route at all.
func coversRoute(c call) bool {
	return (&authz.Restriction{Rights: authz.Rights(), Merchants: []int64{1}}).Covers(c.route.permission)
}

func TestAnotherMerchantsObjectsLookMissing(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.theirObjects(t)
	theirs, other := s.limited(t, s.Other.Merchants.US), s.limited(t, s.Other.Merchants.CA)
	for _, c := range everyRoute(t) {
		if !strings.Contains(c.route.path, ":id") {
			continue
		}
		unseen, absent := c.about(t, made), c
		unseen.as, absent.as = other, other
		status, code := 404, "resource_missing"
		if !coversRoute(c) {
			status, code = 403, "permission_denied"
		}
		a, b := s.send(t, unseen).want(t, status, code), s.send(t, absent).want(t, status, code)
		if withoutID(a) != withoutID(b) {
			t.Errorf("%s: another merchant's answers\n%s\na missing one\n%s", c.name(), a.body, b.body)
		}
		if c.method == http.MethodGet && coversRoute(c) {
			unseen.as = theirs
			if a := s.send(t, unseen); a.status != 200 {
				t.Errorf("%s: its merchant's key is answered %s", c.name(), a.body)
			}
		}
	}
}

// What a key keeps of a request is for those who see what the request was about.
func TestAnswersThatAreKeptAreForThoseWhoSeeTheMerchant(t *testing.T) {
	t.Parallel()
	s := open(t)
	made, other, kept := s.theirObjects(t), s.limited(t, s.Other.Merchants.CA), 0
	for i, c := range everyRoute(t) {
		if !strings.Contains(c.route.path, ":id") ||
			c.op.Parameters.GetByInAndName(openapi3.ParameterInHeader, "Idempotency-Key") == nil || !coversRoute(c) {
			continue
		}
		c = c.about(t, made).header1("Idempotency-Key", fmt.Sprint("kept-", i))
		c.as = &s.Other
		if first := s.send(t, c); first.status < 300 {
			kept++
			if again := s.send(t, c); !again.replayed() {
				t.Errorf("%s: the answer was not kept", c.name())
			}
		}
		c.as = other
		if a := s.send(t, c).want(t, 404, "resource_missing"); a.replayed() {
			t.Errorf("%s: replayed", c.name())
		}
	}
	if kept < 5 {
		t.Errorf("%d answers were kept", kept)
	}
	s.keptOfRequestsThatNameTheMerchant(t, other)
}

func (s *site) keptOfRequestsThatNameTheMerchant(t *testing.T, other *demo.Application) {
	t.Helper()
	token := s.TokenIn(s.SessionOf(s.Other, s.Other.Merchants.US), good)
	us := fmt.Sprint(s.Other.Merchants.US)
	make := func(key, body string) (id string) {
		c := call{method: http.MethodPost, path: "/api/charges", body: body, as: &s.Other}
		answer := decoded(t, s.send(t, c.header1("Idempotency-Key", key)).want(t, 201, "").body)
		id, _ = answer.(map[string]any)["id"].(string)
		return id
	}
	captured, held := make("captured", s.body(token, "merchant_id", us)), make("held",
		s.body(token, "merchant_id", us, "capture", "false"))
	for _, tt := range []struct {
		path, body string
		status     int
		code       string
	}{
		{"/api/charges", s.body(token, "merchant_id", us), 403, "merchant_not_associated"},
		{"/api/charges/" + held + "/capture", "", 404, "resource_missing"},
		{"/api/refunds", fmt.Sprintf(`{"charge_id":%q}`, captured), 404, "resource_missing"},
		{"/api/sandbox/tokens", fmt.Sprintf(`{"merchant_id":%s,"test_case":"approved"}`, us), 403, "merchant_not_associated"},
	} {
		c := call{method: http.MethodPost, path: tt.path, body: tt.body,
			as: &s.Other}.header1("Idempotency-Key", tt.path)
		if a := s.send(t, c); a.status >= 300 {
			t.Errorf("%s: %s", tt.path, a.body)
		}
		c.as = other
		before := s.rows(t)
		a := s.send(t, c).want(t, tt.status, tt.code)
		absent := strings.NewReplacer(`"merchant_id":`+us, `"merchant_id":999999`, captured,
			"ch_01jq8z6k4t8m2x9v5c7b1n3d0f", held, "ch_01jq8z6k4t8m2x9v5c7b1n3d0f")
		c.path, c.body = absent.Replace(c.path), absent.Replace(c.body)
		if b := s.send(t, c).want(t, tt.status, tt.code); a.replayed() || withoutID(a) != withoutID(b) {
			t.Errorf("%s: another merchant's answers\n%s\na missing one\n%s", tt.path, a.body, b.body)
		}
		if after := s.rows(t); after != before {
			t.Errorf("%s: %d rows were written", tt.path, after-before)
		}
	}
}

func TestListsHoldTheKeysMerchantsOnly(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.theirObjects(t)
	theirs, other := s.limited(t, s.Other.Merchants.US), s.limited(t, s.Other.Merchants.CA)
	length := func(c call, as *demo.Application) int {
		t.Helper()
		c.as = as
		items, _ := decoded(t, s.send(t, c).want(t, 200, "").body).(map[string]any)["data"].([]any)
		return len(items)
	}
	for _, c := range everyRoute(t) {
		if c.op.Parameters.GetByInAndName(openapi3.ParameterInQuery, startingAfter) == nil ||
			strings.Contains(c.route.path, ":id") || !coversRoute(c) {
			continue
		}
		c.path = strings.Replace(c.path, "q=winter", "q=object:charge", 1)
		if c.route.permission == authz.MerchantRead { // a key sees the merchants that it has
			if a, b := length(c, theirs), length(c, other); a != 1 || b != 1 {
				t.Errorf("%s: of one merchant %d and %d objects are listed", c.name(), a, b)
			}
			continue
		}
		if all, seen := length(c, &s.Other), length(c, theirs); seen == 0 || seen > all { // some are no merchant's
			t.Errorf("%s: %d of %d objects are listed for their merchant", c.name(), seen, all)
		}
		if n := length(c, other); n != 0 {
			t.Errorf("%s: %d objects are listed for another merchant", c.name(), n)
		}
		if c.op.Parameters.GetByInAndName(openapi3.ParameterInQuery, "merchant_id") == nil {
			continue
		}
		us, ca := s.Other.Merchants.US, s.Other.Merchants.CA
		if n := length(c.with(fmt.Sprintf("merchant_id=%d", us)), other); n != 0 {
			t.Errorf("%s: %d objects of another merchant that was asked for", c.name(), n)
		}
		if n := length(c.with(fmt.Sprintf("merchant_id=%d,%d", ca, us)), theirs); n == 0 {
			t.Errorf("%s: asked for two merchants, the key's own is left out", c.name())
		}
	}
}

// Wherever a merchant is named, one that the key does not have is none of the application's.
func TestAnotherMerchantThatIsNamedIsNotAssociated(t *testing.T) {
	t.Parallel()
	s := open(t)
	other, asked := s.limited(t, s.Other.Merchants.CA), 0
	for _, c := range everyRoute(t) {
		if !c.documents(403, "merchant_not_associated") || !coversRoute(c) {
			continue
		}
		asked++
		c.as = other
		named := func(id int64) call {
			out := c
			out.path = strings.ReplaceAll(c.path, "merchant_id=1042", fmt.Sprint("merchant_id=", id))
			out.body = strings.ReplaceAll(c.body, `"merchant_id":1042`, fmt.Sprint(`"merchant_id":`, id))
			if out.path == c.path && out.body == c.body {
				t.Errorf("%s: where is the merchant named?", c.name())
			}
			return out
		}
		before := s.rows(t)
		a, b := s.send(t, named(s.Other.Merchants.US)).want(t, 403, "merchant_not_associated"), s.send(t,
			named(999999)).want(t, 403, "merchant_not_associated")
		if withoutID(a) != withoutID(b) {
			t.Errorf("%s: another merchant's answers\n%s\na missing one\n%s", c.name(), a.body, b.body)
		}
		if after := s.rows(t); after != before {
			t.Errorf("%s: %d rows were written", c.name(), after-before)
		}
		if a := s.send(t, named(s.Other.Merchants.CA)); a.error().Code == "merchant_not_associated" {
			t.Errorf("%s: the key's own merchant is answered %s", c.name(), a.body)
		}
	}
	if asked < 3 {
		t.Errorf("%d operations were asked", asked)
	}
}
