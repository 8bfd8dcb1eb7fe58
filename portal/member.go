package portal

import (
	"net/http"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

func (p *Portal) sendInvite(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	t := c.Text()
	f := views.InviteForm{Email: strings.TrimSpace(form.Get("email")), Place: form.Get("place")}
	role, domain, _ := strings.Cut(f.Place, "@")
	d, ok := authz.ParseDomain(domain)
	if !ok {
		f.PlaceError = t.Team.InviteMissing
		f.Problems = ui.Problems{Title: t.Login.Missing, List: []ui.Problem{{Field: "place", Text: f.PlaceError}}}
		return p.inviteForm(c, http.StatusUnprocessableEntity, f)
	}
	made, err := p.Identity.Invite(c.Ctx(), c.Actor(), identity.NewInvitation{Email: f.Email, Role: authz.Role(role), Domain: d})
	if above, beside, ok := web.Problems(c.Text(), err, t.Login.Missing, map[string]string{"role": "place"}); ok {
		f.EmailError, f.PlaceError, f.Problems = beside["email"], beside["place"], above
		return p.inviteForm(c, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	if p.Identity.SendsInvitations() {
		web.Tell(c, ui.Toast{Tone: ui.Success, Text: t.Team.Mailed(mailbox.Shown(made.Email))})
		return web.SeeOther(c, teamPath)
	}
	view := views.Invited{Email: mailbox.Shown(made.Email), Until: c.Viewer().Date(made.ExpiresAt.Time), Back: teamPath,
		Link: p.BaseURL + "/portal/invite/" + made.Token}
	return web.Render(c, http.StatusOK, views.InvitedPage(c.Page(t.Team.InvitedTitle), view))
}

func (p *Portal) withdrawInvitation(c *web.Request) error {
	id, err := web.Number(c.Param("id"))
	if err != nil {
		return err
	}
	if _, err := p.Identity.Withdraw(c.Ctx(), c.Actor(), id); err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: c.Text().Team.Withdrawn})
	return web.SeeOther(c, teamPath)
}

// memberForm shows what can be changed of a member, and what was refused.
func (p *Portal) memberForm(c *web.Request, status int, m identity.Member, refused error) error {
	t := c.Text()
	at := teamPath + "/" + c.Param("id")
	f := views.MemberForm{Name: m.Name, Place: t.Team.RoleIn(t.Roles[string(m.Role)], placeName(t, m.Scope, m.ScopeName)),
		Save: at + "/role", Remove: at + "/remove", Back: teamPath, Role: string(m.Role)}
	for _, r := range identity.Grantable(c.Actor()) {
		if r.Scope() == m.Scope {
			f.Roles = append(f.Roles, ui.Option{Value: string(r), Label: t.Roles[string(r)]})
		}
	}
	f.Problems, _, _ = web.Problems(c.Text(), refused, t.Failures.Other, nil)
	return web.Render(c, status, views.MemberPage(c.Page(m.Name), f))
}

// member reads whom the address names.
func (p *Portal) member(c *web.Request) (identity.Member, error) {
	id, err := web.Number(c.Param("id"))
	if err != nil {
		return identity.Member{}, err
	}
	return p.Identity.Member(c.Ctx(), c.Actor(), id)
}

func (p *Portal) showMember(c *web.Request) error {
	m, err := p.member(c)
	if err != nil {
		return err
	}
	return p.memberForm(c, http.StatusOK, m, nil)
}

func (p *Portal) setRole(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	return p.changeMember(c, c.Text().Team.Changed, func(m identity.Member) error {
		_, err := p.Identity.SetRole(c.Ctx(), c.Actor(), m.GrantID, authz.Role(form.Get("role")))
		return err
	})
}

func (p *Portal) removeMember(c *web.Request) error {
	return p.changeMember(c, c.Text().Team.Removed, func(m identity.Member) error {
		_, err := p.Identity.RemoveMember(c.Ctx(), c.Actor(), m.GrantID)
		return err
	})
}

// changeMember does something with a member, and shows the form again if it is refused for a reason that the
// form can show.
func (p *Portal) changeMember(c *web.Request, done string, change func(identity.Member) error) error {
	m, err := p.member(c)
	if err != nil {
		return err
	}
	err = change(m)
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindConflict || f.Kind == fault.KindInvalid) {
		return p.memberForm(c, web.StatusOf(f.Kind), m, err)
	}
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: done})
	return web.SeeOther(c, teamPath)
}
