package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	refundsPath = "/portal/refunds"
	refundsFile = refundsPath + ".csv"
)

func (p *Portal) refundRoutes() []route {
	return []route{
		{http.MethodGet, refundsPath, access(authz.RefundRead), p.showRefunds},
		{http.MethodGet, refundsFile, access(authz.ExportCreate), p.sendRefunds},
		{http.MethodGet, refundsPath + "/totals", access(authz.RefundRead), p.showRefundTotals},
		{http.MethodGet, refundsPath + "/:id", access(authz.RefundRead), p.showRefund},
		{http.MethodGet, refundsPath + "/:id/cancel", access(authz.RefundCancel), p.showRefundCancel},
		{http.MethodPost, refundsPath + "/:id/cancel", access(authz.RefundCancel), p.cancelRefund},
	}
}

// refundInput reads what the address selects. What is no value of a filter selects nothing by it.
func refundInput(c echo.Context, query url.Values) refund.ListInput {
	in := refund.ListInput{Page: cursors(query, ids.ParseRefund), Created: days(c, query, "created"), Amounts: amounts(query, "amount"),
		Statuses: known(query["status"], refund.Statuses()), Reasons: known(query["reason"], refund.Reasons()),
		Currencies: known(query["currency"], money.CurrencyNames()), Merchants: chosenMerchant(query)}
	if words := strings.TrimSpace(query.Get("q")); words != "" {
		if id, err := ids.ParseCharge(words); err == nil {
			in.ChargeID = &id
		} else {
			in.ExternalID = &words
		}
	}
	return in
}

func (p *Portal) showRefunds(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(refundsPath, query); untidy {
		return seeOther(c, to)
	}
	if id, err := ids.ParseRefund(strings.TrimSpace(query.Get("q"))); err == nil {
		return seeOther(c, refundsPath+"/"+id.String())
	}
	t, in := say(c), refundInput(c, query)
	ctx, a := c.Request().Context(), actor(c)
	refunds, err := p.Refunds.List(ctx, a, in)
	if err != nil {
		return err
	}
	var of []int64
	var charges []ids.Charge
	for _, r := range refunds.Items {
		of, charges = append(of, r.MerchantID), append(charges, r.ChargeID)
	}
	here, err := p.payees(c, of...)
	if err != nil {
		return err
	}
	view := views.List{Head: ui.Head{Title: t.Refunds.Title, Text: t.Refunds.Text}, Bar: p.refundBar(c, query, here),
		Empty: ui.NothingYet(ui.IconRefund, t.Refunds.EmptyTitle, t.Refunds.EmptyText),
		Begin: []ui.Button{{Label: t.Refunds.ToCharges, Href: chargesPath, Variant: ui.Outline}},
		Pager: pagerOf(refundsPath, query, refunds, func(r refund.Refund) string { return r.ID.String() }, t.Refunds.Shown(len(refunds.Items)))}
	if len(refunds.Items) > 0 {
		refunded, err := p.Charges.SummariesOf(ctx, a, charges)
		if err != nil {
			return err
		}
		view.Table = refundTable(t, refunds, refunded, here)
		if view.Totals, err = p.refundTotals(c, in); err != nil {
			return err
		}
	}
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Refunds.Title), view))
}

func (p *Portal) refundBar(c echo.Context, query url.Values, here payees) ui.FilterBar {
	t := say(c)
	bar := ui.FilterBar{Path: refundsPath, Query: query, Target: ui.ResultsID,
		Search: ui.Filter{Name: "q", Label: t.Refunds.Search, Kind: ui.FilterWords},
		Filters: []ui.Filter{
			{Name: "status", Label: t.Refunds.Status, Kind: ui.FilterMany, Options: options(refund.Statuses(), t.Refunds.Statuses)},
			{Name: "amount", Label: t.Refunds.Amount, Kind: ui.FilterAmount, Error: wrongAmount(t, query, "amount")},
			{Name: "created", Label: t.Refunds.Created, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.today(c))},
			{Name: "reason", Label: t.Refunds.Reason, Kind: ui.FilterMany, Options: options(refund.Reasons(), t.Acts.Reasons)},
		}}
	if filter, some := here.filter(t, t.Refunds.Merchant); some {
		bar.Filters = append(bar.Filters, filter)
	}
	if len(here.paidIn) > 1 || query.Has("currency") {
		bar.Filters = append(bar.Filters, ui.Filter{Name: "currency", Label: t.Charges.Currency, Kind: ui.FilterOne, Options: currencies()})
	}
	if p.may(c, authz.ExportCreate) {
		bar.Export = refundsFile
	}
	return bar
}

// refundTones say what a refund's status means.
var refundTones = map[refund.Status]ui.Tone{refund.Pending: ui.Info, refund.Succeeded: ui.Success, refund.Failed: ui.Danger, refund.Canceled: ui.Neutral}

func refundState(t *text.Catalogue, r refund.Refund) views.State {
	out := views.State{Tone: refundTones[r.Status], Word: t.Refunds.Statuses[string(r.Status)]}
	if r.PendingReason != nil {
		out.Note = t.Refunds.WaitsFor
	}
	return out
}

