package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
)

// next to is what an object reports those that it refers to.
type beside struct {
	ID       string
	Version  int
	Merchant *struct {
		ID     int64
		Object string
		Name   string
	}
	Charge *struct {
		ID, Object string
		MerchantID int64 `json:"merchant_id"`
	}
}

func (s *site) beside(t *testing.T, path string) (answer, beside) {
	t.Helper()
	a := s.get(t, path).want(t, 200, "")
	var out beside
	if err := json.Unmarshal(a.body, &out); err != nil {
		t.Fatal(err)
	}
	return a, out
}

func TestObjectsWithWhatTheyReferTo(t *testing.T) {
	t.Parallel()
	s := open(t)
	d := s.disputed(t, s.App, false)
	c := s.post(t, s.body(s.Token(good))).charge(t)
	r := s.refund(t, c, `,"amount":100`).refund(t)
	p := s.payout(t, s.App, 50_000)
	for path, charge := range map[string]string{
		"/api/charges/" + c.ID.String(): "", "/api/refunds/" + r.ID.String(): c.ID.String(), "/api/disputes/" +
			d.ID.String(): d.ChargeID.String(),
		"/api/payouts/" + p.ID.String(): "", "/api/tokens/" + c.Token.String(): "",
	} {
		plain, none := s.beside(t, path)
		given, got := s.beside(t, path+"?expand[]=merchant")
		if none.Merchant != nil || got.Merchant == nil || got.Merchant.ID != s.App.Merchants.US ||
			got.Merchant.Object != "merchant" || got.Merchant.Name == "" ||
			got.ID != none.ID || got.Version != none.Version || given.header.Get("ETag") != plain.header.Get("ETag") ||
			given.header.Get("ETag") == "" {
			t.Errorf("%s: %s", path, given.body)
		}
		if charge == "" {
			e := s.get(t, path+"?expand[]=charge").want(t, 400, "parameter_invalid").error()
			if e.Param != "expand[]" || e.Message != "Allowed values: merchant. Give each once." {
				t.Errorf("%+v", e)
			}
			continue
		}
		if _, got = s.beside(t, path+"?expand[]=charge&expand[]=merchant"); got.Charge == nil ||
			got.Charge.ID != charge || got.Charge.Object != "charge" || got.Merchant == nil {
			t.Errorf("%s: %+v", path, got)
		}
	}
	for _, query := range []string{"expand[]=" + marker, "expand[]=merchant&expand[]=merchant", "expand[]="} {
		s.get(t, "/api/charges?"+query).want(t, 400, "parameter_invalid")
		s.get(t, "/api/charges/"+c.ID.String()+"?"+query).want(t, 400, "parameter_invalid")
	}
	s.get(t, "/api/charges/"+c.ID.String()+"?expand=merchant").want(t, 400, "parameter_unknown")
	s.get(t, "/api/fee_defaults?expand[]=merchant").want(t, 400, "parameter_unknown")
}

func TestListsWithWhatTheyReferTo(t *testing.T) {
	t.Parallel()
	s := open(t)
	ca := s.TokenIn(s.SessionOf(s.App, s.App.Merchants.CA), good)
	s.post(t, s.body(ca, "merchant_id", fmt.Sprint(s.App.Merchants.CA), "currency", `"cad"`)).want(t, 201, "")
	c := s.post(t, s.body(s.Token(good))).charge(t)
	for range 2 {
		s.refund(t, c, `,"amount":100`)
	}
	for path, n := range map[string]int{"/api/charges?expand[]=merchant": 2,
		"/api/refunds?expand[]=merchant&expand[]=charge": 2, "/api/tokens?limit=1&expand[]=merchant": 1,
		"/api/disputes?expand[]=charge": 0} {
		var page struct {
			Data []struct {
				beside
				MerchantID int64  `json:"merchant_id"`
				ChargeID   string `json:"charge_id"`
			}
			Next *string
		}
		a := s.get(t, path).want(t, 200, "")
		if err := json.Unmarshal(a.body, &page); err != nil || len(page.Data) != n || page.Data == nil ||
			(n == 1) != (page.Next != nil) {
			t.Fatalf("%s: %s, %v", path, a.body, err)
		}
		for _, item := range page.Data {
			if item.Merchant.ID != item.MerchantID || item.ChargeID != "" && item.Charge.ID != item.ChargeID {
				t.Errorf("%s: %+v", path, item)
			}
		}
	}
}

// Who may not read a merchant is not shown it next to a charge.
func TestExpandingTakesARightOfItsOwn(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := s.post(t, s.body(s.Token(good))).charge(t).ID.String()
	key := s.Issue(apikey.CreateInput{Kind: apikey.Restricted, Rights: []authz.Right{"charge:read"}}).Text
	send := func(path string) answer {
		return s.send(t, call{method: http.MethodGet, path: path, header: map[string]string{"X-API-Key": key}})
	}
	send("/api/charges/"+id).want(t, 200, "")
	for _, path := range []string{"/api/charges/" + id + "?expand[]=merchant", "/api/charges?expand[]=merchant",
		"/api/charges?status=expired&expand[]=merchant"} {
		if e := send(path).want(t, 403, "permission_denied").error(); e.RequiredPermission != "merchant:read" {
			t.Errorf("%+v", e)
		}
	}
}
