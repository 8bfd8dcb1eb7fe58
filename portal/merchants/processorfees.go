package merchants

import (
	"svcpay/portal/web"
	"svcpay/views"
)

// processorFees are what the application's processor accounts cost in each of the last 12 months.
func (p *Pages) processorFees(c *web.Request) (views.ProcessorFees, error) {
	all, err := p.Ledger.ProcessorFeesByMonth(c.Ctx(), c.Actor(), p.Today(c).AddDate(-1, 1, 0))
	var out views.ProcessorFees
	for _, m := range all {
		out = append(out, views.FeeMonth{Month: m.Month.UTC().Format("January 2006"),
			Account: m.Processor + " " + m.External, Currency: m.Currency, Charged: m.Charged, Refunded: m.Refunded})
	}
	return out, err
}
