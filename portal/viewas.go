package portal

import (
	"cmp"
	"net/http"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

const viewPath = "/portal/view-as"

// Where a request keeps who the visitor is without their view, and the view.
const (
	ownKey  = "own"
	viewKey = "view"
)

// view is the view that the visitor's session looks through: people of the deployment alone have any.
func (p *Portal) view(c *web.Request, own identity.Acting) (identity.View, bool, error) {
	if own.Actor.Domain().Scope != authz.ScopeSystem {
		return identity.View{}, false, nil
	}
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return identity.View{}, false, err
	}
	return p.Identity.Viewing(c.Ctx(), session.ID)
}

// viewBar says through whose role a page is looked at; "" for as oneself.
func viewBar(c *web.Request) string {
	v, viewing := c.Get(viewKey).(identity.View)
	through, known := c.Get(web.ActingKey).(identity.Acting)
	if !viewing || !known {
		return ""
	}
	t := c.Text()
	return t.ViewAs.Bar(t.Roles[string(v.Role)], cmp.Or(through.Place.Organization.Name, through.Place.Application.Name),
		c.Viewer().Time(v.EndsAt.Time))
}

// viewPlaces are the roles of the application that is worked in and of its organizations; the one that is chosen is among them.
func (p *Portal) viewPlaces(c *web.Request, chosen string) (out []ui.Option, err error) {
	t, a := c.Text(), c.Actor()
	place, err := p.acting(c)
	if err != nil {
		return nil, err
	}
	organizations, err := p.Identity.Organizations(c.Ctx(), a, organizationAt(chosen))
	if err != nil {
		return nil, err
	}
	add := func(r authz.Role, id int64, name string) {
		out = append(out, ui.Option{Value: roleAt(r, authz.Domain{Scope: r.Scope(), ID: id}), Label: t.Team.RoleIn(t.Roles[string(r)], name)})
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

func (p *Portal) showViewAs(c *web.Request) error {
	return p.viewAsForm(c, http.StatusOK, views.ViewAsForm{Place: organizationAsked(c, authz.RoleOrganizationAdmin)})
}

func (p *Portal) viewAsForm(c *web.Request, status int, f views.ViewAsForm) (err error) {
	f.Action, f.Back = viewPath, home
	if f.Places, err = p.viewPlaces(c, f.Place); err != nil {
		return err
	}
	return web.Render(c, status, views.ViewAsPage(c.Page(c.Text().ViewAs.Title), f))
}

func (p *Portal) startView(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	t := c.Text()
	f := views.ViewAsForm{Place: form.Get("place"), Reason: strings.TrimSpace(form.Get("reason"))}
	role, domain, _ := strings.Cut(f.Place, "@")
	in := identity.NewView{Role: authz.Role(role), Reason: f.Reason}
	in.Domain, _ = authz.ParseDomain(domain)
	v, err := p.Identity.StartView(c.Ctx(), c.Actor(), session.ID, in)
	if above, beside, ok := web.Problems(c.Text(), err, t.Failures.Correct, map[string]string{"role": "place"}); ok {
		f.Problems, f.PlaceError, f.ReasonError = above, beside["place"], beside["reason"]
		return p.viewAsForm(c, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Info, Text: t.ViewAs.Began(t.Roles[string(v.Role)])})
	return web.SeeOther(c, home)
}

// leaveView ends the view of the visitor's session, if there is one.
func (p *Portal) leaveView(c *web.Request) error {
	if _, err := p.acting(c); err != nil {
		return err
	}
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	own, _ := c.Get(ownKey).(identity.Acting)
	return p.Identity.EndView(c.Ctx(), own.Actor, session.ID)
}

// endView has the visitor be themselves again.
func (p *Portal) endView(c *web.Request) error {
	if err := p.leaveView(c); err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Info, Text: c.Text().ViewAs.Ended})
	return web.SeeOther(c, home)
}
