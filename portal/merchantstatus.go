package portal

import (
	"net/url"

	"svcpay/internal/merchant"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

func (p *Portal) merchantStatusForm() web.Form[merchant.Merchant] {
	return web.Form[merchant.Merchant]{Load: p.merchant, Draw: drawMerchantStatus, Inputs: map[string]string{"status": "to"},
		Fill: func(c *web.Request, _ merchant.Merchant) (url.Values, error) {
			return url.Values{"to": {c.QueryParam("to")}}, nil
		},
		Do: func(c *web.Request, m merchant.Merchant, in web.Input) (web.Done, error) {
			_, err := p.Merchants.SetStatus(c.Ctx(), c.Actor(), merchant.StatusInput{MerchantID: m.ID, Status: merchant.Status(in.Get("to")), Reason: in.Get("reason")})
			return web.Saved(merchantAt(m.ID, ""), c.Text().Merchants.Changed, err)
		}}
}

func drawMerchantStatus(c *web.Request, m merchant.Merchant, in web.Input) error {
	t := c.Text()
	f := views.StatusForm{Action: merchantAt(m.ID, "/status"), Back: merchantAt(m.ID, ""), Name: m.Name, To: in.Get("to"), Reason: in.Get("reason"),
		Problems: in.Problems, Errors: in.Errors}
	for _, to := range merchant.Moves() {
		if to.From == m.Status {
			f.Moves = append(f.Moves, ui.Option{Value: string(to.To), Label: moveLabels(t.Merchant)[to.To], Detail: t.Merchants.StatusText[string(to.To)]})
		}
	}
	return web.Render(c, in.Status, views.StatusPage(c.Page(t.Merchants.StatusTitle(m.Name)), f))
}
