package payments

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/report/timeline"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// mostOfACharge is how many entries of a charge's timeline are looked through for those of one refund.
const mostOfACharge = 200

// refundPageOf reads the refund that the address names, and its charge.
func (p *Pages) refundPageOf(c *web.Request) (of chargePage, err error) {
	r, err := p.Refunds.Get(c.Ctx(), c.Actor(), c.ID())
	if err != nil {
		return of, err
	}
	of = chargePage{places: c.Reachable(), refunds: []refund.Refund{r}}
	if of.charge, err = p.Charges.Get(c.Ctx(), c.Actor(), r.ChargeID.String()); err != nil {
		return of, err
	}
	if of.merchant, err = p.Merchants.Get(c.Ctx(), c.Actor(), r.MerchantID); err != nil {
		return of, err
	}
	of.happened, err = p.refundHappenings(c, of, r)
	return of, err
}

func (p *Pages) showRefund(c *web.Request, of chargePage) error {
	t, r := c.Text(), of.refunds[0]
	state := refundState(t, r)
	view := views.Detail{
		Head: ui.Head{Title: t.Money(r.Amount, r.Currency),
			Text:   t.Refunds.Of(web.PayerOf(t, of.charge.Summary()), of.merchant.Name),
			Aside:  ui.Status(state.Tone, state.Word),
			Crumbs: []ui.Crumb{{Label: t.Refunds.Title, Href: web.RefundsPath}}},
		Main: []views.Part{{Card: ui.Card{Title: t.Charge.Timeline}, Body: ui.Timeline{Entries: of.happened}.View()}},
		JSON: web.Indented(r),
		Side: []views.Part{p.refundRelated(c, of), p.refundDetails(c, of, r)}}
	view.Buttons, view.Banners = p.refundActs(c, of.charge, r)
	if len(r.Metadata) > 0 {
		view.Side = append(view.Side,
			views.Part{Card: ui.Card{Title: t.Charge.Metadata}, Body: ui.KeyValue(metadataPairs(r.Metadata))})
	}
	return web.Render(c, http.StatusOK, views.DetailPage(c.Page(view.Head.Title), view))
}

// refundActs is what can be done about a refund, and what stands out of the ordinary.
func (p *Pages) refundActs(c *web.Request, of charge.Charge, r refund.Refund) (buttons []ui.Button,
	banners []ui.Banner) {
	t, at := c.Text(), web.RefundsPath+"/"+r.ID.String()
	switch {
	case r.PendingReason != nil:
		banners = append(banners, ui.Banner{Tone: ui.Info, Title: t.Refunds.WaitsTitle, Text: t.Refunds.WaitsText})
		if c.May(authz.RefundCancel) {
			buttons = append(buttons,
				ui.Button{Label: t.Refunds.Cancel, Href: at + "/cancel", Dialog: true, Variant: ui.Outline,
					Icon: ui.IconVoid})
		}
	case r.Status == refund.Pending:
		banners = append(banners, ui.Banner{Tone: ui.Info, Title: t.Refunds.AskedTitle, Text: t.Refunds.AskedText})
	case r.ReturnedByDispute():
		banners = append(banners,
			ui.Banner{Tone: ui.Danger, Title: t.Refunds.FailedTitle,
				Text: text.Curly(r.Failure.Message) + " " + t.Refunds.Disputed})
	case r.Failure != nil:
		banners = append(banners,
			ui.Banner{Tone: ui.Danger, Title: t.Refunds.FailedTitle, Text: text.Curly(r.Failure.Message)})
	}
	if (r.Status == refund.Failed && !r.ReturnedByDispute() || r.Status == refund.Canceled) &&
		of.AmountRefundable > 0 && c.May(authz.RefundCreate) {
		buttons = append(buttons,
			ui.Button{Label: t.Refunds.Again, Href: web.ChargesPath + "/" + of.ID.String() + "/refund", Dialog: true,
				Icon: ui.IconRefund})
	}
	return buttons, banners
}

