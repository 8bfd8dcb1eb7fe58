package portal

import (
	"net/http"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Portal) chargeActRoutes() []route {
	return []route{
		{http.MethodGet, chargesPath + "/:id/refund", access(authz.RefundCreate), p.showRefundForm},
		{http.MethodPost, chargesPath + "/:id/refund", access(authz.RefundCreate), p.sendRefund},
		{http.MethodGet, chargesPath + "/:id/capture", access(authz.ChargeCapture), p.showCaptureForm},
		{http.MethodPost, chargesPath + "/:id/capture", access(authz.ChargeCapture), p.sendCapture},
		{http.MethodGet, chargesPath + "/:id/void", access(authz.ChargeVoid), p.showVoidForm},
		{http.MethodPost, chargesPath + "/:id/void", access(authz.ChargeVoid), p.sendVoid},
	}
}

// acts is what the visitor can do with a charge, and why not what they could with another.
type acts struct {
	buttons []ui.Button
	refused []ui.Pair
}

// chargeActs leaves out what the visitor's role never has.
func (p *Portal) chargeActs(c *web.Request, one charge.Charge) (out acts) {
	t, at := c.Text().Acts, chargesPath+"/"+one.ID.String()
	add := func(needed authz.Permission, label, path, reason string, icon ui.IconName, key string) {
		switch {
		case !c.May(needed):
		case reason == "":
			variant := ui.Outline
			if len(out.buttons) == 0 {
				variant = ui.Primary
			}
			out.buttons = append(out.buttons, ui.Button{Label: label, Href: at + path, Dialog: true, Icon: icon, Key: key, Variant: variant})
		default:
			out.refused = append(out.refused, ui.Pair{Key: label, Value: reason})
		}
	}
	if one.Type == charge.Card && one.AmountCaptured == 0 {
		add(authz.ChargeCapture, t.Capture, "/capture", p.noCapture(c, one), ui.IconTick, "c")
	}
	add(authz.RefundCreate, t.Refund, "/refund", noRefund(t, one), ui.IconRefund, "r")
	add(authz.ChargeVoid, t.Void, "/void", noVoid(t, one), ui.IconVoid, "v")
	return out
}

// noCapture is why a charge cannot be captured; "" if it can.
func (p *Portal) noCapture(c *web.Request, one charge.Charge) string {
	t := c.Text().Acts
	switch {
	case one.Status == charge.Expired, one.Status == charge.Authorized && one.AuthorizationExpiresAt != nil && !p.today(c).Before(one.AuthorizationExpiresAt.Time):
		return t.CaptureOver
	case one.Status != charge.Authorized:
		return t.NotCapturable
	}
	return ""
}

// noRefund is why nothing of a charge can be given back; "" if something can.
func noRefund(t text.Acts, one charge.Charge) string {
	switch {
	case one.AmountRefundable > 0:
		return ""
	case one.Status == charge.Authorized:
		return t.NotCaptured
	case one.AmountCaptured == 0 || one.Status == charge.Returned:
		return t.NotRefundable
	case one.AmountDisputed > 0:
		return t.WholeDisputed
	}
	return t.NothingLeft
}

// noVoid is why a charge cannot be voided; "" if it may be.
func noVoid(t text.Acts, one charge.Charge) string {
	switch one.Status {
	case charge.Authorized, charge.Pending:
		return ""
	case charge.Captured, charge.Settled:
		return t.VoidCaptured
	}
	return t.NotVoidable
}

