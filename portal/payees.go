package portal

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
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

// payees finds the merchants that a filter offers, and those that rows of a list belong to.
func (p *Portal) payees(c echo.Context, rows ...int64) (payees, error) {
	of, err := p.Merchants.First(c.Request().Context(), actor(c), offered)
	if err != nil {
		return payees{}, err
	}
	return p.payeesOf(c, of, rows...)
}

// payeesOf are the payees of which the first are known.
func (p *Portal) payeesOf(c echo.Context, of page.Of[merchant.Summary], rows ...int64) (_ payees, err error) {
	ctx, a := c.Request().Context(), actor(c)
	out := payees{names: map[int64]string{}, first: of.Items, more: of.HasMore}
	for _, m := range of.Items {
		out.names[m.ID] = m.Name
		out.paidIn = append(out.paidIn, m.Currency)
	}
	slices.Sort(out.paidIn)
	out.paidIn = slices.Compact(out.paidIn)
	if out.more {
		if out.paidIn, err = p.Merchants.Currencies(ctx, a); err != nil {
			return payees{}, err
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

// filter chooses one of them; false if there is nothing to choose. Where there are too many to offer, the id is typed,
// and the names are for what is chosen.
func (ps payees) filter(t *text.Catalogue, label string) (ui.Filter, bool) {
	out := ui.Filter{Name: "merchant", Label: label, Kind: ui.FilterOne}
	if ps.more {
		out.Kind, out.Hint = ui.FilterWords, t.Parts.MerchantByID
		for id, name := range ps.names {
			out.Options = append(out.Options, ui.Option{Value: whole(id), Label: name})
		}
		return out, true
	}
	for _, m := range ps.first {
		out.Options = append(out.Options, ui.Option{Value: whole(m.ID), Label: m.Name})
	}
	return out, len(ps.first) > 1
}

// chosenMerchant is what the filter of merchants selects: nil for all, and nothing for what is no merchant.
func chosenMerchant(query url.Values) []int64 {
	if query.Get("merchant") == "" {
		return nil
	}
	id, _ := number(strings.TrimSpace(query.Get("merchant"))) // 0 is nobody's
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
