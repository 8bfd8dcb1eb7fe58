package portal

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/views"
)

// showMerchantTeam lists who of the merchant's organization has a role.
func (p *Portal) showMerchantTeam(c echo.Context) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	query, a, t := c.QueryParams(), actor(c), say(c)
	in := identity.TeamInput{Page: cursors(query, number), Organization: m.OrganizationID}
	in.Page.Ascending = true
	members, err := p.Identity.Team(c.Request().Context(), a, in)
	if err != nil {
		return err
	}
	var view views.Team
	here := url.Values{"organization": {whole(m.OrganizationID)}}
	manages := p.may(c, authz.TeamManage)
	if manages {
		view.Invite = withQuery(invitePath, here)
	}
	if p.may(c, authz.ViewAs) {
		view.ViewAs = withQuery(viewPath, here)
	}
	for _, one := range members.Items {
		view.Members = append(view.Members, memberOf(t, one, a.PersonID, manages))
	}
	view.Pager = pagerOf(merchantAt(m.ID, "/team"), query, members, func(m identity.Member) string { return strconv.FormatInt(m.GrantID, 10) }, t.Team.Shown(len(members.Items)))
	return p.showTab(c, http.StatusOK, m, "/team", views.MerchantTeamTab(m.Organization.Name, view))
}

// showMerchantActivity lists what was done with the merchant, and who was refused.
func (p *Portal) showMerchantActivity(c echo.Context) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	query, t := c.QueryParams(), say(c)
	entries, err := p.Audit.List(c.Request().Context(), actor(c), audit.ListInput{Page: cursors(query, ids.ParseAuditEntry), MerchantID: &m.ID})
	if err != nil {
		return err
	}
	names, err := p.Reports.Subjects(c.Request().Context(), actor(c), entries.Items)
	if err != nil {
		return err
	}
	var view views.Audit
	for _, e := range entries.Items {
		view.Entries = append(view.Entries, views.AuditLine{Href: auditPath + "/" + e.ID.String(), Who: who(t, e), Role: t.Roles[string(e.Role)],
			Act: p.did(t, e, names[e.ID], p.subjectPage(c, e)), Denied: e.Outcome == audit.Denied, At: e.CreatedAt.Time})
	}
	view.Pager = pagerOf(merchantAt(m.ID, "/activity"), query, entries, func(e audit.Entry) string { return e.ID.String() }, t.Audit.Shown(len(entries.Items)))
	return p.showTab(c, http.StatusOK, m, "/activity", views.MerchantActivityTab(view, auditPath))
}
