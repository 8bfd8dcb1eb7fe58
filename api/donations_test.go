package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/daf"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

var donationResource = resource{
	expands: map[string][]string{"DafDonation": {"merchant"}},
	shapes: map[string]any{
		"DafDonation": daf.Donation{}, "DafDonationList": list{}, "CreateDafDonation": daf.CreateInput{},
		"CreateDafDonationUser": daf.UserInput{},
		"UpdateDafDonation":     daf.UpdateInput{}, "DafProviderRef": daf.ProviderRef{}, "DafFund": daf.Fund{},
		"DafUser": daf.User{}, "DafStatusChange": daf.StatusChange{}, "DafFailure": daf.Failure{},
	},
	// grantId, anonymous
	either: map[string][]string{
		"CreateDafDonation": {"workflowSessionId", "user.firstName", "user.lastName", "user.email"}},
	enums: map[string][]string{"DafDonationKind": daf.Kinds(), "DafDonationStatus": daf.Statuses(),
		"UpdateDafDonation.status": daf.Statuses(),
		"DafStatusChange.source":   {string(daf.FromAPI), string(daf.FromPortal), string(daf.FromProvider)}},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/dafDonations/:id": func(t *testing.T, s *site) string {
			id := theirAuthorization(t, s)
			body := fmt.Sprintf(`{"merchant_id":%d,"workflowSessionId":%q,"amount":12500,"user":`+aDonor+`}`,
				s.Other.Merchants.US, id)
			return s.send(t,
				call{method: http.MethodPost, path: "/api/dafDonations", as: &s.Other, body: body}).donation(
				t).ID.String()
		},
		// what a donor authorized over 125.00, which no path leads to
		"/client/daf/:id": theirAuthorization,
	},
}

func theirAuthorization(t *testing.T, s *site) string {
	t.Helper()
	s.TakesDAF(s.Other.Merchants.US)
	return s.Authorized(s.Other, s.Other.Merchants.US, daf.Integrated, 12_500)
}

func (a answer) donation(t testing.TB) daf.Donation {
	t.Helper()
	var d daf.Donation
	if err := json.Unmarshal(a.body, &d); err != nil || a.status >= 300 {
		t.Fatalf("no donation but %d %s", a.status, a.body)
	}
	return d
}

// donationSite is a site whose first merchant takes donations.
func donationSite(t *testing.T) *site {
	t.Helper()
	s := open(t)
	s.TakesDAF(s.App.Merchants.US)
	return s
}

// aDonor is a donor with a name.
const aDonor = `{"firstName":"Dana","lastName":"Reed","email":"dana@example.org"}`

// gift is the body of a donation over an amount that a donor of the sandbox has just authorized; more are further
// members, the donor among them if it is not the usual one.
func (s *site) gift(t testing.TB, donor string, kind daf.Kind, amount money.Amount, more string) string {
	t.Helper()
	name := map[daf.Kind]string{daf.Integrated: "workflowSessionId", daf.Nonintegrated: "grantId"}[kind]
	id := s.AuthorizedBy(donor, s.App, s.App.Merchants.US, kind, amount)
	if !strings.Contains(more, `"user"`) {
		more += `,"user":` + aDonor
	}
	return fmt.Sprintf(`{"merchant_id":%d,%q:%q,"amount":%d%s}`, s.App.Merchants.US, name, id, amount, more)
}

func (s *site) give(t testing.TB, body string, headers ...string) answer {
	t.Helper()
	in := call{method: http.MethodPost, path: "/api/dafDonations", body: body}
	for i := 0; i < len(headers); i += 2 {
		in = in.header1(headers[i], headers[i+1])
	}
	defer s.Clock.Advance(time.Millisecond) // ids of different times are in their order
	return s.send(t, in)
}

// given makes a donation of a kind.
func (s *site) given(t testing.TB, kind daf.Kind) daf.Donation {
	t.Helper()
	return s.give(t, s.gift(t, fixture.Giver, kind, 12_500, "")).want(t, 201, "").donation(t)
}

