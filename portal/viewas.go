package portal

import (
	"cmp"
	"net/http"
	"net/url"
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

func (p *Portal) viewAsForm() web.Form[struct{}] {
	return web.Form[struct{}]{Draw: p.drawViewAs, Do: p.startView, Status: http.StatusUnprocessableEntity,
		Inputs: map[string]string{"role": "place"},
		Fill: func(c *web.Request, _ struct{}) (url.Values, error) {
			return url.Values{"place": {organizationAsked(c, authz.RoleOrganizationAdmin)}}, nil
		}}
}

func (p *Portal) drawViewAs(c *web.Request, _ struct{}, in web.Input) (err error) {
	f := views.ViewAsForm{Action: viewPath, Back: home, Place: in.Get("place"),
		Reason: strings.TrimSpace(in.Get("reason")), Problems: in.Problems,
		PlaceError: in.Errors["place"], ReasonError: in.Errors["reason"]}
	if f.Places, err = p.viewPlaces(c, f.Place); err != nil {
		return err
	}
	return web.Render(c, in.Status, views.ViewAsPage(c.Page(c.Text().ViewAs.Title), f))
}

func (p *Portal) startView(c *web.Request, _ struct{}, in web.Input) (done web.Done, err error) {
	id, _, err := p.session(c)
	if err != nil {
		return done, err
	}
	role, domain, _ := strings.Cut(in.Get("place"), "@")
	view := identity.NewView{Role: authz.Role(role), Reason: strings.TrimSpace(in.Get("reason"))}
	view.Domain, _ = authz.ParseDomain(domain)
	v, err := p.Identity.StartView(c.Ctx(), c.Actor(), id, view)
	t := c.Text()
	return web.Done{To: home, Toast: ui.Toast{Tone: ui.Info, Text: t.ViewAs.Began(t.Roles[string(v.Role)])}}, err
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
func (p *Portal) endView(c *web.Request, _ url.Values) (web.Done, error) {
	return web.Done{To: home, Toast: ui.Toast{Tone: ui.Info, Text: c.Text().ViewAs.Ended}}, p.leaveView(c)
}
