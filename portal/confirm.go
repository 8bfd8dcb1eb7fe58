package portal

import (
	"net/http"
	"strconv"

	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/portal/web"
	"svcpay/views"
)

// confirm shows the dialog before an act that nothing has to be typed for: its form is sent to the dialog's own address.
func confirm(c *web.Request, f views.ActForm) error {
	f.Action = c.Request().URL.Path
	return web.Render(c, http.StatusOK, views.ActPage(c.Page(f.Title), f))
}

func (p *Portal) askResume(c *web.Request, m merchant.Merchant) error {
	b, has, err := p.bankAccount(c, m)
	if err != nil {
		return err
	}
	back, t := merchantAt(m.ID, payoutsEnd), c.Text()
	if m.PayoutsPausedReason == nil { // somebody else has resumed them
		return web.SeeOther(c, back)
	}
	f := views.ActForm{Title: t.MerchantPayouts.Resume, Text: t.MerchantPayouts.ResumeNowhere, Back: back, Press: t.MerchantPayouts.Resume}
	if has {
		f.Text = t.MerchantPayouts.ResumeText(t.Payouts.To(b.BankName, b.Last4))
	}
	return confirm(c, f)
}

func (p *Portal) askCodes(c *web.Request) error {
	visit, _, err := p.visitor(c)
	if err != nil {
		return err
	}
	if !visit.SecondFactor {
		return web.SeeOther(c, settingsPath)
	}
	t := c.Text().Settings
	return confirm(c, views.ActForm{Title: t.MakeCodes, Text: t.MakeCodesText, Back: settingsPath, Press: t.MakeCodes, Whole: true})
}

func (p *Portal) askRemoveAuthenticator(c *web.Request) error {
	t := c.Text().Settings
	return confirm(c, views.ActForm{Title: t.RemoveAppTitle, Text: t.RemoveAppText, Back: settingsPath, Press: t.RemoveApp, Destructive: true})
}

func (p *Portal) askRemovePasskey(c *web.Request) error {
	person, _, err := p.person(c)
	if err != nil {
		return err
	}
	keys, err := p.Identity.Passkeys(c.Ctx(), person.ID)
	if err != nil {
		return err
	}
	t := c.Text().Settings
	for _, k := range keys {
		if strconv.FormatInt(k.ID, 10) == c.Param("id") {
			return confirm(c, views.ActForm{Title: t.RemovePasskeyTitle(k.Name), Text: t.RemovePasskeyText,
				Back: settingsPath, Press: t.RemovePasskey, Destructive: true})
		}
	}
	return fault.Missing()
}
