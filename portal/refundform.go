package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/refund"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// refundForm is the dialog for a charge, with an amount typed in it.
func (p *Portal) refundForm(c *web.Request, one charge.Charge, typed string) (views.RefundForm, error) {
	t, at := c.Text(), chargesPath+"/"+one.ID.String()
	f := views.RefundForm{Text: t.Acts.Left(t.Money(one.AmountRefundable, one.Currency), t.Amount(one.Amount), payerOf(t, one.Summary())), Action: at + "/refund", Back: at,
		Once: web.NewOnce(), Left: strconv.FormatInt(int64(one.AmountRefundable), 10), Currency: text.Code(one.Currency), Amount: typed,
		Reasons: options(refund.Reasons(), t.Acts.Reasons)}
	amount, wrong := refundAmount(t, one, typed)
	balance, err := p.Ledger.Balance(c.Ctx(), c.Actor(), one.MerchantID)
	if err = ifAllowed(err); err != nil {
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
	method, _ := methodOf(t, one.Summary())
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

// refundAmount reads an amount to give back of a charge.
func refundAmount(t *text.Catalogue, one charge.Charge, typed string) (money.Amount, error) {
	amount, err := money.ParseDecimal(strings.TrimSpace(typed))
	if err != nil || amount == 0 {
		return 0, fault.Invalid("parameter_invalid", t.Acts.BadAmount).On("amount")
	}
	if amount > one.AmountRefundable {
		return 0, fault.Refused("refund_exceeds_remaining", t.Acts.AtMost(t.Money(one.AmountRefundable, one.Currency))).On("amount")
	}
	return amount, nil
}

// showRefundForm draws the form. On a page of its own it is known by its address: who goes back to a form that has acted
// finds the same one, which does nothing more.
func (p *Portal) showRefundForm(c *web.Request) error {
	one, err := p.Charges.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	typed := one.AmountRefundable.Decimal()
	if c.QueryParams().Has("amount") {
		typed = c.QueryParam("amount")
	}
	if _, part := web.FragmentOf(c.Request()); !part && !web.IsOnce(c.QueryParam(web.OnceField)) {
		known := c.QueryParams()
		known.Set(web.OnceField, web.NewOnce())
		return web.SeeOther(c, web.WithQuery(c.Request().URL.Path, known))
	}
	f, err := p.refundForm(c, one, typed)
	if err != nil {
		return err
	}
	if web.IsOnce(c.QueryParam(web.OnceField)) {
		f.Once = c.QueryParam(web.OnceField)
	}
	if reason := noRefund(c.Text().Acts, one); reason != "" {
		f.Problems = ui.Problems{Title: c.Text().Acts.NotRefunded, List: []ui.Problem{{Text: reason}}}
	}
	return web.Render(c, http.StatusOK, views.RefundPage(c.Page(c.Text().Acts.Refund), f))
}

// sendRefund makes the refund of the form, after a person who refunds a large amount has verified their identity.
func (p *Portal) sendRefund(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	amount, err := money.ParseDecimal(strings.TrimSpace(form.Get("amount")))
	if err != nil || form.Get("fill") != "" {
		return p.giveBack(c)
	}
	one, err := p.Charges.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	if refund.NeedsProof(one, amount) {
		return p.fresh(p.giveBack)(c)
	}
	return p.giveBack(c)
}

// giveBack gives back what the form says, once, and only of what was left when it was drawn: two tabs, or two
// people, do not give back twice what they saw once.
func (p *Portal) giveBack(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	one, err := p.Charges.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	if form.Get("fill") != "" {
		return p.refundAgain(c, one, form, nil)
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	in := refund.CreateInput{ChargeID: ptr(one.ID.String()), Reason: web.TextOrNil(form.Get("reason")), Note: web.TextOrNil(form.Get("note"))}
	left, err := strconv.ParseInt(form.Get("left"), 10, 64)
	if err != nil {
		return web.ErrOnce
	}
	in.IfLeft = ptr(money.Amount(left))
	amount, err := money.ParseDecimal(strings.TrimSpace(form.Get("amount")))
	if err != nil {
		return p.refundAgain(c, one, form, fault.Invalid("parameter_invalid", c.Text().Acts.BadAmount).On("amount"))
	}
	in.Amount = &amount
	out, err := web.WaitForOutcome(c.Ctx(), func() (refund.Result, error) {
		return p.Refunds.Create(c.Ctx(), c.Actor(), in, claim)
	})
	if err == nil && out.Prior != nil && out.Prior.Outcome.Refusal != nil {
		err = out.Prior.Outcome.Refusal
	}
	if err != nil {
		return p.refundRefused(c, form, err)
	}
	made := out.Object
	if out.Prior != nil {
		if made, err = p.Refunds.Get(c.Ctx(), c.Actor(), ids.RefundFrom(out.Prior.ObjectID).String()); err != nil {
			return err
		}
	}
	p.tellRefund(c, made)
	return web.SeeOther(c, chargesPath+"/"+one.ID.String())
}

// tellRefund says what became of a refund.
func (p *Portal) tellRefund(c *web.Request, made refund.Refund) {
	t := c.Text()
	out := ui.Toast{Tone: ui.Success, Text: t.Acts.Refunded(t.Money(made.Amount, made.Currency)), Href: refundsPath + "/" + made.ID.String(), Link: t.Acts.See}
	switch {
	case made.Status == refund.Failed:
		out.Tone, out.Text = ui.Danger, t.Acts.RefundFails
	case made.PendingReason != nil:
		out.Tone, out.Text = ui.Info, t.Acts.RefundWaits
	case made.Status == refund.Pending:
		out.Tone, out.Text = ui.Info, t.Acts.RefundAsked
	}
	web.Tell(c, out)
}

// refundRefused shows the form again, with what is left of the charge now.
func (p *Portal) refundRefused(c *web.Request, form url.Values, err error) error {
	if fault.HasCode(err, "idempotency_key_in_use") { // a second click while the first is under way
		web.Tell(c, ui.Toast{Tone: ui.Info, Text: c.Text().Acts.UnderWay})
		return web.SeeOther(c, chargesPath+"/"+c.Param("id"))
	}
	if fault.HasCode(err, "idempotency_key_reused") {
		err = fault.New(fault.KindConflict, web.CodeForm, c.Text().Acts.SentAlready)
	}
	now, broken := p.Charges.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if broken != nil {
		return broken
	}
	return p.refundAgain(c, now, form, err)
}

// refundAgain draws the form with what was typed: with the amount of a chip, or with what was refused.
func (p *Portal) refundAgain(c *web.Request, one charge.Charge, form url.Values, refused error) error {
	t, typed := c.Text(), form.Get("amount")
	switch form.Get("fill") {
	case "full":
		typed = one.AmountRefundable.Decimal()
	case "half":
		typed = (one.AmountRefundable / 2).Decimal()
	}
	f, err := p.refundForm(c, one, typed)
	if err != nil {
		return err
	}
	f.Reason, f.Note = form.Get("reason"), form.Get("note")
	if refused == nil {
		f.Once = cmp.Or(form.Get(web.OnceField), f.Once)
		return web.Render(c, http.StatusOK, views.RefundPage(c.Page(t.Acts.Refund), f))
	}
	if fault.HasCode(refused, "object_changed") {
		f.Meanwhile = ui.Banner{Tone: ui.Warning, Title: t.Acts.Meanwhile, Text: t.Acts.MeanwhileText(t.Money(one.AmountRefundable, one.Currency))}
		return web.Render(c, http.StatusUnprocessableEntity, views.RefundPage(c.Page(t.Acts.Refund), f))
	}
	if _, wrong := refundAmount(t, one, typed); fault.HasCode(refused, "refund_exceeds_remaining") && wrong != nil {
		refused = wrong // in the words of the form
	}
	above, beside, ok := web.Problems(c.Text(), refused, t.Acts.NotRefunded, map[string]string{"charge_id": ""})
	if !ok {
		return refused
	}
	f.Problems, f.AmountError, f.NoteError = above, beside["amount"], beside["note"]
	return web.Render(c, http.StatusUnprocessableEntity, views.RefundPage(c.Page(t.Acts.Refund), f))
}

// ptr is a pointer to a value.
func ptr[T any](v T) *T { return &v }
