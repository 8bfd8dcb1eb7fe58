package portal

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
	"svcpay/portal/web"
)

var chosenOption = regexp.MustCompile(`<option value="([^"]*)" selected`)

// However many organizations an application has, the pages of a merchant lead to the forms about its own.
func TestEachOfManyOrganizationsIsReached(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if _, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO organizations (application_id, name, created_at)
		SELECT @application, 'Aid ' || n, @now
			FROM generate_series(1, 201) n`, pg.Args{"application": w.App.AppID, "now": w.Clock.Now()}); err != nil {
		t.Fatal(err)
	}
	team := w.merchantPage("/team")
	open := func(path, cookie string) url.Values {
		t.Helper()
		link := regexp.MustCompile(`href="(` + path + `\?[^"]*)"`).FindStringSubmatch(w.send(team, nil, "Cookie",
			cookie).body)
		if link == nil {
			t.Fatalf("%s does not lead to %s", team, path)
		}
		chosen := chosenOption.FindStringSubmatch(w.send(html.UnescapeString(link[1]), nil, "Cookie", cookie).body)
		if chosen == nil {
			t.Fatalf("%s chooses nothing", link[1])
		}
		return url.Values{"place": {chosen[1]}}
	}
	app := w.as(authz.RoleApplicationAdmin)
	invite := open(web.InvitePath, app)
	wrong := w.send(web.InvitePath, invite, "Cookie", app)
	wrong.wants(t, http.StatusUnprocessableEntity, "")
	wrong.says(t, `value="`+invite.Get("place")+`" selected`)
	invite.Set("email", "new@example.org")
	if a := w.send(web.InvitePath, invite, "Cookie", app); a.StatusCode >= http.StatusBadRequest {
		t.Fatalf("got %d", a.StatusCode)
	}
	w.send(web.TeamPath, nil, "Cookie", app).says(t, "new@example.org", "Riverside Community Trust")

	admin := w.as(authz.RoleSystemAdmin)
	view := open(web.ViewPath, admin)
	wrong = w.send(web.ViewPath, view, "Cookie", admin)
	wrong.wants(t, http.StatusUnprocessableEntity, "")
	wrong.says(t, `value="`+view.Get("place")+`" selected`)
	view.Set("reason", "Ticket 7")
	w.send(web.ViewPath, view, "Cookie", admin).wants(t, http.StatusSeeOther, web.Home)

	owner := url.Values{"organization": {web.Whole(w.App.OrganizationID)}}
	for path, query := range map[string]url.Values{web.TeamPath: owner, web.MerchantsPath: owner,
		web.MerchantsPath + "/new": owner} {
		w.send(web.WithQuery(path, query), nil, "Cookie", app).says(t, "Riverside Community Trust")
	}
}
