package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	walletsEnd = "/wallets"
	walletsAt  = merchantPath + walletsEnd
)

func (p *Portal) walletRoutes() []route {
	return []route{
		{http.MethodGet, walletsAt, access(authz.DomainRead), p.showWallets},
		{http.MethodPost, walletsAt + "/switch", access(authz.MerchantFeatures), p.switchWallet},
		{http.MethodPost, walletsAt + "/domains", access(authz.MerchantDomains), p.saveDomains},
		{http.MethodPost, walletsAt + "/verify", access(authz.DomainVerify), p.verifyDomains},
	}
}

func (p *Portal) showWallets(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	return p.walletsTab(c, http.StatusOK, m, views.DomainsForm{Typed: strings.Join(m.Domains, "\n")})
}

func (p *Portal) walletsTab(c *web.Request, status int, m merchant.Merchant, f views.DomainsForm) error {
	view, err := p.wallets(c, m)
	if err != nil {
		return err
	}
	if c.May(authz.MerchantDomains) {
		f.Action, f.Version, f.Once = merchantAt(m.ID, walletsEnd+"/domains"), cmp.Or(f.Version, strconv.Itoa(m.Version)), web.NewOnce()
		view.Form = f
	}
	return showTab(c, status, m, walletsEnd, views.WalletsTab(view))
}

