package payments

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/report/timeline"
	"svcpay/internal/requestlog"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// chargePage is a charge with what belongs to it, as far as the visitor may see it.
type chargePage struct {
	charge   charge.Charge
	merchant merchant.Merchant
	refunds  []refund.Refund
	disputes []dispute.Dispute
	happened []ui.Happening
	earlier  string          // the entry that the timeline goes on after; "" if these are all
	request  *requestlog.Log // that made it; nil if it is not known any more
	asked    string          // the id of that request
	answered timeline.Entry  // the call that the charge was made by; zero if there is none
	places   map[string]bool
}

// mostRelated is how many refunds or disputes a charge's page shows.
const mostRelated = 20

// chargePageOf reads the charge that the address names, and what belongs to it.
func (p *Pages) chargePageOf(c *web.Request) (out chargePage, err error) {
	ctx, a := c.Ctx(), c.Actor()
	if out.charge, err = p.Charges.Get(ctx, a, c.Param("id")); err != nil {
		return out, err
	}
	out.places = c.Reachable()
	if out.merchant, err = p.Merchants.Get(ctx, a, out.charge.MerchantID); err != nil {
		return out, err
	}
	refunds, err := p.Refunds.List(ctx, a,
		refund.ListInput{Page: page.Input[ids.Refund]{Limit: mostRelated}, ChargeID: &out.charge.ID})
	if err = web.IfAllowed(err); err != nil {
		return out, err
	}
	out.refunds = refunds.Items
	disputes, err := p.Disputes.List(ctx, a,
		dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: mostRelated}, ChargeID: &out.charge.ID})
	if err = web.IfAllowed(err); err != nil {
		return out, err
	}
	out.disputes = disputes.Items
	return out, p.addHappenings(c, &out)
}

func (p *Pages) showCharge(c *web.Request, of chargePage) error {
	t, one := c.Text(), of.charge
	state := stateOf(t, one.Summary())
	acts := p.chargeActs(c, one)
	cardRules, err := p.cardRulesPart(c, of)
	if err != nil {
		return err
	}
	view := views.Detail{
		Head: ui.Head{Title: t.Money(one.Amount, one.Currency),
			Text:   t.Charge.To(web.PayerOf(t, one.Summary()), of.merchant.Name),
			Aside:  ui.Status(state.Tone, state.Word),
			Crumbs: []ui.Crumb{{Label: t.Charges.Title, Href: web.ChargesPath}}},
		Buttons: append(p.receiptActs(c, one), acts.buttons...), Banners: p.chargeBanners(c, of),
		Main: []views.Part{
			{Card: ui.Card{Title: t.Charge.Timeline}, Body: timelineOf(web.ChargesPath+"/"+one.ID.String(), of).View()},
			feesPart(t, of),
		},
		Side: []views.Part{amountsPart(t, of)}, JSON: web.Indented(one),
	}
	if len(acts.refused) > 0 {
		view.Side = append(view.Side,
			views.Part{Card: ui.Card{Title: t.Charge.NotNow}, Body: ui.KeyValue(acts.refused)})
	}
	view.Side = append(view.Side, relatedPart(t, of), detailsPart(t, of), payerPart(t, one))
	view.Side = append(view.Side, cardRules...)
	if len(one.Metadata) > 0 {
		view.Side = append(view.Side,
			views.Part{Card: ui.Card{Title: t.Charge.Metadata}, Body: ui.KeyValue(metadataPairs(one.Metadata))})
	}
	return web.Render(c, http.StatusOK, views.DetailPage(c.Page(view.Head.Title), view))
}

