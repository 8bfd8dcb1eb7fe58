package portal

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/page"
	"svcpay/views/ui"
)

// offered is how many merchants a filter offers to choose from.
const offered = 100

// payees are merchants that the visitor sees.
type payees struct {
	names map[int64]string
	all   []merchant.Merchant // the first ones by id, for a filter
}

// payees finds the merchants that a filter offers, and those that rows of a list belong to, in one query or two.
func (p *Portal) payees(c echo.Context, rows ...int64) (payees, error) {
	ctx, a := c.Request().Context(), actor(c)
	of, err := p.Merchants.List(ctx, a, merchant.ListInput{Page: page.Input[int64]{Limit: offered, Ascending: true}})
	if err != nil {
		return payees{}, err
	}
	out := payees{names: map[int64]string{}, all: of.Items}
	for _, m := range of.Items {
		out.names[m.ID] = m.Name
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(id int64) bool { _, known := out.names[id]; return known })
	if len(rows) == 0 {
		return out, nil
	}
	more, err := p.Merchants.Several(ctx, a, rows)
	for id, m := range more {
		out.names[id] = m.Name
	}
	return out, err
}

// filter chooses one of them; false if there is nothing to choose.
func (ps payees) filter(label string) (ui.Filter, bool) {
	out := ui.Filter{Name: "merchant", Label: label, Kind: ui.FilterOne}
	for _, m := range ps.all {
		out.Options = append(out.Options, ui.Option{Value: strconv.FormatInt(m.ID, 10), Label: m.Name})
	}
	return out, len(ps.all) > 1
}

// currencies counts those that the merchants are paid in.
func (ps payees) currencies() int {
	seen := map[money.Currency]bool{}
	for _, m := range ps.all {
		seen[m.Currency] = true
	}
	return len(seen)
}

// chosenMerchant is what the filter of merchants selects: nil for all, and nothing for what is no merchant.
func chosenMerchant(query url.Values) []int64 {
	if query.Get("merchant") == "" {
		return nil
	}
	id, _ := number(query.Get("merchant")) // 0 is nobody's
	return []int64{id}
}

// merchantHref leads to a merchant, where that page is open to the visitor.
func (p *Portal) merchantHref(c echo.Context, id int64) string {
	if !p.reachable(c)[merchantsPath+"/:id"] {
		return ""
	}
	return merchantsPath + "/" + strconv.FormatInt(id, 10)
}

// below is an address below a page for which the table has that route, where it is open to the visitor; "" else.
func (p *Portal) below(c echo.Context, path, id string) string {
	if !p.reachable(c)[path+"/:id"] {
		return ""
	}
	return path + "/" + id
}
