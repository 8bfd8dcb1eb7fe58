package portal

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/requestlog"
	"svcpay/internal/webhook"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// tools is what the overview looks at.
type tools struct {
	keys      []identity.Key // those that work
	used      map[ids.Key][]int64
	endpoints []webhook.Endpoint
	latest    []requestlog.Log
}

// tools reads it: five queries, however much there is.
func (p *Portal) tools(c echo.Context) (out tools, err error) {
	ctx, a := c.Request().Context(), actor(c)
	keys, err := p.Identity.ListKeys(ctx, a, identity.KeyListInput{Page: page.Input[ids.Key]{Limit: rowsPerPage}, Statuses: []string{string(identity.KeyActive), string(identity.KeyReplaced)}})
	if err != nil {
		return out, err
	}
	out.keys = keys.Items
	if out.used, err = p.uses(ctx, a, out.keys); err != nil {
		return out, err
	}
	endpoints, err := p.Webhooks.List(ctx, a, webhook.ListInput{Page: page.Input[ids.Endpoint]{Limit: rowsPerPage}})
	if err != nil {
		return out, err
	}
	out.endpoints = endpoints.Items
	latest, err := p.RequestLogs.List(ctx, a, requestlog.ListInput{Page: page.Input[ids.Request]{Limit: 8}})
	out.latest = latest.Items
	return out, err
}

func (p *Portal) showDevelopers(c echo.Context) error {
	of, err := p.tools(c)
	if err != nil {
		return err
	}
	t := say(c)
	view := views.Overview{Tabs: p.developerTabs(c), Stats: p.toolStats(c, of), Attention: p.toolAttention(c, of), Begin: p.developerSteps(c, of),
		Docs: []ui.Task{
			{Icon: ui.IconBook, Text: t.Start.Contract, Note: t.Start.ContractText, Href: "/docs"},
			{Icon: ui.IconSend, Text: t.Start.EventTypes, Note: t.Start.EventTypesText, Href: "/docs/events"},
			{Icon: ui.IconProblem, Text: t.Start.Codes, Note: t.Start.CodesText, Href: "/docs/errors"},
		}}
	view.Requests = views.Carded(ui.Card{Title: t.Start.Requests}, ui.NothingYet(ui.IconCode, t.Logs.EmptyTitle, t.Logs.EmptyText).View())
	if len(of.latest) > 0 {
		view.Requests = views.Carded(ui.Card{Title: t.Start.Requests, Link: t.Keys.AllRequests, Href: logsPath, Flush: true}, latestTable(t, of.latest).View())
	}
	return render(c, http.StatusOK, views.OverviewPage(p.page(c, t.Start.Overview), view))
}

// latestTable shows requests in less room: without how long they took.
func latestTable(t *text.Catalogue, logs []requestlog.Log) ui.Table {
	const took = 3
	out := logTable(t, logs)
	out.Columns = slices.Delete(out.Columns, took, took+1)
	for i, row := range out.Rows {
		out.Rows[i].Cells = slices.Delete(row.Cells, took, took+1)
	}
	return out
}

// toolStats are the numbers that each lead to their list.
func (p *Portal) toolStats(c echo.Context, of tools) []ui.Stat {
	t := say(c).Start
	hour := make([]int64, useSlots)
	for _, slots := range of.used {
		for i, n := range slots {
			hour[i] += n
		}
	}
	enabled := 0
	for _, e := range of.endpoints {
		if e.Status == webhook.Enabled {
			enabled++
		}
	}
	return []ui.Stat{
		{Label: t.LastHour, Value: ui.Number(total(hour)), Href: logsPath, Spark: ui.Spark{Values: hour}},
		{Label: t.WorkingKeys, Value: ui.Number(int64(len(of.keys))), Href: apiKeysPath + "?status=active&status=replaced"},
		{Label: t.Endpoints, Value: ui.Number(int64(len(of.endpoints))), Note: strconv.Itoa(enabled) + " " + t.Enabled, Href: webhooksPath},
	}
}

// joined puts details of one line after each other; empty ones are left out.
func joined(details ...string) string {
	return strings.Join(slices.DeleteFunc(details, func(d string) bool { return d == "" }), " · ")
}

// toolAttention is what somebody should look at: endpoints that fail, keys that are being rolled.
func (p *Portal) toolAttention(c echo.Context, of tools) (out []ui.Task) {
	t := say(c)
	for _, e := range of.endpoints {
		task := ui.Task{Tone: ui.Danger, Href: webhooksPath + "/" + e.ID.String(), Text: t.Start.PausedHook(endpointHost(e.URL)), Note: joined(deref(e.Description), e.URL)}
		if e.Status == webhook.Enabled {
			task.Tone, task.Text = ui.Warning, t.Start.FailingHook(endpointHost(e.URL))
		}
		if troubled(e) {
			out = append(out, task)
		}
	}
	for _, k := range of.keys {
		if k.ReplacedBy == nil {
			continue
		}
		note := t.Keys.RollsText
		if slots, counted := of.used[k.ID]; counted {
			note = t.Keys.RolledFree
			if n := total(slots); n > 0 {
				note = t.Keys.RolledUsed(t.Keys.RequestCount(n))
			}
		}
		out = append(out, ui.Task{Tone: ui.Info, Icon: ui.IconKey, Text: t.Start.RollUnderWay(k.Name), Note: note, Href: apiKeysPath + "/" + k.ID.String()})
	}
	return out
}

// developerSteps are ticked by what there is; none once all were taken, and for who could not take them.
func (p *Portal) developerSteps(c echo.Context, of tools) []ui.Task {
	if !p.may(c, authz.KeyManage) {
		return nil
	}
	t := say(c).Start
	has := map[identity.KeyKind]bool{}
	for _, k := range of.keys {
		has[k.Kind] = true
	}
	out := []ui.Task{
		{Text: t.StepSecret, Href: apiKeysPath + "/new?kind=secret", Done: has[identity.SecretKey] || has[identity.RestrictedKey]},
		{Text: t.StepPublic, Href: apiKeysPath + "/new?kind=public", Done: has[identity.PublicKey]},
		{Text: t.StepRequest, Href: startPath, Done: len(of.latest) > 0},
		{Text: t.StepHook, Href: webhooksPath + "/new", Done: len(of.endpoints) > 0},
	}
	for _, step := range out {
		if !step.Done {
			return out
		}
	}
	return nil
}
