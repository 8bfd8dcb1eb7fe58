package merchants

import (
	"net/url"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const merchantNew = web.MerchantsPath + "/new"

// merchantInputs are those inputs of the forms that are named otherwise than what they say.
var merchantInputs = map[string]string{"organization_id": "organization", "organization.name": "organization_name",
	"has_daf_provider": "nonprofit"}

// zonesOf are the time zones that the form offers, with the one that the merchant has.
func zonesOf(t text.Merchants, has string) (out []ui.Option) {
	for name, label := range t.Zones {
		out = append(out, ui.Option{Value: name, Label: label})
	}
	if _, known := t.Zones[has]; !known && has != "" {
		out = append(out, ui.Option{Value: has, Label: has})
	}
	slices.SortFunc(out, func(a, b ui.Option) int { return strings.Compare(a.Label, b.Label) })
	return out
}

func banksOf(t text.Merchant) []ui.Option {
	return []ui.Option{{Value: "p", Label: t.Banks["p"]}, {Value: "q", Label: t.Banks["q"]}}
}

func (p *Pages) newMerchantForm() web.Form[struct{}] {
	return web.Form[struct{}]{Draw: p.drawNewMerchant, Once: true, Inputs: merchantInputs,
		Fill: func(c *web.Request, _ struct{}) (url.Values, error) {
			return url.Values{"country": {merchant.Countries()[0]}, "bank_processor": {"p"},
				"minimum_charge": {money.UsualMinCharge.Decimal()},
				"organization":   {c.QueryParam("organization")}}, nil
		},
		Do: func(c *web.Request, _ struct{}, in web.Input) (done web.Done, err error) {
			create, err := newMerchant(c.Text().Merchants, in.Values)
			if err != nil {
				return done, err
			}
			made, err := web.Settled(p.Merchants.Create(c.Ctx(), c.Actor(), create, in.Claim))
			return web.Saved(web.MerchantAt(made.ID, ""), c.Text().Merchants.Added(made.Name), err)
		}}
}

func (p *Pages) drawNewMerchant(c *web.Request, _ struct{}, in web.Input) (err error) {
	t := c.Text()
	f := views.MerchantForm{Typed: in.Values, Problems: in.Problems, Errors: in.Errors, Action: merchantNew,
		Back: web.MerchantsPath, Once: web.NewOnce(),
		Zones: zonesOf(t.Merchants, in.Get("time_zone")), Banks: banksOf(t.Merchant),
		Countries: web.Options(merchant.Countries(), t.Merchant.Countries)}
	owner, _ := web.Number(in.Get("organization"))
	if f.Organizations, err = p.organizations(c, owner); err != nil {
		return err
	}
	return web.Render(c, in.Status, views.MerchantNewPage(c.Page(t.Merchants.New), f))
}

// minimumOf reads the minimum charge that was typed; nil for none.
func minimumOf(t text.Merchants, form url.Values) (*money.Amount, error) {
	typed := web.Given(form, "minimum_charge")
	if typed == nil {
		return nil, nil
	}
	amount, err := money.ParseDecimal(strings.TrimPrefix(*typed, "$"))
	if err != nil || amount < money.MinCharge || amount > money.MaxCharge {
		var fs fault.Fields
		fs.Add("minimum_charge", web.CodeForm, t.MinimumMissing)
		return nil, fs.Err()
	}
	return &amount, nil
}

// newMerchant is what the form says of a new merchant.
func newMerchant(t text.Merchants, form url.Values) (merchant.CreateInput, error) {
	in := merchant.CreateInput{
		Name: web.Given(form, "name"), Country: web.Given(form, "country"), EIN: web.Given(form, "ein"),
		Nonprofit: new(form.Get("nonprofit") != ""), BankProcessor: web.Given(form, "bank_processor"),
		TimeZone: web.Given(form, "time_zone"), StatementDescriptor: web.Given(form, "statement_descriptor"),
		ExternalID: web.Given(form, "external_id"),
	}
	if id, err := web.Number(form.Get("organization")); err == nil {
		in.OrganizationID = &id
	}
	if name := web.Given(form, "organization_name"); name != nil || in.OrganizationID == nil {
		in.Organization = &merchant.NewOrganization{Name: name}
	}
	var err error
	in.MinimumCharge, err = minimumOf(t, form)
	return in, err
}

// typedOf is a merchant as its form has it.
func typedOf(m merchant.Merchant) url.Values {
	out := url.Values{"name": {m.Name}, "time_zone": {m.TimeZone}, "statement_descriptor": {m.StatementDescriptor},
		"bank_processor": {m.BankProcessor},
		"minimum_charge": {m.MinimumCharge.Decimal()}}
	if m.Nonprofit {
		out.Set("nonprofit", "on")
	}
	if m.EIN != nil {
		out.Set("ein", *m.EIN)
	}
	if m.ExternalID != nil {
		out.Set("external_id", *m.ExternalID)
	}
	return out
}

func (p *Pages) editForm() web.Form[merchant.Merchant] {
	return web.Form[merchant.Merchant]{Load: p.Merchant, Draw: drawEditMerchant, Once: true, Inputs: merchantInputs,
		Fill: func(_ *web.Request, m merchant.Merchant) (url.Values, error) { return typedOf(m), nil },
		Do: func(c *web.Request, m merchant.Merchant, in web.Input) (done web.Done, err error) {
			update, err := changed(c.Text().Merchants, m, in)
			if err != nil {
				return done, err
			}
			_, err = web.Settled(p.Merchants.Update(c.Ctx(), c.Actor(), m.ID, update, in.Claim))
			return web.Saved(web.MerchantAt(m.ID, ""), c.Text().Merchants.Saved, err)
		}}
}

func drawEditMerchant(c *web.Request, m merchant.Merchant, in web.Input) error {
	t := c.Text()
	f := views.MerchantForm{Typed: in.Values, Problems: in.Problems, Errors: in.Errors,
		Action: web.MerchantAt(m.ID, "/edit"), Back: web.MerchantAt(m.ID, ""),
		Once: web.NewOnce(), Version: in.Version(m.Version), Zones: zonesOf(t.Merchants,
			m.TimeZone), US: m.Country == "US", Enrolled: m.DAFProviderConnectID != nil}
	if c.May(authz.MerchantCreate) { // as the use-case asks of one who sets it
		f.Banks = banksOf(t.Merchant)
	}
	if in.Changed() {
		f.Theirs = differing(t, typedOf(m), in.Values)
	}
	return web.Render(c, in.Status, views.MerchantEditPage(c.Page(t.Merchants.EditTitle), m.Name, f))
}

// changed is what the form changes of a merchant.
func changed(t text.Merchants, m merchant.Merchant, form web.Input) (merchant.UpdateInput, error) {
	text := func(name string) patch.Member[string] {
		if v := web.Given(form.Values, name); v != nil {
			return patch.Set(*v)
		}
		return patch.Clear[string]()
	}
	in := merchant.UpdateInput{
		Name: patch.Set(strings.TrimSpace(form.Get("name"))), Nonprofit: patch.Set(form.Get("nonprofit") != ""),
		TimeZone: text("time_zone"), ExternalID: text("external_id"),
	}
	if form.Has("bank_processor") {
		in.BankProcessor = text("bank_processor")
	}
	if m.Country == "US" && m.DAFProviderConnectID == nil {
		in.EIN = text("ein")
	}
	if d := web.Given(form.Values, "statement_descriptor"); d != nil {
		in.StatementDescriptor = patch.Set(*d)
	}
	in.IfVersion = form.IfVersion()
	minimum, err := minimumOf(t, form.Values)
	if minimum != nil {
		in.MinimumCharge = patch.Set(*minimum)
	}
	return in, err
}

// differing is where what is saved and what was typed differ.
func differing(t *text.Catalogue, saved, typed url.Values) (out []ui.Edit) {
	labels := []struct{ name, label string }{
		{"name", t.Merchants.Name},
		{"nonprofit", t.Merchant.Nonprofit},
		{"ein", t.Merchant.EIN},
		{"time_zone", t.Merchant.TimeZone},
		{"statement_descriptor", t.Merchant.Descriptor},
		{"bank_processor", t.Merchant.Bank},
		{"minimum_charge", t.Merchant.Minimum},
		{"external_id", t.Merchants.Reference},
	}
	show := func(name, value string) string {
		switch {
		case name == "nonprofit" && value == "":
			return t.Merchant.No
		case name == "nonprofit":
			return t.Merchant.Yes
		case name == "bank_processor":
			return t.Merchant.Banks[value]
		}
		return value
	}
	for _, l := range labels {
		if old, now := saved.Get(l.name), strings.TrimSpace(typed.Get(l.name)); old != now &&
			(l.name == "nonprofit" || typed.Has(l.name)) {
			out = append(out, ui.Edit{Field: l.label, Old: show(l.name, old), New: show(l.name, now)})
		}
	}
	return out
}

func (p *Pages) merchantStatusForm() web.Form[merchant.Merchant] {
	return web.Form[merchant.Merchant]{Load: p.Merchant, Draw: drawMerchantStatus,
		Inputs: map[string]string{"status": "to"},
		Fill: func(c *web.Request, _ merchant.Merchant) (url.Values, error) {
			return url.Values{"to": {c.QueryParam("to")}}, nil
		},
		Do: func(c *web.Request, m merchant.Merchant, in web.Input) (web.Done, error) {
			_, err := p.Merchants.SetStatus(c.Ctx(), c.Actor(),
				merchant.StatusInput{MerchantID: m.ID, Status: merchant.Status(in.Get("to")), Reason: in.Get("reason")})
			return web.Saved(web.MerchantAt(m.ID, ""), c.Text().Merchants.Changed, err)
		}}
}

func drawMerchantStatus(c *web.Request, m merchant.Merchant, in web.Input) error {
	t := c.Text()
	f := views.StatusForm{Action: web.MerchantAt(m.ID, "/status"), Back: web.MerchantAt(m.ID, ""), Name: m.Name,
		To: in.Get("to"), Reason: in.Get("reason"),
		Problems: in.Problems, Errors: in.Errors}
	for _, to := range merchant.Moves() {
		if to.From == m.Status {
			f.Moves = append(f.Moves,
				ui.Option{Value: string(to.To), Label: moveLabels(t.Merchant)[to.To],
					Detail: t.Merchants.StatusText[string(to.To)]})
		}
	}
	return web.Render(c, in.Status, views.StatusPage(c.Page(t.Merchants.StatusTitle(m.Name)), f))
}
