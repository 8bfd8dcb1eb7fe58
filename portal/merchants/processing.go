package merchants

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/processor/accounts"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// accountBook is the processor accounts that pages are about: a merchant's, or the application's defaults.
type accountBook struct {
	at       string             // the address of their page
	merchant *merchant.Merchant // nil: the application's defaults
	crumbs   []ui.Crumb         // the pages above a form
}

// openAccounts opens the book that the address names.
type openAccounts func(c *web.Request) (accountBook, error)

// bookAccount is one account of a book.
type bookAccount struct {
	accountBook
	accounts.Account
}

func (p *Pages) processingRoutes() []web.Route {
	const read, manage = authz.ProcessingRead, authz.ProcessingManage
	routes := func(at string, open openAccounts, show func(*web.Request, accountBook) error) []web.Route {
		one, connect, edit, account := at+"/:account", p.connectForm(open), p.accountEditForm(open), p.accountIn(open)
		rs := []web.Route{
			web.Get(at, read, web.Show(open, show)),
			web.Get(at+"/connect", manage, p.Fresh(connect.Show)), web.Post(at+"/connect", manage,
				p.FreshSecret(connect.Submit)),
			web.Get(one+"/edit", manage, p.Fresh(edit.Show)), web.Post(one+"/edit", manage, p.FreshSecret(edit.Submit)),
			web.Post(one+"/test", manage, web.ActOn(account, p.testAccount)),
		}
		rs = append(rs, web.Get(one+removeEnd, manage, web.Show(account, askRemoval)),
			web.Post(one+removeEnd, manage, p.Fresh(web.ActOn(account, p.removeAccount))))
		for _, to := range []accounts.Status{accounts.Disabled, accounts.Active} {
			end := one + statusEnds[to]
			rs = append(rs, web.Get(end, manage, web.Show(account, askStatus(to))),
				web.Post(end, manage, p.Fresh(web.ActOn(account, p.setStatus(to)))))
		}
		return rs
	}
	return slices.Concat(routes(web.MerchantPath+web.ProcessingEnd, p.merchantAccounts, p.showMerchantProcessing),
		routes(web.ProcessingPath, defaultAccounts, p.showDefaultAccounts),
		p.onboardingRoutes(), []web.Route{web.Get(failoverPath, manage, p.askFailover),
			web.Post(failoverPath, manage, p.Fresh(web.ActOn(defaultAccounts, p.setFailover)))})
}

// statusEnds end the addresses of what gives an account a status.
var statusEnds = map[accounts.Status]string{accounts.Disabled: "/disable", accounts.Active: "/enable"}

// removeEnd ends the address of what removes an account.
const removeEnd = "/remove"

// merchantAccounts are those of the merchant that the address names.
func (p *Pages) merchantAccounts(c *web.Request) (accountBook, error) {
	m, err := p.Merchant(c)
	t, at := c.Text(), web.MerchantAt(m.ID, web.ProcessingEnd)
	return accountBook{at: at, merchant: &m, crumbs: []ui.Crumb{{Label: t.Nav.Merchants, Href: web.MerchantsPath},
		{Label: m.Name, Href: web.MerchantAt(m.ID, "")}, {Label: t.Processing.Title, Href: at}}}, err
}

// defaultAccounts are those of the application where the visitor acts, which people of one organization do not see.
func defaultAccounts(c *web.Request) (accountBook, error) {
	if a := c.Actor(); a.OrganizationID != 0 || a.ApplicationID == 0 {
		return accountBook{}, fault.Missing()
	}
	return accountBook{at: web.ProcessingPath,
		crumbs: []ui.Crumb{{Label: c.Text().Processing.Title, Href: web.ProcessingPath}}}, nil
}

// merchantID is whose accounts they are; nil for the application.
func (b accountBook) merchantID() *int64 {
	if b.merchant == nil {
		return nil
	}
	return &b.merchant.ID
}

// accountIn reads the account that the address names, which must be of the book.
func (p *Pages) accountIn(open openAccounts) func(*web.Request) (bookAccount, error) {
	return func(c *web.Request) (out bookAccount, err error) {
		if out.accountBook, err = open(c); err != nil {
			return out, err
		}
		if out.Account, err = p.Accounts.Get(c.Ctx(), c.Actor(), c.Param("account")); err != nil {
			return out, err
		}
		if of := out.merchantID(); (of == nil) != (out.MerchantID == nil) || of != nil && *of != *out.MerchantID {
			return out, fault.Missing()
		}
		return out, nil
	}
}