func (p *Pages) refundRelated(c *web.Request, of chargePage) views.Part {
	t := c.Text()
	method, _ := web.MethodOf(t, of.charge.Summary())
	return views.Part{Card: ui.Card{Title: t.Charge.Related, Flush: true}, Body: ui.Tasks([]ui.Task{
		{Icon: ui.IconCharge, Text: t.Refunds.ChargeLink(t.Money(of.charge.Amount, of.charge.Currency)),
			Note: web.PayerOf(t, of.charge.Summary()) + ", " + method,
			Href: web.ChargesPath + "/" + of.charge.ID.String()},
		{Icon: ui.IconMerchant, Text: of.merchant.Name, Note: t.Charge.Merchant, Href: web.MerchantPage(of.places, of.merchant.ID)},
	})}
}

func (p *Pages) refundDetails(c *web.Request, of chargePage, r refund.Refund) views.Part {
	t := c.Text()
	who, where := starter(t, r.InitiatedBy)
	out := web.Facts{{Key: t.Refunds.ID, Value: ui.Copied(t.Refunds.ID, r.ID.String())},
		{Key: t.Refunds.Created, Value: ui.Time(r.CreatedAt.Time)},
		{Key: t.Refunds.StartedBy, Value: ui.Two(who, where)},
		{Key: t.Refunds.Reason, Value: ui.Plain(cmp.Or(t.Acts.Reasons[web.Deref(r.Reason)], t.Refunds.NoReason))}}
	out.Text(t.Refunds.Note, web.Deref(r.Note))
	out.Text(t.Refunds.External, web.Deref(r.ExternalID))
	out.Time(t.Refunds.SucceededAt, r.SucceededAt)
	out.Time(t.Refunds.FailedAt, r.FailedAt)
	if !r.RequestID.IsZero() {
		log := ""
		if r.InitiatedBy.Kind == "api" {
			log = web.ObjectPage(of.places, web.LogsPath, r.RequestID.String())
		}
		out.Add(t.Charge.Request, views.MadeBy(who, r.RequestID.String(), log))
	}
	if r.Processor.Reference != r.ID.String() {
		out.Copied(t.Refunds.Reference, r.Processor.Reference)
	}
	return views.Part{Card: ui.Card{Title: t.Refunds.Details}, Body: ui.Facts(out)}
}