// change sends an update of a donation by either method.
func (s *site) change(t testing.TB, method string, d daf.Donation, body string, headers ...string) answer {
	t.Helper()
	in := call{method: method, path: "/api/dafDonations/" + d.ID.String(), body: body}
	for i := 0; i < len(headers); i += 2 {
		in = in.header1(headers[i], headers[i+1])
	}
	return s.send(t, in)
}

func TestDonationsOfBothKinds(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	more := `,"user":{"firstName":"Dana","lastName":"Reed","email":"dana@example.org","note":"For the winter"},"external_id":"%s","metadata":{"campaign":"winter"}`
	for _, kind := range []daf.Kind{daf.Integrated, daf.Nonintegrated} {
		body := s.gift(t, fixture.Giver, kind, 12_500, fmt.Sprintf(more, kind))
		a := s.give(t, body, "Idempotency-Key", string(kind)).want(t, 201, "")
		d := a.donation(t)
		if d.Kind != kind || d.User.FirstName != "Dana" || d.Amount != 12_500 || d.StatusHistory[0].KeyName == nil ||
			*d.StatusHistory[0].KeyName != "Demo server" {
			t.Errorf("the donation is %s", a.body)
		}
		if integrated := kind == daf.Integrated; (d.TrackingID != nil) != integrated ||
			(d.Net == 11_887) != integrated || (d.Status == daf.Initiated) != integrated {
			t.Errorf("the donation is %s", a.body)
		}
		read := s.get(t, a.header.Get("Location")).want(t, 200, "")
		if !bytes.Equal(read.body, a.body) || read.header.Get("ETag") != a.header.Get("ETag") ||
			a.header.Get("ETag") != fmt.Sprintf(`"%d"`, d.Version) {
			t.Errorf("made as\n%s\nread as\n%s", a.body, read.body)
		}
		if again := s.give(t, body, "Idempotency-Key", string(kind)).want(t, 201, ""); !again.replayed() ||
			!bytes.Equal(again.body, a.body) || again.header.Get("Location") != a.header.Get("Location") {
			t.Errorf("first\n%s\nthen\n%s", a.body, again.body)
		}
		// Without its key, and with another, it is known by what the donor authorized.
		s.change(t, http.MethodPut, d, `{"note":"meanwhile"}`).want(t, 200, "")
		for _, key := range []string{"-", "another " + string(kind)} {
			again := s.give(t, body, "Idempotency-Key", strings.ReplaceAll(key, " ", "-")).want(t, 200, "")
			if again.replayed() || again.donation(t).ID != d.ID || again.donation(t).Note == nil ||
				again.header.Get("Location") != "" || again.header.Get("ETag") != fmt.Sprintf(`"%d"`, d.Version+1) {
				t.Errorf("again: %v %s", again.header, again.body)
			}
		}
		s.give(t, strings.Replace(body, `"campaign":"winter"`, `"campaign":"fall"`, 1), "Idempotency-Key",
			string(kind)).want(t, 422, "idempotency_key_reused")
		s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL
			WHERE key = @key`, pg.Args{"key": string(kind)})
		s.give(t, body, "Idempotency-Key", string(kind)).want(t, 409, "idempotency_key_in_use")
	}
}

func TestDonationsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	us := fmt.Sprint(s.App.Merchants.US)
	used := s.gift(t, fixture.Giver, daf.Nonintegrated, 12_300, `,"external_id":"taken"`)
	first := s.give(t, used).want(t, 201, "").donation(t)
	late := s.gift(t, fixture.Giver, daf.Integrated, 12_300, "")
	s.Clock.Advance(16 * time.Minute)
	fresh := s.gift(t, fixture.Giver, daf.Integrated, 12_300, "")
	with := func(old, new string) string {
		t.Helper()
		if !strings.Contains(fresh, old) {
			t.Fatalf("%s is not in %s", old, fresh)
		}
		return strings.Replace(fresh, old, new, 1)
	}
	ca := fmt.Sprintf(`{"merchant_id":%d,"workflowSessionId":%q,"amount":100,"anonymous":true}`, s.App.Merchants.CA,
		s.Authorized(s.App, s.App.Merchants.CA, daf.Integrated, 100))
	merchantIs := func(set string) func() {
		return func() { s.execute(t, `UPDATE merchants SET `+set+` WHERE id = @id`, pg.Args{"id": s.App.Merchants.US}) }
	}
	before := s.rows(t)
	for _, tt := range []struct {
		name   string
		body   string
		set    func()
		status int
		code   string
		param  string
		detail string
	}{
		{"both ids", with(`,"amount"`, `,"grantId":"gr_1","amount"`), nil, 400, "parameters_exclusive", "grantId", ""},
		{"no id", fmt.Sprintf(`{"merchant_id":%s,"amount":100,"anonymous":true}`, us), nil, 400, "parameter_missing", "workflowSessionId", ""},
		{"zero", with(`12300`, `0`), nil, 400, "amount_too_small", "amount", ""},
		{"huge", with(`12300`, `100000000`), nil, 400, "amount_too_large", "amount", ""},
		{"decimal", with(`12300`, `123.00`), nil, 400, "amount_not_integer", "amount", ""},
		{"cents", with(`12300`, `12349`), nil, 422, "daf_amount_not_whole_dollar", "amount", `"nearest_amount":12300`},
		{"email", with(aDonor, `{"firstName":"","lastName":"","email":"`+marker+`"}`), nil, 400, "parameter_invalid", "user.email", ""},
		{"no last name", with(`"lastName":"Reed",`, ``), nil, 400, "parameter_missing", "user.lastName", ""},
		{"no email", with(`,"email":"dana@example.org"`, `,"email":null`), nil, 400, "parameter_missing", "user.email", ""},
		{"no donor", with(`,"user":`+aDonor, ``), nil, 400, "validation_failed", "user.firstName", ""},
		{"an empty donor", with(aDonor, `{}`), nil, 400, "validation_failed", "user.firstName", ""},
		{"no donor, not anonymous", with(`"user":`+aDonor, `"user":null,"anonymous":false`), nil, 400, "validation_failed", "user.firstName", ""},
		{"another amount", with(`12300`, `12400`), nil, 422, "daf_amount_mismatch", "amount", ""},
		{"forged", with(`"workflowSessionId":"ws_`, `"workflowSessionId":"ws_0`), nil, 422, "daf_session_not_found", "workflowSessionId", ""},
		{"another merchant's", strings.Replace(fresh, us, fmt.Sprint(s.App.Merchants.CA), 1), nil, 422, "daf_session_not_found", "workflowSessionId", ""},
		{"unknown merchant", strings.Replace(fresh, us, "999999", 1), nil, 403, "merchant_not_associated", "merchant_id", ""},
		{"foreign merchant", strings.Replace(fresh, us, fmt.Sprint(s.Other.Merchants.US), 1), nil, 403, "merchant_not_associated", "merchant_id", ""},
		{"used", strings.Replace(used, `"taken"`, `"another"`, 1), nil, 409, "daf_session_already_used", "grantId", `"donation_id":"` + first.ID.String() + `"`},
		{"too late", late, nil, 410, "daf_session_expired", "workflowSessionId", ""},
		{"external id", with(`"amount"`, `"external_id":"taken","amount"`), nil, 409, "external_id_taken", "external_id", `"donation_id":"` + first.ID.String() + `"`},
		{"Canadian", ca, nil, 422, "daf_not_eligible", "merchant_id", ""},
		{"not enabled", fresh, merchantIs("has_daf_provider = false"), 422, "daf_not_enabled", "merchant_id", ""},
		{"not enrolled", fresh, merchantIs("has_daf_provider = true, daf_provider_connect_id = NULL"), 422, "daf_not_enrolled", "merchant_id", ""},
		{"suspended", fresh, merchantIs("status = 'suspended'"), 422, "merchant_not_active", "merchant_id", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.set != nil {
				tt.set()
			}
			a := s.give(t, tt.body, "Idempotency-Key", "one-for-all").want(t, tt.status, tt.code)
			if a.error().Param != tt.param || !strings.Contains(string(a.body), tt.detail) {
				t.Errorf("told as %s", a.body)
			}
		})
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestDonationThatTheFundRefuses(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	body := s.gift(t, "declined@fund.example", daf.Integrated, 12_500, "")
	for i, key := range []string{"k", "k", "-", "other"} {
		a := s.give(t, body, "Idempotency-Key", key).want(t, 402, "daf_session_declined")
		if a.replayed() != (i == 1) || !strings.Contains(string(a.body), `"decline_code":"insufficient_funds"`) ||
			!strings.Contains(string(a.body), `"retryable":false`) {
			t.Errorf("%d: %v %s", i, a.header, a.body)
		}
	}
	ids := s.listed(t, "/api/dafDonations")
	d := s.get(t, "/api/dafDonations/"+ids[0]).want(t, 200, "").donation(t)
	if len(ids) != 1 || d.Status != daf.Canceled || d.Failure == nil || d.Failure.DeclineCode != "insufficient_funds" {
		t.Errorf("%v, %+v", ids, d)
	}
}

// The answer to the grant is lost: the caller must wait, the donation does not change in the meantime, and then it
// is as if the answer had come.
func TestDonationWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	body := s.gift(t, "timeout@fund.example", daf.Integrated, 12_500, "")
	a := s.give(t, body, "Idempotency-Key", "k").want(t, 202, "")
	d := a.donation(t)
	if d.TrackingID != nil || d.Status != daf.Initiated || a.header.Get("Location") != "/api/dafDonations/"+
		d.ID.String() {
		t.Errorf("%v %s", a.header, a.body)
	}
	s.give(t, body, "Idempotency-Key", "k").want(t, 202, "")
	s.give(t, body).want(t, 202, "")
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		s.change(t, method, d, `{"status":"completed"}`).want(t, 409, "operation_in_progress")
		s.change(t, method, d, `{"note":"`+method+`"}`).want(t, 200, "")
	}
	s.Clock.Advance(time.Minute)
	if n, err := s.Grants.Resolve(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	if again := s.give(t, body, "Idempotency-Key", "k").want(t, 201, ""); !again.replayed() ||
		again.donation(t).TrackingID == nil {
		t.Errorf("%s", again.body)
	}
	s.give(t, body).want(t, 200, "")
}

// conceal keeps what the sandbox's provider knows of grants from look-ups, until a time.
func (s *site) conceal(t testing.TB, until time.Time) {
	t.Helper()
	s.execute(t, `UPDATE sandbox_daf_grants SET visible_at = @until`, pg.Args{"until": until})
}

func TestDonationThatNeverReachedTheProvider(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	body := s.gift(t, "timeout@fund.example", daf.Integrated, 12_500, "")
	d := s.give(t, body, "Idempotency-Key", "k").want(t, 202, "").donation(t)
	s.conceal(t, s.Clock.Now().Add(time.Hour))
	s.Clock.Advance(time.Minute)
	if n, err := s.Grants.Resolve(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	for _, key := range []string{"k", "-"} {
		a := s.give(t, body, "Idempotency-Key", key).want(t, 502, "processor_error")
		if !strings.Contains(string(a.body), `"donation_id":"`+d.ID.String()+`"`) ||
			!strings.Contains(string(a.body), `"advice":"authorize_again"`) {
			t.Errorf("%s", a.body)
		}
	}
}

func TestUpdatesOfDonations(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		d := s.given(t, daf.Nonintegrated)
		body := `{"status":"completed","note":"The check came","external_grant_id":"77-1","metadata":{"deposit":"4"}}`
		a := s.change(t, method, d, body, "If-Match", `"1"`, "Idempotency-Key", method).want(t, 200, "")
		got := a.donation(t)
		if got.Status != daf.Completed || *got.Note != "The check came" || *got.ExternalGrantID != "77-1" ||
			got.Metadata["deposit"] != "4" || a.header.Get("ETag") != `"2"` {
			t.Errorf("%s", a.body)
		}
		if again := s.change(t, method, d, body, "If-Match", `"1"`, "Idempotency-Key", method).want(t, 200,
			""); !again.replayed() || !bytes.Equal(again.body, a.body) {
			t.Errorf("%s", again.body)
		}
		s.change(t, method, d, `{"status":"unknown"}`, "Idempotency-Key", method).want(t, 422, "idempotency_key_reused")
		s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL
			WHERE key = @key`, pg.Args{"key": method})
		s.change(t, method, d, body, "If-Match", `"1"`, "Idempotency-Key", method).want(t, 409,
			"idempotency_key_in_use")
		if e := s.change(t, method, d, `{"status":"canceled"}`, "If-Match", `"1"`).want(t, 412,
			"object_changed"); !strings.Contains(string(e.body), `"version":2`) {
			t.Errorf("%s", e.body)
		}
		if same := s.change(t, method, d, `{"status":"completed"}`, "If-Match", `"2"`).want(t, 200,
			""); !bytes.Equal(same.body, a.body) {
			t.Errorf("%s", same.body)
		}
		if cleared := s.change(t, method, d, `{"note":null,"metadata":null}`).want(t, 200,
			"").donation(t); cleared.Note != nil || len(cleared.Metadata) != 0 || *cleared.ExternalGrantID != "77-1" {
			t.Errorf("%+v", cleared)
		}
		s.change(t, method, d, `{"status":null}`).want(t, 400, "parameter_invalid")
		for _, member := range []string{`"amount":100`, `"kind":"integrated"`, `"user":{}`, `"tracking_id":"x"`,
			`"external_id":"x"`, `"workflowSessionId":"x"`} {
			s.change(t, method, d, `{`+member+`}`).want(t, 400, "parameter_read_only")
		}
		integrated := s.given(t, daf.Integrated)
		e := s.change(t, method, integrated, `{"status":"canceled"}`).want(t, 409, "daf_status_not_allowed")
		if e.error().Param != "status" || !strings.Contains(string(e.body), `"status":"initiated"`) {
			t.Errorf("%s", e.body)
		}
		s.change(t, method, integrated, `{"status":"completed"}`).want(t, 200, "")
		if back := s.change(t, method, integrated, `{"status":"initiated"}`).want(t, 200,
			"").donation(t); len(back.StatusHistory) != 3 || back.CompletedAt != nil {
			t.Errorf("%+v", back)
		}
	}
}

