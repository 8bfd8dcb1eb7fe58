package merchants

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/page"
	"svcpay/internal/processor/accounts"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// The ends of addresses about accounts that a processor creates for a merchant.
const (
	createEnd = "/create"
	resumeEnd = "/create/resume"
	linkEnd   = "/link"
	// onboardingEnd also ends the address to which the processor leads visitors whose link no longer works.
	onboardingEnd = "/onboarding"
	returnEnd     = "/onboarding/return"
)

// onboardingRoutes are about accounts of merchants that are connected to one of the application's.
func (p *Pages) onboardingRoutes() []web.Route {
	const at, manage = web.MerchantPath + web.ProcessingEnd, authz.ProcessingManage
	create, link, account := p.createForm(), p.linkForm(), p.accountIn(p.merchantAccounts)
	return []web.Route{
		web.Get(at+createEnd, manage, p.Fresh(create.Show)), web.Post(at+createEnd, manage, p.Fresh(create.Submit)),
		web.Post(at+resumeEnd, manage, web.ActOn(p.merchantAccounts, p.resumeCreation)),
		web.Get(at+linkEnd, manage, p.Fresh(link.Show)), web.Post(at+linkEnd, manage, p.Fresh(link.Submit)),
		web.Get(at+"/:account"+onboardingEnd, manage, p.Fresh(web.Show(account, p.openOnboarding))),
		web.Get(at+"/:account"+returnEnd, manage, web.Show(account, p.returnFromOnboarding)),
	}
}

// connectable is a merchant's book with the platforms to which an account of it can be connected.
type connectable struct {
	accountBook
	platforms []accounts.Account // none if the merchant has an account at each of them
}

// connectableBook reads the book of the merchant that the address names.
func (p *Pages) connectableBook(c *web.Request) (out connectable, err error) {
	if out.accountBook, err = p.merchantAccounts(c); err == nil {
		out.platforms, err = p.Accounts.PlatformsFor(c.Ctx(), c.Actor(), out.merchant.ID)
	}
	return out, err
}

// name is the name of the processor of the platforms.
func (b connectable) name(t text.ConnectedAccounts) string {
	if len(b.platforms) == 0 {
		return ""
	}
	return t.NameOf(b.platforms[0].Processor)
}

// newAccountView is the card about an account that can be created for a merchant.
func (p *Pages) newAccountView(c *web.Request, b accountBook) (v views.NewProcessorAccount, err error) {
	if !c.May(authz.ProcessingManage) {
		return v, nil
	}
	t := c.Text().ConnectedAccounts
	asked, err := p.Accounts.Requested(c.Ctx(), c.Actor(), b.merchant.ID)
	if err != nil {
		return v, err
	}
	if asked != nil {
		return views.NewProcessorAccount{Processor: t.NameOf(asked.Processor), Resume: b.at + resumeEnd}, nil
	}
	platforms, err := p.Accounts.PlatformsFor(c.Ctx(), c.Actor(), b.merchant.ID)
	if err == nil && len(platforms) > 0 {
		v = views.NewProcessorAccount{Processor: t.NameOf(platforms[0].Processor), Create: b.at + createEnd,
			Link: b.at + linkEnd}
	}
	return v, err
}

func (p *Pages) createForm() web.Form[connectable] {
	return web.Form[connectable]{Load: p.connectableBook, Fill: p.merchantDetails, Draw: p.drawCreate, Do: p.create,
		Shows: unreachable, Title: func(t *text.Catalogue) string { return t.ConnectedAccounts.CreateProblems }}
}

// merchantDetails are what we know of the merchant. The email address is that of its organization's first
// administrator.
func (p *Pages) merchantDetails(c *web.Request, b connectable) (url.Values, error) {
	out := url.Values{"country": {b.merchant.Country}, "name": {b.merchant.Name},
		"business_type": {string(accounts.BusinessTypeOf(b.merchant.Nonprofit))}}
	if !c.May(authz.TeamRead) {
		return out, nil
	}
	team, err := p.Identity.Team(c.Ctx(), c.Actor(), identity.TeamInput{Organization: b.merchant.OrganizationID,
		Roles: []string{string(authz.RoleOrganizationAdmin)}, Page: page.Input[int64]{Limit: 1, Ascending: true}})
	if err == nil && len(team.Items) > 0 {
		out.Set("email", team.Items[0].Email)
	}
	return out, err
}