// metadataPairs are the members of metadata, in order of their names.
func metadataPairs(metadata map[string]string) (out []ui.Pair) {
	for name, value := range metadata {
		out = append(out, ui.Pair{Key: name, Value: value})
	}
	slices.SortFunc(out, func(a, b ui.Pair) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// chargeBanners say what stands out of the ordinary about a charge.
func (p *Pages) chargeBanners(c *web.Request, of chargePage) (out []ui.Banner) {
	t, one := c.Text(), of.charge
	switch {
	case one.Status == charge.Processing:
		out = append(out, ui.Banner{Tone: ui.Info, Title: t.Charge.ProcessingTitle, Text: t.Charge.ProcessingText})
	case one.Status == charge.Returned && one.ReturnCode != nil:
		out = append(out,
			ui.Banner{Tone: ui.Danger, Title: t.Charge.ReturnedTitle, Text: t.Charge.ReturnedText(*one.ReturnCode)})
	case blockedWords(t, one) != "":
		out = append(out, ui.Banner{Tone: ui.Danger, Title: t.Charge.FailedTitle, Text: blockedWords(t, one)})
	case one.Failure != nil:
		out = append(out,
			ui.Banner{Tone: ui.Danger, Title: t.Charge.FailedTitle,
				Text: strings.TrimSpace(text.Curly(one.Failure.Message) + " " + t.Charge.Advice[one.Failure.Advice])})
	}
	for _, d := range of.disputes {
		if d.Status == dispute.NeedsResponse {
			zone := c.Viewer()
			kind := string(d.Kind)
			out = append(out, ui.Banner{Tone: ui.Warning, Title: t.Charge.DisputedTitles[kind](t.Amount(d.Amount)),
				Text: t.Charge.DisputedTexts[kind](zone.Date(d.RespondBy.Time))})
		}
	}
	return out
}

// amountsPart is the outcome of the money, as a sum.
func amountsPart(t *text.Catalogue, of chargePage) views.Part {
	c := of.charge
	var terms []ui.Term
	add := func(label string, a money.Amount) {
		if a != 0 {
			terms = append(terms, ui.Term{Label: label, Amount: ui.Amount(a)})
		}
	}
	if c.AmountCaptured == 0 {
		add(t.Charge.Authorized, c.AmountAuthorized)
		return views.Part{Card: ui.Card{Title: t.Charge.Amounts},
			Body: ui.Sum(append(terms, ui.Term{Label: t.Charge.Captured, Amount: ui.Amount(0)},
				ui.Term{Label: t.Charge.Fees, Detail: t.Charge.Lines(len(c.Fees)), Amount: ui.Amount(-c.FeeTotal)}),
				ui.Term{Label: t.Charge.Net, Amount: ui.Money(c.NetAfterReversals, c.Currency)})}
	}
	add(t.Charge.Captured, c.AmountCaptured)
	add(t.Charge.Refunded, -c.AmountRefunded)
	add(t.Charge.Returned, c.AmountLost-c.AmountReturned)
	add(t.Charge.Lost, -c.AmountLost)
	terms = append(terms,
		ui.Term{Label: t.Charge.Fees, Detail: t.Charge.Lines(len(c.Fees)), Amount: ui.Amount(-c.FeeTotal)})
	add(t.Charge.DisputeFees, -c.DisputeFeeTotal)
	body := ui.Sum(terms, ui.Term{Label: t.Charge.Net, Amount: ui.Money(c.NetAfterReversals, c.Currency)})
	held := c.AmountContested - c.AmountLost
	if held == 0 && c.AmountRefundPending == 0 {
		return views.Part{Card: ui.Card{Title: t.Charge.Amounts}, Body: body}
	}
	terms = nil
	add(t.Charge.Waiting, -c.AmountRefundPending)
	add(t.Charge.Held, -held)
	left := c.NetAfterReversals - c.AmountRefundPending - held
	body = templ.Join(body, ui.Sum(terms, ui.Term{Label: t.Charge.Left, Amount: ui.Money(left, c.Currency)}))
	return views.Part{Card: ui.Card{Title: t.Charge.Amounts}, Body: body}
}

// feesPart explains each fee: what its rule makes of its base.
func feesPart(t *text.Catalogue, of chargePage) views.Part {
	lines := slices.Clone(of.charge.Fees)
	for _, d := range of.disputes {
		lines = append(lines, d.Fees...)
	}
	card := ui.Card{Title: t.Charge.Fees}
	if len(lines) == 0 {
		return views.Part{Card: card, Body: ui.Plain(t.Charge.FeesNone)}
	}
	card.Text, card.Flush = t.Charge.FeesText, true
	if at := web.MerchantTab(of.places, of.merchant.ID, "fees"); at != "" {
		card.Link, card.Href = t.Charge.Schedules, at
	}
	table := ui.Table{Caption: t.Charge.Fees,
		Columns: []ui.Column{{Title: t.Charge.Fee, Place: ui.PlaceLead}, {Title: t.Charge.Rule},
			{Title: t.Charge.Base, Right: true}, {Title: t.Charge.Amount, Right: true, Place: ui.PlaceAmount}}}
	one := !slices.ContainsFunc(lines, func(l fee.Line) bool { return l.ScheduleID != lines[0].ScheduleID })
	for _, l := range lines {
		schedule := ""
		if !one {
			schedule = l.ScheduleID.String()
		}
		rule, base := ui.Plain(t.Charge.Each(t.Amount(l.Amount))), ui.Plain("–")
		if l.Rate != nil && l.Basis != nil {
			rule, base = ui.Plain(t.Charge.Share(t.Percent(*l.Rate))), ui.Amount(*l.Basis)
		}
		table.Rows = append(table.Rows,
			ui.Row{Cells: []templ.Component{ui.Two(t.MerchantFees.Names[l.Fee], schedule), rule, base,
				ui.Amount(l.Amount)}})
	}
	schedule := ""
	if one {
		schedule = lines[0].ScheduleID.String()
	}
	table.Foot = []templ.Component{ui.Two(t.Charge.AllFees, schedule), nil, nil, ui.Amount(fee.Total(lines))}
	return views.Part{Card: card, Body: table.View()}
}

// relatedPart leads to what belongs to a charge.
func relatedPart(t *text.Catalogue, of chargePage) views.Part {
	tasks := []ui.Task{
		{Icon: ui.IconMerchant, Text: of.merchant.Name, Note: t.Charge.Merchant,
			Href: web.MerchantPage(of.places, of.merchant.ID)}}
	for _, r := range of.refunds {
		tasks = append(tasks, ui.Task{Icon: ui.IconRefund, Text: t.Charge.RefundOf(t.Amount(r.Amount)),
			Note: t.Refunds.Statuses[string(r.Status)],
			Href: web.ObjectPage(of.places, web.RefundsPath, r.ID.String())})
	}
	for _, d := range of.disputes {
		tasks = append(tasks, ui.Task{Icon: ui.IconDispute, Text: t.Charge.DisputeOf(t.Amount(d.Amount)),
			Note: t.Disputes.Statuses[string(d.Status)],
			Href: web.ObjectPage(of.places, web.DisputesPath, d.ID.String())})
	}
	if of.charge.PayoutID != nil {
		tasks = append(tasks,
			ui.Task{Icon: ui.IconPayout, Text: t.Charge.Happenings["payout.created"], Note: of.charge.PayoutID.String(),
				Href: web.ObjectPage(of.places, web.PayoutsPath, of.charge.PayoutID.String())})
	}
	return views.Part{Card: ui.Card{Title: t.Charge.Related, Flush: true}, Body: ui.Tasks(tasks)}
}

// payerPart is who paid.
func payerPart(t *text.Catalogue, c charge.Charge) views.Part {
	b := c.Billing
	street := strings.Join(
		slices.DeleteFunc([]string{b.AddressLine1, b.AddressLine2,
			strings.TrimSpace(b.AddressCity + " " + b.AddressState + " " + b.AddressZip),
			web.Country(b.AddressCountry)}, func(s string) bool { return s == "" }), ", ")
	var pairs []ui.Pair
	for _, one := range []ui.Pair{{Key: t.Charge.Name, Value: b.Name()},
		{Key: t.Charge.Email, Value: mailbox.Shown(b.Email)}, {Key: t.Charge.Phone, Value: b.Phone},
		{Key: t.Charge.Billing, Value: street}} {
		if one.Value != "" {
			pairs = append(pairs, one)
		}
	}
	card := ui.Card{Title: t.Charge.Payer}
	if len(pairs) == 0 {
		return views.Part{Card: card, Body: ui.Plain(t.Charges.NoName)}
	}
	if b.Email != "" {
		card.Link, card.Href = t.Charge.Others, web.WithQuery(web.ChargesPath,
			url.Values{"q": {mailbox.Shown(b.Email)}})
	}
	return views.Part{Card: card, Body: ui.KeyValue(pairs)}
}

// detailsPart is what else there is to know about a charge.
func detailsPart(t *text.Catalogue, of chargePage) views.Part {
	c, d := of.charge, t.Charge
	method, detail := web.MethodOf(t, c.Summary())
	out := web.Facts{{Key: d.ID, Value: ui.Copied(d.ID, c.ID.String())},
		{Key: d.Created, Value: ui.Time(c.CreatedAt.Time)},
		{Key: d.Method, Value: ui.Two(method, web.Joined(detail, cardWords(t, c.PaymentMethod)))}}
	out.Text(d.Checks, checkWords(t, c.PaymentMethod))
	if c.Status == charge.Authorized {
		out.Add(d.Capturable, ui.Time(c.AuthorizationExpiresAt.Time))
	}
	if c.AvailableOn != nil {
		out.Add(d.Available, ui.Plain(t.Day(string(*c.AvailableOn))))
	}
	if c.Recurring {
		out.Add(d.Recurring, ui.Plain(d.StoredCredentials[string(c.StoredCredential)]))
	}
	out.Text(d.Description, web.Deref(c.Description))
	out.Text(d.ExternalID, web.Deref(c.ExternalID))
	out.Text(d.Suffix, web.Deref(c.StatementSuffix))
	out.Text(d.VoidedFor, web.Deref(c.VoidReason))
	out.Text(d.Origin, d.Origins[string(c.Origin)])
	out.Add(d.MadeBy, madeBy(t, of))
	out.Copied(d.Token, c.Token.String())
	if c.Processor.Reference != c.ID.String() {
		out.Copied(d.Reference, c.Processor.Reference)
	}
	out.Copied(d.Network, web.Deref(c.NetworkTransactionID))
	out.Copied(d.ProcessorID, web.Deref(of.answered.ProcessorID))
	out.Copied(d.AuthorizationCode, web.Deref(of.answered.AuthorizationCode))
	return views.Part{Card: ui.Card{Title: d.Details}, Body: ui.Facts(out)}
}

func cardWords(t *text.Catalogue, m charge.PaymentMethod) string {
	if m.CardMethod == nil {
		return ""
	}
	return t.Charge.CardFacts(cmp.Or(t.Charge.Fundings[m.Funding], m.Funding), web.Country(m.Country)) + " · " +
		t.Charge.ExpMonth(m.ExpMonth, m.ExpYear)
}

// checkWords is what the payer's bank said of the security code and the address.
func checkWords(t *text.Catalogue, m charge.PaymentMethod) string {
	if m.CardMethod == nil || m.Checks == nil {
		return ""
	}
	var out []string
	for _, one := range [][2]string{{t.Charge.Code, string(m.Checks.CVC)}, {t.Charge.Zip, string(m.Checks.AddressZip)},
		{t.Charge.Address, string(m.Checks.AddressLine1)}} {
		if words := t.Charge.Results[one[1]]; words != "" {
			out = append(out, one[0]+" "+words)
		}
	}
	return strings.Join(out, ", ")
}

// madeBy is the request that made a charge: by which key, and its id.
func madeBy(t *text.Catalogue, of chargePage) templ.Component {
	if of.asked == "" {
		return ui.Plain("–")
	}
	who := t.Charge.ByKey
	if of.request != nil {
		who = of.request.KeyName + " · " + of.request.Method + " " + of.request.Path
	}
	return views.MadeBy(who, of.asked, web.ObjectPage(of.places, web.LogsPath, of.asked))
}