// wallets is the tab without its form.
func (p *Portal) wallets(c *web.Request, m merchant.Merchant) (view views.Wallets, err error) {
	ctx, t := c.Ctx(), c.Text()
	domains, err := p.Merchants.Domains(ctx, c.Actor(), m.ID)
	if err != nil {
		return view, err
	}
	view = views.Wallets{On: m.HasWalletA, File: "/files/wallet-a-domain", Path: merchant.AssociationPath}
	if c.May(authz.MerchantFeatures) {
		view.Toggle = merchantAt(m.ID, walletsEnd+"/switch?to="+onOff(!m.HasWalletA))
	} else {
		view.Who = t.Wallets.NotYours(p.roleNames(t, authz.MerchantFeatures))
	}
	if c.May(authz.DomainVerify) {
		view.LookAll = merchantAt(m.ID, walletsEnd+"/verify")
	}
	for _, d := range domains {
		view.Domains = append(view.Domains, p.domainOf(t.Wallets, d, view.LookAll))
	}
	if _, err = p.Merchants.Association(ctx); fault.HasCode(err, "resource_missing") {
		view.NoFile, err = t.Wallets.NoFileText, nil
		if c.May(authz.AssociationWrite) {
			view.NoFile, view.Install = t.Wallets.NoFileAdmin, associationPath
		}
	}
	return view, err
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// domainOf is a domain with what was seen there.
func (p *Portal) domainOf(t text.Wallets, d merchant.Domain, look string) views.MerchantDomain {
	out := views.MerchantDomain{Name: d.Domain, URL: p.Merchants.AssociationURL(d.Domain), State: string(d.Status), Verdict: t.NotLooked, Look: look}
	switch {
	case d.FailureReason != nil:
		out.Verdict = t.Failures[string(*d.FailureReason)]
		out.Saw = sawOf(t, d)
	case d.Status == merchant.DomainVerified:
		out.Verdict = t.InOrder
	}
	if d.CheckedAt != nil {
		out.Checked = d.CheckedAt.Time
	}
	return out
}

// sawOf is what a website that is not in order answered.
func sawOf(t text.Wallets, d merchant.Domain) (out []string) {
	if s := d.Seen; s != nil {
		out = append(out, t.Answer(s.Status, http.StatusText(s.Status)))
		if s.Location != "" {
			out = append(out, t.Redirect(s.Location))
		}
		if s.Start != "" && s.Location == "" {
			out = append(out, t.Begins(s.Start))
		}
	}
	if d.VerifiedAt != nil {
		out = append(out, t.WasInOrder)
	}
	return out
}

// switchWallet turns wallet A on or off, as its address says: so it can be undone by an address.
func (p *Portal) switchWallet(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	to := c.QueryParam("to")
	if switched(to) == nil {
		return fault.Missing()
	}
	if _, err := p.Merchants.Update(c.Ctx(), c.Actor(), m.ID, merchant.UpdateInput{HasWalletA: patch.Set(to == "on")}, nil); err != nil {
		return err
	}
	t := c.Text().Wallets
	told := ui.Toast{Tone: ui.Success, Text: t.TurnedOff, Undo: merchantAt(m.ID, walletsEnd+"/switch?to="+onOff(to == "off"))}
	if to == "on" {
		told.Text = t.TurnedOn
	}
	web.Tell(c, told)
	return web.SeeOther(c, merchantAt(m.ID, walletsEnd))
}

// domainLines are those of a text that say something.
func domainLines(typed string) (out []string) {
	for line := range strings.Lines(typed) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// saveDomains replaces the list, and looks at what it has become.
func (p *Portal) saveDomains(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	in := merchant.UpdateInput{Domains: patch.Set(domainLines(form.Get("domains")))}
	if v, err := strconv.Atoi(form.Get(web.VersionField)); err == nil {
		in.IfVersion = &v
	}
	_, err = web.Settled(p.Merchants.Update(c.Ctx(), c.Actor(), m.ID, in, claim))
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindInvalid || f.Kind == fault.KindChanged) {
		return p.walletsTab(c, web.StatusOf(f.Kind), m, domainsForm(c.Text().Wallets, m, form, f))
	}
	if err != nil {
		return err
	}
	return p.look(c, m.ID, merchant.VerifyInput{})
}

// domainsForm is the form with what was refused: each mistake names its line.
func domainsForm(t text.Wallets, m merchant.Merchant, form url.Values, f *fault.Error) views.DomainsForm {
	out := views.DomainsForm{Typed: form.Get("domains"), Version: web.VersionKept(form, f)}
	if f.Kind == fault.KindChanged {
		out.Theirs = strings.Join(m.Domains, "\n")
		return out
	}
	out.Problems.Title = t.Problems
	for _, one := range f.Fields {
		words := one.Message
		if n, err := strconv.Atoi(strings.Trim(strings.TrimPrefix(one.Param, "domains"), "[]")); err == nil {
			words = t.Line(n+1, words)
		}
		out.Problems.List = append(out.Problems.List, ui.Problem{Field: "domains", Text: words})
	}
	if len(out.Problems.List) > 0 {
		out.Error = out.Problems.List[0].Text
	}
	return out
}

func (p *Portal) verifyDomains(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	in := merchant.VerifyInput{Domain: web.Given(form, "domain")}
	if _, fragment := web.FragmentOf(c.Request()); !fragment {
		return p.look(c, m.ID, in)
	}
	if _, err := p.Merchants.VerifyDomains(c.Ctx(), c.Actor(), m.ID, in, nil); err != nil {
		return err
	}
	return p.showWallets(c)
}

// look looks at domains, and shows the tab with what was seen.
func (p *Portal) look(c *web.Request, id int64, in merchant.VerifyInput) error {
	found, err := p.Merchants.VerifyDomains(c.Ctx(), c.Actor(), id, in, nil)
	t, told := c.Text().Wallets, ui.Toast{Tone: ui.Success}
	switch {
	case fault.HasCode(err, "association_file_missing"):
		told = ui.Toast{Tone: ui.Info, Text: t.Saved}
	case err != nil:
		return err
	default:
		bad := 0
		for _, d := range found.Object {
			if d.Status != merchant.DomainVerified {
				bad++
			}
		}
		if told.Text = t.Looked(len(found.Object)-bad, bad); bad > 0 {
			told.Tone = ui.Warning
		}
	}
	web.Tell(c, told)
	return web.SeeOther(c, merchantAt(id, walletsEnd))
}
