package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/refund"
	"svcpay/internal/requestlog"
	"svcpay/portal/web"
	"svcpay/views/ui"
)

// paid makes a charge of 31.40 by a payer with a card and an address.
func (w *world) paid(external string) charge.Charge {
	w.t.Helper()
	amount, token := money.Amount(31_40), w.Token("4242424242424242")
	in := charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token, ExternalID: &external}
	out, err := w.Charges.Create(w.t.Context(), w.Actor(), in, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Object
}

func find(words string) string { return web.SearchPath + "?" + url.Values{"q": {words}}.Encode() }

// Whatever someone pastes that belongs to a charge finds it.
func TestWhatIsPastedIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.paid("order-77")
	refunded := c.ID.String()
	back, err := w.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &refunded}, nil)
	if err != nil {
		t.Fatal(err)
	}
	staff, admin := w.as(authz.RoleOrganizationStaff), w.as(authz.RoleApplicationAdmin)
	at := "/portal/charges/" + c.ID.String()
	for _, words := range []string{"4242", "31.40", "$31.40", "dana@example.org", "dana@exam", "DANA", "order-77",
		"dana reed", c.ID.String(), "status:settled,captured amount>3000"} {
		for role, cookie := range map[string]string{"staff": staff, "administrator": admin} {
			a := w.send(find(words), nil, "Cookie", cookie)
			a.wants(t, http.StatusOK, "")
			if !strings.Contains(a.body, `href="`+at+`"`) {
				t.Errorf("%s does not find the charge by %q:\n%s", role, words, a.body)
			}
		}
	}
	w.send(find("31.40"), nil, "Cookie", staff).says(t, `href="/portal/refunds/`+back.Object.ID.String()+`"`)
	w.send(find("riverside food"), nil, "Cookie", staff).says(t, `/portal/merchants/`)
	for _, nothing := range []string{"9999", "31.41", "nobody@example.org", "ch_01jq8z6k4t8m2x9v5c7b1n3d0f", `"`, "-",
		":::", "%%", strings.Repeat("x", 300)} {
		a := w.send(find(nothing), nil, "Cookie", admin)
		a.wants(t, http.StatusOK, "")
		a.says(t, "No results.")
	}
	for _, foreign := range []string{w.in(authz.RoleOrganizationAdmin, w.Other),
		w.in(authz.RoleApplicationAdmin, w.Other)} {
		for _, words := range []string{"4242", "31.40", "dana@example.org", c.ID.String(), "order-77", "riverside"} {
			w.send(find(words), nil, "Cookie", foreign).lacks(t, at, "Riverside Food Bank")
		}
	}
}

func TestDonationsAreFoundByTheirTrackingID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.TakesDAF(w.App.Merchants.US)
	session, amount := w.Authorized(w.App, w.App.Merchants.US, workflow.Integrated, 125_00), money.Amount(125_00)
	out, err := w.DAF.Create(t.Context(), w.Actor(),
		daf.CreateInput{MerchantID: &w.App.Merchants.US, WorkflowSessionID: &session, Amount: &amount,
			Anonymous: new(true)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := out.Object
	for _, words := range []string{*d.TrackingID, strings.ToLower(*d.TrackingID), d.ID.String(), "125"} {
		w.send(find(words), nil, "Cookie", w.as(authz.RoleOrganizationStaff)).says(t,
			`href="/portal/donations/`+d.ID.String()+`"`)
	}
}

// A request's id finds what was asked, what it was about and what it did, as far as the visitor may see each.
func TestARequestIsFoundByItsID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.paid("order-78")
	asked, err := w.World.APIKeys.Authenticate(t.Context(),
		apikey.Credentials{APIKey: w.App.SecretKey, AppID: fmt.Sprint(w.App.AppID)})
	if err != nil {
		t.Fatal(err)
	}
	asked.RequestID = ids.NewRequest(w.Clock.Now())
	w.RequestLogs.Add(requestlog.Entry{Actor: asked, Method: "POST", Path: "/api/charges", Status: 201,
		ObjectID: c.ID.String(), MerchantID: c.MerchantID,
		IP: "192.0.2.1", APIVersion: "2026-12-01", At: w.Clock.Now()})
	if err := w.RequestLogs.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	admin, staff := w.as(authz.RoleApplicationAdmin), w.as(authz.RoleOrganizationStaff)
	id := asked.RequestID.String()
	w.send(find(id), nil, "Cookie", admin).says(t, `href="/portal/developers/logs/`+id+`"`, "POST /api/charges",
		"returned 201", `href="/portal/charges/`+c.ID.String()+`"`)
	w.send(find(id), nil, "Cookie", staff).lacks(t, "POST /api/charges")
	w.send(find(id), nil, "Cookie", w.in(authz.RoleApplicationAdmin, w.Other)).lacks(t, "POST /api/charges")

	refused := w.send(web.TeamPath, nil, "Cookie", staff).Header.Get("Request-Id")
	w.send(find(refused), nil, "Cookie", admin).says(t, web.AuditPath+"?q="+refused, "1 entry")
	w.send(find(refused), nil, "Cookie", staff).says(t, "No results.")
	if n := w.denials(); n != 1 {
		t.Errorf("searching what one may not see is written down as refused: %d", n)
	}
	w.send(find(ids.NewRequest(w.Clock.Now()).String()), nil, "Cookie", admin).says(t, "No results.")
}

// A request is shown while the audit log, which takes too long, does not say what it did.
func TestARequestIsFoundWithoutTheAuditLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	asked, err := w.World.APIKeys.Authenticate(t.Context(),
		apikey.Credentials{APIKey: w.App.SecretKey, AppID: fmt.Sprint(w.App.AppID)})
	if err != nil {
		t.Fatal(err)
	}
	asked.RequestID = ids.NewRequest(w.Clock.Now())
	w.RequestLogs.Add(requestlog.Entry{Actor: asked, Method: "POST", Path: "/api/charges", Status: 201, IP: "192.0.2.1",
		APIVersion: "2026-12-01", At: w.Clock.Now()})
	if err := w.RequestLogs.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	admin := w.as(authz.RoleApplicationAdmin)
	if _, err := w.Pool.Exec(t.Context(), `
		ALTER TABLE audit_entries RENAME TO kept;
		CREATE FUNCTION slowly() RETURNS SETOF kept LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); END';
		CREATE VIEW audit_entries AS SELECT * FROM slowly()`); err != nil {
		t.Fatal(err)
	}
	w.send(find(asked.RequestID.String()), nil, "Cookie", admin).says(t, "POST /api/charges")
}

func TestPagesAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.send(web.SearchPath, nil, "Cookie", w.as(authz.RoleOrganizationStaff))
	a.says(t, `href="`+web.RolesPath+`"`)
	a.lacks(t, `class="menu-item" href="`+web.AuditPath+`"`)
	w.send(find("audit"), nil, "Cookie", w.as(authz.RoleOrganizationAdmin)).says(t,
		`class="menu-item" href="`+web.AuditPath+`"`)
	part := w.send(find("roles"), nil, "Cookie", w.as(authz.RoleOrganizationAdmin), "HX-Request", "true", "HX-Target",
		ui.FoundID)
	part.says(t, `class="menu-item" href="`+web.RolesPath+`"`)
	part.lacks(t, "<html")
	w.send(find("a"), nil, "Cookie", w.as(authz.RoleOrganizationAdmin)).lacks(t, `/portal/merchants/`)
}
