package overview

import (
	"net/http"
	"strings"

	"svcpay/internal/apikey"
	"svcpay/internal/fault"
	"svcpay/internal/report/totals"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
)

func (p *Pages) showSystem(c *web.Request) error {
	ctx, a, t := c.Ctx(), c.Actor(), c.Text()
	in := web.Cursors(c.QueryParams(), web.Number)
	in.Ascending = true
	applications, err := p.APIKeys.Applications(ctx, a, in)
	if err != nil {
		return err
	}
	state, err := p.Totals.System(ctx, a)
	if err != nil {
		return err
	}
	file, err := p.Merchants.Association(ctx)
	if err != nil && !fault.HasCode(err, "resource_missing") {
		return err
	}
	view := systemView(t, state)
	if view.DAF, err = p.dafProvider(c); err != nil {
		return err
	}
	view.Inbound = web.InboundPath
	view.Add, view.Install, view.File = web.NewApplicationPath, web.AssociationPath, file.Content
	view.Applications = applicationsOf(applications.Items, a.ApplicationID)
	view.Pager = web.PagerOf(web.SystemPath, c.QueryParams(), applications,
		func(a apikey.Application) string { return web.Whole(a.ID) }, "")
	view.Pager.Target = ""
	if file.Version > 0 {
		view.Installed = t.Association.Installed(c.Viewer().Time(file.InstalledAt.Time), len(file.Content))
	}
	return web.Render(c, http.StatusOK, views.SystemPage(c.Page(t.System.Title), view))
}

func applicationsOf(all []apikey.Application, here int64) (out []views.SystemApplication) {
	for _, one := range all {
		id := web.Whole(one.ID)
		out = append(out, views.SystemApplication{ID: id, Name: one.Name, Merchants: one.Merchants, Keys: one.Keys,
			Since: one.CreatedAt.Time, Here: one.ID == here, Place: "system/" + id, Rates: web.ServiceFeesPath})
	}
	return out
}

// systemView is how the service does, in words.
func systemView(t *text.Catalogue, state totals.System) views.System {
	out := views.System{Well: true, Differences: int(state.Differences)}
	for _, q := range state.Queues {
		line := views.SystemQueue{Name: t.System.Names[q.Name], Note: t.System.Notes[q.Name], Waiting: q.Waiting,
			Oldest: q.Oldest, Late: q.IsLate(state.At)}
		out.Queues, out.Well = append(out.Queues, line), out.Well && !line.Late
	}
	for _, j := range state.Jobs {
		out.Jobs = append(out.Jobs, views.SystemJob{Name: j.Name, Runs: j.Runs, Failed: j.Failed, Last: j.Last})
		out.Well = out.Well && j.Failed == 0
	}
	out.Well = out.Well && state.Differences == 0
	return out
}

func (p *Pages) newApplicationForm() web.Form[struct{}] {
	return web.Form[struct{}]{Once: true, Status: http.StatusUnprocessableEntity,
		Draw: func(c *web.Request, _ struct{}, in web.Input) error {
			f := views.SystemForm{Action: web.NewApplicationPath, Back: web.SystemPath, Once: web.NewOnce(),
				Value:    strings.TrimSpace(in.Get("name")),
				Problems: in.Problems, Error: in.Errors["name"]}
			return web.Render(c, in.Status, views.NewApplicationPage(c.Page(c.Text().System.Add), f))
		},
		Do: func(c *web.Request, _ struct{}, in web.Input) (web.Done, error) {
			made, err := web.Settled(p.APIKeys.AddApplication(c.Ctx(), c.Actor(), strings.TrimSpace(in.Get("name")),
				in.Claim))
			return web.Saved(web.SystemPath, c.Text().System.Added(made.Name), err)
		}}
}
