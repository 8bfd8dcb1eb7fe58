package browser

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"svcpay/internal/banklink"
	"svcpay/internal/banklink/institution"
	"svcpay/internal/fault"
	"svcpay/internal/processor"
	pages "svcpay/views/bank"
	shared "svcpay/views/modal"
	"svcpay/views/ui"
)

// start leads to the first page: in Canada the account's numbers are typed, elsewhere payers sign in at their banks.
func (m *linkModal) start(c echo.Context, w payerWay) error {
	if w.Scheme == processor.ACSS {
		return c.Redirect(http.StatusSeeOther, w.at("/account"))
	}
	return c.Redirect(http.StatusSeeOther, w.at("/banks"))
}

func (m *linkModal) form(c echo.Context, w payerWay) error {
	return show(c, http.StatusOK, m.formPage(w, banklink.Form{}, nil))
}

func (m *linkModal) submit(c echo.Context, w payerWay) error {
	v := c.FormValue
	f := banklink.Form{FirstName: v("first_name"), LastName: v("last_name"), Email: v("email"), AccountType: v("type"),
		Routing:     v("routing"),
		Institution: v("institution"), Transit: v("transit"), Account: v("account"), Agreed: agreed(c),
		From: connection(c)}
	err := m.Links.Submit(c.Request().Context(), w.secret, f)
	if wrong, ok := fault.As(err); ok && len(wrong.Fields) > 0 {
		return show(c, http.StatusUnprocessableEntity, m.formPage(w, f, wrong.Fields))
	}
	return leads(c, w.at("/done"), err)
}

func connection(c echo.Context) banklink.Connection {
	return banklink.Connection{IP: c.RealIP(), UserAgent: c.Request().UserAgent()}
}

// agreed reads a payer's answer to what [agreement] showed.
func agreed(c echo.Context) banklink.Agreed {
	return banklink.Agreed{Accepted: c.FormValue("mandate") == "true", Shown: c.FormValue("shown")}
}

// agreement is the mandate as a page shows it, with what is wrong.
func agreement(w payerWay, code string) pages.Agreement {
	words, _ := w.Agreement()
	return pages.Agreement{Text: words, Lang: string(w.Language), Shown: w.Shown(), Code: code}
}

// reading is the order in which a payer comes by the form's inputs.
var reading = []string{"first_name", "last_name", "email", "type", "institution", "transit", "routing", "account",
	"mandate"}

func byReading(a, b fault.Field) int {
	return slices.Index(reading, a.Param) - slices.Index(reading, b.Param)
}

// formPage shows the form with what is wrong. The account's number is not shown again: it would stand in a page.
func (m *linkModal) formPage(w payerWay, f banklink.Form, wrong []fault.Field) view {
	t := w.said
	code := map[string]string{}
	out := pages.Form{AccountType: f.AccountType}
	for _, one := range slices.SortedStableFunc(slices.Values(wrong), byReading) {
		if code[one.Param] == "" {
			code[one.Param] = one.Code
			out.Problems = append(out.Problems, ui.Problem{Field: one.Param, Text: t.Mistakes[one.Code]})
		}
	}
	input := func(name, label, value, autocomplete, most string) pages.Input {
		return pages.Input{Name: name, Label: label, Value: value, Autocomplete: autocomplete, MaxLength: most,
			Code: code[name]}
	}
	number := func(name, label, value, hint string) pages.Input {
		in := input(name, label, value, "off", "30")
		in.Numeric, in.Hint = true, hint
		return in
	}
	out.First = input("first_name", t.First, f.FirstName, "given-name", "255")
	out.Last = input("last_name", t.Last, f.LastName, "family-name", "255")
	out.Email = input("email", t.Email, f.Email, "email", "254")
	out.Email.Type = "email"
	p := m.page(w, t.FormTitle)
	if w.Scheme == processor.ACSS {
		out.Numbers = []pages.Input{number("institution", t.Institution, f.Institution, t.InstitutionHint),
			number("transit", t.Transit, f.Transit, t.TransitHint)}
		out.Number = number("account", t.Number, "", t.NumberHint)
	} else {
		p.Step, out.Back = 2, w.at("/banks")
		out.Numbers = []pages.Input{number("routing", t.Routing, f.Routing, t.RoutingHint)}
		out.Number = number("account", t.Number, "", t.NumberHint2)
	}
	out.TypeCode = code["type"]
	out.Agreement = agreement(w, code["mandate"])
	return pages.FormPage(p, out)
}

func (m *linkModal) banks(c echo.Context, w payerWay) error {
	return m.banksPage(c, w, http.StatusOK, nil)
}

