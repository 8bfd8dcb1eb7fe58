package payments

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const chargesFile = web.ChargesPath + ".csv"

// chargeRoutes are the pages of charges. None creates one.
func (p *Pages) chargeRoutes() []web.Route {
	return []web.Route{
		web.Get(web.ChargesPath, authz.ChargeRead, p.chargeList().Show).Grows(),
		web.Get(chargesFile, authz.ExportCreate, p.chargeFile().Send).Grows(),
		web.Get(web.ChargesPath+"/totals", authz.ChargeRead, p.showChargeTotals).Grows(),
		web.Get(web.ChargesPath+"/:id", authz.ChargeRead, web.Show(p.chargePageOf, p.showCharge)),
	}
}

// chargeInput reads what the address selects. What is no value of a filter selects nothing by it.
func chargeInput(c *web.Request, at page.Input[ids.Charge]) charge.ListInput {
	query := c.QueryParams()
	in := charge.ListInput{Page: at, Created: web.Days(c, query, "created"), Amounts: web.Amounts(query, "amount"),
		Statuses: known(query["status"], charge.Statuses()), Types: known(query["method"], charge.Types()),
		Currencies: known(query["currency"], money.CurrencyNames()), Merchants: web.ChosenMerchant(query)}
	switch query.Get("recurring") {
	case "yes", "no":
		in.Recurring = new(query.Get("recurring") == "yes")
	}
	if name, value, ok := pairOf(query.Get("metadata")); ok {
		in.Metadata = map[string]string{name: value}
	}
	switch words := strings.TrimSpace(query.Get("q")); {
	case words == "":
	case strings.Contains(words, "@"):
		in.Email = &words
	case len(words) == 4 && strings.Trim(words, "0123456789") == "":
		in.Last4 = &words
	default:
		in.ExternalID = &words
	}
	return in
}

// known are the values that a filter has; nil if none of them is, which selects all.
func known(values, all []string) (out []string) {
	for _, v := range values {
		if slices.Contains(all, v) {
			out = append(out, v)
		}
	}
	return out
}

// pairOf reads a name and its value of metadata.
func pairOf(words string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(words, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	return name, value, ok && name != ""
}

func (p *Pages) chargeList() web.List[charge.Summary, ids.Charge] {
	return web.List[charge.Summary, ids.Charge]{Path: web.ChargesPath, Read: ids.ParseCharge,
		Opens: web.ByID(ids.ParseCharge),
		Key:   func(one charge.Summary) ids.Charge { return one.ID },
		Find:  web.Find(chargeInput, p.Charges.Summaries),
		Draw:  p.drawCharges,
		Shown: func(t *text.Catalogue, n int) string { return t.Charges.Shown(n) }}
}

func (p *Pages) drawCharges(c *web.Request, charges page.Of[charge.Summary]) (view views.List, err error) {
	here, err := p.Payees(c, web.OwnersOf(charges.Items, func(one charge.Summary) int64 { return one.MerchantID })...)
	if err != nil {
		return view, err
	}
	t := c.Text()
	view = views.List{Head: ui.Head{Title: t.Charges.Title, Text: t.Charges.Text}, Bar: p.chargeBar(c, here),
		Empty: ui.NothingYet(ui.IconCharge, t.Charges.EmptyTitle, t.Charges.EmptyText),
		Table: chargeTable(t, charges, here)}
	if len(charges.Items) > 0 {
		sums, err := p.Charges.FewTotals(c.Ctx(), c.Actor(), chargeInput(c, page.Input[ids.Charge]{}), mostSummed)
		if err != nil {
			return view, err
		}
		view.Totals = listTotals(c, t.Charges.Count, sums, chargeFigures)
	}
	return view, nil
}

func (p *Pages) chargeBar(c *web.Request, here web.Payees) ui.FilterBar {
	t, query := c.Text(), c.QueryParams()
	filters := []ui.Filter{
		{Name: "status", Label: t.Charges.Status, Kind: ui.FilterMany, Options: web.Options(charge.Statuses(), t.Charges.Statuses)},
		{Name: "method", Label: t.Charges.Method, Kind: ui.FilterMany, Options: web.Options(charge.Types(), t.Charges.Types)},
		{Name: "amount", Label: t.Charges.Amount, Kind: ui.FilterAmount, Error: wrongAmount(t, query, "amount")},
		{Name: "created", Label: t.Charges.Created, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.Today(c))},
		{Name: "recurring", Label: t.Charges.Recurring, Kind: ui.FilterOne, Options: []ui.Option{
			{Value: "yes", Label: t.Charges.Recurring}, {Value: "no", Label: t.Charges.Once}}},
		{Name: "metadata", Label: t.Charges.Metadata, Kind: ui.FilterWords, Hint: t.Charges.MetadataHint, Error: wrongPair(t, query)},
	}
	return ui.FilterBar{Search: ui.Filter{Name: "q", Label: t.Charges.Search, Kind: ui.FilterWords},
		Export:  web.Exported(c, chargesFile),
		Filters: slices.Concat(filters, here.Filter(t, t.Charges.Merchant), here.CurrencyFilter(t, query))}
}

