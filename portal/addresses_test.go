package portal

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/platform/pg"
	"svcpay/portal/web"
)

// The forms of one domain: as addresses keep it, and as people write it.
const (
	asciiDomain = "xn--bcher-kva.example"
	shownDomain = "bücher.example"
)

var domainForms = []string{asciiDomain, shownDomain, "BÜCHER.example", "bu\u0308cher.example", "XN--BCHER-KVA.Example"}

// A person signs in, asks for a link and is invited with any form of their address, and mail goes to the one that
// servers take.
func TestPeopleUseAnyFormOfTheirAddress(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	_, err := w.World.Identity.CreatePerson(t.Context(),
		identity.NewPerson{Email: "chef@BÜCHER.example", Name: "Chef", Password: password,
			Grants: []identity.Grant{{Role: "support_staff", Scope: "system"}}})
	if err != nil {
		t.Fatal(err)
	}
	admin := w.as(authz.RoleSystemAdmin)
	for i, domain := range domainForms {
		a := w.send(web.LoginPath, login("chef@"+domain, password))
		a.wants(t, http.StatusSeeOther, web.Home)
		if i < 3 { // so many links are sent to one person
			w.send(web.ForgotPath, url.Values{"email": {"chef@" + domain}}).wants(t, http.StatusOK, "")
		}
		form := w.drawnForm(web.TeamPath+"/invite", admin)
		form.Set("email", "chef@"+domain)
		form.Set("place", "system_admin@system")
		w.send(web.TeamPath+"/invite", form, "Cookie", admin).wants(t, http.StatusSeeOther, web.TeamPath)
	}
	_, err = w.World.Identity.CreatePerson(t.Context(),
		identity.NewPerson{Email: "chef@" + asciiDomain, Name: "Other", Password: password})
	if err == nil || !strings.Contains(err.Error(), "email_taken") {
		t.Errorf("a second account is made: %v", err)
	}
	letters := w.letters()
	if len(letters) < 3+len(domainForms) {
		t.Errorf("%d letters", len(letters))
	}
	for _, l := range letters {
		if l.To != "chef@"+asciiDomain {
			t.Errorf("a mail of %s goes to %s", l.Kind, l.To)
		}
	}
	open, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM invitations WHERE withdrawn_at IS NULL
		AND accepted_at IS NULL`, pg.Args{})
	if err != nil || open != 1 {
		t.Errorf("%d invitations are open for one person, %v", open, err)
	}
}

// Mail cannot be sent everywhere to letters beyond ASCII before the @: forms that make the service send some say so.
func TestAddressesThatMailCannotReach(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	one := w.charged(visaCard, 10_000, nil)
	staff, admin := w.as(authz.RoleOrganizationStaff), w.as(authz.RoleSystemAdmin)
	for path, cookie := range map[string]string{web.ChargesPath + "/" + one.ID.String() + "/receipt": staff,
		web.TeamPath + "/invite": admin} {
		form := w.drawnForm(path, cookie)
		form.Set("email", "élodie@"+shownDomain)
		if form.Set("place", "system_admin@system"); cookie == staff {
			form.Del("place")
		}
		a := w.send(path, form, "Cookie", cookie)
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, "the part before @ may have unaccented letters, digits and punctuation only",
			`value="élodie@`+shownDomain+`"`)
	}
}

// What programs read is shown as it is: objects of the API, and requests.
var forPrograms = regexp.MustCompile(`(?s)<pre.*?</pre>`)

// No page shows a domain as it is kept, and the lists and forms of payments take what the pages show.
func TestPagesShowDomainsInTheirOwnLetters(t *testing.T) {
	t.Parallel()
	w := lived(t)
	for _, statement := range []string{
		`UPDATE people
			SET email = 'p' || id || '@' || @domain`, `UPDATE invitations
			SET email = 'i' || id || '@' || @domain`,
		`UPDATE charges
			SET billing = jsonb_set(billing - 'first_name' - 'last_name', '{email}',
				to_jsonb('dana@' || @domain::text))`,
		`UPDATE daf_donations SET donor = jsonb_set(donor, '{email}', to_jsonb('dana@' || @domain::text))`,
		`INSERT INTO receipts (application_id, merchant_id, charge_id, email, sent_by, request_id, created_at)
			SELECT application_id, merchant_id, id, 'dana@' || @domain, 'Kim', id, now() FROM charges`,
	} {
		if _, err := pg.Exec(t.Context(), w.Pool, statement, pg.Args{"domain": asciiDomain}); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	cookie, shown := w.as(authz.RoleApplicationAdmin), 0
	_, err := pg.Exec(t.Context(), w.Pool, `UPDATE people SET email = 'p' || id || '@' || @domain`,
		pg.Args{"domain": asciiDomain})
	if err != nil {
		t.Fatal(err)
	}
	of := w.ofRiverside()
	for _, r := range w.routes() {
		if r.Method != http.MethodGet {
			continue
		}
		at := addresses(r.Path, of)
		if at == nil {
			at = []string{r.Path}
		}
		for _, path := range at {
			a := w.send(path, nil, "Cookie", cookie)
			body := forPrograms.ReplaceAllString(a.body, "")
			if at := strings.Index(body, asciiDomain); at >= 0 && a.StatusCode == http.StatusOK {
				t.Errorf("%s: … %s", path, body[max(0, at-200):min(len(body), at+60)])
			}
			if strings.Contains(body, shownDomain) {
				shown++
			}
		}
	}
	if shown < 20 {
		t.Errorf("%d pages show the domain: nothing is tried", shown)
	}
	for _, path := range []string{web.ChargesPath, web.DonationsPath} {
		first := w.send(path+"?q="+url.QueryEscape("dana@"+asciiDomain), nil, "Cookie", cookie)
		first.says(t, "dana@"+shownDomain, "row-link")
		for _, domain := range domainForms {
			a := w.send(path+"?q="+url.QueryEscape("dana@"+domain), nil, "Cookie", cookie)
			if strings.Count(a.body, "row-link") != strings.Count(first.body, "row-link") {
				t.Errorf("%s: %s finds another number of rows", path, domain)
			}
		}
	}
}