func (p *Pages) showMerchantProcessing(c *web.Request, b accountBook) error {
	processing, err := p.Accounts.Processing(c.Ctx(), c.Actor(), b.merchant.ID)
	if err != nil {
		return err
	}
	view, err := p.processingView(c, b)
	if err == nil {
		view.New, err = p.newAccountView(c, b)
	}
	if err != nil {
		return err
	}
	for _, serve := range processing.Methods {
		view.Lines = append(view.Lines, lineOf(c.Text().Processing, serve))
	}
	if view.More = web.Among(c.Reachable(), web.ProcessingPath); view.More != "" {
		defaults, err := p.Accounts.List(c.Ctx(), c.Actor(), nil)
		if err != nil {
			return err
		}
		view.Defaults = accountRows(c.Text(), defaults, "")
	}
	return showTab(c, http.StatusOK, *b.merchant, web.ProcessingEnd, views.MerchantProcessingTab(view))
}

func (p *Pages) showDefaultAccounts(c *web.Request, b accountBook) error {
	view, err := p.processingView(c, b)
	if err == nil {
		view.Failover, err = p.failoverView(c)
	}
	if err == nil {
		view.Fees, err = p.processorFees(c)
	}
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.DefaultAccountsPage(c.Page(c.Text().Processing.Title), view))
}

// processingView is what the pages of all books have: the accounts, and what the visitor can do with them.
func (p *Pages) processingView(c *web.Request, b accountBook) (view views.Processing, err error) {
	all, err := p.Accounts.List(c.Ctx(), c.Actor(), b.merchantID())
	if err != nil {
		return view, err
	}
	t, manages := c.Text(), ""
	switch {
	case !c.May(authz.ProcessingManage):
		view.Why = t.Processing.ManagedBy(p.HolderNames(t, authz.ProcessingManage))
	case len(p.Accounts.Processors()) == 0:
		manages, view.Why = b.at, t.Processing.NoProcessors
	default:
		manages, view.Connect = b.at, b.at+"/connect"
	}
	view.Accounts = accountRows(t, all, manages)
	for i, a := range all {
		if manages != "" && b.merchant != nil && p.Accounts.Onboards(a) && !a.IsOnboarded() {
			view.Accounts[i].Onboard = manages + "/" + a.ID.String() + onboardingEnd
		}
	}
	return view, nil
}

// lineOf says what serves a method.
func lineOf(t text.Processing, s accounts.Serve) views.ProcessingLine {
	out := views.ProcessingLine{Method: t.Methods[string(s.Method)], Words: t.NotConnected}
	if s.Processor == nil || s.External == nil || s.Source == nil {
		return out
	}
	details := []string{t.Sources[string(*s.Source)]}
	if s.Onboarding != nil && t.LineOnboarding[string(*s.Onboarding)] != "" {
		details = append(details, t.LineOnboarding[string(*s.Onboarding)])
	}
	out.Words = *s.Processor + " " + *s.External
	out.Detail = strings.Join(details, ", ")
	return out
}

// onboardingTone colors how far a counterparty has come with an account.
func onboardingTone(onboarding string) ui.Tone {
	switch onboarding {
	case "complete":
		return ui.Success
	case "restricted":
		return ui.Danger
	}
	return ui.Warning
}

// accountRows are accounts as people see them, with what can be done below the address at; "" for nothing.
func accountRows(t *text.Catalogue, all []accounts.Account, at string) (out []views.ProcessorAccount) {
	p := t.Processing
	for _, a := range all {
		onboarding, last4 := string(a.Onboarding), web.Deref(a.CredentialsLast4)
		row := views.ProcessorAccount{Processor: a.Processor, External: a.External, Methods: methodWords(p, a),
			Currencies: currencyWords(p, a), Priority: strconv.Itoa(a.Priority), Status: p.Statuses[string(a.Status)],
			StatusTone: ui.Neutral,
			Onboarding: p.Onboarding[onboarding], OnboardingTone: onboardingTone(onboarding), Sealed: a.Sealed != nil,
			Last4: last4, Tested: a.TestedAt.Time, Replaced: web.Deref(a.CredentialsReplacedAt()).Time}
		if a.Report != nil {
			for _, l := range a.Report.Lacks {
				row.Lacks = append(row.Lacks, text.Curly(l.Remedy))
			}
			row.Reported = reportedFacts(p, *a.Report)
			if a.PlatformID != nil {
				row.Platform = a.Report.Platform
			}
		}
		if a.Status == accounts.Active {
			row.StatusTone = ui.Success
		}
		if at != "" {
			one := at + "/" + a.ID.String()
			row.Test, row.Edit = one+"/test", one+"/edit"
			if a.Status == accounts.Active {
				row.Disable = one + statusEnds[accounts.Disabled]
			} else {
				row.Enable, row.Remove = one+statusEnds[accounts.Active], one+removeEnd
			}
		}
		out = append(out, row)
	}
	return out
}

