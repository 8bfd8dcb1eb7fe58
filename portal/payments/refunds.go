package payments

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const refundsFile = web.RefundsPath + ".csv"

func (p *Pages) refundRoutes() []web.Route {
	return append([]web.Route{
		web.Get(web.RefundsPath, authz.RefundRead, p.refundList().Show).Grows(),
		web.Get(refundsFile, authz.ExportCreate, p.refundList().Send).Grows(),
		web.Get(web.RefundsPath+"/totals", authz.RefundRead, p.showRefundTotals).Grows(),
		web.Get(web.RefundsPath+"/:id", authz.RefundRead, web.Show(p.refundPageOf, p.showRefund)),
	}, p.refundCancelForm().Routes(web.RefundsPath+"/:id/cancel", authz.RefundCancel)...)
}

// refundInput reads what the address selects. What is no value of a filter selects nothing by it.
func refundInput(c *web.Request, at page.Input[ids.Refund]) refund.ListInput {
	query := c.QueryParams()
	in := refund.ListInput{Page: at, Created: web.Days(c, query, "created"), Amounts: web.Amounts(query, "amount"),
		Statuses: known(query["status"], refund.Statuses()), Reasons: known(query["reason"], refund.Reasons()),
		Currencies: known(query["currency"], money.CurrencyNames()), Merchants: web.ChosenMerchant(query)}
	if words := strings.TrimSpace(query.Get("q")); words != "" {
		if id, err := ids.ParseCharge(words); err == nil {
			in.ChargeID = &id
		} else {
			in.ExternalID = &words
		}
	}
	return in
}

// refundList is the list of refunds. Amounts in its file are in units of the currency, with a point.
func (p *Pages) refundList() web.List[refund.Refund, ids.Refund] {
	return web.List[refund.Refund, ids.Refund]{Path: web.RefundsPath, Read: ids.ParseRefund,
		Opens: web.ByID(ids.ParseRefund),
		Key:   func(r refund.Refund) ids.Refund { return r.ID },
		Find:  web.Find(refundInput, p.Refunds.List),
		Draw:  p.drawRefunds,
		Shown: func(t *text.Catalogue, n int) string { return t.Refunds.Shown(n) },
		File:  "refunds", Line: func(_ *web.Request, r refund.Refund) []string { return refundLine(r) },
		Head: []string{"id", "created_at", "charge_id", "status", "amount", "currency", "reason", "note", "started_by",
			"key", "merchant_id",
			"external_id", "succeeded_at", "failure"}}
}

func (p *Pages) drawRefunds(c *web.Request, refunds page.Of[refund.Refund]) (view views.List, err error) {
	here, err := p.Payees(c, web.OwnersOf(refunds.Items, func(r refund.Refund) int64 { return r.MerchantID })...)
	if err != nil {
		return view, err
	}
	t := c.Text()
	view = views.List{Head: ui.Head{Title: t.Refunds.Title, Text: t.Refunds.Text}, Bar: p.refundBar(c, here),
		Empty: ui.NothingYet(ui.IconRefund, t.Refunds.EmptyTitle, t.Refunds.EmptyText),
		Begin: []ui.Button{{Label: t.Refunds.ToCharges, Href: web.ChargesPath, Variant: ui.Outline}}}
	if len(refunds.Items) == 0 {
		return view, nil
	}
	if view.Table, err = p.refundTable(c, refunds, here); err != nil {
		return view, err
	}
	sums, err := p.Refunds.FewTotals(c.Ctx(), c.Actor(), refundInput(c, page.Input[ids.Refund]{}), mostSummed)
	view.Totals = listTotals(c, t.Refunds.Count, sums, refundFigures)
	return view, err
}

func (p *Pages) refundBar(c *web.Request, here web.Payees) ui.FilterBar {
	t, query := c.Text(), c.QueryParams()
	filters := []ui.Filter{
		{Name: "status", Label: t.Refunds.Status, Kind: ui.FilterMany, Options: web.Options(refund.Statuses(), t.Refunds.Statuses)},
		{Name: "amount", Label: t.Refunds.Amount, Kind: ui.FilterAmount, Error: wrongAmount(t, query, "amount")},
		{Name: "created", Label: t.Refunds.Created, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.Today(c))},
		{Name: "reason", Label: t.Refunds.Reason, Kind: ui.FilterMany, Options: web.Options(refund.Reasons(), t.Acts.Reasons)},
	}
	return ui.FilterBar{Search: ui.Filter{Name: "q", Label: t.Refunds.Search, Kind: ui.FilterWords},
		Filters: slices.Concat(filters, here.Filter(t, t.Refunds.Merchant), here.CurrencyFilter(t, query))}
}

