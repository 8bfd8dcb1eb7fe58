package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	chargesPath = "/portal/charges"
	chargesFile = chargesPath + ".csv"
)

// chargeRoutes are the pages of charges. None creates one.
func (p *Portal) chargeRoutes() []route {
	return []route{
		{http.MethodGet, chargesPath, access(authz.ChargeRead), p.showCharges},
		{http.MethodGet, chargesFile, access(authz.ExportCreate), p.sendCharges},
		{http.MethodGet, chargesPath + "/totals", access(authz.ChargeRead), p.showChargeTotals},
		{http.MethodGet, chargesPath + "/:id", access(authz.ChargeRead), p.showCharge},
	}
}

// chargeInput reads what the address selects. What is no value of a filter selects nothing by it.
func chargeInput(c echo.Context, query url.Values) charge.ListInput {
	in := charge.ListInput{Page: cursors(query, ids.ParseCharge), Created: days(c, query, "created"), Amounts: amounts(query, "amount"),
		Statuses: known(query["status"], charge.Statuses()), Types: known(query["method"], charge.Types()),
		Currencies: known(query["currency"], money.CurrencyNames()), Merchants: chosenMerchant(query)}
	switch query.Get("recurring") {
	case "yes", "no":
		yes := query.Get("recurring") == "yes"
		in.Recurring = &yes
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

func (p *Portal) showCharges(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(chargesPath, query); untidy {
		return seeOther(c, to)
	}
	if id, err := ids.ParseCharge(strings.TrimSpace(query.Get("q"))); err == nil {
		return seeOther(c, chargesPath+"/"+id.String())
	}
	t, in := say(c), chargeInput(c, query)
	charges, here, err := p.chargesAndPayees(c, in)
	if err != nil {
		return err
	}
	view := views.List{Head: ui.Head{Title: t.Charges.Title, Text: t.Charges.Text}, Bar: p.chargeBar(c, query, here),
		Empty: ui.NothingYet(ui.IconCharge, t.Charges.EmptyTitle, t.Charges.EmptyText),
		Pager: pagerOf(chargesPath, query, charges, func(one charge.Summary) string { return one.ID.String() }, t.Charges.Shown(len(charges.Items))),
		Table: chargeTable(t, charges, here)}
	if len(charges.Items) > 0 {
		if view.Totals, err = p.chargeTotals(c, in); err != nil {
			return err
		}
	}
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Charges.Title), view))
}

// chargesAndPayees finds the charges of a page and the merchants that they can be filtered by.
func (p *Portal) chargesAndPayees(c echo.Context, in charge.ListInput) (charges page.Of[charge.Summary], here payees, err error) {
	ctx, a := c.Request().Context(), actor(c)
	if charges, err = p.Charges.Summaries(ctx, a, in); err != nil {
		return charges, here, err
	}
	merchants, err := p.Merchants.First(ctx, a, offered)
	if err != nil {
		return charges, here, err
	}
	var of []int64
	for _, one := range charges.Items {
		of = append(of, one.MerchantID)
	}
	here, err = p.payeesOf(c, merchants, of...)
	return charges, here, err
}

func (p *Portal) chargeBar(c echo.Context, query url.Values, here payees) ui.FilterBar {
	t := say(c)
	bar := ui.FilterBar{Path: chargesPath, Query: query, Target: ui.ResultsID,
		Search: ui.Filter{Name: "q", Label: t.Charges.Search, Kind: ui.FilterWords},
		Filters: []ui.Filter{
			{Name: "status", Label: t.Charges.Status, Kind: ui.FilterMany, Options: options(charge.Statuses(), t.Charges.Statuses)},
			{Name: "method", Label: t.Charges.Method, Kind: ui.FilterMany, Options: options(charge.Types(), t.Charges.Types)},
			{Name: "amount", Label: t.Charges.Amount, Kind: ui.FilterAmount, Error: wrongAmount(t, query, "amount")},
			{Name: "created", Label: t.Charges.Created, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.today(c))},
			{Name: "recurring", Label: t.Charges.Recurring, Kind: ui.FilterOne, Options: []ui.Option{
				{Value: "yes", Label: t.Charges.Recurring}, {Value: "no", Label: t.Charges.Once}}},
			{Name: "metadata", Label: t.Charges.Metadata, Kind: ui.FilterWords, Hint: t.Charges.MetadataHint, Error: wrongPair(t, query)},
		}}
	if filter, some := here.filter(t, t.Charges.Merchant); some {
		bar.Filters = append(bar.Filters, filter)
	}
	if len(here.paidIn) > 1 || query.Has("currency") {
		bar.Filters = append(bar.Filters, ui.Filter{Name: "currency", Label: t.Charges.Currency, Kind: ui.FilterOne, Options: currencies()})
	}
	if p.may(c, authz.ExportCreate) {
		bar.Export = chargesFile
	}
	return bar
}

// options are values that a filter offers, in their order, with their names.
func options(values []string, names map[string]string) (out []ui.Option) {
	for _, v := range values {
		out = append(out, ui.Option{Value: v, Label: cmp.Or(names[v], v)})
	}
	return out
}

func currencies() (out []ui.Option) {
	for _, one := range money.Currencies() {
		out = append(out, ui.Option{Value: string(one), Label: text.Code(one)})
	}
	return out
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
	read := amounts(query, name)
	if query.Get(name+"_min") != "" && read.Least == nil || query.Get(name+"_max") != "" && read.Most == nil {
		return t.Charges.BadAmount
	}
	return ""
}