func TestListsOfDonations(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	a := s.given(t, daf.Integrated)
	b := s.give(t,
		s.gift(t, fixture.Giver, daf.Nonintegrated, 500,
			`,"user":{"firstName":"","lastName":"","email":"Kim@Example.org"},"external_id":"gift-1","metadata":{"campaign":"winter"}`)).want(t, 201, "").donation(t)
	us := fmt.Sprint(s.App.Merchants.US)
	for query, want := range map[string][]daf.Donation{
		"":                                    {b, a},
		"order=asc":                           {a, b},
		"limit=1":                             {b},
		"starting_after=" + b.ID.String():     {a},
		"kind=integrated":                     {a},
		"kind=integrated,nonintegrated":       {b, a},
		"status=unknown,canceled":             {b},
		"merchant_id=" + us:                   {b, a},
		"merchant_id=1":                       nil,
		"tracking_id=" + *a.TrackingID:        {a},
		"tracking_id=nobody":                  nil,
		"external_id=gift-1":                  {b},
		"email=kim@example.ORG":               {b},
		"email=dana@example.ORG":              {a},
		"metadata[campaign]=winter":           {b},
		"amount[gt]=500":                      {a},
		"amount=500":                          {b},
		"created_at[lt]=2020-01-01T00:00:00Z": nil,
	} {
		var ids []string
		for _, d := range want {
			ids = append(ids, d.ID.String())
		}
		if got := s.listed(t, "/api/dafDonations?"+query); strings.Join(got, " ") != strings.Join(ids, " ") {
			t.Errorf("%s: %v, want %v", query, got, ids)
		}
	}
	shown, _ := s.beside(t, "/api/dafDonations/"+a.ID.String()+"?expand[]=merchant")
	if !strings.Contains(string(shown.body), `"merchant":{"id":`+us) {
		t.Errorf("%s", shown.body)
	}
}