func methodWords(t text.Processing, a accounts.Account) string {
	var names []string
	for _, m := range a.Methods {
		names = append(names, t.Methods[string(m)])
	}
	return strings.Join(names, ", ")
}

func currencyWords(t text.Processing, a accounts.Account) string {
	if len(a.Currencies) == 0 {
		return t.EveryCurrency
	}
	var codes []string
	for _, currency := range a.Currencies {
		codes = append(codes, text.Code(currency))
	}
	return strings.Join(codes, ", ")
}

// testAccount asks the processor about an account, and says on the page what it answered.
func (p *Pages) testAccount(c *web.Request, b bookAccount, _ url.Values) (done web.Done, err error) {
	t := c.Text().Processing
	done.To = b.at
	after, err := p.Accounts.Test(c.Ctx(), c.Actor(), b.ID.String())
	if refused, ok := fault.As(err); ok &&
		(refused.Kind == fault.KindRefused || refused.Kind == fault.KindUnavailable) {
		done.Toast = ui.Toast{Tone: ui.Danger, Text: t.NotTested + ". " + refused.Message}
		return done, nil
	}
	onboarding := string(after.Onboarding)
	done.Toast = ui.Toast{Tone: onboardingTone(onboarding), Text: t.TestedTold[onboarding]}
	return done, err
}

// askStatus is the dialog before an account is given a status.
func askStatus(to accounts.Status) func(*web.Request, bookAccount) error {
	return func(c *web.Request, b bookAccount) error {
		t := c.Text().Processing
		if to == accounts.Disabled {
			return b.ask(c, statusEnds[to], t.DisableText, ui.Button{Label: t.DisableTitle, Variant: ui.Destructive})
		}
		return b.ask(c, statusEnds[to], t.EnableText, ui.Button{Label: t.EnableTitle})
	}
}

// askRemoval is the dialog before an account is removed.
func askRemoval(c *web.Request, b bookAccount) error {
	t := c.Text().Processing
	return b.ask(c, removeEnd, t.RemoveText, ui.Button{Label: t.RemoveTitle, Variant: ui.Destructive})
}

// ask is a dialog before something is done with an account: its address ends with end, and its title is what the button
// does.
func (b bookAccount) ask(c *web.Request, end, words string, submit ui.Button) error {
	f := views.ToolForm{Action: b.at + "/" + b.ID.String() + end, Sharp: true, Submit: submit,
		Hidden: []ui.Pair{{Key: web.VersionField, Value: strconv.Itoa(b.Version)}},
		Parts:  []templ.Component{accountFacts(c.Text().Processing, b)},
		Dialog: ui.Dialog{Title: submit.Label, Text: words, Back: b.at}}
	return web.Render(c, http.StatusOK, views.ToolFormPage(c.Page(submit.Label), f))
}

// accountFacts name an account above what changes it.
func accountFacts(t text.Processing, b bookAccount) templ.Component {
	return ui.KeyValue([]ui.Pair{{Key: t.Processor, Value: b.Processor}, {Key: t.External, Value: b.External}})
}

// setStatus gives an account a status. Sent again, it finds the work done.
func (p *Pages) setStatus(to accounts.Status) func(*web.Request, bookAccount, url.Values) (web.Done, error) {
	return func(c *web.Request, b bookAccount, form url.Values) (web.Done, error) {
		t, version := c.Text().Processing, web.Input{Values: form}.IfVersion()
		words := map[accounts.Status]string{accounts.Active: t.EnabledTold, accounts.Disabled: t.DisabledTold}[to]
		if version == nil {
			return web.Done{}, web.ErrOnce
		}
		if b.Status == to {
			return web.Saved(b.at, words, nil)
		}
		_, err := p.Accounts.SetStatus(c.Ctx(), c.Actor(), b.ID.String(), to, version)
		return web.Saved(b.at, words, err)
	}
}

// removeAccount removes an account.
func (p *Pages) removeAccount(c *web.Request, b bookAccount, form url.Values) (web.Done, error) {
	version := web.Input{Values: form}.IfVersion()
	if version == nil {
		return web.Done{}, web.ErrOnce
	}
	_, err := p.Accounts.Remove(c.Ctx(), c.Actor(), b.ID.String(), version)
	return web.Saved(b.at, c.Text().Processing.RemovedTold, err)
}
