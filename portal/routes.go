package portal

import "svcpay/portal/web"

// routes is the table of everything that the portal answers.
func (p *Portal) routes() []web.Route {
	rs := []web.Route{
		web.Get("/", web.Public, goHome),
		web.Get(web.Home+"/", web.Public, goHome),
		web.Get("/static/*", web.Public, p.files.serve),
	}
	rs = append(rs, p.desk.Routes()...)
	rs = append(rs, p.account.Routes()...)
	rs = append(rs, p.overview.Routes()...)
	rs = append(rs, p.payments.Routes()...)
	rs = append(rs, p.merchants.Routes()...)
	rs = append(rs, p.developers.Routes()...)
	if p.Sandbox {
		rs = append(rs, p.kitRoutes()...)
	}
	return rs
}

func goHome(c *web.Request) error { return web.SeeOther(c, web.Home) }