// captureForm asks how much of an authorized charge to take.
func (p *Portal) captureForm(c *web.Request, one charge.Charge) views.ActForm {
	t, at := c.Text(), chargesPath+"/"+one.ID.String()
	until := ""
	if one.AuthorizationExpiresAt != nil {
		until = c.Viewer().Time(one.AuthorizationExpiresAt.Time)
	}
	return views.ActForm{Title: t.Acts.Capture, Text: t.Acts.CaptureText(t.Money(one.AmountAuthorized, one.Currency), until), Action: at + "/capture", Back: at,
		Once: web.NewOnce(), Currency: text.Code(one.Currency), Press: t.Acts.CapturePress,
		Field: ui.Field{Name: "amount", Label: t.Acts.Amount, Hint: t.Acts.CaptureHint, Value: one.AmountAuthorized.Decimal(), Required: true, Focus: true}}
}

func (p *Portal) showCaptureForm(c *web.Request) error {
	one, err := p.Charges.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ActPage(c.Page(c.Text().Acts.Capture), p.captureForm(c, one)))
}

func (p *Portal) sendCapture(c *web.Request) error {
	return p.actOnCharge(c, p.captureForm, c.Text().Acts.CapturedDone, func(value string, claim *idempotency.Claim) (charge.Result, error) {
		amount, err := money.ParseDecimal(strings.TrimSpace(value))
		if err != nil {
			return charge.Result{}, fault.Invalid("parameter_invalid", c.Text().Acts.BadAmount).On("amount")
		}
		return p.Charges.Capture(c.Ctx(), c.Actor(), c.Param("id"), charge.CaptureInput{Amount: &amount}, claim)
	})
}

// voidForm asks whether to let go of a charge.
func (p *Portal) voidForm(c *web.Request, one charge.Charge) views.ActForm {
	t, at := c.Text().Acts, chargesPath+"/"+one.ID.String()
	return views.ActForm{Title: t.Void, Text: t.VoidText, Action: at + "/void", Back: at, Once: web.NewOnce(), Press: t.VoidPress, Destructive: true,
		Field: ui.Field{Name: "reason", Label: t.VoidReason, Hint: t.VoidHint, Optional: true, MaxLength: "255", Autocomplete: "off"}}
}

func (p *Portal) showVoidForm(c *web.Request) error {
	one, err := p.Charges.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ActPage(c.Page(c.Text().Acts.Void), p.voidForm(c, one)))
}

func (p *Portal) sendVoid(c *web.Request) error {
	return p.actOnCharge(c, p.voidForm, c.Text().Acts.VoidedDone, func(value string, claim *idempotency.Claim) (charge.Result, error) {
		in := charge.VoidInput{}
		if value = strings.TrimSpace(value); value != "" {
			in.Reason = &value
		}
		return p.Charges.Void(c.Ctx(), c.Actor(), c.Param("id"), in, claim)
	})
}

// actOnCharge captures or voids, and shows the form again, with what was typed, if that is refused.
func (p *Portal) actOnCharge(c *web.Request, form func(*web.Request, charge.Charge) views.ActForm, done string,
	act func(value string, claim *idempotency.Claim) (charge.Result, error),
) error {
	sent, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	one, err := p.Charges.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	claim, err := web.Once(c, sent)
	if err != nil {
		return err
	}
	f := form(c, one)
	out, err := web.WaitForOutcome(c.Ctx(), func() (charge.Result, error) { return act(sent.Get(f.Field.Name), claim) })
	if err == nil && out.Prior != nil && out.Prior.Outcome.Refusal != nil {
		err = out.Prior.Outcome.Refusal
	}
	above, beside, ok := web.Problems(c.Text(), err, c.Text().Acts.NotDone, nil)
	switch {
	case ok:
		f.Field.Value, f.Field.Error, f.Problems = sent.Get(f.Field.Name), beside[f.Field.Name], above
		return web.Render(c, http.StatusUnprocessableEntity, views.ActPage(c.Page(f.Title), f))
	case err != nil:
		return err
	case out.Unknown:
		web.Tell(c, ui.Toast{Tone: ui.Info, Text: c.Text().Acts.Unknown})
	default:
		web.Tell(c, ui.Toast{Tone: ui.Success, Text: done})
	}
	return web.SeeOther(c, f.Back)
}