// banksPage lists what the query finds; for htmx, which asks while a payer types, the list alone.
func (m *linkModal) banksPage(c echo.Context, w payerWay, status int, n *shared.Notice) error {
	if w.Scheme != processor.ACH {
		return c.Redirect(http.StatusSeeOther, w.at("/account"))
	}
	query := c.QueryParam("q")
	found, err := m.Links.Search(c.Request().Context(), query)
	if err != nil {
		return err
	}
	list := make([]pages.Bank, len(found))
	for i, f := range found {
		list[i] = pages.Bank{ID: f.ID, Name: f.Name, Website: f.Website}
	}
	c.Response().Header().Set(echo.HeaderVary, "HX-Request")
	if c.Request().Header.Get("HX-Request") == "true" {
		return show(c, status, pages.Found(w.said, w.at(""), list))
	}
	p := m.page(w, w.said.Step1)
	p.Step, p.Files.Htmx = 1, m.shown.Htmx
	return show(c, status, pages.BanksPage(p, query, list, n))
}

func (m *linkModal) chooseBank(c echo.Context, w payerWay) error {
	if w.Scheme != processor.ACH {
		return m.start(c, w)
	}
	address, err := m.Links.Choose(c.Request().Context(), w.secret, c.FormValue("bank"), m.PayURL+w.at("/return"))
	if fault.HasCode(err, banklink.ErrInstitution.Code) {
		return m.banksPage(c, w, http.StatusUnprocessableEntity, noticed(ui.Danger, w.said.ChooseBank))
	}
	return leads(c, address, err)
}

// returned is where a bank sends a payer back to, however the visit ended.
func (m *linkModal) returned(c echo.Context, w payerWay) error {
	r, err := m.Links.Visited(c.Request().Context(), w.Link)
	if err != nil {
		return err
	}
	switch r.State {
	case institution.VisitShown:
		return c.Redirect(http.StatusSeeOther, w.at("/accounts"))
	case institution.VisitOpen:
		return m.banksPage(c, w, http.StatusOK, noticed(ui.Info, w.said.NotFinished, w.InstitutionName))
	case institution.VisitFailed:
		return m.banksPage(c, w, http.StatusOK, noticed(ui.Warning, w.said.CouldNotShow, w.InstitutionName))
	}
	return m.banksPage(c, w, http.StatusOK, noticed(ui.Info, w.said.CameBack))
}

// accountOf is an account as the pages show it.
func accountOf(t *pages.Text, a institution.Account) pages.Account {
	kind := map[string]string{"checking": t.Checking, "savings": t.Savings}[a.Type]
	return pages.Account{Key: a.Key, Name: a.Name, Type: kind, Last4: a.Last4}
}

func (m *linkModal) accounts(c echo.Context, w payerWay) error {
	r, err := m.Links.Visited(c.Request().Context(), w.Link)
	if err != nil {
		return err
	}
	if r.State != institution.VisitShown {
		return c.Redirect(http.StatusSeeOther, w.at("/banks"))
	}
	list := make([]pages.Account, len(r.Accounts))
	for i, a := range r.Accounts {
		list[i] = accountOf(w.said, a)
	}
	p := m.page(w, w.said.ChooseAccount)
	p.Step = 2
	return show(c, http.StatusOK, pages.AccountsPage(p, w.InstitutionName, list))
}

func (m *linkModal) chooseAccount(c echo.Context, w payerWay) error {
	err := m.Links.ChooseAccount(c.Request().Context(), w.secret, c.FormValue("account"))
	if fault.HasCode(err, banklink.ErrAccount.Code) {
		return c.Redirect(http.StatusSeeOther, w.at("/accounts"))
	}
	return leads(c, w.at("/mandate"), err)
}

func (m *linkModal) mandate(c echo.Context, w payerWay) error {
	return m.mandatePage(c, w, http.StatusOK, "")
}

func (m *linkModal) mandatePage(c echo.Context, w payerWay, status int, code string) error {
	chosen, err := m.Links.Account(c.Request().Context(), w.Link)
	switch {
	case fault.HasCode(err, banklink.ErrAccount.Code):
		return c.Redirect(http.StatusSeeOther, w.at("/accounts"))
	case err != nil:
		return err
	}
	p := m.page(w, w.said.AuthorizeDebits)
	p.Step = 3
	return show(c, status, pages.MandatePage(p, w.InstitutionName, accountOf(w.said, chosen), w.Chosen(),
		agreement(w, code)))
}

func (m *linkModal) accept(c echo.Context, w payerWay) error {
	err := m.Links.Accept(c.Request().Context(), w.secret, c.FormValue("account"), agreed(c), connection(c))
	wrong, known := fault.As(err)
	switch {
	case known && wrong.Code == banklink.ErrAccount.Code:
		return c.Redirect(http.StatusSeeOther, w.at("/accounts"))
	case known && len(wrong.Fields) > 0 && wrong.Fields[0].Code == "mandate_not_accepted":
		return m.mandatePage(c, w, http.StatusUnprocessableEntity, wrong.Fields[0].Code)
	}
	return leads(c, w.at("/done"), err)
}