func (p *Pages) drawCreate(c *web.Request, b connectable, in web.Input) error {
	if len(b.platforms) == 0 {
		return web.SeeOther(c, b.at)
	}
	t := c.Text().ConnectedAccounts
	title := t.Create(b.name(t))
	f := views.ToolForm{Action: b.at + createEnd, Problems: in.Problems, Submit: ui.Button{Label: title},
		Dialog: ui.Dialog{Back: b.at}}
	field := func(name, label, hint, kind string) ui.Field {
		return ui.Field{Name: name, Label: label, Hint: hint, Value: in.Get(name), Error: in.Errors[name], Type: kind,
			Required: true, Autocomplete: "off"}
	}
	f.Parts = append(b.platformField(t, in),
		ui.Select{Field: field("country", t.Country, "", ""),
			Options: web.Options(merchant.Countries(), c.Text().Merchant.Countries)}.View(),
		ui.Select{Field: field("business_type", t.BusinessType, "", ""),
			Options: web.Options(accounts.BusinessTypes(), t.BusinessTypes)}.View(),
		field("name", t.BusinessName, "", "").View(),
		field("email", t.Email, t.EmailHint(b.name(t)), "email").View())
	head := ui.Head{Title: title, Text: t.CreateText(b.name(t)), Crumbs: b.crumbs}
	return web.Render(c, in.Status, views.ToolFormWhole(c.Page(title), head, f))
}

// platformField asks for the platform if there are several.
func (b connectable) platformField(t text.ConnectedAccounts, in web.Input) []templ.Component {
	if len(b.platforms) < 2 {
		return nil
	}
	var options []ui.Option
	for _, a := range b.platforms {
		options = append(options, ui.Option{Value: a.ID.String(), Label: a.Processor + " " + a.External})
	}
	return []templ.Component{ui.Select{Field: ui.Field{Name: "platform", Label: t.Platform, Hint: t.PlatformHint,
		Value: in.Get("platform"), Error: in.Errors["platform"], Required: true}, Options: options}.View()}
}

// platformOf is the ID of the platform that a form chose: the only one, if it did not ask.
func (b connectable) platformOf(in web.Input) string {
	if len(b.platforms) == 1 {
		return b.platforms[0].ID.String()
	}
	return in.Get("platform")
}

func (p *Pages) create(c *web.Request, b connectable, in web.Input) (web.Done, error) {
	if len(b.platforms) == 0 { // sent again
		return web.Done{To: b.at}, nil
	}
	t := c.Text().ConnectedAccounts
	a, err := p.Accounts.Create(c.Ctx(), c.Actor(), accounts.CreateInput{MerchantID: b.merchant.ID,
		PlatformID: b.platformOf(in), Country: in.Get("country"),
		BusinessType: accounts.BusinessType(in.Get("business_type")), Name: in.Get("name"), Email: in.Get("email")})
	return p.afterCreation(t, b.accountBook, a, err)
}

// resumeCreation repeats a request whose outcome is unknown.
func (p *Pages) resumeCreation(c *web.Request, b accountBook, _ url.Values) (web.Done, error) {
	t := c.Text().ConnectedAccounts
	a, err := p.Accounts.Resume(c.Ctx(), c.Actor(), b.merchant.ID)
	if refused, ok := fault.As(err); ok && (refused.Kind == fault.KindRefused ||
		refused.Kind == fault.KindConflict) {
		return web.Done{To: b.at, Toast: ui.Toast{Tone: ui.Danger, Text: refused.Message}}, nil
	}
	if fault.HasCode(err, "resource_missing") { // another visitor was faster
		return web.Done{To: b.at}, nil
	}
	return p.afterCreation(t, b, a, err)
}

// afterCreation leads to the page of a merchant's accounts, which shows a request without an outcome, too.
func (p *Pages) afterCreation(t text.ConnectedAccounts, b accountBook, a accounts.Account,
	err error) (web.Done, error) {
	if fault.HasCode(err, "processor_unreachable") {
		return web.Done{To: b.at, Toast: ui.Toast{Tone: ui.Warning, Text: t.CreationUnknown}}, nil
	}
	return web.Saved(b.at, t.Created(t.NameOf(a.Processor)), err)
}

