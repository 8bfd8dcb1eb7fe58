package payments

import (
	"strconv"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Pages) payoutRoutes() []web.Route {
	return []web.Route{
		web.Get(web.PayoutsPath, authz.PayoutRead, p.payoutList().Show).Grows(),
		web.Get(web.PayoutsPath+".csv", authz.ExportCreate, p.payoutList().Send).Grows(),
		web.Get(web.PayoutsPath+"/:id", authz.PayoutRead, web.Show(p.payout, p.showPayout)).Grows(),
		web.Get(web.PayoutsPath+"/:id/entries.csv", authz.ExportCreate,
			web.Show(p.payout, p.exportPayoutEntries)).Grows(),
	}
}

// payoutInput reads what the address selects.
func payoutInput(c *web.Request, at page.Input[ids.Payout]) payout.ListInput {
	query := c.QueryParams()
	in := payout.ListInput{Page: at, Created: web.Days(c, query, "created"), Amounts: web.Amounts(query, "amount"),
		Statuses: query["status"], Merchants: web.ChosenMerchant(query)}
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

func (p *Pages) payoutList() web.List[payout.Payout, ids.Payout] {
	return web.List[payout.Payout, ids.Payout]{Path: web.PayoutsPath, Read: ids.ParsePayout,
		Key:   func(one payout.Payout) ids.Payout { return one.ID },
		Find:  web.Find(payoutInput, p.Payouts.List),
		Draw:  p.drawPayouts,
		Shown: func(t *text.Catalogue, n int) string { return t.Payouts.Shown(n) },
		File:  "payouts", Line: payoutRow,
		Head: []string{"id", "created_at", "merchant_id", "status", "amount", "currency", "arrival_on", "bank_name",
			"bank_last4",
			"statement_descriptor", "charges", "refunds", "entries", "period_from", "period_to", "paid_at", "failed_at",
			"returned_at", "failure"}}
}

func payoutRow(_ *web.Request, one payout.Payout) []string {
	return []string{one.ID.String(), web.Stamp(one.CreatedAt.Time), web.Whole(one.MerchantID), string(one.Status),
		web.Units(one.Amount), string(one.Currency),
		string(one.ArrivalOn), one.BankName, one.Last4, one.StatementDescriptor, strconv.Itoa(one.ChargeCount),
		strconv.Itoa(one.RefundCount),
		strconv.Itoa(one.EntryCount), web.Stamp(one.PeriodFrom.Time), web.Stamp(one.PeriodTo.Time),
		web.StampAt(one.PaidAt), web.StampAt(one.FailedAt),
		web.StampAt(one.ReturnedAt), web.Deref(one.Failure).Code}
}

func (p *Pages) drawPayouts(c *web.Request, payouts page.Of[payout.Payout]) (views.List, error) {
	merchants, err := p.Payees(c,
		web.OwnersOf(payouts.Items, func(one payout.Payout) int64 { return one.MerchantID })...)
	if err != nil {
		return views.List{}, err
	}
	t, view := c.Text(), views.Payouts{Bar: p.payoutBar(c, merchants)}
	if c.May(authz.BalanceRead) {
		view.Balances = web.BalancesPath
	}
	for _, one := range payouts.Items {
		view.Lines = append(view.Lines,
			views.PayoutLine{Href: web.PayoutsPath + "/" + one.ID.String(), Merchant: merchants.Names[one.MerchantID],
				Bank: t.Payouts.To(one.BankName, one.Last4), Amount: one.Amount, Currency: one.Currency,
				Tone:   payoutTones[one.Status],
				Status: t.Payouts.Statuses[string(one.Status)], Contents: t.Payouts.MadeOf(one.ChargeCount,
					one.RefundCount),
				Arrives: t.Day(string(one.ArrivalOn)), At: one.CreatedAt.Time})
	}
	return view.List(t), nil
}

// payoutTones say what a status means.
var payoutTones = map[payout.Status]ui.Tone{payout.Processing: ui.Info, payout.Paid: ui.Success,
	payout.Failed: ui.Danger, payout.Returned: ui.Danger}

func (p *Pages) payoutBar(c *web.Request, merchants web.Payees) ui.FilterBar {
	t := c.Text()
	filters := []ui.Filter{
		{Name: "status", Label: t.Payouts.Status, Kind: ui.FilterMany, Options: web.Options(payout.Statuses(), t.Payouts.Statuses)},
		{Name: "amount", Label: t.Payouts.Amount, Kind: ui.FilterAmount},
		{Name: "arrives", Label: t.Payouts.Arrives, Kind: ui.FilterDays},
		{Name: "created", Label: t.Payouts.Made, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.Today(c))},
	}
	return ui.FilterBar{Filters: append(filters, merchants.Filter(t, t.Payouts.Merchant)...)}
}
