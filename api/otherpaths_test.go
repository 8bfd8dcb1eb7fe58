package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svcpay/internal/daf"
	"svcpay/internal/platform/pg"
)

// TestOtherPathsAreTheSameOperations: one resource, with one idempotency, by two paths.
func TestOtherPathsAreTheSameOperations(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	if _, err := s.Merchants.InstallAssociation(t.Context(), s.Admin(), []byte(associationText), nil); err != nil {
		t.Fatal(err)
	}
	gift := func() string { return s.gift(t, "donor@fund.example", daf.Nonintegrated, 700, "") }
	shop, donation := fmt.Sprint(s.App.Merchants.US), s.give(t, gift()).want(t, 201, "").donation(t).ID.String()
	aliases := 0
	for _, r := range new(API).routes() {
		if r.alias == "" {
			continue
		}
		aliases++
		id, least := shop, map[string]string{http.MethodPost: s.least(""), http.MethodPut: `{"name":"Renamed"}`}
		if strings.HasPrefix(r.alias, "/dafDonations") {
			id, least = donation, map[string]string{http.MethodPost: gift(), http.MethodPut: `{"note":"Seen"}`,
				http.MethodPatch: `{"note":"Kept"}`}
		}
		canonical, other := strings.Replace(r.path, ":id", id, 1), strings.Replace(r.alias, ":id", id, 1)
		bodies := []string{""}
		if r.method != http.MethodGet {
			bodies = []string{least[r.method], `{"status":1}`, `{`}
		}
		for i, body := range bodies {
			header := map[string]string{"Idempotency-Key": fmt.Sprint(r.method, r.alias, i)}
			if r.method == http.MethodGet {
				header = nil
			}
			a, b := s.plainly(t, r.method, canonical, body, header), s.plainly(t, r.method, other, body, header)
			if a.status != b.status || withoutID(a) != withoutID(b) ||
				a.header.Get("Location") != b.header.Get("Location") || a.header.Get("ETag") != b.header.Get("ETag") {
				t.Errorf("%s %s %s: %d %s\n%s: %d %s", r.method, canonical, body, a.status, a.body, other,
					b.status, b.body)
			}
			if r.method != http.MethodGet && (i == 0) != b.replayed() {
				t.Errorf("%s %s is a request of its own: %v", r.method, other, b.header)
			}
		}
	}
	if aliases < 5 {
		t.Errorf("%d other paths", aliases)
	}
	if a, b := s.plainly(t, "DELETE", "/api/merchants/"+shop, "", nil), s.plainly(t, "DELETE", "/merchants/"+shop, "",
		nil); a.status != 405 || b.status != 405 || withoutID(a) != withoutID(b) {
		t.Errorf("%d %s; %d %s", a.status, a.body, b.status, b.body)
	}
	if a := s.plainly(t, "GET", "/merchants/"+shop, "", map[string]string{"X-API-Key": "no"}); a.status != 401 ||
		a.error().Code != "api_key_invalid" {
		t.Errorf("%d %s", a.status, a.body)
	}
	s.execute(t, `ALTER SCHEMA public RENAME TO elsewhere`, pg.Args{})
	if a := s.plainly(t, "GET", "/merchants", "", nil); a.status != 500 || a.error().Code != "internal_error" {
		t.Errorf("%d %s", a.status, a.body)
	}
}
