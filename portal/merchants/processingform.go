package merchants

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/processor/accounts"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// unreachable reports that the processor did not answer: the form says so, and can be sent again.
func unreachable(f *fault.Error) bool { return f.Code == "processor_unreachable" }

func (p *Pages) connectForm(open openAccounts) web.Form[accountBook] {
	return web.Form[accountBook]{Load: open, Fill: p.suggested, Draw: p.drawConnect, Do: p.connect, Shows: unreachable,
		Title: func(t *text.Catalogue) string { return t.Processing.ConnectProblems }}
}

// suggested are the first values of the form: the last priority, so that nothing moves before someone wants it to, and
// in a sandbox the merchant's own account.
func (p *Pages) suggested(c *web.Request, b accountBook) (url.Values, error) {
	all, err := p.Accounts.List(c.Ctx(), c.Actor(), b.merchantID())
	if err != nil {
		return nil, err
	}
	priority := 1
	for _, a := range all {
		priority = max(priority, min(a.Priority+1, accounts.MaxPriority))
	}
	names := p.Accounts.Processors()
	out := url.Values{"priority": {strconv.Itoa(priority)}}
	if example, adapter := p.example(c, b); example != "" && slices.Contains(names, adapter) {
		out.Set("processor", adapter)
		if !slices.ContainsFunc(all, func(a accounts.Account) bool { return a.External == example }) {
			out.Set("external_account", example)
		}
	} else if len(names) > 0 {
		out.Set("processor", names[0])
	}
	for _, m := range accounts.Suggested(p.Accounts.Served(out.Get("processor"))) {
		out.Add("methods", string(m))
	}
	return out, nil
}

// example is the external account that a sandbox has for the book, and its adapter; "" outside sandboxes.
func (p *Pages) example(c *web.Request, b accountBook) (external, adapter string) {
	a, ok := p.Accounts.Example(c.Actor().ApplicationID, b.merchantID())
	if !ok {
		return "", ""
	}
	return a.External, a.Adapter
}

func (p *Pages) drawConnect(c *web.Request, b accountBook, in web.Input) error {
	t := c.Text().Processing
	hint := t.ExternalHint
	if example, _ := p.example(c, b); example != "" {
		hint = t.ExternalSandbox(example)
	}
	f := views.ToolForm{Action: b.at + "/connect", Problems: in.Problems, Submit: ui.Button{Label: t.Connect},
		Dialog: ui.Dialog{Back: b.at}}
	processors := ui.Select{
		Field: ui.Field{Name: "processor", Label: t.Processor, Value: in.Get("processor"),
			Error: in.Errors["processor"], Required: true},
		Options: web.Options(p.Accounts.Processors(), nil)}
	f.Parts = []templ.Component{processors.View(),
		ui.Field{Name: "external_account", Label: t.External, Hint: hint, Value: in.Get("external_account"),
			Error: in.Errors["external_account"], Required: true, Autocomplete: "off", MaxLength: "255"}.View(),
		ui.Field{Name: "credentials", Label: t.Credentials, Hint: t.CredentialsHint, Type: "password",
			Error: in.Errors["credentials"], Optional: true,
			Autocomplete: "off"}.View()}
	f.Parts = append(f.Parts, servingFields(t, p.offered(t, p.Accounts.Processors()), in)...)
	head := ui.Head{Title: t.Connect, Text: t.ConnectText, Crumbs: b.crumbs}
	return web.Render(c, in.Status, views.ToolFormWhole(c.Page(t.Connect), head, f))
}

// offered are the methods that some of the processors serve; one that not all of them serve says which do.
func (p *Pages) offered(t text.Processing, processors []string) (out []ui.Option) {
	serving := map[string][]string{}
	for _, name := range processors {
		for _, m := range p.Accounts.Served(name) {
			method := string(m)
			if serving[method] == nil {
				out = append(out, ui.Option{Value: method, Label: t.Methods[method]})
			}
			serving[method] = append(serving[method], name)
		}
	}
	for i, o := range out {
		if by := serving[o.Value]; len(by) < len(processors) {
			out[i].Detail = t.Only(strings.Join(by, ", "))
		}
	}
	return out
}

// servingFields ask which payments go to an account.
func servingFields(t text.Processing, methods []ui.Option, in web.Input) []templ.Component {
	var currencies []ui.Option
	for _, currency := range money.Currencies() {
		currencies = append(currencies, ui.Option{Value: string(currency), Label: text.Code(currency)})
	}
	return []templ.Component{
		ui.Checkboxes{
			Field:   ui.Field{Name: "methods", Label: t.MethodsLabel, Hint: t.MethodsHint, Error: in.Errors["methods"]},
			Options: methods, Chosen: in.Values["methods"]}.View(),
		ui.Checkboxes{
			Field: ui.Field{Name: "currencies", Label: t.Currencies, Hint: t.CurrenciesHint,
				Error: in.Errors["currencies"]},
			Options: currencies, Chosen: in.Values["currencies"]}.View(),
		ui.Field{Name: "priority", Label: t.Priority, Hint: t.PriorityHint, Value: in.Get("priority"),
			Error: in.Errors["priority"], Required: true,
			Short: true, InputMode: "numeric", Autocomplete: "off", MaxLength: "3"}.View(),
	}
}