// refundHappenings are the entries of the charge's timeline that are about one refund.
func (p *Pages) refundHappenings(c *web.Request, of chargePage, r refund.Refund) ([]ui.Happening, error) {
	all, err := p.Timelines.OfCharge(c.Ctx(), c.Actor(), r.ChargeID.String(),
		page.Input[ids.Happening]{Limit: mostOfACharge})
	if err != nil {
		return nil, err
	}
	mine := page.Of[timeline.Entry]{}
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
func (p *Pages) refundCancelForm() web.Form[views.ActForm] {
	return web.Form[views.ActForm]{Draw: drawAct, Once: true, Status: http.StatusUnprocessableEntity,
		Title: func(t *text.Catalogue) string { return t.Refunds.NotCanceled },
		Load: func(c *web.Request) (views.ActForm, error) {
			r, err := p.Refunds.Get(c.Ctx(), c.Actor(), c.ID())
			t, at := c.Text().Refunds, web.RefundsPath+"/"+r.ID.String()
			return views.ActForm{Title: t.Cancel, Text: t.CancelText, Action: at + "/cancel", Back: at,
				Once: web.NewOnce(), Press: t.CancelPress,
				Kept: t.Kept, Destructive: true}, err
		},
		Do: func(c *web.Request, f views.ActForm, in web.Input) (web.Done, error) {
			_, err := web.Settled(p.Refunds.Cancel(c.Ctx(), c.Actor(), c.ID(), in.Claim))
			return web.Saved(f.Back, c.Text().Refunds.Canceled, err)
		}}
}

// refundDialog is the dialog for a charge, with an amount typed in it.
func (p *Pages) refundDialog(c *web.Request, one charge.Charge, typed string) (views.RefundForm, error) {
	t, at := c.Text(), web.ChargesPath+"/"+one.ID.String()
	f := views.RefundForm{
		Text: t.Acts.Left(t.Money(one.AmountRefundable, one.Currency), t.Amount(one.Amount),
			web.PayerOf(t, one.Summary())), Action: at + "/refund", Back: at,
		Once: web.NewOnce(), Left: strconv.FormatInt(int64(one.AmountRefundable),
			10), Currency: text.Code(one.Currency), Amount: typed,
		Reasons: web.Options(refund.Reasons(), t.Acts.Reasons)}
	amount, wrong := refundAmount(t, one, typed)
	balance, err := p.Ledger.Balance(c.Ctx(), c.Actor(), one.MerchantID)
	if err = web.IfAllowed(err); err != nil {
		return f, err
	}
	of, err := p.Merchants.Get(c.Ctx(), c.Actor(), one.MerchantID)
	if err != nil {
		return f, err
	}
	f.Says = refundSays(t, one, amount)
	if refused, ok := fault.As(wrong); ok {
		f.Says.Title = refused.Message
	} else if balance.Object != "" {
		f.Says.Text += " " + t.Acts.BalanceAfter(of.Name, t.Money(balance.Total-amount, one.Currency))
	}
	return f, nil
}

// refundSays is what a refund comes to: 0 is one of which the amount is not known yet.
func refundSays(t *text.Catalogue, one charge.Charge, amount money.Amount) views.RefundSays {
	method, _ := web.MethodOf(t, one.Summary())
	out := views.RefundSays{Title: t.Acts.PayerGets(t.Amount(amount), method), Press: t.Acts.Press(t.Amount(amount))}
	if amount == 0 {
		out.Press = t.Acts.Refund
	}
	words := []string{t.Acts.Days}
	switch {
	case one.Status == charge.Pending:
		words[0] = t.Acts.Waits
	case one.Type != charge.Card:
		words[0] = t.Acts.DaysBank
	}
	if one.FeeTotal > 0 {
		words = append(words, t.Acts.FeesStay(t.Amount(one.FeeTotal)))
	} else {
		words = append(words, t.Acts.NoFees)
	}
	out.Text = strings.Join(words, " ")
	return out
}

// refundAmount reads an amount to return of a charge.
func refundAmount(t *text.Catalogue, one charge.Charge, typed string) (money.Amount, error) {
	amount, err := money.ParseDecimal(strings.TrimSpace(typed))
	if err != nil || amount == 0 {
		return 0, fault.Invalid("parameter_invalid", t.Acts.BadAmount).On("amount")
	}
	if amount > one.AmountRefundable {
		return 0, fault.Refused("refund_exceeds_remaining",
			t.Acts.AtMost(t.Money(one.AmountRefundable, one.Currency))).On("amount")
	}
	return amount, nil
}

// showRefundForm draws the form. On a page of its own it is known by its address: who goes back to a form that has
// acted finds the same one, which does nothing more.
func (p *Pages) showRefundForm(c *web.Request, one charge.Charge) error {
	known := c.QueryParams()
	if _, part := web.FragmentOf(c.Request()); !part && !web.IsOnce(known.Get(web.OnceField)) {
		known.Set(web.OnceField, web.NewOnce())
		return web.SeeOther(c, web.WithQuery(c.Request().URL.Path, known))
	}
	if !known.Has("amount") {
		known.Set("amount", one.AmountRefundable.Decimal())
	}
	in := web.Input{Values: url.Values{"amount": known["amount"], web.OnceField: known[web.OnceField]},
		Status: http.StatusOK}
	if reason := noRefund(c.Text().Acts, one); reason != "" {
		in.Problems = ui.Problems{Title: c.Text().Acts.NotRefunded, List: []ui.Problem{{Text: reason}}}
	}
	return p.drawRefundForm(c, one, in)
}

// sendRefund makes the refund of the form, after a person who refunds a large amount has verified their identity; or it
// draws the form with the amount of the button that was pressed.
func (p *Pages) sendRefund(c *web.Request) error {
	sent, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	one, err := p.charge(c)
	if err != nil {
		return err
	}
	switch sent.Get("fill") {
	case "":
		amount, err := money.ParseDecimal(strings.TrimSpace(sent.Get("amount")))
		if err != nil {
			return p.refundForm(true).Submit(c)
		}
		large, err := p.Refunds.NeedsProof(c.Ctx(), c.Actor(), one, amount)
		if err != nil {
			return err
		}
		if large {
			return p.Fresh(p.refundForm(false).Submit)(c)
		}
		return p.refundForm(true).Submit(c)
	case "full":
		sent.Set("amount", one.AmountRefundable.Decimal())
	case "half":
		sent.Set("amount", (one.AmountRefundable / 2).Decimal())
	}
	return p.drawRefundForm(c, one, web.Input{Values: sent, Status: http.StatusOK})
}

// refundForm refunds what was typed, once, and only of what was left when the form was drawn: two tabs, or two people,
// do not refund twice what they saw once. unproven says that the person didn't verify their identity for it.
func (p *Pages) refundForm(unproven bool) web.Form[charge.Charge] {
	return web.Form[charge.Charge]{Load: p.charge, Draw: p.drawRefundForm, Once: true,
		Do: func(c *web.Request, one charge.Charge, in web.Input) (web.Done, error) {
			return p.makeRefund(c, one, in, unproven)
		},
		Status: http.StatusUnprocessableEntity, Inputs: map[string]string{"charge_id": ""},
		Title: func(t *text.Catalogue) string { return t.Acts.NotRefunded }}
}

func (p *Pages) makeRefund(c *web.Request, one charge.Charge, in web.Input, unproven bool) (done web.Done,
	err error) {
	left, err := strconv.ParseInt(in.Get("left"), 10, 64)
	if err != nil {
		return done, web.ErrOnce
	}
	amount, err := money.ParseDecimal(strings.TrimSpace(in.Get("amount")))
	if err != nil {
		return done, fault.Invalid("parameter_invalid", c.Text().Acts.BadAmount).On("amount")
	}
	out, err := p.Refunds.Create(c.Ctx(), c.Actor(), refund.CreateInput{ChargeID: new(one.ID.String()),
		Amount: &amount, IfLeft: new(money.Amount(left)), Unproven: unproven,
		Reason: web.TextOrNil(in.Get("reason")), Note: web.TextOrNil(in.Get("note"))}, in.Claim)
	if err = web.RefusalOf(out, err); fault.HasCode(err, "idempotency_key_reused") {
		return done, fault.New(fault.KindConflict, web.CodeForm, c.Text().Acts.SentAlready)
	}
	made := out.Object
	if err == nil && out.Prior != nil {
		made, err = p.Refunds.Get(c.Ctx(), c.Actor(), ids.RefundFrom(out.Prior.ObjectID).String())
	}
	return web.Done{To: web.ChargesPath + "/" + one.ID.String(), Toast: refundToast(c.Text(), made)}, err
}

// refundToast says how far a refund is.
func refundToast(t *text.Catalogue, made refund.Refund) ui.Toast {
	out := ui.Toast{Tone: ui.Success, Text: t.Acts.Refunded(t.Money(made.Amount, made.Currency)),
		Href: web.RefundsPath + "/" + made.ID.String(), Link: t.Acts.See}
	switch {
	case made.Status == refund.Failed:
		out.Tone, out.Text = ui.Danger, t.Acts.RefundFails
	case made.PendingReason != nil:
		out.Tone, out.Text = ui.Info, t.Acts.RefundWaits
	case made.Status == refund.Pending:
		out.Tone, out.Text = ui.Info, t.Acts.RefundAsked
	}
	return out
}

// drawRefundForm draws the form with what was typed, and with what was refused.
func (p *Pages) drawRefundForm(c *web.Request, one charge.Charge, in web.Input) error {
	t := c.Text()
	if fault.HasCode(in.Refused, "idempotency_key_in_use") { // the first of two clicks takes long
		web.SetToast(c, ui.Toast{Tone: ui.Info, Text: t.Acts.UnderWay})
		return web.SeeOther(c, web.ChargesPath+"/"+c.ID())
	}
	f, err := p.refundDialog(c, one, in.Get("amount"))
	if err != nil {
		return err
	}
	if once := in.Get(web.OnceField); in.Refused == nil && web.IsOnce(once) {
		f.Once = once
	}
	// in the words of the form
	if _, wrong := refundAmount(t, one, in.Get("amount")); fault.HasCode(in.Refused, "refund_exceeds_remaining") &&
		wrong != nil {
		in.Problems, in.Errors, _ = web.Problems(t, wrong, t.Acts.NotRefunded, nil)
	}
	f.Reason, f.Note, f.Problems, f.AmountError, f.NoteError = in.Get("reason"), in.Get("note"), in.Problems,
		in.Errors["amount"], in.Errors["note"]
	if in.Changed() {
		f.Problems = ui.Problems{}
		f.Stale = ui.Banner{Tone: ui.Warning, Title: t.Acts.Stale,
			Text: t.Acts.StaleText(t.Money(one.AmountRefundable, one.Currency))}
	}
	return web.Render(c, in.Status, views.RefundPage(c.Page(t.Acts.Refund), f))
}