// starter is who started a refund.
func starter(t *text.Catalogue, by refund.InitiatedBy) (who, where string) {
	switch {
	case by.User != "":
		return by.User, t.Refunds.InPortal
	case by.KeyName != "":
		return t.Refunds.ByKey(by.KeyName), ""
	case by.Kind == "portal":
		return t.Refunds.InPortal, ""
	}
	return t.Refunds.ByProgram, ""
}

func refundTable(t *text.Catalogue, refunds page.Of[refund.Refund], charges map[ids.Charge]charge.Summary, here payees) ui.Table {
	out := ui.Table{Caption: t.Refunds.Title, Target: ui.ResultsID, Columns: []ui.Column{
		{Title: t.Refunds.Payer, Place: ui.PlaceLead}, {Title: t.Refunds.Amount, Right: true, Place: ui.PlaceAmount},
		{Title: t.Refunds.Status, Place: ui.PlaceState}, {Title: t.Refunds.By}, {Title: t.Refunds.Reason}, {Title: t.Refunds.Merchant, Place: ui.PlaceGone},
		{Title: t.Refunds.Created, Right: true, Place: ui.PlaceTime},
	}}
	for _, r := range refunds.Items {
		of := charges[r.ChargeID]
		method, _ := methodOf(t, of)
		who, where := starter(t, r.InitiatedBy)
		out.Rows = append(out.Rows, ui.Row{Href: refundsPath + "/" + r.ID.String(),
			Cells: []templ.Component{ui.Two(payerOf(t, of), method), ui.Money(r.Amount, r.Currency), views.ChargeState(refundState(t, r)),
				ui.Two(who, where), ui.Plain(cmp.Or(t.Acts.Reasons[deref(r.Reason)], "–")), ui.Plain(here.names[r.MerchantID]), ui.Time(r.CreatedAt.Time)}})
	}
	return out
}

// sendRefunds answers with the list as CSV. Amounts are in units of the currency, with a point.
func (p *Portal) sendRefunds(c echo.Context) error {
	in := refundInput(c, c.QueryParams())
	ctx, a := c.Request().Context(), actor(c)
	head := []string{"id", "created_at", "charge_id", "status", "amount", "currency", "reason", "note", "started_by", "key", "merchant_id", "external_id",
		"succeeded_at", "failure"}
	return sheet(c, "refunds", head, func(write func(...string) error) error {
		return everyPage(in.Page, func(at page.Input[ids.Refund]) (page.Of[refund.Refund], error) {
			in.Page = at
			return p.Refunds.List(ctx, a, in)
		}, func(r refund.Refund) ids.Refund { return r.ID }, func(r refund.Refund) error { return write(refundLine(r)...) })
	})
}

func refundLine(r refund.Refund) []string {
	failure := ""
	if r.Failure != nil {
		failure = r.Failure.Code
	}
	return []string{r.ID.String(), stamp(r.CreatedAt.Time), r.ChargeID.String(), string(r.Status), units(r.Amount), string(r.Currency), deref(r.Reason), deref(r.Note),
		cmp.Or(r.InitiatedBy.User, r.InitiatedBy.Kind), r.InitiatedBy.KeyName, strconv.FormatInt(r.MerchantID, 10), deref(r.ExternalID), stampAt(r.SucceededAt), failure}
}

func (p *Portal) refundTotals(c echo.Context, in refund.ListInput) (templ.Component, error) {
	sums, err := p.Refunds.FewTotals(c.Request().Context(), actor(c), in, mostSummed)
	if err != nil {
		return nil, err
	}
	if len(sums) > 0 {
		return refundFigures(say(c), sums), nil
	}
	query := c.QueryParams()
	query.Del("after")
	query.Del("before")
	return views.LateTotals(ui.Figure{Label: say(c).Refunds.Count, Value: ui.Plain(say(c).Charges.Over)},
		ui.Lazy{ID: views.TotalsID, Href: withQuery(refundsPath+"/totals", query), Label: say(c).Charges.AddUp, Lines: 1}), nil
}

// showRefundTotals adds up however many there are: the page that the list asks for when they are many.
func (p *Portal) showRefundTotals(c echo.Context) error {
	t := say(c)
	sums, err := p.Refunds.Totals(c.Request().Context(), actor(c), refundInput(c, c.QueryParams()))
	if err != nil && !pg.IsSlow(err) {
		return err
	}
	figures := refundFigures(t, sums)
	if err != nil {
		figures = ui.Plain(t.Charges.TooMany)
	}
	return render(c, http.StatusOK, views.TotalsPage(p.page(c, t.Refunds.Title), ui.Crumb{Label: t.Refunds.Title, Href: withQuery(refundsPath, c.QueryParams())}, figures))
}

func refundFigures(t *text.Catalogue, sums []refund.Totals) templ.Component {
	var rows []ui.FigureRow
	for _, s := range sums {
		row := []ui.Figure{{Label: t.Refunds.Count, Value: ui.Number(s.Count)}, {Label: t.Refunds.Succeeded, Value: ui.Amount(s.Succeeded)}}
		if s.Pending > 0 {
			row = append(row, ui.Figure{Label: t.Refunds.Pending, Value: ui.Amount(s.Pending)})
		}
		if s.Failed > 0 {
			row = append(row, ui.Figure{Label: t.Refunds.Failed, Value: ui.Amount(s.Failed)})
		}
		rows = append(rows, ui.FigureRow{Currency: s.Currency, Figures: row})
	}
	return ui.Figures(rows)
}
