package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/described"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/identity"
	"svcpay/internal/merchant"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/static"
)

const visitsURL = "http://daf.example"

// chariotDonor is a donor of a merchant who is enrolled at a fake of Chariot.
type chariotDonor struct {
	donor
	fake *fake.Fake
	api  string
}

func newChariotDonor(t *testing.T) *chariotDonor {
	t.Helper()
	d := &chariotDonor{}
	var visits *chariot.Provider
	w := fixture.New(t, func(deps *assembly.Deps) {
		d.fake = fake.New(deps.Now())
		s := httptest.NewServer(described.Serve(t, d.fake))
		t.Cleanup(s.Close)
		d.api = s.URL
		visits = chariot.New(chariot.Config{Pool: deps.Pool, API: s.URL, PagesOrigin: visitsURL, Now: deps.Now,
			Credentials: func(context.Context) (sensitive.Credentials, error) {
				return sensitive.NewCredentials(d.fake.Key), nil
			}})
		deps.DAF, deps.NextEvent = visits, nil
	})
	d.donor = donor{visitor{w, t, echo.New()}}
	c := ClientConfig{Tokens: w.Tokens, Workflows: w.Workflows, Log: slog.New(slog.DiscardHandler), Now: w.Clock.Now}
	RegisterClient(d.e, c)
	d.e.HTTPErrorHandler = ErrorHandler(c)
	err := RegisterModal(d.e, ModalConfig{Workflows: w.Workflows, Static: static.FS(), PayURL: payURL, Log: c.Log})
	if err == nil {
		err = RegisterVisits(d.e, VisitsConfig{Visits: visits, Workflows: w.Workflows, Static: static.FS(),
			PayURL: payURL, Log: c.Log, Now: w.Clock.Now})
	}
	if err != nil {
		t.Fatal(err)
	}
	d.enroll()
	return d
}

