package portal

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/internal/merchant"
	"svcpay/views"
	"svcpay/views/ui"
)

func (p *Portal) showMerchantStatus(c echo.Context) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	return p.merchantStatusForm(c, http.StatusOK, m, views.StatusForm{To: c.QueryParam("to")})
}

func (p *Portal) merchantStatusForm(c echo.Context, status int, m merchant.Merchant, f views.StatusForm) error {
	t := say(c)
	f.Action, f.Back, f.Name = merchantAt(m.ID, "/status"), merchantAt(m.ID, ""), m.Name
	for _, to := range merchant.Moves() {
		if to.From == m.Status {
			f.Moves = append(f.Moves, ui.Option{Value: string(to.To), Label: moveLabels(t.Merchant)[to.To], Detail: t.Merchants.StatusText[string(to.To)]})
		}
	}
	return render(c, status, views.StatusPage(p.page(c, t.Merchants.StatusTitle(m.Name)), f))
}

func (p *Portal) setMerchantStatus(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	t := say(c).Merchants
	in := merchant.StatusInput{MerchantID: m.ID, Status: merchant.Status(form.Get("to")), Reason: form.Get("reason")}
	_, err = p.Merchants.SetStatus(c.Request().Context(), actor(c), in)
	if above, beside, ok := problems(say(c), err, say(c).Failures.Correct, map[string]string{"status": "to"}); ok {
		return p.merchantStatusForm(c, statusOf(faultKind(err)), m, views.StatusForm{To: form.Get("to"), Reason: form.Get("reason"), Problems: above, Errors: beside})
	}
	if err != nil {
		return err
	}
	tell(c, ui.Toast{Tone: ui.Success, Text: t.Changed})
	return seeOther(c, merchantAt(m.ID, ""))
}