// wrongPair says what is wrong with a filter of metadata; "" if nothing is.
func wrongPair(t *text.Catalogue, query url.Values) string {
	if _, _, ok := pairOf(query.Get("metadata")); query.Get("metadata") == "" || ok {
		return ""
	}
	return t.Charges.Pair
}

// wrongAmount says what is wrong with a filter of amounts; "" if nothing is.
func wrongAmount(t *text.Catalogue, query url.Values, name string) string {
	read := web.Amounts(query, name)
	if query.Get(name+"_min") != "" && read.Least == nil || query.Get(name+"_max") != "" && read.Most == nil {
		return t.Charges.BadAmount
	}
	return ""
}

func chargeTable(t *text.Catalogue, charges page.Of[charge.Summary], here web.Payees) ui.Table {
	out := ui.Table{Caption: t.Charges.Title, Target: ui.ResultsID, Columns: []ui.Column{
		{Title: t.Charges.Payer, Place: ui.PlaceLead}, {Title: t.Charges.Amount, Right: true, Place: ui.PlaceAmount},
		{Title: t.Charges.Status, Place: ui.PlaceState}, {Title: t.Charges.Method, Whole: true},
		{Title: t.Charges.Merchant, Place: ui.PlaceGone},
		{Title: t.Charges.Created, Right: true, Place: ui.PlaceTime},
	}, Rows: make([]ui.Row, 0, len(charges.Items))}
	for _, one := range charges.Items {
		payer := web.PayerOf(t, one)
		method, detail := web.MethodOf(t, one)
		out.Rows = append(out.Rows, ui.Row{Href: web.ChargesPath + "/" + one.ID.String(),
			Cells: []templ.Component{ui.Two(payer, mailbox.Shown(one.Email)), ui.Money(one.Amount, one.Currency),
				views.ChargeState(stateOf(t, one)),
				ui.Method(method, detail), ui.Plain(here.Names[one.MerchantID]), ui.Time(one.CreatedAt.Time)}})
	}
	return out
}

// chargeFile is the list as a file. Amounts are in units of the currency, with a point.
func (p *Pages) chargeFile() web.List[charge.Charge, ids.Charge] {
	return web.List[charge.Charge, ids.Charge]{Read: ids.ParseCharge,
		Key:  func(one charge.Charge) ids.Charge { return one.ID },
		Find: web.Find(chargeInput, p.Charges.List),
		File: "charges", Line: func(_ *web.Request, one charge.Charge) []string { return chargeLine(one) },
		Head: []string{"id", "created_at", "status", "amount", "captured", "refunded", "disputed", "fees", "net",
			"currency", "type", "brand",
			"last4", "payer", "email", "merchant_id", "external_id", "recurring", "description", "failure",
			"return_code", "available_on",
			"payout_id", "returned", "dispute_fees", "net_after_reversals"}}
}

