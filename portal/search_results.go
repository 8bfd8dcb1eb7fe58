package portal

import (
	"cmp"
	"strconv"

	"github.com/a-h/templ"

	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/refund"
	"svcpay/internal/report"
	"svcpay/portal/web"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// grouped shows what was found by kind, in the order of the navigation, merchants first.
func (p *Portal) grouped(c *web.Request, found []report.Found) ([]ui.FoundGroup, error) {
	var of []int64
	for _, f := range found {
		if id := merchantOf(f.Object); id != 0 {
			of = append(of, id)
		}
	}
	merchants, err := p.Merchants.SummariesOf(c.Ctx(), c.Actor(), of)
	if err != nil {
		return nil, err
	}
	t := c.Text()
	groups := []ui.FoundGroup{{Label: t.Search.Merchants}, {Label: t.Search.Charges}, {Label: t.Search.Refunds}, {Label: t.Search.Disputes},
		{Label: t.Search.Payouts}, {Label: t.Search.Donations}}
	for _, f := range found {
		if kind, line := lineOf(t, f, merchants[merchantOf(f.Object)].Name); line.Href != "" {
			groups[kind].Items = append(groups[kind].Items, line)
		}
	}
	return groups, nil
}

// merchantOf is whose an object is; 0 of a merchant itself.
func merchantOf(object any) int64 {
	switch o := object.(type) {
	case charge.Charge:
		return o.MerchantID
	case refund.Refund:
		return o.MerchantID
	case dispute.Dispute:
		return o.MerchantID
	case payout.Payout:
		return o.MerchantID
	case daf.Donation:
		return o.MerchantID
	}
	return 0
}

// lineOf is an object as a line of what was found, and which group it is in.
func lineOf(t *text.Catalogue, f report.Found, of string) (group int, line ui.Found) {
	say := func(icon ui.IconName, title, detail, path string, aside templ.Component) ui.Found {
		return ui.Found{Icon: icon, Title: title, Detail: t.Search.Line(detail, of, f.ID), Href: path + f.ID, Aside: aside}
	}
	switch o := f.Object.(type) {
	case merchant.Merchant:
		return 0, ui.Found{Icon: ui.IconMerchant, Title: o.Name, Detail: t.Search.Line(o.Country, strconv.FormatInt(o.ID, 10), ""), Href: merchantsPath + "/" + f.ID,
			Aside: ui.Plain(t.Merchant.Statuses[string(o.Status)])}
	case charge.Charge:
		method, _ := methodOf(t, o.Summary())
		return 1, say(ui.IconCharge, payerOf(t, o.Summary())+" · "+method, t.Charges.Statuses[string(o.Status)], chargesPath+"/", ui.Money(o.Amount, o.Currency))
	case refund.Refund:
		return 2, say(ui.IconRefund, t.Search.RefundOf(o.ChargeID.String()), deref(o.Note), refundsPath+"/", ui.Money(o.Amount, o.Currency))
	case dispute.Dispute:
		return 3, say(ui.IconDispute, cmp.Or(t.Search.Dispute[string(o.Kind)], string(o.Kind)), "", disputesPath+"/", ui.Money(o.Amount, o.Currency))
	case payout.Payout:
		return 4, say(ui.IconPayout, t.Search.PayoutTo(t.Charges.Digits(o.BankName, o.Destination.Last4)), "", payoutsPath+"/", ui.Money(o.Amount, o.Currency))
	case daf.Donation:
		return 5, say(ui.IconDonation, donor(t, o)+" · "+o.Fund.Name, t.Donations.Statuses[string(o.Status)], donationsPath+"/", ui.Money(o.Amount, o.Currency))
	}
	return 0, ui.Found{}
}
