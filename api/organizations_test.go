package api

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"svcpay/internal/merchant"
)

// Organizations are listed as everything is, by cursor and by the time of creation.
func TestOrganizationsAreListed(t *testing.T) {
	t.Parallel()
	s := open(t)
	ids := []int64{s.App.OrganizationID}
	for _, name := range []string{"Harbor Trust", "Nguyễn Fund"} {
		s.Clock.Advance(time.Minute)
		body := fmt.Sprintf(`{"name": %q, "country": "US", "organization": {"name": %[1]q}}`, name)
		made := readAs[merchant.Merchant](t, s.on(t, http.MethodPost, "/api/merchants", body, ""))
		ids = append(ids, made.Organization.ID)
	}
	for query, want := range map[string][]int64{
		"order=asc": ids, "limit=1": ids[2:], fmt.Sprint("order=asc&starting_after=", ids[0]): ids[1:],
		fmt.Sprint("ending_before=", ids[1]):            ids[2:],
		"order=asc&created_at[gt]=2000-01-01T00:00:00Z": ids, "created_at[lt]=2000-01-01T00:00:00Z": nil,
	} {
		var got []int64
		for _, o := range readAs[struct{ Data []merchant.Customer }](t, s.get(t, "/api/organizations?"+query)).Data {
			got = append(got, o.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}