// enroll enrolls the merchant by a person of its organization, whose address Chariot accepts.
func (d *chariotDonor) enroll() {
	d.t.Helper()
	const ein = "20-2000007"
	ctx, us, by := d.t.Context(), d.App.Merchants.US, d.OrganizationAdmin()
	id, err := d.Identity.CreatePerson(ctx, identity.NewPerson{Email: "ola@neighborhood.example", Name: "Ola Nord",
		Password: "correct horse battery",
		Grants: []identity.Grant{{Role: string(authz.RoleOrganizationAdmin), Scope: string(authz.ScopeOrganization),
			ScopeID: by.OrganizationID}}})
	by.PersonID = id
	if err == nil {
		_, err = d.Merchants.Update(ctx, d.Actor(), us, merchant.UpdateInput{HasDAFProvider: patch.Set(true),
			Nonprofit: patch.Set(true), EIN: patch.Set(ein)}, nil)
	}
	if err == nil {
		_, err = d.DAF.Enroll(ctx, by, daf.EnrollInput{MerchantID: us, EIN: ein, Name: "Neighborhood Fund No. 07"})
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// fund is the id of a fund of the fake.
func (d *chariotDonor) fund(name string) string {
	d.t.Helper()
	found, err := d.Workflows.Funds(d.t.Context(), name)
	if err != nil || len(found) != 1 {
		d.t.Fatalf("%v, %v", found, err)
	}
	return found[0].ID
}

// visits begins a visit and returns the way that it is of, and its path.
func (d *chariotDonor) visits() (way, visit string) {
	d.t.Helper()
	way = d.begins()
	at, ok := strings.CutPrefix(d.sends(way+"/fund", "fund", d.fund("Cedar")), visitsURL)
	if !ok || !strings.HasPrefix(at, "/daf/visits/") {
		d.t.Fatalf("the visit is at %s", at)
	}
	return way, at
}

// session is one that the donor authorized in the component, on the page of a visit.
func (d *chariotDonor) session(visit string) string {
	d.t.Helper()
	got := d.passes(visit)
	return d.fake.Authorize(fake.Session{ConnectID: got.ConnectID, FundID: got.FundID, Amount: int64(got.Amount),
		Reference: got.Reference})
}

// passes is what the page of a visit passes to the component.
func (d *chariotDonor) passes(visit string) (c component) {
	d.t.Helper()
	_, rest, _ := strings.Cut(d.do(visit, nil).body, `data-component="`)
	text, _, _ := strings.Cut(rest, `"`)
	text = strings.NewReplacer("&#34;", `"`, "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		d.t.Fatalf("%q: %v", text, err)
	}
	return c
}

// code is the code of a refusal.
func code(answer map[string]any) string {
	e, _ := answer["error"].(map[string]any)
	text, _ := e["code"].(string)
	return text
}

func TestHeadersOfVisits(t *testing.T) {
	t.Parallel()
	d := newChariotDonor(t)
	key := d.Issue(apikey.CreateInput{Kind: apikey.Public, AllowedOrigins: []string{fixture.PageOrigin}})
	_, out := d.asks(fmt.Sprintf(`{"session":%q,"amount":10000}`,
		d.SessionOf(demo.Application{PublicKey: key.Text}, d.App.Merchants.US)))
	bound := strings.TrimPrefix(d.sends(out["path"].(string)+"/fund", "fund", d.fund("Cedar")), visitsURL)
	_, open := d.visits()
	for path, ancestors := range map[string]string{bound: fixture.PageOrigin, open: "* file:",
		"/daf/visits/unheard": "* file:"} {
		h := d.do(path, nil).header
		h.Del("Content-Type")
		if diff := cmp.Diff(http.Header{
			"Content-Security-Policy": {"default-src 'none'; script-src 'self' " + d.api +
				"; style-src 'self' 'unsafe-inline'; img-src 'self' " + d.api + "; font-src " + d.api +
				"; connect-src 'self'; frame-src " + d.api + "; base-uri 'none'; " +
				"report-uri /csp-reports; report-to csp; form-action 'self' " + payURL +
				"; frame-ancestors " + ancestors},
			"Reporting-Endpoints":          {`csp="/csp-reports"`},
			"Cross-Origin-Opener-Policy":   {"same-origin-allow-popups"},
			"Cross-Origin-Resource-Policy": {"same-origin"}, "Referrer-Policy": {"strict-origin"},
			"X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-store"}}, h); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestAVisitPassesTheGift(t *testing.T) {
	t.Parallel()
	d := newChariotDonor(t)
	way, visit := d.visits()
	d.page(visit).has(t, http.StatusOK, "Authorize at Cedar &amp; Stone Giving", "$125", "Riverside Food Bank",
		"Sandbox: no real money moves.")
	got := d.passes(visit)
	if !strings.HasPrefix(got.Reference, "op_") || !strings.HasPrefix(got.ConnectID, "test_") {
		t.Errorf("%+v", got)
	}
	if got.Reference, got.ConnectID = "", ""; got != (component{Script: d.api + "/chariot-connect.umd.js",
		FundID: d.fund("Cedar"), Amount: 125_00, FirstName: "Dana", Note: "For the <winter>"}) {
		t.Errorf("%+v", got)
	}
	if strings.Contains(d.do(visit, nil).body, strings.TrimPrefix(way, modalPath)) {
		t.Error("Chariot's script can read the secret of the donor's way")
	}
}

func TestAVisitReportsAnAuthorization(t *testing.T) {
	t.Parallel()
	d := newChariotDonor(t)
	way, visit := d.visits()
	report := fmt.Sprintf(`{"session":%q,"amount":15000,"fundId":%q,"age":3}`, d.session(visit), d.fund("Aldergrove"))
	for range 2 {
		status, out := d.posts(visit+"/authorized", report)
		if status != http.StatusOK || out["next"] != payURL+way+"/return" {
			t.Fatalf("%d %v", status, out)
		}
	}
	if next := d.do(visit, nil).next; next != payURL+way+"/return" { // a page that is loaded again
		t.Error(next)
	}
	done := d.page(way + "/return")
	done.has(t, http.StatusOK, "Thank you", "$150", "Aldergrove Charitable") // both changed by the donor
	r := tells(t, done)
	if r.Outcome != "authorized" || !strings.HasPrefix(r.WorkflowSessionID, "ws_") || r.GrantID != "" ||
		r.Amount != 150_00 || r.User.FirstName != "Dana" {
		t.Errorf("%+v", r)
	}
}

func TestAVisitRefusesReports(t *testing.T) {
	t.Parallel()
	d := newChariotDonor(t)
	_, first := d.visits()
	session := d.session(first)
	if status, out := d.posts(first+"/authorized", fmt.Sprintf(`{"session":%q,"amount":12500}`,
		session)); status != http.StatusOK {
		t.Fatal(out)
	}
	way, visit := d.visits()
	for body, want := range map[string]string{
		fmt.Sprintf(`{"session":%q,"amount":12500}`, session):           "409 daf_session_used",
		`{"session":"session-of-mine","amount":12500,"age":901}`:        "409 daf_authorization_expired",
		`{"session":"session-of-mine","amount":12500,"age":4000000000}`: "409 daf_authorization_expired",
		`{"session":"session-of-mine","amount":12550}`:                  "400 daf_visit_unreadable",
		`{"session":"session-of-mine","amount":12500,"age":-1}`:         "400 daf_visit_unreadable",
		`{"session":"","amount":12500}`:                                 "400 daf_visit_unreadable",
		`{"session":5}`:                                                 "400 invalid_token_data",
	} {
		status, out := d.posts(visit+"/authorized", body)
		if got := fmt.Sprint(status, " ", code(out)); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if status, out := d.posts("/daf/visits/unheard/exit", `{"reason":"USER_EXIT"}`); code(out) != "daf_visit_missing" {
		t.Error(status, out)
	}
	if status, out := d.posts(visit+"/exit", `{"reason":"USER_EXIT"}`, "Sec-Fetch-Site",
		"cross-site"); code(out) != "origin_not_allowed" {
		t.Error(status, out)
	}
	d.page(visit).has(t, http.StatusOK, "Authorize at") // and the donor can authorize still
	if s := d.sends(way+"/fund", "fund", d.fund("Aldergrove")); s == visitsURL+visit {
		t.Error("another fund has the same visit")
	}
	if next := d.do(visit, nil).next; next != payURL+way+"/return" { // a visit that the donor gave up
		t.Error(next)
	}
}

func TestExitsHaveWordsForDonors(t *testing.T) {
	t.Parallel()
	d := newChariotDonor(t)
	for reason, text := range map[string]string{
		"USER_EXIT": "You came back without authorizing", "UNINTEGRATED_DAF": "You make this grant yourself",
		"UNINTEGRATED_DAF_NOT_SUPPORTED": "You make this grant yourself",
		"CREDENTIALS_ERROR":              "The sign-in at Cedar &amp; Stone Giving failed",
		"TFA_ERROR":                      "The sign-in at Cedar &amp; Stone Giving failed",
		"INSTITUTION_DOWN_ERROR":         "Cedar &amp; Stone Giving can’t be reached at present",
		"NO_CHARITABLE_ACCOUNTS":         "There is no account to give from",
		"CID_NOT_FOUND":                  "Riverside Food Bank can’t accept this grant at present",
		"INELIGIBLE_ORGANIZATION":        "Riverside Food Bank can’t accept this grant at present",
		"SERVICE_DEACTIVATED":            "Riverside Food Bank can’t accept this grant at present",
		"SESSION_NOT_FOUND":              "Time is up",
		"RECURRING_NOT_SUPPORTED":        "Only one-time grants can be made here",
		"SOMETHING_NEW":                  "Cedar &amp; Stone Giving couldn’t continue",
		"UNINTEGRATED_GRANT_CONFIRMED":   "We are waiting for your confirmation",
	} {
		way, visit := d.visits()
		status, out := d.posts(visit+"/exit", fmt.Sprintf(`{"reason":%q,"session":"session-of-mine"}`, reason))
		if reason == "UNINTEGRATED_GRANT_CONFIRMED" && status == http.StatusOK {
			status, out = d.posts(visit+"/exit", `{"reason":"USER_EXIT"}`) // it is over: this changes nothing
		}
		if status != http.StatusOK {
			t.Fatalf("%s: %v", reason, out)
		}
		d.page(out["next"].(string)).has(t, http.StatusOK, text, "Cancel donation")
		if r := tells(t, d.page(d.sends(way+"/cancel"))); r != (result{Outcome: "canceled"}) {
			t.Errorf("%s: %+v", reason, r)
		}
	}
}

func TestAConfirmationBecomesANonintegratedGift(t *testing.T) {
	t.Parallel()
	d := newChariotDonor(t)
	way, visit := d.visits()
	got := d.passes(visit)
	session := d.fake.Confirm(fake.Session{ConnectID: got.ConnectID, FundID: d.fund("Juniper"), Amount: 125_00})
	status, out := d.posts(visit+"/exit", fmt.Sprintf(`{"reason":"UNINTEGRATED_GRANT_CONFIRMED","session":%q}`,
		session))
	if status != http.StatusOK {
		t.Fatal(out)
	}
	for range 2 {
		done := d.page(way + "/return")
		done.has(t, http.StatusOK, "Thank you", "Juniper Family Foundations", "Remember to make it")
		if r := tells(t, done); r.Outcome != "authorized" || !strings.HasPrefix(r.GrantID, "gr_") ||
			r.WorkflowSessionID != "" || r.Amount != 125_00 {
			t.Errorf("%+v", r)
		}
	}
}

func TestAnAuthorizationThatIsReadTooLateIsNone(t *testing.T) {
	t.Parallel()
	d := newChariotDonor(t)
	way, visit := d.visits()
	if status, out := d.posts(visit+"/authorized", fmt.Sprintf(`{"session":%q,"amount":12500,"age":600}`,
		d.session(visit))); status != http.StatusOK {
		t.Fatal(out)
	}
	d.Clock.Advance(5*time.Minute + time.Second)
	d.page(way+"/return").has(t, http.StatusOK, "Time is up", "Nothing was given")
	if w, err := d.Workflows.Get(t.Context(), strings.TrimPrefix(way, modalPath)); err != nil || w.SessionID != "" {
		t.Errorf("%+v, %v", w, err)
	}
}
