package portal

import (
	"net/http"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/page"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
)

// mostQueries is how many queries a page of a list may take, however many rows it shows.
const mostQueries = 6

// Pages of lists are drawn with few queries: a list that asks something of each of its rows is over the budget.
func TestPagesOfListsHaveAQueryBudget(t *testing.T) {
	t.Parallel()
	w := lived(t)
	for range web.RowsPerPage {
		w.Merchant(merchant.CreateInput{})
	}
	w.member("remy@example.org", "Remy Castel", authz.RoleOrganizationStaff, w.App)
	if _, err := w.Pool.Exec(t.Context(), `
		WITH more AS (INSERT INTO people (email, name, password_hash, created_at)
			SELECT i || email, name, password_hash, created_at FROM people, generate_series(2, $1) i
				WHERE email = 'remy@example.org' RETURNING id)
		INSERT INTO grants (person_id, role, scope, organization_id, created_at)
		SELECT more.id, g.role, g.scope, g.organization_id, g.created_at FROM more, grants g
			JOIN people p ON p.id = g.person_id WHERE p.email = 'remy@example.org'`,
		web.RowsPerPage); err != nil {
		t.Fatal(err)
	}
	app, organization := w.as(authz.RoleApplicationAdmin), w.as(authz.RoleOrganizationAdmin)
	to := one(t, func(e webhook.Endpoint) string { return e.ID.String() })(w.Webhooks.List(t.Context(), w.Actor(),
		webhook.ListInput{Page: page.Input[ids.Endpoint]{Limit: 1}}))
	for path, cookie := range map[string]string{
		web.ChargesPath: organization, web.RefundsPath: organization, web.DisputesPath: organization,
		web.PayoutsPath: organization, web.DonationsPath: organization,
		web.MerchantsPath: app, web.EventsPath: app, web.WebhooksPath + "/" +
			to: app, web.TeamPath: app, web.AuditPath: app, web.LogsPath: app, web.APIKeysPath: app,
		web.BalancesPath: app,
	} {
		w.send(path, nil, "Cookie", cookie).wants(t, http.StatusOK, "")
		before := w.Pool.Stat().AcquireCount()
		a := w.send(path, nil, "Cookie", cookie)
		asked := w.Pool.Stat().AcquireCount() - before
		rows := strings.Count(a.body, "row-link")
		if asked > mostQueries || rows == 0 {
			t.Errorf("%s takes %d queries for %d rows, at most %d are allowed", path, asked, rows, mostQueries)
		}
	}
}
