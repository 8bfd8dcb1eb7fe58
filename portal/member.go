package portal

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/mailbox"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Portal) sendInvite(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	t := say(c)
	f := views.InviteForm{Email: strings.TrimSpace(form.Get("email")), Place: form.Get("place")}
	role, domain, _ := strings.Cut(f.Place, "@")
	d, ok := authz.ParseDomain(domain)
	if !ok {
		f.PlaceError = t.Team.InviteMissing
		f.Problems = ui.Problems{Title: t.Login.Missing, List: []ui.Problem{{Field: "place", Text: f.PlaceError}}}
		return p.inviteForm(c, http.StatusUnprocessableEntity, f)
	}
	made, err := p.Identity.Invite(c.Request().Context(), actor(c), identity.NewInvitation{Email: f.Email, Role: authz.Role(role), Domain: d})
	if above, beside, ok := problems(say(c), err, t.Login.Missing, map[string]string{"role": "place"}); ok {
		f.EmailError, f.PlaceError, f.Problems = beside["email"], beside["place"], above
		return p.inviteForm(c, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	if p.Identity.SendsInvitations() {
		tell(c, ui.Toast{Tone: ui.Success, Text: t.Team.Mailed(mailbox.Shown(made.Email))})
		return seeOther(c, teamPath)
	}
	view := views.Invited{Email: mailbox.Shown(made.Email), Until: text.To(c.Request().Context()).Date(made.ExpiresAt.Time), Back: teamPath,
		Link: p.BaseURL + "/portal/invite/" + made.Token}
	return render(c, http.StatusOK, views.InvitedPage(p.page(c, t.Team.InvitedTitle), view))
}

func (p *Portal) withdrawInvitation(c echo.Context) error {
	id, err := number(c.Param("id"))
	if err != nil {
		return err
	}
	if _, err := p.Identity.Withdraw(c.Request().Context(), actor(c), id); err != nil {
		return err
	}
	tell(c, ui.Toast{Tone: ui.Success, Text: say(c).Team.Withdrawn})
	return seeOther(c, teamPath)
}

// memberForm shows what can be changed of a member, and what was refused.
func (p *Portal) memberForm(c echo.Context, status int, m identity.Member, refused error) error {
	t := say(c)
	at := teamPath + "/" + c.Param("id")
	f := views.MemberForm{Name: m.Name, Place: t.Team.RoleIn(t.Roles[string(m.Role)], placeName(t, m.Scope, m.ScopeName)),
		Save: at + "/role", Remove: at + "/remove", Back: teamPath, Role: string(m.Role)}
	for _, r := range identity.Grantable(actor(c)) {
		if r.Scope() == m.Scope {
			f.Roles = append(f.Roles, ui.Option{Value: string(r), Label: t.Roles[string(r)]})
		}
	}
	f.Problems, _, _ = problems(say(c), refused, t.Failures.Other, nil)
	return render(c, status, views.MemberPage(p.page(c, m.Name), f))
}

// member reads whom the address names.
func (p *Portal) member(c echo.Context) (identity.Member, error) {
	id, err := number(c.Param("id"))
	if err != nil {
		return identity.Member{}, err
	}
	return p.Identity.Member(c.Request().Context(), actor(c), id)
}

func (p *Portal) showMember(c echo.Context) error {
	m, err := p.member(c)
	if err != nil {
		return err
	}
	return p.memberForm(c, http.StatusOK, m, nil)
}

func (p *Portal) setRole(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	return p.changeMember(c, say(c).Team.Changed, func(m identity.Member) error {
		_, err := p.Identity.SetRole(c.Request().Context(), actor(c), m.GrantID, authz.Role(form.Get("role")))
		return err
	})
}

func (p *Portal) removeMember(c echo.Context) error {
	return p.changeMember(c, say(c).Team.Removed, func(m identity.Member) error {
		_, err := p.Identity.RemoveMember(c.Request().Context(), actor(c), m.GrantID)
		return err
	})
}

// changeMember does something with a member, and shows the form again if it is refused for a reason that the
// form can show.
func (p *Portal) changeMember(c echo.Context, done string, change func(identity.Member) error) error {
	m, err := p.member(c)
	if err != nil {
		return err
	}
	err = change(m)
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindConflict || f.Kind == fault.KindInvalid) {
		return p.memberForm(c, statusOf(f.Kind), m, err)
	}
	if err != nil {
		return err
	}
	tell(c, ui.Toast{Tone: ui.Success, Text: done})
	return seeOther(c, teamPath)
}
