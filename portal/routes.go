package portal

import (
	"svcpay/portal/web"
)

func (p *Portal) routes() []web.Route {
	rs := []web.Route{
		web.Get("/", web.Public, goHome),
		web.Get(web.Home+"/", web.Public, goHome),
		web.Get("/static/*", web.Public, p.files.serve),
		web.Post("/portal/theme", web.Public, web.Act(p.setTheme)),
		web.Post(web.KeysPath, web.Public, web.Act(setKeys)),
		web.Get(web.ShortcutsPath, web.Public, showShortcuts),
		web.Get(web.Home, web.SignedIn, p.showHome),
	}
	rs = append(rs, p.desk.Routes()...)
	rs = append(rs, p.signInRoutes()...)
	rs = append(rs, p.settingsRoutes()...)
	rs = append(rs, p.teamRoutes()...)
	rs = append(rs, p.controlRoutes()...)
	rs = append(rs, p.inboxRoutes()...)
	rs = append(rs, p.donationRoutes()...)
	rs = append(rs, p.merchantRoutes()...)
	rs = append(rs, p.developerRoutes()...)
	rs = append(rs, p.chargeRoutes()...)
	rs = append(rs, p.disputeRoutes()...)
	rs = append(rs, p.payoutRoutes()...)
	rs = append(rs, p.chargeActRoutes()...)
	rs = append(rs, p.refundRoutes()...)
	rs = append(rs, p.receiptRoutes()...)
	if p.Sandbox {
		rs = append(rs, p.kitRoutes()...)
	}
	return rs
}

func goHome(c *web.Request) error { return web.SeeOther(c, web.Home) }