// refundTones say what a refund's status means.
var refundTones = map[refund.Status]ui.Tone{refund.Pending: ui.Info, refund.Succeeded: ui.Success,
	refund.Failed: ui.Danger, refund.Canceled: ui.Neutral}

func refundState(t *text.Catalogue, r refund.Refund) views.State {
	out := views.State{Tone: refundTones[r.Status], Word: t.Refunds.Statuses[string(r.Status)]}
	if r.PendingReason != nil {
		out.Note = t.Refunds.WaitsFor
	}
	if r.FailedLater() {
		out.Note = t.Refunds.MoneyBack
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

func (p *Pages) refundTable(c *web.Request, refunds page.Of[refund.Refund], here web.Payees) (ui.Table, error) {
	t, refunded := c.Text(), make([]ids.Charge, len(refunds.Items))
	for i, r := range refunds.Items {
		refunded[i] = r.ChargeID
	}
	charges, err := p.Charges.SummariesOf(c.Ctx(), c.Actor(), refunded)
	out := ui.Table{Caption: t.Refunds.Title, Target: ui.ResultsID, Columns: []ui.Column{
		{Title: t.Refunds.Payer, Place: ui.PlaceLead}, {Title: t.Refunds.Amount, Right: true, Place: ui.PlaceAmount},
		{Title: t.Refunds.Status, Place: ui.PlaceState}, {Title: t.Refunds.By}, {Title: t.Refunds.Reason},
		{Title: t.Refunds.Merchant, Place: ui.PlaceGone},
		{Title: t.Refunds.Created, Right: true, Place: ui.PlaceTime},
	}}
	for _, r := range refunds.Items {
		of := charges[r.ChargeID]
		method, _ := web.MethodOf(t, of)
		who, where := starter(t, r.InitiatedBy)
		out.Rows = append(out.Rows, ui.Row{Href: web.RefundsPath + "/" + r.ID.String(),
			Cells: []templ.Component{ui.Two(web.PayerOf(t, of), method), ui.Money(r.Amount, r.Currency),
				views.ChargeState(refundState(t, r)),
				ui.Two(who, where), ui.Plain(cmp.Or(t.Acts.Reasons[web.Deref(r.Reason)], "–")),
				ui.Plain(here.Names[r.MerchantID]), ui.Time(r.CreatedAt.Time)}})
	}
	return out, err
}

func refundLine(r refund.Refund) []string {
	return []string{r.ID.String(), web.Stamp(r.CreatedAt.Time), r.ChargeID.String(), string(r.Status),
		web.Units(r.Amount), string(r.Currency), web.Deref(r.Reason), web.Deref(r.Note),
		cmp.Or(r.InitiatedBy.User, r.InitiatedBy.Kind), r.InitiatedBy.KeyName, strconv.FormatInt(r.MerchantID, 10),
		web.Deref(r.ExternalID), web.StampAt(r.SucceededAt), web.Deref(r.Failure).Code}
}

// showRefundTotals adds up however many there are: the page that the list asks for when they are many.
func (p *Pages) showRefundTotals(c *web.Request) error {
	sums, err := p.Refunds.Totals(c.Ctx(), c.Actor(), refundInput(c, page.Input[ids.Refund]{}))
	return showTotals(c, c.Text().Refunds.Title, web.RefundsPath, refundFigures(c.Text(), sums), err)
}

func refundFigures(t *text.Catalogue, sums []refund.Totals) templ.Component {
	var rows []ui.FigureRow
	for _, s := range sums {
		row := []ui.Figure{{Label: t.Refunds.Count, Value: ui.Number(s.Count)},
			{Label: t.Refunds.Succeeded, Value: ui.Amount(s.Succeeded)}}
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
