package payments

import (
	"bytes"
	"net/http"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/platform/mailbox"
	receipts "svcpay/internal/receipt"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Pages) receiptRoutes() []web.Route {
	return append([]web.Route{
		web.Get(web.ChargesPath+"/:id/receipt.pdf", authz.ChargeRead, p.openReceipt),
	}, p.receiptForm().Routes(web.ChargesPath+"/:id/receipt", authz.ReceiptSend)...)
}

// openReceipt answers with a charge's receipt as a file.
func (p *Pages) openReceipt(c *web.Request) error {
	r, err := p.Receipts.Of(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := r.PDF(&file); err != nil {
		return err
	}
	c.Response().Header().Set("Content-Disposition",
		`inline; filename="`+c.Text().Receipt.File(r.Charge.ID.String())+`"`)
	return c.Blob(http.StatusOK, "application/pdf", file.Bytes())
}

// receiptDialog asks where a charge's receipt goes: to the payer's address, if that is known.
func (p *Pages) receiptDialog(c *web.Request) (views.ActForm, error) {
	ctx, a, t := c.Ctx(), c.Actor(), c.Text().Receipt
	r, err := p.Receipts.Of(ctx, a, c.Param("id"))
	if err != nil {
		return views.ActForm{}, err
	}
	sent, err := p.Receipts.SentOf(ctx, a, r.Charge.ID)
	if err != nil {
		return views.ActForm{}, err
	}
	at := web.ChargesPath + "/" + r.Charge.ID.String()
	f := views.ActForm{Title: t.Send, Text: t.SendText, Action: at + "/receipt", Back: at, Once: web.NewOnce(),
		Press: t.Press,
		Field: ui.Field{Name: "email", Label: t.Email, Type: "email", Value: mailbox.Shown(r.Charge.Billing.Email),
			Autocomplete: "off", Required: true, Focus: true},
		Aside: ui.Button{Label: t.Open, Href: at + "/receipt.pdf", Variant: ui.Outline, Size: "sm", Icon: ui.IconFile}}
	viewer := text.To(ctx)
	for _, one := range sent {
		f.Before = append(f.Before,
			ui.Pair{Key: viewer.Time(one.CreatedAt.Time), Value: t.SentTo(mailbox.Shown(one.Email)),
				Detail: one.SentBy})
	}
	switch {
	case !p.Receipts.Mails():
		f.Text = t.NoMail
	case f.Field.Value == "":
		f.Text, f.Field.Hint = t.SendText+" "+t.NoAddress, t.AddressHint
	}
	return f, nil
}

// receiptForm sends a receipt. It also shows that a receipt was sent too often.
func (p *Pages) receiptForm() web.Form[views.ActForm] {
	return web.Form[views.ActForm]{Load: p.receiptDialog, Draw: drawAct, Once: true, Shows: web.IsLimited,
		Title: func(t *text.Catalogue) string { return t.Receipt.NotSent },
		Do: func(c *web.Request, f views.ActForm, in web.Input) (web.Done, error) {
			to := strings.TrimSpace(in.Get("email"))
			_, err := p.Receipts.Send(c.Ctx(), c.Actor(), receipts.SendInput{ChargeID: c.ID(), Email: to}, in.Claim)
			return web.Saved(f.Back, c.Text().Receipt.Done, err)
		}}
}

// receiptActs are what can be done with a charge's receipt: sent by who may, opened by everybody else.
func (p *Pages) receiptActs(c *web.Request, one charge.Charge) []ui.Button {
	t, at := c.Text().Receipt, web.ChargesPath+"/"+one.ID.String()
	switch {
	case one.AmountCaptured == 0 || one.Status == charge.Returned:
		return nil
	case c.May(authz.ReceiptSend):
		return []ui.Button{
			{Label: t.Receipt, Href: at + "/receipt", Dialog: true, Icon: ui.IconReceipt, Variant: ui.Outline}}
	}
	return []ui.Button{{Label: t.Receipt, Href: at + "/receipt.pdf", Icon: ui.IconReceipt, Variant: ui.Outline}}
}

// receiptsSent are the receipts of a charge as entries of its timeline.
func (p *Pages) receiptsSent(c *web.Request, id ids.Charge) (out []ui.Happening, err error) {
	sent, err := p.Receipts.SentOf(c.Ctx(), c.Actor(), id)
	for _, one := range sent {
		out = append(out, ui.Happening{Icon: ui.IconReceipt, Title: c.Text().Receipt.SentTitle, By: one.SentBy,
			At: one.CreatedAt.Time, Detail: ui.Plain(c.Text().Receipt.SentTo(mailbox.Shown(one.Email)))})
	}
	return out, err
}
