package portal

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/views"
	"svcpay/views/ui"
)

const payoutsPath = "/portal/payouts"

func (p *Portal) payoutRoutes() []route {
	return slices.Concat([]route{
		{http.MethodGet, payoutsPath, access(authz.PayoutRead), p.showPayouts},
		{http.MethodGet, payoutsPath + ".csv", access(authz.ExportCreate), p.exportPayouts},
		{http.MethodGet, payoutsPath + "/:id", access(authz.PayoutRead), p.showPayout},
		{http.MethodGet, payoutsPath + "/:id/entries.csv", access(authz.ExportCreate), p.exportPayoutEntries},
	}, p.balanceRoutes(), p.merchantPayoutRoutes())
}

// payoutInput reads what the address selects.
func payoutInput(c echo.Context, query url.Values) payout.ListInput {
	in := payout.ListInput{Page: cursors(query, ids.ParsePayout), Created: days(c, query, "created"), Amounts: amounts(query, "amount"),
		Statuses: query["status"], Merchants: chosenMerchant(query)}
	arrival := func(name string, more int) *time.Time {
		day, err := time.Parse(time.DateOnly, query.Get(name))
		if err != nil {
			return nil
		}
		day = day.AddDate(0, 0, more)
		return &day
	}
	in.ArrivalOn = page.Times{From: arrival("arrives_from", 0), Until: arrival("arrives_until", 1)}
	return in
}

func (p *Portal) showPayouts(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(payoutsPath, query); untidy {
		return seeOther(c, to)
	}
	payouts, err := p.Payouts.List(c.Request().Context(), actor(c), payoutInput(c, query))
	if err != nil {
		return err
	}
	owners := make([]int64, 0, len(payouts.Items))
	for _, one := range payouts.Items {
		owners = append(owners, one.MerchantID)
	}
	merchants, err := p.payees(c, owners...)
	if err != nil {
		return err
	}
	t := say(c)
	view := views.Payouts{Bar: p.payoutBar(c, query, merchants)}
	if p.may(c, authz.BalanceRead) {
		view.Balances = balancesPath
	}
	for _, one := range payouts.Items {
		view.Lines = append(view.Lines, views.PayoutLine{Href: payoutsPath + "/" + one.ID.String(), Merchant: merchants.names[one.MerchantID],
			Bank: t.Payouts.To(one.BankName, one.Last4), Amount: one.Amount, Currency: one.Currency, Tone: payoutTones[one.Status],
			Status: t.Payouts.Statuses[string(one.Status)], Contents: t.Payouts.MadeOf(one.ChargeCount, one.RefundCount),
			Arrives: t.Day(string(one.ArrivalOn)), At: one.CreatedAt.Time})
	}
	view.Pager = pagerOf(payoutsPath, query, payouts, func(one payout.Payout) string { return one.ID.String() }, t.Payouts.Shown(len(payouts.Items)))
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Payouts.Title), view.List(t)))
}

// payoutTones say what a status means.
var payoutTones = map[payout.Status]ui.Tone{payout.Processing: ui.Info, payout.Paid: ui.Success, payout.Failed: ui.Danger, payout.Returned: ui.Danger}

func (p *Portal) payoutBar(c echo.Context, query url.Values, merchants payees) ui.FilterBar {
	t := say(c)
	bar := ui.FilterBar{Path: payoutsPath, Query: query, Target: ui.ResultsID, Filters: []ui.Filter{
		{Name: "status", Label: t.Payouts.Status, Kind: ui.FilterMany, Options: options(payout.Statuses(), t.Payouts.Statuses)},
		{Name: "amount", Label: t.Payouts.Amount, Kind: ui.FilterAmount},
		{Name: "arrives", Label: t.Payouts.Arrives, Kind: ui.FilterDays},
		{Name: "created", Label: t.Payouts.Made, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.today(c))},
	}}
	if f, several := merchants.filter(t, t.Payouts.Merchant); several {
		bar.Filters = append(bar.Filters, f)
	}
	if p.may(c, authz.ExportCreate) {
		bar.Export = payoutsPath + ".csv"
	}
	return bar
}

// exportPayouts is the list of this view as a file.
func (p *Portal) exportPayouts(c echo.Context) error {
	in := payoutInput(c, c.QueryParams())
	read := func(at page.Input[ids.Payout]) (page.Of[payout.Payout], error) {
		in.Page = at
		return p.Payouts.List(c.Request().Context(), actor(c), in)
	}
	head := []string{"id", "created_at", "merchant_id", "status", "amount", "currency", "arrival_on", "bank_name", "bank_last4", "statement_descriptor",
		"charges", "refunds", "entries", "period_from", "period_to", "paid_at", "failed_at", "returned_at", "failure"}
	return sheet(c, say(c).Payouts.Sheet, head, func(write func(...string) error) error {
		return everyPage(in.Page, read, func(one payout.Payout) ids.Payout { return one.ID }, func(one payout.Payout) error {
			why := ""
			if one.Failure != nil {
				why = one.Failure.Code
			}
			return write(one.ID.String(), stamp(one.CreatedAt.Time), whole(one.MerchantID), string(one.Status), units(one.Amount), string(one.Currency),
				string(one.ArrivalOn), one.BankName, one.Last4, one.StatementDescriptor, whole(int64(one.ChargeCount)), whole(int64(one.RefundCount)),
				whole(int64(one.EntryCount)), stamp(one.PeriodFrom.Time), stamp(one.PeriodTo.Time), stampAt(one.PaidAt), stampAt(one.FailedAt),
				stampAt(one.ReturnedAt), why)
		})
	})
}
