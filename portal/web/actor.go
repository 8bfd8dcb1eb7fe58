package web

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// Routes change what a session is: where it acts, as whom, and how lately its person has verified their identity.
func (d *Desk) Routes() []Route {
	return []Route{
		Post(SwitchPath, SignedIn, Act(d.switchPlace)),
		Post(StayPath, SignedIn, stay),
		Get(ProofPath, SignedIn, d.showProof),
		Post(ProofPath, SignedIn, d.prove).Hashes(),
		Post(ViewPath+"/end", SignedIn, Act(d.endView)),
	}
}

// Acting is the visitor in the place where they act; the fault role_missing for a person without a role. It
// is found once a request.
func (d *Desk) Acting(c *Request) (identity.Acting, error) {
	if a, ok := c.Get(actingKey).(identity.Acting); ok {
		return a, nil
	}
	v, known, err := d.Visitor(c)
	if err != nil {
		return identity.Acting{}, err
	}
	if !known {
		return identity.Acting{}, errNobody
	}
	a, err := d.identity.Act(c.Ctx(), v)
	if err != nil {
		return identity.Acting{}, err
	}
	view, viewing, err := d.view(c, a)
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
		if a, err = d.identity.Through(c.Ctx(), a, view); err != nil {
			return identity.Acting{}, err
		}
		c.Set(viewKey, view)
	}
	c.Set(actingKey, a)
	return a, nil
}

// permit lets those in who hold a permission where they act, with what was drawn there. A refusal for want of the
// permission is written down.
func (d *Desk) permit(c *Request, needed authz.Permission, next Handler) error {
	a, err := d.Acting(c)
	if err != nil {
		return err
	}
	if err := checkTab(c, a); err != nil {
		return err
	}
	about := audit.Subject{Kind: "page", ID: strings.ReplaceAll(strings.TrimPrefix(c.Path(), Home+"/"), "/", ".")}
	if err := d.audit.Allow(c.Ctx(), a.Actor, needed, about); err != nil {
		return err
	}
	return next(c)
}

// opens reports whether the visitor may open pages of that access.
func (d *Desk) opens(c *Request, needed authz.Permission) bool {
	a, err := d.Acting(c)
	return d.lets(a, err, needed)
}

// lets reports whether a visitor may open pages that need a permission. err is why they cannot act anywhere, if they
// cannot.
func (d *Desk) lets(a identity.Acting, err error, needed authz.Permission) bool {
	switch needed {
	case Public, SignedIn:
		return true
	}
	return err == nil && d.audit.Check(a.Actor, needed) == nil
}

// may reports whether the visitor holds a permission: whether a button is shown.
func (d *Desk) may(c *Request, needed authz.Permission) bool { return d.opens(c, needed) }

// valueOf reads a place as the switcher sends it, see [web.PlaceValue].
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
func (d *Desk) switcher(c *Request, back string) ui.Switcher {
	a, err := d.Acting(c)
	if err != nil {
		return ui.Switcher{}
	}
	t := c.Text()
	out := ui.Switcher{Now: scopeOf(t, a.Place), Action: SwitchPath, Return: listOf(back)}
	if len(a.Places) < 2 {
		return out
	}
	labels := map[authz.Scope]string{authz.ScopeSystem: t.Places.Deployment,
		authz.ScopeApplication:  t.Places.Applications,
		authz.ScopeOrganization: t.Places.Organizations}
	for _, place := range a.Places {
		s := scopeOf(t, place)
		s.Here = s.Value == placeValue(a.Place)
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
	s := ui.Scope{Value: placeValue(p), Name: p.Application.Name, Detail: t.Roles[string(p.Role)]}
	switch {
	case p.Organization.Name != "":
		s.Name, s.Detail = p.Organization.Name, s.Detail+" · "+p.Application.Name
	case p.Application.Name == "":
		s.Name = t.Places.Deployment
	}
	return s
}

// switchPlace has the visitor act elsewhere from now on, and leads to the page that the form names.
func (d *Desk) switchPlace(c *Request, form url.Values) (done Done, err error) {
	to, application, ok := valueOf(form.Get("place"))
	if !ok {
		return done, fault.Missing()
	}
	v, _, err := d.Visitor(c)
	if err != nil {
		return done, err
	}
	if err := d.leaveView(c); err != nil {
		return done, err
	}
	id, _, err := d.Session(c)
	if err == nil {
		err = d.identity.Switch(c.Ctx(), id, v, to, application)
	}
	if err == nil {
		err = d.Renew(c, false)
	}
	return Done{To: LocalPath(form.Get("return"))}, err
}