func chargeTable(t *text.Catalogue, charges page.Of[charge.Summary], here payees) ui.Table {
	out := ui.Table{Caption: t.Charges.Title, Target: ui.ResultsID, Columns: []ui.Column{
		{Title: t.Charges.Payer, Place: ui.PlaceLead}, {Title: t.Charges.Amount, Right: true, Place: ui.PlaceAmount},
		{Title: t.Charges.Status, Place: ui.PlaceState}, {Title: t.Charges.Method, Whole: true}, {Title: t.Charges.Merchant, Place: ui.PlaceGone},
		{Title: t.Charges.Created, Right: true, Place: ui.PlaceTime},
	}, Rows: make([]ui.Row, 0, len(charges.Items))}
	for _, one := range charges.Items {
		payer := payerOf(t, one)
		method, detail := methodOf(t, one)
		out.Rows = append(out.Rows, ui.Row{Href: chargesPath + "/" + one.ID.String(),
			Cells: []templ.Component{ui.Two(payer, mailbox.Shown(one.Email)), ui.Money(one.Amount, one.Currency), views.ChargeState(stateOf(t, one)),
				ui.Method(method, detail), ui.Plain(here.names[one.MerchantID]), ui.Time(one.CreatedAt.Time)}})
	}
	return out
}

// sendCharges answers with the list as CSV. Amounts are in units of the currency, with a point.
func (p *Portal) sendCharges(c echo.Context) error {
	in := chargeInput(c, c.QueryParams())
	ctx, a := c.Request().Context(), actor(c)
	head := []string{"id", "created_at", "status", "amount", "captured", "refunded", "disputed", "fees", "net", "currency", "type", "brand", "last4",
		"payer", "email", "merchant_id", "external_id", "recurring", "description", "failure", "return_code", "available_on", "payout_id",
		"returned", "dispute_fees", "net_after_reversals"}
	return sheet(c, "charges", head, func(write func(...string) error) error {
		return everyPage(in.Page, func(at page.Input[ids.Charge]) (page.Of[charge.Charge], error) {
			in.Page = at
			return p.Charges.List(ctx, a, in)
		}, func(one charge.Charge) ids.Charge { return one.ID }, func(one charge.Charge) error { return write(chargeLine(one)...) })
	})
}

func chargeLine(c charge.Charge) []string {
	brand, failure, payout, available := "", "", "", ""
	if c.PaymentMethod.CardMethod != nil {
		brand = c.PaymentMethod.Brand
	}
	if c.Failure != nil {
		failure = c.Failure.Code
	}
	if c.PayoutID != nil {
		payout = c.PayoutID.String()
	}
	if c.AvailableOn != nil {
		available = string(*c.AvailableOn)
	}
	return []string{c.ID.String(), stamp(c.CreatedAt.Time), string(c.Status), units(c.Amount), units(c.AmountCaptured), units(c.AmountRefunded),
		units(c.AmountDisputed), units(c.FeeTotal), units(c.Net), string(c.Currency), string(c.Type), brand, c.PaymentMethod.Last4,
		c.Billing.Name(), mailbox.Shown(c.Billing.Email), strconv.FormatInt(c.MerchantID, 10), deref(c.ExternalID), strconv.FormatBool(c.Recurring),
		deref(c.Description), failure, deref(c.ReturnCode), available, payout,
		units(c.AmountReturned), units(c.DisputeFeeTotal), units(c.NetAfterReversals)}
}

// mostSummed is how many charges, refunds and the like are added up while the page waits.
const mostSummed = 1_000

// chargeTotals are the sums above the list; of very many, what adds them up afterwards.
func (p *Portal) chargeTotals(c echo.Context, in charge.ListInput) (templ.Component, error) {
	sums, err := p.Charges.FewTotals(c.Request().Context(), actor(c), in, mostSummed)
	if err != nil {
		return nil, err
	}
	if len(sums) > 0 {
		return chargeFigures(say(c), sums), nil
	}
	t := say(c).Charges
	query := c.QueryParams()
	query.Del("after")
	query.Del("before")
	return views.LateTotals(ui.Figure{Label: t.Count, Value: ui.Plain(t.Over)},
		ui.Lazy{ID: views.TotalsID, Href: withQuery(chargesPath+"/totals", query), Label: t.AddUp, Lines: 1}), nil
}

// showChargeTotals adds up however many there are: the page that the list asks for when they are many.
func (p *Portal) showChargeTotals(c echo.Context) error {
	t := say(c)
	sums, err := p.Charges.Totals(c.Request().Context(), actor(c), chargeInput(c, c.QueryParams()))
	if err != nil && !pg.IsSlow(err) {
		return err
	}
	figures := chargeFigures(t, sums)
	if err != nil {
		figures = ui.Plain(t.Charges.TooMany)
	}
	return render(c, http.StatusOK, views.TotalsPage(p.page(c, t.Charges.Title), ui.Crumb{Label: t.Charges.Title, Href: withQuery(chargesPath, c.QueryParams())}, figures))
}

func chargeFigures(t *text.Catalogue, sums []charge.Totals) templ.Component {
	taken := []struct {
		label string
		of    func(charge.Totals) money.Amount
	}{
		{t.Charges.Refunded, func(s charge.Totals) money.Amount { return s.Refunded }}, {t.Charges.Returned, func(s charge.Totals) money.Amount { return s.Returned }},
		{t.Charges.Disputed, func(s charge.Totals) money.Amount { return s.Disputed }}, {t.Charges.Fees, func(s charge.Totals) money.Amount { return s.Fees }},
	}
	var rows []ui.FigureRow
	for _, s := range sums {
		row := []ui.Figure{{Label: t.Charges.Count, Value: ui.Number(s.Count)}, {Label: t.Charges.Captured, Value: ui.Amount(s.Captured)}}
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
