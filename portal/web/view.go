package web

import (
	"cmp"
	"net/url"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/views/ui"
)

// Where a request keeps who the visitor is without their view, and the view.
const (
	ownKey  = "own"
	viewKey = "view"
)

// view is the view that the visitor's session looks through: people of the deployment alone have any.
func (d *Desk) view(c *Request, own identity.Acting) (identity.View, bool, error) {
	if own.Actor.Domain().Scope != authz.ScopeSystem {
		return identity.View{}, false, nil
	}
	session, err := d.sessions.Get(c.Request(), CookieName)
	if err != nil {
		return identity.View{}, false, err
	}
	return d.identity.Viewing(c.Ctx(), session.ID)
}

// viewBar says through whose role a page is looked at; "" for as oneself.
func viewBar(c *Request) string {
	v, viewing := c.Get(viewKey).(identity.View)
	through, known := c.Get(actingKey).(identity.Acting)
	if !viewing || !known {
		return ""
	}
	t := c.Text()
	return t.ViewAs.Bar(t.Roles[string(v.Role)],
		cmp.Or(through.Place.Organization.Name, through.Place.Application.Name),
		c.Viewer().Time(v.EndsAt.Time))
}

// leaveView ends the view of the visitor's session, if there is one.
func (d *Desk) leaveView(c *Request) error {
	if _, err := d.Acting(c); err != nil {
		return err
	}
	session, err := d.sessions.Get(c.Request(), CookieName)
	if err != nil {
		return err
	}
	own, _ := c.Get(ownKey).(identity.Acting)
	return d.identity.EndView(c.Ctx(), own.Actor, session.ID)
}

// endView has the visitor be themselves again.
func (d *Desk) endView(c *Request, _ url.Values) (Done, error) {
	return Done{To: Home, Toast: ui.Toast{Tone: ui.Info, Text: c.Text().ViewAs.Ended}}, d.leaveView(c)
}
