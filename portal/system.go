package portal

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/report"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	systemPath         = "/portal/system"
	newApplicationPath = systemPath + "/applications/new"
)

func (p *Portal) showSystem(c echo.Context) error {
	ctx, a, t := c.Request().Context(), actor(c), say(c)
	in := cursors(c.QueryParams(), number)
	in.Ascending = true
	applications, err := p.Identity.Applications(ctx, a, in)
	if err != nil {
		return err
	}
	state, err := p.Reports.System(ctx, a)
	if err != nil {
		return err
	}
	view := systemView(t, state)
	view.Add, view.Install = newApplicationPath, associationPath
	for _, one := range applications.Items {
		id := strconv.FormatInt(one.ID, 10)
		view.Applications = append(view.Applications, views.SystemApplication{ID: id, Name: one.Name, Merchants: one.Merchants, Keys: one.Keys,
			Since: one.CreatedAt.Time, Here: one.ID == a.ApplicationID, Place: "system/" + id, Rates: servicePay})
	}
	view.Pager = pagerOf(systemPath, c.QueryParams(), applications, func(a identity.Application) string { return strconv.FormatInt(a.ID, 10) }, "")
	view.Pager.Target = ""
	file, err := p.Merchants.Association(ctx)
	if err != nil && !fault.HasCode(err, "resource_missing") {
		return err
	}
	view.File = file.Content
	if file.Version > 0 {
		view.Installed = t.Association.Installed(text.To(ctx).Time(file.InstalledAt.Time), len(file.Content))
	}
	return render(c, http.StatusOK, views.SystemPage(p.page(c, t.System.Title), view))
}

// systemView is how the service does, in words.
func systemView(t *text.Catalogue, state report.System) views.System {
	out := views.System{Well: true, Differences: int(state.Differences)}
	for _, q := range state.Queues {
		line := views.SystemQueue{Name: t.System.Names[q.Name], Note: t.System.Notes[q.Name], Waiting: q.Waiting, Oldest: q.Oldest, Late: q.IsLate(state.At)}
		out.Queues, out.Well = append(out.Queues, line), out.Well && !line.Late
	}
	for _, j := range state.Jobs {
		out.Jobs = append(out.Jobs, views.SystemJob{Name: j.Name, Runs: j.Runs, Failed: j.Failed, Last: j.Last})
		out.Well = out.Well && j.Failed == 0
	}
	out.Well = out.Well && state.Differences == 0
	return out
}

func (p *Portal) showNewApplication(c echo.Context) error {
	return p.newApplicationForm(c, http.StatusOK, views.SystemForm{})
}

func (p *Portal) newApplicationForm(c echo.Context, status int, f views.SystemForm) error {
	f.Action, f.Back, f.Once = newApplicationPath, systemPath, newOnce()
	return render(c, status, views.NewApplicationPage(p.page(c, say(c).System.Add), f))
}

func (p *Portal) addApplication(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	claim, err := once(c, form)
	if err != nil {
		return err
	}
	t := say(c).System
	f := views.SystemForm{Value: strings.TrimSpace(form.Get("name"))}
	made, err := settled(p.Identity.AddApplication(c.Request().Context(), actor(c), f.Value, claim))
	if above, beside, ok := problems(say(c), err, say(c).Failures.Correct, nil); ok {
		f.Problems, f.Error = above, beside["name"]
		return p.newApplicationForm(c, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	tell(c, ui.Toast{Tone: ui.Success, Text: t.Added(made.Name)})
	return seeOther(c, systemPath)
}
