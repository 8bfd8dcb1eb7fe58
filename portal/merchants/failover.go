package merchants

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/authz"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

// failoverPath is the dialog that turns failover on or off.
const failoverPath = web.ProcessingPath + "/failover"

// failoverField has what failover is to be: on or off.
const failoverField = "failover"

func (p *Pages) failoverView(c *web.Request) (views.Failover, error) {
	f, err := p.Accounts.Failover(c.Ctx(), c.Actor())
	out := views.Failover{On: f.Enabled, Down: strings.Join(p.Accounts.DownProcessors(), ", ")}
	if c.May(authz.ProcessingManage) {
		out.Turn = failoverPath
	}
	return out, err
}

// askFailover is the dialog before failover is turned on or off.
func (p *Pages) askFailover(c *web.Request) error {
	if _, err := defaultAccounts(c); err != nil {
		return err
	}
	now, err := p.Accounts.Failover(c.Ctx(), c.Actor())
	if err != nil {
		return err
	}
	t := c.Text().Processing
	f := views.ToolForm{Action: failoverPath, Sharp: true, Submit: ui.Button{Label: t.TurnOnTitle},
		Hidden: []ui.Pair{{Key: failoverField, Value: "on"}},
		Dialog: ui.Dialog{Title: t.TurnOnTitle, Text: t.TurnOnText, Back: web.ProcessingPath}}
	if now.Enabled {
		f.Hidden[0].Value, f.Dialog.Title, f.Dialog.Text, f.Submit.Label = "off", t.TurnOffTitle, t.TurnOffText,
			t.TurnOffTitle
	}
	return web.Render(c, http.StatusOK, views.ToolFormPage(c.Page(f.Dialog.Title), f))
}

// setFailover turns failover on or off. Sent again, it finds the work done.
func (p *Pages) setFailover(c *web.Request, b accountBook, form url.Values) (web.Done, error) {
	t := c.Text().Processing
	switch form.Get(failoverField) {
	case "on":
		return web.Saved(b.at, t.TurnedOn, p.Accounts.SetFailover(c.Ctx(), c.Actor(), true))
	case "off":
		return web.Saved(b.at, t.TurnedOff, p.Accounts.SetFailover(c.Ctx(), c.Actor(), false))
	}
	return web.Done{}, web.ErrOnce
}