func (p *Pages) linkForm() web.Form[connectable] {
	return web.Form[connectable]{Load: p.connectableBook, Draw: p.drawLink, Do: p.link, Shows: unreachable,
		Title: func(t *text.Catalogue) string { return t.ConnectedAccounts.LinkProblems }}
}

func (p *Pages) drawLink(c *web.Request, b connectable, in web.Input) error {
	if len(b.platforms) == 0 {
		return web.SeeOther(c, b.at)
	}
	t, known := c.Text().ConnectedAccounts, c.Text().Processing
	f := views.ToolForm{Action: b.at + linkEnd, Problems: in.Problems, Submit: ui.Button{Label: t.Link},
		Dialog: ui.Dialog{Back: b.at}}
	f.Parts = append(b.platformField(t, in),
		ui.Field{Name: "external_account", Label: known.External, Hint: known.ExternalHint,
			Value: in.Get("external_account"), Error: in.Errors["external_account"], Required: true,
			Autocomplete: "off", MaxLength: "255"}.View())
	head := ui.Head{Title: t.Link, Text: t.LinkText(b.name(t)), Crumbs: b.crumbs}
	return web.Render(c, in.Status, views.ToolFormWhole(c.Page(t.Link), head, f))
}

func (p *Pages) link(c *web.Request, b connectable, in web.Input) (web.Done, error) {
	if len(b.platforms) == 0 { // sent again
		return web.Done{To: b.at}, nil
	}
	_, err := p.Accounts.Link(c.Ctx(), c.Actor(), accounts.LinkInput{MerchantID: b.merchant.ID,
		PlatformID: b.platformOf(in), External: in.Get("external_account")})
	return web.Saved(b.at, c.Text().ConnectedAccounts.Linked, err)
}

// openOnboarding leads to the processor's page for an account, by a new link: each works once, and is kept nowhere. It
// does so by the header Refresh, because browsers don't follow a redirect to another origin if the visitor has just
// sent a form, such as the one to sign in.
func (p *Pages) openOnboarding(c *web.Request, b bookAccount) error {
	t := c.Text().ConnectedAccounts
	here := p.BaseURL + b.at + "/" + b.ID.String()
	link, err := p.Accounts.OnboardingLink(c.Ctx(), c.Actor(), b.ID.String(), here+returnEnd, here+onboardingEnd)
	if f, ok := fault.As(err); ok && unreachable(f) {
		return web.Done{To: b.at, Toast: ui.Toast{Tone: ui.Danger, Text: f.Message}}.Answer(c)
	}
	if err != nil {
		return err
	}
	c.Response().Header().Set("Refresh", "0;url="+link)
	name := t.NameOf(b.Processor)
	return web.Render(c, http.StatusOK, views.OnboardingPage(c.Page(t.Leaving(name)), ui.Head{Title: t.Leaving(name),
		Text: t.LeavingText(name), Crumbs: b.crumbs}, t.ContinueTo(name), link))
}

// returnFromOnboarding reads the account, since a visitor who comes back may not have entered all details, and says
// what is next.
func (p *Pages) returnFromOnboarding(c *web.Request, b bookAccount) error {
	t, done := c.Text().ConnectedAccounts, web.Done{To: b.at}
	name := t.NameOf(b.Processor)
	a, err := p.Accounts.Refresh(c.Ctx(), c.Actor(), b.ID.String())
	f, failed := fault.As(err)
	switch {
	case failed && unreachable(f):
		done.Toast = ui.Toast{Tone: ui.Danger, Text: f.Message}
	case err != nil:
		return err
	case a.IsOnboarded():
		done.Toast = ui.Toast{Tone: ui.Success, Text: t.OnboardingDone}
	case a.DetailsDue():
		done.Toast = ui.Toast{Tone: ui.Warning, Text: t.OnboardingDue(name)}
	default:
		done.Toast = ui.Toast{Tone: ui.Info, Text: t.OnboardingChecked(name)}
	}
	return done.Answer(c)
}
