package account

import (
	"strconv"

	"svcpay/internal/fault"
	"svcpay/portal/web"
	"svcpay/views"
)

func (p *Pages) askCodes(c *web.Request) error {
	visit, _, err := p.Visitor(c)
	if err != nil {
		return err
	}
	if !visit.SecondFactor {
		return web.SeeOther(c, web.SettingsPath)
	}
	t := c.Text().Settings
	return web.Confirm(c, views.ActForm{Title: t.MakeCodes, Text: t.MakeCodesText, Back: web.SettingsPath,
		Press: t.MakeCodes, Whole: true})
}

func (p *Pages) askRemoveAuthenticator(c *web.Request) error {
	t := c.Text().Settings
	return web.Confirm(c, views.ActForm{Title: t.RemoveAppTitle, Text: t.RemoveAppText, Back: web.SettingsPath,
		Press: t.RemoveApp, Destructive: true})
}

func (p *Pages) askRemovePasskey(c *web.Request) error {
	person, _, err := p.Person(c)
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
