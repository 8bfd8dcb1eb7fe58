package portal

import (
	"context"
	"strings"

	"svcpay/internal/fee"
	"svcpay/internal/money"
	"svcpay/views"
	"svcpay/views/text"
)

// feePreview is what the last 30 days did cost and would have cost.
func feePreview(ctx context.Context, t *text.Catalogue, p fee.Preview) *views.FeePreview {
	zone := text.To(ctx)
	out := &views.FeePreview{Text: t.MerchantFees.PreviewText(p.Events, zone.Date(p.From.Time), zone.Date(p.To.Time)), Events: p.Events, Old: p.OldTotal, New: p.NewTotal}
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
			payments = append(payments, f.TooDearCost(f.Example(f.Kinds[string(i.kinds[len(i.kinds)-1])], "", brandNames[i.brand]), t.Amount(cost)))
		}
	}
	if len(payments) == 0 {
		return ""
	}
	return f.TooDearText(t.Amount(minimum), payments)
}

// brandNames are brands as they call themselves.
var brandNames = map[string]string{"amex": "American Express", "visa": "Visa", "mastercard": "Mastercard", "discover": "Discover", "jcb": "JCB", "diners_club": "Diners Club"}

// feeExamples are three payments with their fees by both rates: those that change most of the last 30 days, then
// invented ones.
func feeExamples(t *text.Catalogue, happened []fee.PreviewEvent, old, now fee.Rates) (out []views.FeeExample) {
	f := t.MerchantFees
	for _, e := range happened {
		one := views.FeeExample{Title: f.Example(f.Kinds[string(e.Kind)], t.Amount(e.Base), brandNames[e.Brand]), Old: e.OldTotal, New: e.NewTotal,
			OldLines: feeLines(t, e.Old), NewLines: feeLines(t, e.New), Href: chargesPath + "/" + e.SourceID}
		if strings.HasPrefix(e.SourceID, "dp_") {
			one.Href = disputesPath + "/" + e.SourceID
		}
		out = append(out, one)
	}
	for _, i := range invented[:len(invented)-min(len(out), len(invented))] {
		var was, is []fee.Line
		for _, kind := range i.kinds {
			was = append(was, fee.Schedule{Rates: old}.Lines(kind, i.base, i.brand)...)
			is = append(is, fee.Schedule{Rates: now}.Lines(kind, i.base, i.brand)...)
		}
		out = append(out, views.FeeExample{Title: f.Example(f.Kinds[string(i.kinds[len(i.kinds)-1])], t.Amount(i.base), brandNames[i.brand]), Note: f.Imagined,
			Old: fee.Total(was), New: fee.Total(is), OldLines: feeLines(t, was), NewLines: feeLines(t, is)})
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
