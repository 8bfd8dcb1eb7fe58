package portal

import (
	"net/http"
	"strconv"

	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/kit"
	"svcpay/views/ui"
)

// kitRoutes are the pages that show the kit, in the sandbox alone: everything on them is invented.
func (p *Portal) kitRoutes() []web.Route {
	return []web.Route{
		web.Get(kit.Path, web.Public, p.showKit),
		web.Get(kit.HomePath, web.Public, p.showKit),
		web.Get(kit.ListPath, web.Public, p.showKitList),
		web.Get(kit.DetailPath, web.Public, p.showKit),
		web.Get(kit.EarlyPath, web.Public, p.showKit),
		web.Get(kit.DrawerPath, web.Public, p.showKit),
		web.Get(kit.TotalsPath, web.Public, p.showKit),
		web.Get(kit.SearchPath, web.Public, p.showKitSearch),
		web.Get(kit.RefundPath, web.Public, p.showKit),
		web.Post(kit.RefundPath, web.Public, p.sendKitRefund),
		web.Post(kit.SendPath, web.Public, p.sendKitReceipts),
	}
}

// kitPage is the frame of the kit's pages: with the whole navigation, which leads to the samples.
func (p *Portal) kitPage(c *web.Request, title string) views.Page {
	page := c.Page(title)
	page.Person, page.Email, page.Search = "Dana Reed", "dana@example.org", kit.SearchPath
	page.Switcher = ui.Switcher{
		Now: ui.Scope{Name: "Riverside Giving", Detail: "Application"}, Action: kit.SendPath, Return: page.Return,
		Groups: []ui.ScopeGroup{
			{Label: "Applications", Scopes: []ui.Scope{{Value: "app:7", Name: "Riverside Giving", Detail: "Administrator", Here: true}, {Value: "app:9", Name: "Parish Pay", Detail: "Support"}}},
			{Label: "Organizations", Scopes: []ui.Scope{{Value: "org:3", Name: "Diocese of St. Brigid", Detail: "Staff"}}},
		},
	}
	leads := map[string]string{web.Home: kit.HomePath, web.ChargesPath: kit.ListPath, "/portal/developers": kit.Path}
	page.Nav = web.Sections(c.Text().Nav)
	for _, s := range page.Nav {
		for i, e := range s.Entries {
			to, shown := leads[e.Href]
			if !shown {
				to = kit.DetailPath
			}
			s.Entries[i].Href, s.Entries[i].Here = to, shown && to == c.Path()
			if e.Href == web.DisputesPath {
				s.Entries[i].Count = "3"
			}
		}
	}
	return page
}

func (p *Portal) showKit(c *web.Request) error {
	page := p.kitPage(c, "Kit")
	switch c.Path() {
	case kit.HomePath:
		return web.Render(c, http.StatusOK, kit.HomePage(page))
	case kit.DetailPath, kit.EarlyPath:
		return web.Render(c, http.StatusOK, kit.DetailPage(page, c.Path() == kit.EarlyPath))
	case kit.DrawerPath:
		return web.Render(c, http.StatusOK, kit.DrawerPage(page))
	case kit.RefundPath:
		return web.Render(c, http.StatusOK, kit.RefundPage(page, kit.Refund{Amount: "100.00"}))
	case kit.TotalsPath:
		return web.Render(c, http.StatusOK, kit.Totals(page))
	}
	return web.Render(c, http.StatusOK, kit.Page(page))
}

func (p *Portal) showKitList(c *web.Request) error {
	if to, untidy := ui.Tidy(kit.ListPath, c.QueryParams()); untidy {
		return web.SeeOther(c, to)
	}
	return web.Render(c, http.StatusOK, kit.ListPage(p.kitPage(c, "Charges"), c.QueryParams()))
}

func (p *Portal) showKitSearch(c *web.Request) error {
	page := p.kitPage(c, "Search")
	return web.Render(c, http.StatusOK, views.SearchPage(page, kit.Search(page, c.QueryParam("q"))))
}

func (p *Portal) sendKitRefund(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	refund := kit.Refund{Amount: form.Get("amount")}
	if dollars, err := strconv.ParseFloat(refund.Amount, 64); err != nil || dollars <= 0 || dollars > 100 {
		refund.Mistake = "Enter an amount between $0.01 and $100.00."
		return web.Render(c, http.StatusUnprocessableEntity, kit.RefundPage(p.kitPage(c, "Refund"), refund))
	}
	web.SetToast(c, ui.Toast{Tone: ui.Success, Text: "The refund is on its way.", Href: kit.DetailPath, Link: "See it"})
	return web.SeeOther(c, kit.DetailPath)
}

func (p *Portal) sendKitReceipts(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	web.SetToast(c, ui.Toast{Tone: ui.Info, Text: strconv.Itoa(len(form["id"])) + " receipts are on their way.",
		Undo: kit.SendPath})
	return web.SeeOther(c, kit.ListPath)
}