func chargeLine(c charge.Charge) []string {
	return []string{c.ID.String(), web.Stamp(c.CreatedAt.Time), string(c.Status), web.Units(c.Amount),
		web.Units(c.AmountCaptured), web.Units(c.AmountRefunded), web.Units(c.AmountDisputed), web.Units(c.FeeTotal),
		web.Units(c.Net), string(c.Currency), string(c.Type), web.Deref(c.PaymentMethod.CardMethod).Brand,
		c.PaymentMethod.Last4, c.Billing.Name(), mailbox.Shown(c.Billing.Email), web.Whole(c.MerchantID),
		web.Deref(c.ExternalID), strconv.FormatBool(c.Recurring), web.Deref(c.Description), web.Deref(c.Failure).Code,
		web.Deref(c.ReturnCode), string(web.Deref(c.AvailableOn)), web.Named(c.PayoutID),
		web.Units(c.AmountReturned), web.Units(c.DisputeFeeTotal), web.Units(c.NetAfterReversals)}
}

// mostSummed is how many charges, refunds and the like are added up while the page waits.
const mostSummed = 1_000

// showChargeTotals adds up however many there are: the page that the list asks for when they are many.
func (p *Pages) showChargeTotals(c *web.Request) error {
	sums, err := p.Charges.Totals(c.Ctx(), c.Actor(), chargeInput(c, page.Input[ids.Charge]{}))
	return showTotals(c, c.Text().Charges.Title, web.ChargesPath, chargeFigures(c.Text(), sums), err)
}

// listTotals are the sums above a list; of a list that is too long to be added up at once, what adds it up afterwards.
func listTotals[S any](c *web.Request, count string, sums []S,
	figures func(*text.Catalogue, []S) templ.Component) templ.Component {
	t := c.Text()
	if len(sums) > 0 {
		return figures(t, sums)
	}
	query := c.QueryParams()
	query.Del("after")
	query.Del("before")
	return views.LateTotals(ui.Figure{Label: count, Value: ui.Plain(t.Charges.Over)},
		ui.Lazy{ID: views.TotalsID, Href: web.WithQuery(c.Path()+"/totals", query), Label: t.Charges.AddUp, Lines: 1})
}

// showTotals shows the sums of a list, or that there are too many objects to add up.
func showTotals(c *web.Request, title, list string, figures templ.Component, err error) error {
	if err != nil && !errors.Is(err, page.ErrTooMany) {
		return err
	}
	if err != nil {
		figures = ui.Plain(c.Text().Charges.TooMany)
	}
	crumb := ui.Crumb{Label: title, Href: web.WithQuery(list, c.QueryParams())}
	return web.Render(c, http.StatusOK, views.TotalsPage(c.Page(title), crumb, figures))
}

func chargeFigures(t *text.Catalogue, sums []charge.Totals) templ.Component {
	taken := []struct {
		label string
		of    func(charge.Totals) money.Amount
	}{
		{t.Charges.Refunded, func(s charge.Totals) money.Amount { return s.Refunded }},
		{t.Charges.Returned, func(s charge.Totals) money.Amount { return s.Returned }},
		{t.Charges.Disputed, func(s charge.Totals) money.Amount { return s.Disputed }},
		{t.Charges.Fees, func(s charge.Totals) money.Amount { return s.Fees }},
	}
	var rows []ui.FigureRow
	for _, s := range sums {
		row := []ui.Figure{{Label: t.Charges.Count, Value: ui.Number(s.Count)},
			{Label: t.Charges.Captured, Value: ui.Amount(s.Captured)}}
		for _, one := range taken { // a column that is of no currency is left out
			if slices.ContainsFunc(sums, func(s charge.Totals) bool { return one.of(s) != 0 }) {
				row = append(row, ui.Figure{Label: one.label, Value: ui.Amount(-one.of(s))})
			}
		}
		row = append(row, ui.Figure{Label: t.Charges.Net, Value: ui.Amount(s.Net())})
		rows = append(rows, ui.FigureRow{Currency: s.Currency, Figures: row})
	}
	return ui.Figures(rows)
}
