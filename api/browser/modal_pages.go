package browser

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/mailbox"
	pages "svcpay/views/daf"
	shared "svcpay/views/modal"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// ended leads to the last page of a way that is not open any more.
func ended(c echo.Context, w way) (bool, error) {
	if w.State == workflow.Open {
		return false, nil
	}
	return true, c.Redirect(http.StatusSeeOther, w.at("/done"))
}

func (m *modal) details(c echo.Context, w way) error {
	if over, err := ended(c, w); over {
		return err
	}
	amount := ""
	if w.Amount != nil {
		amount = w.said.Language.Digits(*w.Amount)
	}
	return show(c, http.StatusOK, m.detailsPage(w, workflow.Form{Amount: amount, Donor: w.Donor}, nil))
}

func (m *modal) save(c echo.Context, w way) error {
	f := formOf(c)
	read := f
	read.Amount = w.said.Language.Typed(f.Amount)
	err := m.Workflows.Save(c.Request().Context(), w.secret, read)
	if wrong, ok := fault.As(err); ok && len(wrong.Fields) > 0 {
		return show(c, http.StatusUnprocessableEntity, m.detailsPage(w, f, wrong.Fields))
	}
	return leads(c, w.at("/fund"), err)
}

// formOf reads the first page's form.
func formOf(c echo.Context) workflow.Form {
	v := c.FormValue
	return workflow.Form{Amount: v("amount"),
		Donor: provider.Donor{FirstName: v("firstName"), LastName: v("lastName"), Email: v("email"), Note: v("note"),
			Phone: v("phone"), Anonymous: v("anonymous") == "true",
			Address: provider.Address{Line1: v("line1"), Line2: v("line2"), City: v("city"), State: v("state"),
				PostalCode: v("postalCode")}}}
}

func (m *modal) detailsPage(w way, f workflow.Form, wrong []fault.Field) view {
	said, d, a := w.said.Gift, f.Donor, f.Donor.Address
	mistake := func(name string) string {
		i := slices.IndexFunc(wrong, func(one fault.Field) bool { return one.Param == name })
		if i < 0 {
			return ""
		}
		return w.mistake(wrong[i], f)
	}
	field := func(name, label, value, autocomplete, most string) ui.Field {
		return ui.Field{Name: name, Label: label, Value: value, Autocomplete: autocomplete, MaxLength: most,
			Error: mistake(name)}
	}
	email := field("email", said.Email, mailbox.Shown(d.Email), "email", "254")
	email.Type = "email"
	phone := field("phone", said.Phone, d.Phone, "tel", "40")
	phone.Type = "tel"
	out := pages.Details{Amount: f.Amount, AmountError: mistake("amount"), Email: email, Anonymous: d.Anonymous,
		FirstName: field("firstName", said.FirstName, d.FirstName, "given-name", "100"),
		LastName:  field("lastName", said.LastName, d.LastName, "family-name", "100"),
		Note: pages.Area{Name: "note", Label: pages.Say(said.Note, w.Merchant), Value: d.Note, Error: mistake("note"),
			MaxLength: "500"},
		More: []ui.Field{phone, field("line1", said.Street, a.Line1, "address-line1", "100"),
			field("line2", said.Apartment, a.Line2, "address-line2", "100"),
			field("city", said.City, a.City, "address-level2", "100"),
			field("state", said.State, a.State, "address-level1", "50"),
			field("postalCode", said.ZIP, a.PostalCode, "postal-code", "20")}}
	out.MoreOpen = slices.ContainsFunc(out.More, func(f ui.Field) bool { return f.Error != "" })
	for _, one := range wrong {
		out.Problems = append(out.Problems, ui.Problem{Field: one.Param, Text: w.mistake(one, f)})
	}
	p := m.page(w, w.said.Frame.Steps[0])
	p.Step = 1
	return pages.DetailsPage(p, out)
}

// mistake says what is wrong with a form, in the donor's language.
func (w way) mistake(wrong fault.Field, f workflow.Form) string {
	words, known := w.said.Mistakes[wrong.Code]
	switch {
	case !known:
		return wrong.Message
	case wrong.Code == "amount_not_whole":
		read, _ := money.ParseDecimal(w.said.Language.Typed(f.Amount))
		return pages.Say(words, w.dollars(workflow.Nearest(read)))
	case wrong.Code == "amount_too_small":
		return pages.Say(words, w.dollars(workflow.MinAmount))
	case wrong.Code == "amount_too_large":
		return pages.Say(words, w.dollars(workflow.MaxAmount))
	case wrong.Code == "text_too_long":
		return pages.Say(words, workflow.MostOf(wrong.Param))
	}
	return words
}

func (m *modal) funds(c echo.Context, w way) error { return m.fundsPage(c, w, http.StatusOK, nil) }

