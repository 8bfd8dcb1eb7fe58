package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/daf"
	"svcpay/internal/report/timeline"
	"svcpay/internal/testing/fixture"
)

func TestSearchFindsDonations(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	more := `,"user":{"firstName":"Zora","lastName":"Hale","email":"zora@example.org","note":"For the roof"},"external_id":"gift-7","metadata":{"campaign":"winter"}`
	a := s.give(t, s.gift(t, fixture.Giver, daf.Integrated, 12_500, more)).want(t, 201, "").donation(t)
	b := s.given(t, daf.Nonintegrated)
	s.change(t, http.MethodPut, b, `{"external_grant_id":"77-1","note":"A check is promised"}`).want(t, 200, "")
	tracking := *a.TrackingID
	for q, want := range map[string][]daf.Donation{
		tracking: {a}, strings.ToLower(tracking): {a}, "tracking_id:" +
			tracking: {a}, "tracking_id:nobody": nil, "object:daf_donation -tracking_id:" + tracking: {b},
		"zora": {a}, "roof": {a}, "gift-7": {a}, "external_id:gift-7": {a}, "email:ZORA@example.org": {a},
		"evergreen": {b, a}, "promised": {b}, "77-1": {b},
		"metadata.campaign:winter": {a}, "kind:integrated": {a}, "kind:nonintegrated": {b},
		"object:daf_donation -kind:integrated": {b},
		"status:unknown":                       {b}, "status:initiated": {a}, "amount:12500": {
			b, a}, "amount>12500": nil,
		"currency:usd object:daf_donation": {b, a},
		a.ID.String():                      {a}, fmt.Sprintf("object:daf_donation merchant_id:%d",
			s.App.Merchants.US): {
			b, a}, "object:daf_donation created_at<2020-01-01": nil,
		"object:daf_donation -email:zora@example.org": {b},
	} {
		var ids []string
		for _, d := range want {
			ids = append(ids, d.ID.String())
		}
		if got := s.find(t, q); !slices.Equal(got, ids) {
			t.Errorf("%s: %v, want %v", q, got, ids)
		}
	}
	theirs := call{method: "GET", path: "/api/search?q=" + tracking, as: &s.Other}
	if a := s.send(t, theirs).want(t, 200, ""); !strings.Contains(string(a.body), `"data":[]`) {
		t.Errorf("another application finds %s", a.body)
	}
}

func TestExportsOfDonations(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	a, b := s.given(t, daf.Integrated), s.given(t, daf.Nonintegrated)
	got := s.file(t,
		`{"resource":"daf_donations","format":"csv","columns":["id","kind","status","tracking_id","provider.name","fund.name","fee_total","net","user.email","workflowSessionId"]}`)
	want := "id,kind,status,tracking_id,provider.name,fund.name,fee_total,net,user.email,workflowSessionId\n" +
		fmt.Sprintf("%s,integrated,initiated,%s,sandbox,%s,613,11887,dana@example.org,%s\n", a.ID, *a.TrackingID,
			a.Fund.Name, *a.WorkflowSessionID) +
		fmt.Sprintf("%s,nonintegrated,unknown,,,%s,0,12500,dana@example.org,\n", b.ID, b.Fund.Name)
	if strings.ReplaceAll(got, "\r\n", "\n") != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	lines := strings.Split(
		strings.TrimSpace(s.file(t, `{"resource":"daf_donations","format":"jsonl","filters":{"status":["unknown"]}}`)),
		"\n")
	var d daf.Donation
	if err := json.Unmarshal([]byte(lines[0]), &d); err != nil || len(lines) != 1 || d.ID != b.ID {
		t.Errorf("%q, %v", lines, err)
	}
}

func TestTimelineOfADonation(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	d := s.give(t, s.gift(t, fixture.Giver, daf.Integrated, 12_500, ""), "Idempotency-Key", "k").want(t, 201,
		"").donation(t)
	s.change(t, http.MethodPut, d, `{"status":"completed"}`).want(t, 200, "")
	path := "/api/dafDonations/" + d.ID.String() + "/timeline"
	var all struct{ Data []timeline.Entry }
	if err := json.Unmarshal(s.get(t, path+"?order=asc").want(t, 200, "").body, &all); err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, h := range all.Data {
		types = append(types, h.Type+" "+h.Status)
		call := h.Type == "call.grant"
		if h.ChargeID != nil || h.DonationID == nil || *h.DonationID != d.ID || h.Amount != 12_500 ||
			(h.Processor != nil) != call || (h.IdempotencyKey != nil) != call {
			t.Errorf("%+v", h)
		}
	}
	slices.Sort(types) // the clock stands still
	if want := []string{"call.grant approved", "daf_donation.completed completed", "daf_donation.created initiated",
		"daf_donation_updated completed", "daf_donation_updated initiated"}; !slices.Equal(types, want) {
		t.Errorf("%q", types)
	}
	s.get(t, "/api/dafDonations/"+donationResource.theirs["/api/dafDonations/:id"](t, s)+"/timeline").want(t, 404,
		"resource_missing")
}
