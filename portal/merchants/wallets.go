package merchants

import (
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
	walletsAt  = web.MerchantPath + walletsEnd
)

func (p *Pages) walletRoutes() []web.Route {
	return []web.Route{
		web.Get(walletsAt, authz.DomainRead, p.domainsForm().Show),
		web.Post(walletsAt+"/switch", authz.MerchantFeatures, p.switchFeature(walletsEnd,
			func(on bool) merchant.UpdateInput { return merchant.UpdateInput{HasWalletA: patch.Set(on)} },
			func(t *text.Catalogue) (string, string) { return t.Wallets.TurnedOn, t.Wallets.TurnedOff })),
		web.Post(walletsAt+"/domains", authz.MerchantDomains, p.domainsForm().Submit),
		web.Post(walletsAt+"/verify", authz.DomainVerify, web.ActOn(p.Merchant, p.verifyDomains)),
	}
}

// domainsForm replaces the list of domains, and looks at what it has become.
func (p *Pages) domainsForm() web.Form[merchant.Merchant] {
	return web.Form[merchant.Merchant]{Load: p.Merchant, Draw: p.drawWallets, Once: true,
		Fill: func(_ *web.Request, m merchant.Merchant) (url.Values, error) {
			return url.Values{"domains": {strings.Join(m.Domains, "\n")}}, nil
		},
		Do: func(c *web.Request, m merchant.Merchant, in web.Input) (web.Done, error) {
			_, err := web.Settled(p.Merchants.Update(c.Ctx(), c.Actor(), m.ID,
				merchant.UpdateInput{Domains: patch.Set(domainLines(in.Get("domains"))), IfVersion: in.IfVersion()},
				in.Claim))
			if err != nil {
				return web.Done{}, err
			}
			return p.look(c, m.ID, merchant.VerifyInput{})
		}}
}

func (p *Pages) drawWallets(c *web.Request, m merchant.Merchant, in web.Input) error {
	view, err := p.wallets(c, m)
	if err != nil {
		return err
	}
	if c.May(authz.MerchantDomains) {
		view.Form = domainsTyped(c.Text().Wallets, m, in)
	}
	return showTab(c, in.Status, m, walletsEnd, views.WalletsTab(view))
}

// wallets is the tab without its form.
func (p *Pages) wallets(c *web.Request, m merchant.Merchant) (view views.Wallets, err error) {
	ctx, t := c.Ctx(), c.Text()
	domains, err := p.Merchants.Domains(ctx, c.Actor(), m.ID)
	if err != nil {
		return view, err
	}
	view = views.Wallets{On: m.HasWalletA, File: "/files/wallet-a-domain", Path: merchant.AssociationPath}
	if c.May(authz.MerchantFeatures) {
		view.Toggle = web.MerchantAt(m.ID, walletsEnd+"/switch?to="+onOff(!m.HasWalletA))
	} else {
		view.Who = t.Wallets.NotYours(p.HolderNames(t, authz.MerchantFeatures))
	}
	if c.May(authz.DomainVerify) {
		view.LookAll = web.MerchantAt(m.ID, walletsEnd+"/verify")
	}
	for _, d := range domains {
		view.Domains = append(view.Domains, p.domainOf(t.Wallets, d, view.LookAll))
	}
	if _, err = p.Merchants.Association(ctx); fault.HasCode(err, "resource_missing") {
		view.NoFile, err = t.Wallets.NoFileText, nil
		if c.May(authz.AssociationWrite) {
			view.NoFile, view.Install = t.Wallets.NoFileAdmin, web.AssociationPath
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
func (p *Pages) domainOf(t text.Wallets, d merchant.Domain, look string) views.MerchantDomain {
	out := views.MerchantDomain{Name: d.Domain, URL: p.Merchants.AssociationURL(d.Domain), State: string(d.Status),
		Verdict: t.NotLooked, Look: look, Checked: web.Deref(d.CheckedAt).Time}
	switch {
	case d.FailureReason != nil:
		out.Verdict = t.Failures[string(*d.FailureReason)]
		out.Saw = sawOf(t, d)
	case d.Status == merchant.DomainVerified:
		out.Verdict = t.InOrder
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

// switchFeature turns something of a merchant on or off, as its address says: so it can be undone by an address. words
// are what is said once it is on, and off.
func (p *Pages) switchFeature(end string, change func(on bool) merchant.UpdateInput,
	words func(*text.Catalogue) (string, string)) web.Handler {
	return web.ActOn(p.Merchant, func(c *web.Request, m merchant.Merchant, _ url.Values) (done web.Done, err error) {
		on := switched(c.QueryParam("to"))
		if on == nil {
			return done, fault.Missing()
		}
		_, err = p.Merchants.Update(c.Ctx(), c.Actor(), m.ID, change(*on), nil)
		is, isNot := words(c.Text())
		done, err = web.Saved(web.MerchantAt(m.ID, end), isNot, err)
		if *on {
			done.Toast.Text = is
		}
		done.Toast.Undo = web.MerchantAt(m.ID, end+"/switch?to="+onOff(!*on))
		return done, err
	})
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

// domainsTyped is the form with what was refused: each mistake names its line.
func domainsTyped(t text.Wallets, m merchant.Merchant, in web.Input) views.DomainsForm {
	out := views.DomainsForm{Typed: in.Get("domains"), Version: in.Version(m.Version),
		Action: web.MerchantAt(m.ID, walletsEnd+"/domains"), Once: web.NewOnce()}
	if in.Changed() {
		out.Theirs = strings.Join(m.Domains, "\n")
		return out
	}
	refused, ok := fault.As(in.Refused)
	if !ok {
		return out
	}
	out.Problems.Title = t.Problems
	for _, one := range refused.Fields {
		words := one.Message
		if n, err := strconv.Atoi(strings.Trim(strings.TrimPrefix(one.Param, "domains"), "[]")); err == nil {
			words = t.Line(n+1, words)
		}
		out.Problems.List = append(out.Problems.List, ui.Problem{Field: "domains", Text: words})
	}
	if len(refused.Fields) == 0 {
		out.Problems.List = []ui.Problem{{Field: "domains", Text: refused.Message}}
	}
	out.Error = out.Problems.List[0].Text
	return out
}

// verifyDomains looks at domains again: at one, or at all.
func (p *Pages) verifyDomains(c *web.Request, m merchant.Merchant, form url.Values) (web.Done, error) {
	in := merchant.VerifyInput{Domain: web.Given(form, "domain")}
	if _, fragment := web.FragmentOf(c.Request()); !fragment {
		return p.look(c, m.ID, in)
	}
	_, err := p.Merchants.VerifyDomains(c.Ctx(), c.Actor(), m.ID, in, nil)
	return web.Done{Page: p.domainsForm().Show}, err
}

// look looks at domains, and leads to the tab with what was seen.
func (p *Pages) look(c *web.Request, id int64, in merchant.VerifyInput) (web.Done, error) {
	t := c.Text().Wallets
	found, err := p.Merchants.VerifyDomains(c.Ctx(), c.Actor(), id, in, nil)
	if fault.HasCode(err, "association_file_missing") {
		return web.Done{To: web.MerchantAt(id, walletsEnd), Toast: ui.Toast{Tone: ui.Info, Text: t.Saved}}, nil
	}
	bad := 0
	for _, d := range found.Object {
		if d.Status != merchant.DomainVerified {
			bad++
		}
	}
	done, err := web.Saved(web.MerchantAt(id, walletsEnd), t.Looked(len(found.Object)-bad, bad), err)
	if bad > 0 {
		done.Toast.Tone = ui.Warning
	}
	return done, err
}
