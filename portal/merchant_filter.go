package portal

import (
	"net/url"
	"slices"
	"strings"

	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/portal/web"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// offered is how many merchants a filter offers to choose from.
const offered = 100

// payees are merchants that the visitor sees.
type payees struct {
	names  map[int64]string
	first  []merchant.Summary // the first ones by id, for a filter
	more   bool               // than those
	paidIn []money.Currency   // of all of them
}

// ownersOf are the merchants of the rows of a list.
func ownersOf[T any](rows []T, owner func(T) int64) []int64 {
	out := make([]int64, len(rows))
	for i, one := range rows {
		out[i] = owner(one)
	}
	return out
}

// payees finds the merchants that a filter offers, and those that rows of a list belong to.
func (p *Portal) payees(c *web.Request, rows ...int64) (out payees, err error) {
	ctx, a := c.Ctx(), c.Actor()
	of, err := p.Merchants.First(ctx, a, offered)
	if err != nil {
		return out, err
	}
	out = payees{names: map[int64]string{}, first: of.Items, more: of.HasMore}
	for _, m := range of.Items {
		out.names[m.ID] = m.Name
		out.paidIn = append(out.paidIn, m.Currency)
	}
	slices.Sort(out.paidIn)
	out.paidIn = slices.Compact(out.paidIn)
	if out.more {
		if out.paidIn, err = p.Merchants.Currencies(ctx, a); err != nil {
			return out, err
		}
	}
	rows = slices.DeleteFunc(slices.Concat(rows, chosenMerchant(c.QueryParams())), func(id int64) bool { _, known := out.names[id]; return known })
	if len(rows) == 0 {
		return out, nil
	}
	more, err := p.Merchants.SummariesOf(ctx, a, rows)
	for id, m := range more {
		out.names[id] = m.Name
	}
	return out, err
}

// filter chooses one of them; nil if there is nothing to choose. Where there are too many to offer, the id is typed,
// and the names are for what is chosen.
func (ps payees) filter(t *text.Catalogue, label string) []ui.Filter {
	out := ui.Filter{Name: "merchant", Label: label, Kind: ui.FilterOne}
	if ps.more {
		out.Kind, out.Hint = ui.FilterWords, t.Parts.MerchantByID
		for id, name := range ps.names {
			out.Options = append(out.Options, ui.Option{Value: whole(id), Label: name})
		}
		return []ui.Filter{out}
	}
	for _, m := range ps.first {
		out.Options = append(out.Options, ui.Option{Value: whole(m.ID), Label: m.Name})
	}
	if len(out.Options) < 2 {
		return nil
	}
	return []ui.Filter{out}
}

// currencyFilter chooses a currency where merchants are paid in several.
func (ps payees) currencyFilter(t *text.Catalogue, query url.Values) []ui.Filter {
	if len(ps.paidIn) < 2 && !query.Has("currency") {
		return nil
	}
	out := ui.Filter{Name: "currency", Label: t.Charges.Currency, Kind: ui.FilterOne}
	for _, one := range money.Currencies() {
		out.Options = append(out.Options, ui.Option{Value: string(one), Label: text.Code(one)})
	}
	return []ui.Filter{out}
}

// chosenMerchant is what the filter of merchants selects: nil for all, and nothing for what is no merchant.
func chosenMerchant(query url.Values) []int64 {
	if query.Get("merchant") == "" {
		return nil
	}
	id, _ := web.Number(strings.TrimSpace(query.Get("merchant"))) // 0 is nobody's
	return []int64{id}
}