// servingOf is which payments go to an account, as it was typed.
func servingOf(form url.Values) accounts.Serving {
	priority, err := strconv.Atoi(strings.TrimSpace(form.Get("priority")))
	if err != nil {
		priority = 0 // which the use-case refuses, with the other mistakes
	}
	return accounts.ServingOf(form["methods"], form["currencies"], priority)
}

func (p *Pages) connect(c *web.Request, b accountBook, in web.Input) (web.Done, error) {
	_, err := p.Accounts.Connect(c.Ctx(), c.Actor(),
		accounts.ConnectInput{MerchantID: b.merchantID(), Processor: in.Get("processor"),
			External: in.Get("external_account"), Credentials: accounts.CredentialsOf(in.Get("credentials")),
			Serving: servingOf(in.Values)})
	return web.Saved(b.at, c.Text().Processing.Connected, err)
}

func (p *Pages) accountEditForm(open openAccounts) web.Form[bookAccount] {
	return web.Form[bookAccount]{Load: p.accountIn(open), Draw: p.drawAccountEdit, Do: p.editAccount,
		Shows: unreachable,
		// a processor that refuses them does not know the account
		Inputs: map[string]string{"external_account": "credentials"},
		Title:  func(t *text.Catalogue) string { return t.Processing.SaveProblems },
		Fill:   func(_ *web.Request, b bookAccount) (url.Values, error) { return typedServing(b.Account), nil }}
}

// typedServing is which payments go to an account, as its form has it.
func typedServing(a accounts.Account) url.Values {
	out := url.Values{"priority": {strconv.Itoa(a.Priority)}}
	for _, m := range a.Methods {
		out.Add("methods", string(m))
	}
	for _, currency := range a.Currencies {
		out.Add("currencies", string(currency))
	}
	return out
}

func (p *Pages) drawAccountEdit(c *web.Request, b bookAccount, in web.Input) error {
	t := c.Text().Processing
	f := views.ToolForm{Action: b.at + "/" + b.ID.String() + "/edit", Problems: in.Problems,
		Submit: ui.Button{Label: t.Save}, Dialog: ui.Dialog{Back: b.at},
		Hidden: []ui.Pair{{Key: web.VersionField, Value: in.Version(b.Version)}}}
	if in.Changed() {
		f.Theirs, f.Conflict = accountEdits(t, b.Account, in.Values), t.Conflict
	}
	f.Parts = append(f.Parts, accountFacts(t, b))
	f.Parts = append(f.Parts, servingFields(t, p.offered(t, []string{b.Processor}), in)...)
	head := ui.Head{Title: t.Edit + ": " + b.Processor + " " + b.External, Text: t.EditText, Crumbs: b.crumbs}
	if b.PlatformID == nil {
		f.Parts = append(f.Parts, ui.Field{Name: "credentials", Label: t.NewCredentials, Hint: t.CredentialsKept,
			Type: "password", Error: in.Errors["credentials"], Optional: true, Autocomplete: "off"}.View())
	} else {
		head.Text = t.EditConnectedText
	}
	return web.Render(c, in.Status, views.ToolFormWhole(c.Page(head.Title), head, f))
}

// accountEdits is where what is saved of an account and what was typed differ.
func accountEdits(t text.Processing, a accounts.Account, form url.Values) (out []ui.Edit) {
	typed := a
	serving := servingOf(form)
	typed.Methods, typed.Currencies, typed.Priority = serving.Methods, serving.Currencies, serving.Priority
	for _, l := range []struct{ label, old, now string }{{t.MethodsLabel, methodWords(t, a), methodWords(t, typed)},
		{t.Currencies, currencyWords(t, a), currencyWords(t, typed)},
		{t.Priority, strconv.Itoa(a.Priority), strings.TrimSpace(form.Get("priority"))}} {
		if l.old != l.now {
			out = append(out, ui.Edit{Field: l.label, Old: l.old, New: l.now})
		}
	}
	return out
}

func (p *Pages) editAccount(c *web.Request, b bookAccount, in web.Input) (done web.Done, err error) {
	if in.IfVersion() == nil {
		return done, web.ErrOnce
	}
	typed, t := in.Get("credentials"), c.Text().Processing
	_, err = p.Accounts.Change(c.Ctx(), c.Actor(), b.ID.String(),
		accounts.ChangeInput{Credentials: accounts.CredentialsOf(typed), Serving: servingOf(in.Values),
			IfVersion: in.IfVersion()})
	// sent twice, or both wanted the same
	if fault.HasCode(err, "object_changed") && typed == "" && len(accountEdits(t, b.Account, in.Values)) == 0 {
		err = nil
	}
	return web.Saved(b.at, t.Saved, err)
}
