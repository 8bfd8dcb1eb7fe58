package payments

import (
	"net/http"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Pages) chargeActRoutes() []web.Route {
	one := web.ChargesPath + "/:id"
	return slices.Concat([]web.Route{
		web.Get(one+"/refund", authz.RefundCreate, web.Show(p.charge, p.showRefundForm)),
		web.Post(one+"/refund", authz.RefundCreate, p.sendRefund),
	}, p.captureForm().Routes(one+"/capture", authz.ChargeCapture), p.voidForm().Routes(one+"/void", authz.ChargeVoid))
}

// charge reads the charge that the address names.
func (p *Pages) charge(c *web.Request) (charge.Charge, error) {
	return p.Charges.Get(c.Ctx(), c.Actor(), c.ID())
}

// acts is what the visitor can do with a charge, and why not what they could with another.
type acts struct {
	buttons []ui.Button
	refused []ui.Pair
}

// chargeActs leaves out what the visitor's role never has.
func (p *Pages) chargeActs(c *web.Request, one charge.Charge) (out acts) {
	t, at := c.Text().Acts, web.ChargesPath+"/"+one.ID.String()
	add := func(needed authz.Permission, label, path, reason string, icon ui.IconName, key string) {
		switch {
		case !c.May(needed):
		case reason == "":
			variant := ui.Outline
			if len(out.buttons) == 0 {
				variant = ui.Primary
			}
			out.buttons = append(out.buttons,
				ui.Button{Label: label, Href: at + path, Dialog: true, Icon: icon, Key: key, Variant: variant})
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
func (p *Pages) noCapture(c *web.Request, one charge.Charge) string {
	t := c.Text().Acts
	switch {
	case one.Status == charge.Expired, one.Status == charge.Authorized && one.AuthorizationExpiresAt != nil &&
		!p.Today(c).Before(one.AuthorizationExpiresAt.Time):
		return t.CaptureOver
	case one.Status != charge.Authorized:
		return t.NotCapturable
	}
	return ""
}

// noRefund is why nothing of a charge can be returned; "" if something can.
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

// drawAct draws the dialog of an act, with what was typed in it and refused.
func drawAct(c *web.Request, f views.ActForm, in web.Input) error {
	if in.Refused != nil {
		f.Field.Value, f.Field.Error, f.Problems = in.Get(f.Field.Name), in.Errors[f.Field.Name], in.Problems
	}
	return web.Render(c, in.Status, views.ActPage(c.Page(f.Title), f))
}

func notDone(t *text.Catalogue) string { return t.Acts.NotDone }

// captureForm asks how much of an authorized charge to take.
func (p *Pages) captureForm() web.Form[views.ActForm] {
	return web.Form[views.ActForm]{Draw: drawAct, Once: true, Title: notDone, Status: http.StatusUnprocessableEntity,
		Load: func(c *web.Request) (views.ActForm, error) {
			one, err := p.charge(c)
			t, at, until := c.Text(), web.ChargesPath+"/"+one.ID.String(), ""
			if one.AuthorizationExpiresAt != nil {
				until = c.Viewer().Time(one.AuthorizationExpiresAt.Time)
			}
			return views.ActForm{Title: t.Acts.Capture,
				Text:   t.Acts.CaptureText(t.Money(one.AmountAuthorized, one.Currency), until),
				Action: at + "/capture", Back: at, Once: web.NewOnce(), Currency: text.Code(one.Currency),
				Press: t.Acts.CapturePress,
				Field: ui.Field{Name: "amount", Label: t.Acts.Amount, Hint: t.Acts.CaptureHint,
					Value: one.AmountAuthorized.Decimal(), Required: true, Focus: true}}, err
		},
		Do: func(c *web.Request, f views.ActForm, in web.Input) (web.Done, error) {
			amount, err := money.ParseDecimal(strings.TrimSpace(in.Get("amount")))
			if err != nil {
				return web.Done{}, fault.Invalid("parameter_invalid", c.Text().Acts.BadAmount).On("amount")
			}
			out, err := p.Charges.Capture(c.Ctx(), c.Actor(), c.ID(), charge.CaptureInput{Amount: &amount}, in.Claim)
			return acted(c, f.Back, out.Unknown, c.Text().Acts.CapturedDone, web.RefusalOf(out, err))
		}}
}

// voidForm asks whether to let go of a charge.
func (p *Pages) voidForm() web.Form[views.ActForm] {
	return web.Form[views.ActForm]{Draw: drawAct, Once: true, Title: notDone, Status: http.StatusUnprocessableEntity,
		Load: func(c *web.Request) (views.ActForm, error) {
			one, err := p.charge(c)
			t, at := c.Text().Acts, web.ChargesPath+"/"+one.ID.String()
			return views.ActForm{Title: t.Void, Text: t.VoidText, Action: at + "/void", Back: at, Once: web.NewOnce(),
				Press: t.VoidPress, Destructive: true,
				Field: ui.Field{Name: "reason", Label: t.VoidReason, Hint: t.VoidHint, Optional: true,
					MaxLength: "255", Autocomplete: "off"}}, err
		},
		Do: func(c *web.Request, f views.ActForm, in web.Input) (web.Done, error) {
			out, err := p.Charges.Void(c.Ctx(), c.Actor(), c.ID(),
				charge.VoidInput{Reason: web.TextOrNil(in.Get("reason"))}, in.Claim)
			return acted(c, f.Back, out.Unknown, c.Text().Acts.VoidedDone, web.RefusalOf(out, err))
		}}
}

// acted leads back from an act: its outcome may still be unknown.
func acted(c *web.Request, to string, unknown bool, words string, err error) (web.Done, error) {
	if unknown {
		return web.Done{To: to, Toast: ui.Toast{Tone: ui.Info, Text: c.Text().Acts.Unknown}}, err
	}
	return web.Saved(to, words, err)
}
