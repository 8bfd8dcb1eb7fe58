package account

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

// viewPlaces are the roles of the application that is worked in and of its organizations; the one that is chosen is
// among them.
func (p *Pages) viewPlaces(c *web.Request, chosen string) (out []ui.Option, err error) {
	t, a := c.Text(), c.Actor()
	place, err := p.Acting(c)
	if err != nil {
		return nil, err
	}
	organizations, err := p.Identity.Organizations(c.Ctx(), a, organizationAt(chosen))
	if err != nil {
		return nil, err
	}
	add := func(r authz.Role, id int64, name string) {
		out = append(out,
			ui.Option{Value: roleAt(r, authz.Domain{Scope: r.Scope(), ID: id}),
				Label: t.Team.RoleIn(t.Roles[string(r)], name)})
	}
	for _, o := range organizations {
		add(authz.RoleOrganizationAdmin, o.ID, o.Name)
		add(authz.RoleOrganizationStaff, o.ID, o.Name)
	}
	if a.ApplicationID != 0 {
		add(authz.RoleApplicationAdmin, a.ApplicationID, place.Place.Application.Name)
	}
	return out, nil
}

func (p *Pages) viewAsForm() web.Form[struct{}] {
	return web.Form[struct{}]{Draw: p.drawViewAs, Do: p.startView, Status: http.StatusUnprocessableEntity,
		Inputs: map[string]string{"role": "place"},
		Fill: func(c *web.Request, _ struct{}) (url.Values, error) {
			return url.Values{"place": {organizationAsked(c, authz.RoleOrganizationAdmin)}}, nil
		}}
}

func (p *Pages) drawViewAs(c *web.Request, _ struct{}, in web.Input) (err error) {
	f := views.ViewAsForm{Action: web.ViewPath, Back: web.Home, Place: in.Get("place"),
		Reason: strings.TrimSpace(in.Get("reason")), Problems: in.Problems,
		PlaceError: in.Errors["place"], ReasonError: in.Errors["reason"]}
	if f.Places, err = p.viewPlaces(c, f.Place); err != nil {
		return err
	}
	return web.Render(c, in.Status, views.ViewAsPage(c.Page(c.Text().ViewAs.Title), f))
}

func (p *Pages) startView(c *web.Request, _ struct{}, in web.Input) (done web.Done, err error) {
	id, _, err := p.Session(c)
	if err != nil {
		return done, err
	}
	role, domain, _ := strings.Cut(in.Get("place"), "@")
	view := identity.NewView{Role: authz.Role(role), Reason: strings.TrimSpace(in.Get("reason"))}
	view.Domain, _ = authz.ParseDomain(domain)
	v, err := p.Identity.StartView(c.Ctx(), c.Actor(), id, view)
	t := c.Text()
	return web.Done{To: web.Home, Toast: ui.Toast{Tone: ui.Info, Text: t.ViewAs.Began(t.Roles[string(v.Role)])}}, err
}
