package merchants

import (
	"net/http"
	"net/url"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/audit"
	"svcpay/portal/web"
	"svcpay/views"
)

// drawMerchantTeam lists who of the merchant's organization has a role.
func (p *Pages) drawMerchantTeam(c *web.Request, m merchant.Merchant) error {
	query, t := c.QueryParams(), c.Text()
	in := identity.TeamInput{Page: web.Cursors(query, web.Number), Organization: m.OrganizationID}
	in.Page.Ascending = true
	members, err := p.Identity.Team(c.Ctx(), c.Actor(), in)
	if err != nil {
		return err
	}
	here, manages := url.Values{"organization": {web.Whole(m.OrganizationID)}}, c.May(authz.TeamManage)
	view := views.Team{Members: p.Members(c, members.Items, manages)}
	if manages {
		view.Invite = web.WithQuery(web.InvitePath, here)
	}
	if c.May(authz.ViewAs) {
		view.ViewAs = web.WithQuery(web.ViewPath, here)
	}
	view.Pager = web.PagerOf(web.MerchantAt(m.ID, "/team"), query, members,
		func(m identity.Member) string { return web.Whole(m.GrantID) }, t.Team.Shown(len(members.Items)))
	return showTab(c, http.StatusOK, m, "/team", views.MerchantTeamTab(m.Organization.Name, view))
}

// drawMerchantActivity lists what was done with the merchant, and who was refused.
func (p *Pages) drawMerchantActivity(c *web.Request, m merchant.Merchant) error {
	query, t := c.QueryParams(), c.Text()
	entries, err := p.Audit.List(c.Ctx(), c.Actor(),
		audit.ListInput{Page: web.Cursors(query, ids.ParseAuditEntry), MerchantID: &m.ID})
	if err != nil {
		return err
	}
	view, err := p.AuditLines(c, entries.Items)
	if err != nil {
		return err
	}
	view.Pager = web.PagerOf(web.MerchantAt(m.ID, "/activity"), query, entries,
		func(e audit.Entry) string { return e.ID.String() }, t.Audit.Shown(len(entries.Items)))
	return showTab(c, http.StatusOK, m, "/activity", views.MerchantActivityTab(view, web.AuditPath))
}
