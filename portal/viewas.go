package portal

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const viewPath = "/portal/view-as"

// Where a request keeps who the visitor is without their view, and the view.
const (
	ownKey  = "own"
	viewKey = "view"
)

// view is the view that the visitor's session looks through: people of the deployment alone have any.
func (p *Portal) view(c echo.Context, own identity.Acting) (identity.View, bool, error) {
	if own.Actor.Domain().Scope != authz.ScopeSystem {
		return identity.View{}, false, nil
	}
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return identity.View{}, false, err
	}
	return p.Identity.Viewing(c.Request().Context(), session.ID)
}

// viewBar says through whose role a page is looked at; "" for as oneself.
func viewBar(c echo.Context) string {
	v, viewing := c.Get(viewKey).(identity.View)
	through, known := c.Get(actingKey).(identity.Acting)
	if !viewing || !known {
		return ""
	}
	t := say(c)
	return t.ViewAs.Bar(t.Roles[string(v.Role)], cmp.Or(through.Place.Organization.Name, through.Place.Application.Name),
		text.To(c.Request().Context()).Time(v.EndsAt.Time))
}

// viewPlaces are the roles of the application that is worked in and of its organizations; the one that is chosen is among them.
func (p *Portal) viewPlaces(c echo.Context, chosen string) (out []ui.Option, err error) {
	t, a := say(c), actor(c)
	place, err := p.acting(c)
	if err != nil {
		return nil, err
	}
	organizations, err := p.Identity.Organizations(c.Request().Context(), a, organizationAt(chosen))
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

func (p *Portal) showViewAs(c echo.Context) error {
	return p.viewAsForm(c, http.StatusOK, views.ViewAsForm{Place: organizationAsked(c, authz.RoleOrganizationAdmin)})
}

func (p *Portal) viewAsForm(c echo.Context, status int, f views.ViewAsForm) (err error) {
	f.Action, f.Back = viewPath, home
	if f.Places, err = p.viewPlaces(c, f.Place); err != nil {
		return err
	}
	return render(c, status, views.ViewAsPage(p.page(c, say(c).ViewAs.Title), f))
}

func (p *Portal) startView(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	t := say(c)
	f := views.ViewAsForm{Place: form.Get("place"), Reason: strings.TrimSpace(form.Get("reason"))}
	role, domain, _ := strings.Cut(f.Place, "@")
	in := identity.NewView{Role: authz.Role(role), Reason: f.Reason}
	in.Domain, _ = authz.ParseDomain(domain)
	v, err := p.Identity.StartView(c.Request().Context(), actor(c), session.ID, in)
	if above, beside, ok := problems(say(c), err, t.Failures.Correct, map[string]string{"role": "place"}); ok {
		f.Problems, f.PlaceError, f.ReasonError = above, beside["place"], beside["reason"]
		return p.viewAsForm(c, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	tell(c, ui.Toast{Tone: ui.Info, Text: t.ViewAs.Began(t.Roles[string(v.Role)])})
	return seeOther(c, home)
}

// leaveView ends the view of the visitor's session, if there is one.
func (p *Portal) leaveView(c echo.Context) error {
	if _, err := p.acting(c); err != nil {
		return err
	}
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	own, _ := c.Get(ownKey).(identity.Acting)
	return p.Identity.EndView(c.Request().Context(), own.Actor, session.ID)
}

// endView has the visitor be themselves again.
func (p *Portal) endView(c echo.Context) error {
	if err := p.leaveView(c); err != nil {
		return err
	}
	tell(c, ui.Toast{Tone: ui.Info, Text: say(c).ViewAs.Ended})
	return seeOther(c, home)
}
