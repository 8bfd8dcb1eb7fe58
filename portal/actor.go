package portal

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const switchPath = "/portal/switch"

// actingKey is where a request keeps who acts where.
const actingKey = "acting"

// acting is the visitor in the place where they act; the fault role_missing of somebody who has no role. It
// is found once a request.
func (p *Portal) acting(c echo.Context) (identity.Acting, error) {
	if a, ok := c.Get(actingKey).(identity.Acting); ok {
		return a, nil
	}
	v, known, err := p.visitor(c)
	if err != nil {
		return identity.Acting{}, err
	}
	if !known {
		return identity.Acting{}, errNobody
	}
	a, err := p.Identity.Act(c.Request().Context(), v)
	if err != nil {
		return identity.Acting{}, err
	}
	view, viewing, err := p.view(c, a)
	if err != nil {
		return identity.Acting{}, err
	}
	a.Actor.RequestID, err = ids.ParseRequest(c.Response().Header().Get("Request-Id"))
	if err != nil {
		return identity.Acting{}, err
	}
	if address, err := netip.ParseAddr(c.RealIP()); err == nil {
		a.Actor.Address = address
	}
	c.Set(ownKey, a)
	if viewing {
		if a, err = p.Identity.Through(c.Request().Context(), a, view); err != nil {
			return identity.Acting{}, err
		}
		c.Set(viewKey, view)
	}
	c.Set(actingKey, a)
	return a, nil
}

// actor is who asks for a page that needs a permission: [Portal.permit] has found them.
func actor(c echo.Context) authz.Actor {
	a, _ := c.Get(actingKey).(identity.Acting)
	return a.Actor
}

// permit lets those in who hold a permission where they act, with what was drawn there. A refusal for want of the permission is
// written down.
func (p *Portal) permit(c echo.Context, needed authz.Permission, next echo.HandlerFunc) error {
	a, err := p.acting(c)
	if err != nil {
		return err
	}
	if err := drawnHere(c, a); err != nil {
		return err
	}
	about := audit.Subject{Kind: "page", ID: strings.ReplaceAll(strings.TrimPrefix(c.Path(), home+"/"), "/", ".")}
	if err := p.Audit.Allow(c.Request().Context(), a.Actor, needed, about); err != nil {
		return err
	}
	return next(c)
}

// opens tells whether the visitor may open pages of that access.
func (p *Portal) opens(c echo.Context, needed access) bool {
	a, err := p.acting(c)
	return p.lets(a, err, needed)
}

// lets tells whether somebody may open pages of that access, where the error is none of those that keep them from acting.
func (p *Portal) lets(a identity.Acting, err error, needed access) bool {
	switch needed {
	case public, signedIn:
		return true
	}
	return err == nil && p.Audit.Check(a.Actor, authz.Permission(needed)) == nil
}

// may tells whether the visitor holds a permission: whether a button is shown.
func (p *Portal) may(c echo.Context, needed authz.Permission) bool { return p.opens(c, access(needed)) }

// value is what the switcher sends for a place, and valueOf what is sent reads as.
func value(d identity.Place) string {
	if d.Domain.Scope == authz.ScopeSystem && d.Application.ID != 0 {
		return d.Domain.String() + "/" + strconv.FormatInt(d.Application.ID, 10)
	}
	return d.Domain.String()
}

func valueOf(text string) (d authz.Domain, applicationID int64, ok bool) {
	name, number, more := strings.Cut(text, "/")
	d, ok = authz.ParseDomain(name)
	if more {
		id, err := strconv.ParseInt(number, 10, 64)
		return d, id, ok && err == nil && id > 0
	}
	return d, 0, ok
}

// switcher shows where the visitor acts and where else they can.
func (p *Portal) switcher(c echo.Context, back string) ui.Switcher {
	a, err := p.acting(c)
	if err != nil {
		return ui.Switcher{}
	}
	t := say(c)
	out := ui.Switcher{Now: scopeOf(t, a.Place), Action: switchPath, Return: listOf(back)}
	if len(a.Places) < 2 {
		return out
	}
	labels := map[authz.Scope]string{authz.ScopeSystem: t.Places.Deployment, authz.ScopeApplication: t.Places.Applications,
		authz.ScopeOrganization: t.Places.Organizations}
	for _, place := range a.Places {
		s := scopeOf(t, place)
		s.Here = s.Value == value(a.Place)
		label := labels[place.Domain.Scope]
		if i := slices.IndexFunc(out.Groups, func(g ui.ScopeGroup) bool { return g.Label == label }); i >= 0 {
			out.Groups[i].Scopes = append(out.Groups[i].Scopes, s)
			continue
		}
		out.Groups = append(out.Groups, ui.ScopeGroup{Label: label, Scopes: []ui.Scope{s}})
	}
	return out
}

// scopeOf is a place as the switcher shows it.
func scopeOf(t *text.Catalogue, p identity.Place) ui.Scope {
	s := ui.Scope{Value: value(p), Name: p.Application.Name, Detail: t.Roles[string(p.Role)]}
	switch {
	case p.Organization.Name != "":
		s.Name, s.Detail = p.Organization.Name, s.Detail+" · "+p.Application.Name
	case p.Application.Name == "":
		s.Name = t.Places.Deployment
	}
	return s
}

// switchPlace has the visitor act elsewhere from now on, and leads to the page that the form names.
func (p *Portal) switchPlace(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	v, _, err := p.visitor(c)
	if err != nil {
		return err
	}
	to, application, ok := valueOf(form.Get("place"))
	if !ok {
		return fault.Missing()
	}
	if err := p.leaveView(c); err != nil {
		return err
	}
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	if err := p.Identity.Switch(c.Request().Context(), session.ID, v, to, application); err != nil {
		return err
	}
	if err := p.renew(c, false); err != nil {
		return err
	}
	return seeOther(c, localPath(form.Get("return")))
}
