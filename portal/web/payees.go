package web

import (
	"net/url"
	"slices"
	"strings"

	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// Merchant reads the merchant that the address names.
func (d *Desk) Merchant(c *Request) (merchant.Merchant, error) {
	id, err := Number(c.Param("id"))
	if err != nil {
		return merchant.Merchant{}, err
	}
	return d.merchants.Get(c.Ctx(), c.Actor(), id)
}

// Offered is how many merchants a filter offers to choose from.
const Offered = 100

// Payees are merchants that the visitor sees.
type Payees struct {
	Names  map[int64]string
	First  []merchant.Summary // the first ones by id, for a filter
	More   bool               // than those
	PaidIn []money.Currency   // of all of them
}

// OwnersOf are the merchants of the rows of a list.
func OwnersOf[T any](rows []T, owner func(T) int64) []int64 {
	out := make([]int64, len(rows))
	for i, one := range rows {
		out[i] = owner(one)
	}
	return out
}

// Payees finds the merchants that a filter offers, and those that rows of a list belong to.
func (d *Desk) Payees(c *Request, rows ...int64) (out Payees, err error) {
	ctx, a := c.Ctx(), c.Actor()
	of, err := d.merchants.First(ctx, a, Offered)
	if err != nil {
		return out, err
	}
	out = Payees{Names: map[int64]string{}, First: of.Items, More: of.HasMore}
	for _, m := range of.Items {
		out.Names[m.ID] = m.Name
		out.PaidIn = append(out.PaidIn, m.Currency)
	}
	slices.Sort(out.PaidIn)
	out.PaidIn = slices.Compact(out.PaidIn)
	if out.More {
		if out.PaidIn, err = d.merchants.Currencies(ctx, a); err != nil {
			return out, err
		}
	}
	rows = slices.DeleteFunc(slices.Concat(rows, ChosenMerchant(c.QueryParams())),
		func(id int64) bool { _, known := out.Names[id]; return known })
	if len(rows) == 0 {
		return out, nil
	}
	more, err := d.merchants.SummariesOf(ctx, a, rows)
	for id, m := range more {
		out.Names[id] = m.Name
	}
	return out, err
}

// Filter chooses one of them; nil if there is nothing to choose. Where there are too many to offer, the id is typed,
// and the names are for what is chosen.
func (ps Payees) Filter(t *text.Catalogue, label string) []ui.Filter {
	out := ui.Filter{Name: "merchant", Label: label, Kind: ui.FilterOne}
	if ps.More {
		out.Kind, out.Hint = ui.FilterWords, t.Parts.MerchantByID
		for id, name := range ps.Names {
			out.Options = append(out.Options, ui.Option{Value: Whole(id), Label: name})
		}
		return []ui.Filter{out}
	}
	for _, m := range ps.First {
		out.Options = append(out.Options, ui.Option{Value: Whole(m.ID), Label: m.Name})
	}
	if len(out.Options) < 2 {
		return nil
	}
	return []ui.Filter{out}
}

// CurrencyFilter chooses a currency where merchants are paid in several.
func (ps Payees) CurrencyFilter(t *text.Catalogue, query url.Values) []ui.Filter {
	if len(ps.PaidIn) < 2 && !query.Has("currency") {
		return nil
	}
	out := ui.Filter{Name: "currency", Label: t.Charges.Currency, Kind: ui.FilterOne}
	for _, one := range money.Currencies() {
		out.Options = append(out.Options, ui.Option{Value: string(one), Label: text.Code(one)})
	}
	return []ui.Filter{out}
}

// ChosenMerchant is what the filter of merchants selects: nil for all, and nothing for what is no merchant.
func ChosenMerchant(query url.Values) []int64 {
	if query.Get("merchant") == "" {
		return nil
	}
	id, _ := Number(strings.TrimSpace(query.Get("merchant"))) // no merchant has 0
	return []int64{id}
}
