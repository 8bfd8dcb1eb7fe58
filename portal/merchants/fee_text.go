package merchants

import (
	"context"
	"net/url"
	"strings"

	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/money"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// feeValue writes one setting of rates.
func feeValue(t *text.Catalogue, s fee.Setting, r fee.Rates) string {
	flat, percent := s.In(r)
	switch {
	case flat != nil:
		return t.Amount(*flat)
	case percent != nil:
		return t.Percent(*percent)
	}
	return t.MerchantFees.Off
}

// feeTyped writes one setting as its input has it; "" is off.
func feeTyped(s fee.Setting, r fee.Rates) string {
	flat, percent := s.In(r)
	switch {
	case flat != nil:
		return web.Units(*flat)
	case percent != nil:
		return percent.String()
	}
	return ""
}

// feeEdits are the settings in which two rates differ.
func feeEdits(t *text.Catalogue, old, now fee.Rates) (out []ui.Edit) {
	for _, s := range fee.Settings() {
		if was, is := feeValue(t, s, old), feeValue(t, s, now); was != is {
			out = append(out, ui.Edit{Field: t.MerchantFees.Names[s.Name], Old: was, New: is})
		}
	}
	return out
}

// feeRows are the settings next to the defaults, which may be nil.
func feeRows(t *text.Catalogue, r fee.Rates, defaults *fee.Rates) (out []views.FeeRow) {
	for _, s := range fee.Settings() {
		row := views.FeeRow{Name: t.MerchantFees.Names[s.Name], Value: feeValue(t, s, r),
			When: t.MerchantFees.Posted[s.Name]}
		if defaults != nil {
			row.Default = feeValue(t, s, *defaults)
			row.Differs = row.Default != row.Value
		}
		out = append(out, row)
	}
	return out
}

// feeGroups are the settings in the order of the form.
var feeGroups = []struct {
	name     string
	settings []string
}{
	{"card", []string{"authorization_fee", "capture_fee", "amex_surcharge_percentage"}},
	{"bank", []string{"ach_transfer_flat_fee", "ach_transfer_percentage", "ach_transfer_failed_fee", "ach_return_fee"}},
	{"dispute", []string{"chargeback_fee", "retrieval_fee"}},
	{"platform", []string{"platform_flat_fee", "platform_percentage"}},
	{"daf", []string{"daf_percentage"}},
}

// settingOf is the setting of a name.
func settingOf(name string) fee.Setting {
	for _, s := range fee.Settings() {
		if s.Name == name {
			return s
		}
	}
	return fee.Setting{}
}

// feeInputs are the inputs of the form, with what was typed and what is wrong with it.
func feeInputs(t *text.Catalogue, typed url.Values, mistakes map[string]string, now fee.Rates,
	defaults *fee.Rates) (out []views.FeeGroup) {
	f := t.MerchantFees
	for _, g := range feeGroups {
		group := views.FeeGroup{Title: f.Groups[g.name]}
		for _, name := range g.settings {
			s := settingOf(name)
			hint := f.InForce(feeValue(t, s, now))
			if defaults != nil {
				hint += ", " + f.Instead(feeValue(t, s, *defaults))
			}
			if s.Optional {
				hint += ". " + f.OffHint
			}
			in := ui.Field{Name: name, Label: f.Names[name], Hint: hint, Value: typed.Get(name),
				Error: mistakes[name], Optional: s.Optional}
			if s.Unit == fee.Flat {
				in = ui.AmountField(in, "")
			} else {
				in = ui.PercentField(in)
			}
			in.Short = false
			group.Fields = append(group.Fields, in)
		}
		out = append(out, group)
	}
	return out
}

// TypedRates are rates as the form has them.
func TypedRates(r fee.Rates) url.Values {
	out := url.Values{}
	for _, s := range fee.Settings() {
		out.Set(s.Name, feeTyped(s, r))
	}
	return out
}

// ratesOf reads what was typed; mistakes are by the names of the inputs.
func ratesOf(t text.MerchantFees, form url.Values) (r fee.Rates, mistakes fault.Fields) {
	for _, s := range fee.Settings() {
		typed := strings.TrimSpace(form.Get(s.Name))
		if typed == "" && s.Optional {
			continue
		}
		if s.Unit == fee.Flat {
			flat, err := money.ParseDecimal(typed)
			if err != nil || flat > money.MaxCharge {
				mistakes.Add(s.Name, web.CodeForm, t.Amount)
				continue
			}
			s.Put(&r, &flat, nil)
			continue
		}
		percent, err := money.ParsePercent(strings.TrimSpace(strings.TrimSuffix(typed, "%")))
		if err != nil || percent < 0 || percent > money.PercentMax {
			mistakes.Add(s.Name, web.CodeForm, t.Percent)
			continue
		}
		s.Put(&r, nil, &percent)
	}
	return r, mistakes
}

// feePreview is what the last 30 days did cost and would have cost.
func feePreview(ctx context.Context, t *text.Catalogue, p fee.Preview) *views.FeePreview {
	zone := text.To(ctx)
	out := &views.FeePreview{Text: t.MerchantFees.PreviewText(p.Events, zone.Date(p.From.Time), zone.Date(p.To.Time)),
		Events: p.Events, Old: p.OldTotal, New: p.NewTotal}
	for _, f := range p.Fees {
		out.Rows = append(out.Rows, views.FeeCost{Name: t.MerchantFees.Names[f.Fee], Old: f.OldTotal, New: f.NewTotal})
	}
	return out
}

// invented are payments that stand in where there were too few.
var invented = []struct {
	kinds []fee.Kind
	base  money.Amount
	brand string
}{
	{[]fee.Kind{fee.Authorized, fee.Captured}, 10_000, "visa"},
	{[]fee.Kind{fee.Authorized, fee.Captured}, 10_000, "amex"},
	{[]fee.Kind{fee.BankSettled}, 50_000, ""},
}

// tooDear says which payments of a merchant's smallest amount cost more than they bring in; "" for none.
func tooDear(t *text.Catalogue, minimum money.Amount, rates fee.Rates) string {
	f := t.MerchantFees
	var payments []string
	for _, i := range invented {
		cost := money.Amount(0)
		for _, kind := range i.kinds {
			cost += fee.Total(fee.Schedule{Rates: rates}.Lines(kind, minimum, i.brand))
		}
		if cost > minimum {
			payments = append(payments,
				f.TooDearCost(f.Example(f.Kinds[string(i.kinds[len(i.kinds)-1])], "", brandNames[i.brand]),
					t.Amount(cost)))
		}
	}
	if len(payments) == 0 {
		return ""
	}
	return f.TooDearText(t.Amount(minimum), payments)
}

// brandNames are brands as they call themselves.
var brandNames = map[string]string{"amex": "American Express", "visa": "Visa", "mastercard": "Mastercard",
	"discover": "Discover", "jcb": "JCB", "diners_club": "Diners Club"}

// feeExamples are three payments with their fees by both rates: those that change most of the last 30 days, then
// invented ones.
func feeExamples(t *text.Catalogue, happened []fee.PreviewEvent, old, now fee.Rates) (out []views.FeeExample) {
	f := t.MerchantFees
	for _, e := range happened {
		one := views.FeeExample{Title: f.Example(f.Kinds[string(e.Kind)], t.Amount(e.Base), brandNames[e.Brand]),
			Old: e.OldTotal, New: e.NewTotal,
			OldLines: feeLines(t, e.Old), NewLines: feeLines(t, e.New), Href: web.ChargesPath + "/" + e.SourceID}
		if strings.HasPrefix(e.SourceID, "dp_") {
			one.Href = web.DisputesPath + "/" + e.SourceID
		}
		out = append(out, one)
	}
	for _, i := range invented[:len(invented)-min(len(out), len(invented))] {
		var was, is []fee.Line
		for _, kind := range i.kinds {
			was = append(was, fee.Schedule{Rates: old}.Lines(kind, i.base, i.brand)...)
			is = append(is, fee.Schedule{Rates: now}.Lines(kind, i.base, i.brand)...)
		}
		out = append(out,
			views.FeeExample{
				Title: f.Example(f.Kinds[string(i.kinds[len(i.kinds)-1])], t.Amount(i.base), brandNames[i.brand]),
				Note:  f.Imagined,
				Old:   fee.Total(was), New: fee.Total(is), OldLines: feeLines(t, was), NewLines: feeLines(t, is)})
	}
	return out
}

// feeLines explain each line: the rule, its base, and the amount that comes of it.
func feeLines(t *text.Catalogue, lines []fee.Line) (out []string) {
	f := t.MerchantFees
	for _, l := range lines {
		words := f.Names[l.Fee] + ": "
		if l.Rate != nil && l.Basis != nil {
			words += f.Rule(t.Percent(*l.Rate), t.Amount(*l.Basis)) + " = "
		}
		out = append(out, words+t.Amount(l.Amount))
	}
	if len(out) == 0 {
		out = []string{f.Free}
	}
	return out
}
