package portal

import (
	"cmp"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/report"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// mostOfACharge is how many entries of a charge's timeline are looked through for those of one refund.
const mostOfACharge = 200

func (p *Portal) showRefund(c *web.Request) error {
	ctx, a, t := c.Ctx(), c.Actor(), c.Text()
	r, err := p.Refunds.Get(ctx, a, c.Param("id"))
	if err != nil {
		return err
	}
	of := chargePage{places: c.Reachable(), refunds: []refund.Refund{r}}
	if of.charge, err = p.Charges.Get(ctx, a, r.ChargeID.String()); err != nil {
		return err
	}
	if of.merchant, err = p.Merchants.Get(ctx, a, r.MerchantID); err != nil {
		return err
	}
	if of.happened, err = p.refundHappenings(c, of, r); err != nil {
		return err
	}
	state := refundState(t, r)
	view := views.Detail{Head: ui.Head{Title: t.Money(r.Amount, r.Currency), Text: t.Refunds.Of(payerOf(t, of.charge.Summary()), of.merchant.Name),
		Beside: ui.Status(state.Tone, state.Word), Crumbs: []ui.Crumb{{Label: t.Refunds.Title, Href: refundsPath}}},
		Main: []views.Part{{Card: ui.Card{Title: t.Charge.Timeline}, Body: ui.Timeline{Entries: of.happened}.View()},
			{Card: ui.Card{Title: t.Charge.JSON, Text: t.Charge.JSONText}, Body: ui.CodeBlock(t.Charge.JSONLabel, indented(r))}},
		Side: []views.Part{p.refundRelated(c, of), p.refundDetails(c, of, r)}}
	view.Buttons, view.Banners = p.refundActs(c, of.charge, r)
	if len(r.Metadata) > 0 {
		view.Side = append(view.Side, views.Part{Card: ui.Card{Title: t.Charge.Metadata}, Body: ui.KeyValue(metadataPairs(r.Metadata))})
	}
	return web.Render(c, http.StatusOK, views.DetailPage(c.Page(view.Head.Title), view))
}

// refundActs is what can be done about a refund, and what stands out of the ordinary.
func (p *Portal) refundActs(c *web.Request, of charge.Charge, r refund.Refund) (buttons []ui.Button, banners []ui.Banner) {
	t, at := c.Text(), refundsPath+"/"+r.ID.String()
	switch {
	case r.PendingReason != nil:
		banners = append(banners, ui.Banner{Tone: ui.Info, Title: t.Refunds.WaitsTitle, Text: t.Refunds.WaitsText})
		if c.May(authz.RefundCancel) {
			buttons = append(buttons, ui.Button{Label: t.Refunds.Cancel, Href: at + "/cancel", Dialog: true, Variant: ui.Outline, Icon: ui.IconVoid})
		}
	case r.Status == refund.Pending:
		banners = append(banners, ui.Banner{Tone: ui.Info, Title: t.Refunds.AskedTitle, Text: t.Refunds.AskedText})
	case r.Failure != nil:
		banners = append(banners, ui.Banner{Tone: ui.Danger, Title: t.Refunds.FailedTitle, Text: r.Failure.Message})
	}
	if (r.Status == refund.Failed || r.Status == refund.Canceled) && of.AmountRefundable > 0 && c.May(authz.RefundCreate) {
		buttons = append(buttons, ui.Button{Label: t.Refunds.Again, Href: chargesPath + "/" + of.ID.String() + "/refund", Dialog: true, Icon: ui.IconRefund})
	}
	return buttons, banners
}

func (p *Portal) refundRelated(c *web.Request, of chargePage) views.Part {
	t := c.Text()
	method, _ := methodOf(t, of.charge.Summary())
	return views.Part{Card: ui.Card{Title: t.Charge.Related, Flush: true}, Body: ui.Tasks([]ui.Task{
		{Icon: ui.IconCharge, Text: t.Refunds.ChargeLink(t.Money(of.charge.Amount, of.charge.Currency)), Note: payerOf(t, of.charge.Summary()) + ", " + method,
			Href: chargesPath + "/" + of.charge.ID.String()},
		{Icon: ui.IconMerchant, Text: of.merchant.Name, Note: t.Charge.Merchant, Href: merchantPlace(of.places, of.merchant.ID)},
	})}
}

func (p *Portal) refundDetails(c *web.Request, of chargePage, r refund.Refund) views.Part {
	t := c.Text()
	who, where := starter(t, r.InitiatedBy)
	out := facts{{Key: t.Refunds.ID, Value: ui.Copied(t.Refunds.ID, r.ID.String())}, {Key: t.Refunds.Created, Value: ui.Time(r.CreatedAt.Time)},
		{Key: t.Refunds.StartedBy, Value: ui.Two(who, where)},
		{Key: t.Refunds.Reason, Value: ui.Plain(cmp.Or(t.Acts.Reasons[deref(r.Reason)], t.Refunds.NoReason))}}
	out.text(t.Refunds.Note, deref(r.Note))
	out.text(t.Refunds.External, deref(r.ExternalID))
	out.time(t.Refunds.SucceededAt, r.SucceededAt)
	if !r.RequestID.IsZero() {
		log := ""
		if r.InitiatedBy.Kind == "api" {
			log = place(of.places, logsPath, r.RequestID.String())
		}
		out.add(t.Charge.Request, views.MadeBy(who, r.RequestID.String(), log))
	}
	if r.Processor.Reference != r.ID.String() {
		out.copied(t.Refunds.Reference, r.Processor.Reference)
	}
	return views.Part{Card: ui.Card{Title: t.Refunds.Details}, Body: ui.Facts(out)}
}

// refundHappenings are the entries of the charge's timeline that are about one refund.
func (p *Portal) refundHappenings(c *web.Request, of chargePage, r refund.Refund) ([]ui.Happening, error) {
	all, err := p.Reports.Timeline(c.Ctx(), c.Actor(), r.ChargeID.String(), page.Input[ids.Happening]{Limit: mostOfACharge})
	if err != nil {
		return nil, err
	}
	mine := page.Of[report.Happening]{}
	for _, h := range all.Items {
		if h.RefundID != nil && *h.RefundID == r.ID {
			mine.Items = append(mine.Items, h)
		}
	}
	sent, err := p.sentOf(c, mine.Items)
	if err != nil {
		return nil, err
	}
	out := entriesOf(c.Text(), of, mine, sent, nil)
	for i := range out {
		out[i].Href = "" // it is this page
	}
	return out, nil
}

// refundCancelForm cancels a refund that waits for its charge to settle. A refund that was sent by then is refused.
func (p *Portal) refundCancelForm() web.Form[views.ActForm] {
	return web.Form[views.ActForm]{Draw: drawAct, Once: true, Status: http.StatusUnprocessableEntity, Title: func(t *text.Catalogue) string { return t.Refunds.NotCanceled },
		Load: func(c *web.Request) (views.ActForm, error) {
			r, err := p.Refunds.Get(c.Ctx(), c.Actor(), c.ID())
			t, at := c.Text().Refunds, refundsPath+"/"+r.ID.String()
			return views.ActForm{Title: t.Cancel, Text: t.CancelText, Action: at + "/cancel", Back: at, Once: web.NewOnce(), Press: t.CancelPress,
				Kept: t.Kept, Destructive: true}, err
		},
		Do: func(c *web.Request, f views.ActForm, in web.Input) (web.Done, error) {
			_, err := web.Settled(p.Refunds.Cancel(c.Ctx(), c.Actor(), c.ID(), in.Claim))
			return web.Saved(f.Back, c.Text().Refunds.Canceled, err)
		}}
}
