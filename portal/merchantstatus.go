package portal

import (
	"net/http"

	"svcpay/internal/merchant"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

func (p *Portal) showMerchantStatus(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	return p.merchantStatusForm(c, http.StatusOK, m, views.StatusForm{To: c.QueryParam("to")})
}

func (p *Portal) merchantStatusForm(c *web.Request, status int, m merchant.Merchant, f views.StatusForm) error {
	t := c.Text()
	f.Action, f.Back, f.Name = merchantAt(m.ID, "/status"), merchantAt(m.ID, ""), m.Name
	for _, to := range merchant.Moves() {
		if to.From == m.Status {
			f.Moves = append(f.Moves, ui.Option{Value: string(to.To), Label: moveLabels(t.Merchant)[to.To], Detail: t.Merchants.StatusText[string(to.To)]})
		}
	}
	return web.Render(c, status, views.StatusPage(c.Page(t.Merchants.StatusTitle(m.Name)), f))
}

func (p *Portal) setMerchantStatus(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	t := c.Text().Merchants
	in := merchant.StatusInput{MerchantID: m.ID, Status: merchant.Status(form.Get("to")), Reason: form.Get("reason")}
	_, err = p.Merchants.SetStatus(c.Ctx(), c.Actor(), in)
	if above, beside, ok := web.Problems(c.Text(), err, c.Text().Failures.Correct, map[string]string{"status": "to"}); ok {
		return p.merchantStatusForm(c, web.StatusOf(web.KindOf(err)), m, views.StatusForm{To: form.Get("to"), Reason: form.Get("reason"), Problems: above, Errors: beside})
	}
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: t.Changed})
	return web.SeeOther(c, merchantAt(m.ID, ""))
}
