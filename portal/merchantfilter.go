package portal

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/page"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// fewMerchants is how many merchants a filter lists by name; of more it asks for the number.
const fewMerchants = 20

// merchants are those that rows of a list are of, by name.
type merchants struct {
	known map[int64]merchant.Merchant
	few   []merchant.Merchant // all that the visitor sees, if they are few
}

// merchantsOf finds the merchants of some rows, and those that a filter offers.
func merchantsOf[T any](p *Portal, c echo.Context, rows []T, of func(T) int64) (merchants, error) {
	ctx, a := c.Request().Context(), actor(c)
	out := merchants{known: map[int64]merchant.Merchant{}}
	all, err := p.Merchants.List(ctx, a, merchant.ListInput{Page: page.Input[int64]{Limit: fewMerchants, Ascending: true}})
	if err != nil {
		return out, err
	}
	for _, m := range all.Items {
		out.known[m.ID] = m
	}
	if !all.HasMore {
		out.few = all.Items
		slices.SortFunc(out.few, func(x, y merchant.Merchant) int { return cmp.Compare(x.Name, y.Name) })
	}
	var others []int64
	for _, row := range rows {
		if _, ok := out.known[of(row)]; !ok {
			others = append(others, of(row))
		}
	}
	if len(others) == 0 {
		return out, nil
	}
	found, err := p.Merchants.Several(ctx, a, others)
	for id, m := range found {
		out.known[id] = m
	}
	return out, err
}

// name is the merchant's, else its number.
func (m merchants) name(id int64) string {
	return cmp.Or(m.known[id].Name, strconv.FormatInt(id, 10))
}

// currencies counts those that the merchants are paid in, as far as they are known.
func (m merchants) currencies() int {
	seen := map[money.Currency]bool{}
	for _, one := range m.known {
		seen[one.Currency] = true
	}
	return len(seen)
}

// filter selects by merchant: by its name, or by its number where there are many.
func (m merchants) filter(t *text.Catalogue) ui.Filter {
	out := ui.Filter{Name: "merchant", Label: t.Charges.Merchant, Kind: ui.FilterMany}
	if m.few == nil {
		out.Kind, out.Hint = ui.FilterWords, t.Charges.MerchantHint
		return out
	}
	for _, one := range m.few {
		out.Options = append(out.Options, ui.Option{Value: strconv.FormatInt(one.ID, 10), Label: one.Name})
	}
	return out
}