// fundsPage lists what the query finds; for htmx, which asks while a donor types, the list alone.
func (m *modal) fundsPage(c echo.Context, w way, status int, n *shared.Notice) error {
	if over, err := ended(c, w); over {
		return err
	}
	if w.Amount == nil {
		return c.Redirect(http.StatusSeeOther, w.at(""))
	}
	query := c.QueryParam("q")
	found, err := m.Workflows.Funds(c.Request().Context(), query)
	if err != nil {
		return err
	}
	list := make([]pages.Fund, len(found))
	for i, f := range found {
		list[i] = pages.Fund{ID: f.ID, Name: f.Name, Integrated: f.Integrated}
	}
	c.Response().Header().Set(echo.HeaderVary, "HX-Request")
	if c.Request().Header.Get("HX-Request") == "true" {
		return show(c, status, pages.Found(w.said, w.at(""), query, list))
	}
	p := m.page(w, w.said.Frame.Steps[1])
	p.Step, p.Files.Htmx = 2, m.shown.Htmx
	return show(c, status, pages.FundsPage(p, query, list, n))
}

func (m *modal) choose(c echo.Context, w way) error {
	chosen, err := m.Workflows.Choose(c.Request().Context(), w.secret, c.FormValue("fund"), m.PayURL+w.at("/return"))
	switch {
	case fault.HasCode(err, "fund_missing"):
		return m.fundsPage(c, w, http.StatusUnprocessableEntity, noticed(ui.Danger, w.said.Notices.Choose))
	case fault.HasCode(err, "fund_unavailable"):
		return m.fundsPage(c, w, http.StatusUnprocessableEntity, w.unusable(err))
	case fault.HasCode(err, "amount_invalid"):
		return c.Redirect(http.StatusSeeOther, w.at(""))
	case err == nil && chosen.Kind == workflow.Nonintegrated:
		return c.Redirect(http.StatusSeeOther, w.at("/instructions"))
	}
	return leads(c, chosen.VisitAddress, err)
}

func (m *modal) instructions(c echo.Context, w way) error {
	if over, err := ended(c, w); over {
		return err
	}
	if w.Kind != workflow.Nonintegrated {
		return c.Redirect(http.StatusSeeOther, w.at("/fund"))
	}
	f, err := m.Workflows.Fund(c.Request().Context(), w.Workflow)
	if err != nil {
		return err
	}
	said := w.said.Offline
	in := pages.Instructions{Fund: f.Name, Website: f.Website, Text: f.Instructions,
		Pairs: []ui.Pair{{Key: said.Organization, Value: w.Merchant}, {Key: said.EIN, Value: w.EIN},
			{Key: w.said.Frame.Amount, Value: w.dollars(*w.Amount)}}}
	if in.Text == "" || w.said.Language != text.LanguageEnglish { // providers write English
		in.Text = pages.Say(said.Instructions, f.Name)
	}
	if w.Donor.Note != "" {
		in.Pairs = append(in.Pairs, ui.Pair{Key: said.Note, Value: w.Donor.Note})
	}
	p := m.page(w, said.Name)
	p.Step = 3
	return show(c, http.StatusOK, pages.InstructionsPage(p, in))
}

func (m *modal) confirm(c echo.Context, w way) error {
	err := m.Workflows.Confirm(c.Request().Context(), w.secret)
	if fault.HasCode(err, "fund_missing") {
		return c.Redirect(http.StatusSeeOther, w.at("/fund"))
	}
	return leads(c, w.at("/done"), err)
}

// returned is where a fund sends a donor back to, however the visit ended.
func (m *modal) returned(c echo.Context, w way) error {
	state, reason, err := m.Workflows.Returned(c.Request().Context(), w.secret)
	if err != nil {
		return err
	}
	switch {
	case state == provider.VisitAuthorized:
		return c.Redirect(http.StatusSeeOther, w.at("/done"))
	case state == provider.VisitOpen:
		p := m.page(w, w.said.Ends.Unfinished)
		p.Step = 3
		return show(c, http.StatusOK, pages.UnfinishedPage(p, w.FundName, w.VisitAddress))
	case reason == provider.ReasonUnconfirmed:
		return m.unconfirmed(c, w)
	case reason != "":
		return m.fundsPage(c, w, http.StatusOK, noticeOf(reason, w))
	case state == provider.VisitFailed:
		return m.fundsPage(c, w, http.StatusOK, noticed(ui.Warning, w.said.Notices.CouldNot, w.FundName))
	}
	return m.fundsPage(c, w, http.StatusOK, noticed(ui.Info, w.said.Notices.CameBack))
}

func (m *modal) cancel(c echo.Context, w way) error {
	return leads(c, w.at("/done"), m.Workflows.Cancel(c.Request().Context(), w.secret))
}

// done is the last page, which tells the page around the modal how it ended.
func (m *modal) done(c echo.Context, w way) error {
	if w.State == workflow.Open {
		return c.Redirect(http.StatusSeeOther, w.at(""))
	}
	said := w.said.Ends
	end := pages.End{Tone: ui.Neutral, Title: said.Canceled, Text: said.CanceledText}
	if w.State == workflow.Confirmed {
		end = pages.End{Tone: ui.Success, Title: said.Thanks, Text: pages.Say(said.Authorized, w.Merchant),
			Pairs: []ui.Pair{{Key: w.said.Frame.Amount, Value: w.dollars(*w.Authorized)},
				{Key: said.Fund, Value: w.FundName}}}
		if w.Kind == workflow.Nonintegrated {
			end.Text = pages.Say(said.Confirmed, w.Merchant)
		}
	}
	p := m.page(w, end.Title)
	var err error
	if p.Result, err = resultOf(w); err != nil {
		return err
	}
	return show(c, http.StatusOK, pages.EndPage(p, end))
}
