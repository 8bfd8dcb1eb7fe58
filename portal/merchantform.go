package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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

const merchantNew = merchantsPath + "/new"

// merchantInputs are those inputs of the forms that are named otherwise than what they say.
var merchantInputs = map[string]string{"organization_id": "organization", "organization.name": "organization_name", "has_daf_provider": "nonprofit"}

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

func (p *Portal) showNewMerchant(c *web.Request) error {
	typed := url.Values{"country": {merchant.Countries()[0]}, "bank_processor": {"p"}, "minimum_charge": {money.UsualMinCharge.Decimal()}}
	if owner := c.QueryParam("organization"); owner != "" {
		typed.Set("organization", owner)
	}
	return p.newMerchantForm(c, http.StatusOK, views.MerchantForm{Typed: typed})
}

func (p *Portal) newMerchantForm(c *web.Request, status int, f views.MerchantForm) (err error) {
	t := c.Text()
	f.Action, f.Back, f.Once, f.Zones, f.Banks = merchantNew, merchantsPath, web.NewOnce(), zonesOf(t.Merchants, f.Typed.Get("time_zone")), banksOf(t.Merchant)
	for _, code := range merchant.Countries() {
		f.Countries = append(f.Countries, ui.Option{Value: code, Label: t.Merchant.Countries[code]})
	}
	owner, _ := web.Number(f.Typed.Get("organization"))
	if f.Organizations, err = p.organizations(c, owner); err != nil {
		return err
	}
	return web.Render(c, status, views.MerchantNewPage(c.Page(t.Merchants.New), f))
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
	nonprofit := form.Get("nonprofit") != ""
	in := merchant.CreateInput{
		Name: web.Given(form, "name"), Country: web.Given(form, "country"), EIN: web.Given(form, "ein"), Nonprofit: &nonprofit,
		BankProcessor: web.Given(form, "bank_processor"), TimeZone: web.Given(form, "time_zone"), StatementDescriptor: web.Given(form, "statement_descriptor"),
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

func (p *Portal) addMerchant(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	t := c.Text().Merchants
	var made merchant.Merchant
	in, err := newMerchant(t, form)
	if err == nil {
		made, err = web.Settled(p.Merchants.Create(c.Ctx(), c.Actor(), in, claim))
	}
	if above, beside, ok := web.Problems(c.Text(), err, c.Text().Failures.Correct, merchantInputs); ok {
		return p.newMerchantForm(c, web.StatusOf(web.KindOf(err)), views.MerchantForm{Typed: form, Problems: above, Errors: beside})
	}
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: t.Added(made.Name)})
	return web.SeeOther(c, merchantAt(made.ID, ""))
}

// typedOf is a merchant as its form has it.
func typedOf(m merchant.Merchant) url.Values {
	out := url.Values{"name": {m.Name}, "time_zone": {m.TimeZone}, "statement_descriptor": {m.StatementDescriptor}, "bank_processor": {m.BankProcessor},
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

func (p *Portal) showEditMerchant(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	return p.editForm(c, http.StatusOK, m, views.MerchantForm{Typed: typedOf(m)})
}

func (p *Portal) editForm(c *web.Request, status int, m merchant.Merchant, f views.MerchantForm) error {
	t := c.Text()
	f.Action, f.Back, f.Once, f.Version = merchantAt(m.ID, "/edit"), merchantAt(m.ID, ""), web.NewOnce(), cmp.Or(f.Version, strconv.Itoa(m.Version))
	f.Zones, f.US, f.Enrolled = zonesOf(t.Merchants, m.TimeZone), m.Country == "US", m.DAFProviderConnectID != nil
	if c.May(authz.MerchantCreate) { // as the use-case asks of whoever gives one
		f.Banks = banksOf(t.Merchant)
	}
	return web.Render(c, status, views.MerchantEditPage(c.Page(t.Merchants.EditTitle), m.Name, f))
}

// changed is what the form changes of a merchant.
func changed(t text.Merchants, m merchant.Merchant, form url.Values) (merchant.UpdateInput, error) {
	text := func(name string) patch.Member[string] {
		if v := web.Given(form, name); v != nil {
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
	if d := web.Given(form, "statement_descriptor"); d != nil {
		in.StatementDescriptor = patch.Set(*d)
	}
	if v, err := strconv.Atoi(form.Get(web.VersionField)); err == nil {
		in.IfVersion = &v
	}
	minimum, err := minimumOf(t, form)
	if minimum != nil {
		in.MinimumCharge = patch.Set(*minimum)
	}
	return in, err
}

func (p *Portal) editMerchant(c *web.Request) error {
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
	t := c.Text()
	in, err := changed(t.Merchants, m, form)
	if err == nil {
		_, err = web.Settled(p.Merchants.Update(c.Ctx(), c.Actor(), m.ID, in, claim))
	}
	if above, beside, ok := web.Problems(c.Text(), err, t.Failures.Correct, merchantInputs); ok {
		f := views.MerchantForm{Typed: form, Version: web.VersionKept(form, err), Problems: above, Errors: beside}
		if fault.HasCode(err, "object_changed") {
			f.Theirs = differing(t, typedOf(m), form)
		}
		return p.editForm(c, web.StatusOf(web.KindOf(err)), m, f)
	}
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: t.Merchants.Saved})
	return web.SeeOther(c, merchantAt(m.ID, ""))
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
		if old, now := saved.Get(l.name), strings.TrimSpace(typed.Get(l.name)); old != now && (l.name == "nonprofit" || typed.Has(l.name)) {
			out = append(out, ui.Edit{Field: l.label, Old: show(l.name, old), New: show(l.name, now)})
		}
	}
	return out
}
