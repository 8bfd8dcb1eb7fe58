package portal

import (
	"strconv"

	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/portal/web"
	"svcpay/views"
)

func (p *Portal) askResume(c *web.Request, m merchant.Merchant) error {
	b, has, err := p.bankAccount(c, m)
	if err != nil {
		return err
	}
	back, t := web.MerchantAt(m.ID, web.PayoutsEnd), c.Text()
	if m.PayoutsPausedReason == nil { // somebody else has resumed them
		return web.SeeOther(c, back)
	}
	f := views.ActForm{Title: t.MerchantPayouts.Resume, Text: t.MerchantPayouts.ResumeNowhere, Back: back, Press: t.MerchantPayouts.Resume}
	if has {
		f.Text = t.MerchantPayouts.ResumeText(t.Payouts.To(b.BankName, b.Last4))
	}
	return web.Confirm(c, f)
}

func (p *Portal) askCodes(c *web.Request) error {
	visit, _, err := p.desk.Visitor(c)
	if err != nil {
		return err
	}
	if !visit.SecondFactor {
		return web.SeeOther(c, web.SettingsPath)
	}
	t := c.Text().Settings
	return web.Confirm(c, views.ActForm{Title: t.MakeCodes, Text: t.MakeCodesText, Back: web.SettingsPath, Press: t.MakeCodes, Whole: true})
}

func (p *Portal) askRemoveAuthenticator(c *web.Request) error {
	t := c.Text().Settings
	return web.Confirm(c, views.ActForm{Title: t.RemoveAppTitle, Text: t.RemoveAppText, Back: web.SettingsPath, Press: t.RemoveApp, Destructive: true})
}

func (p *Portal) askRemovePasskey(c *web.Request) error {
	person, _, err := p.desk.Person(c)
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
			return web.Confirm(c, views.ActForm{Title: t.RemovePasskeyTitle(k.Name), Text: t.RemovePasskeyText,
				Back: web.SettingsPath, Press: t.RemovePasskey, Destructive: true})
		}
	}
	return fault.Missing()
}
