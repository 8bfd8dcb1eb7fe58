package developers

import (
	"net/http"
	"slices"
	"strconv"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/requestlog"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// tools is what the overview looks at.
type tools struct {
	keys      []apikey.Key // those that work
	used      map[ids.Key][]int64
	endpoints []webhook.Endpoint
	latest    []requestlog.Log
}

// tools reads it: five queries, however much there is.
func (p *Pages) tools(c *web.Request) (out tools, err error) {
	ctx, a := c.Ctx(), c.Actor()
	keys, err := p.APIKeys.List(ctx, a, apikey.ListInput{Page: page.Input[ids.Key]{Limit: web.RowsPerPage},
		Statuses: []string{string(apikey.Active), string(apikey.Replaced)}})
	if err != nil {
		return out, err
	}
	out.keys = keys.Items
	if out.used, err = p.uses(ctx, a, out.keys); err != nil {
		return out, err
	}
	endpoints, err := p.Webhooks.List(ctx, a, webhook.ListInput{Page: page.Input[ids.Endpoint]{Limit: web.RowsPerPage}})
	if err != nil {
		return out, err
	}
	out.endpoints = endpoints.Items
	latest, err := p.RequestLogs.List(ctx, a, requestlog.ListInput{Page: page.Input[ids.Request]{Limit: 8}})
	out.latest = latest.Items
	return out, err
}

func (p *Pages) showDevelopers(c *web.Request) error {
	of, err := p.tools(c)
	if err != nil {
		return err
	}
	t := c.Text()
	view := views.Overview{Tabs: developerTabs(c), Stats: p.toolStats(c, of), Attention: p.toolAttention(c, of),
		Begin: p.developerSteps(c, of), Docs: []ui.Task{
			{Icon: ui.IconBook, Text: t.Start.Contract, Note: t.Start.ContractText, Href: "/docs"},
			{Icon: ui.IconSend, Text: t.Start.EventTypes, Note: t.Start.EventTypesText, Href: "/docs/events"},
			{Icon: ui.IconProblem, Text: t.Start.Codes, Note: t.Start.CodesText, Href: "/docs/errors"},
		}}
	view.Requests = views.Carded(ui.Card{Title: t.Start.Requests},
		ui.NothingYet(ui.IconCode, t.Logs.EmptyTitle, t.Logs.EmptyText).View())
	if len(of.latest) > 0 {
		view.Requests = views.Carded(ui.Card{Title: t.Start.Requests, Link: t.Keys.AllRequests, Href: web.LogsPath,
			Flush: true}, latestTable(t, of.latest).View())
	}
	return web.Render(c, http.StatusOK, views.OverviewPage(c.Page(t.Start.Overview), view))
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
func (p *Pages) toolStats(c *web.Request, of tools) []ui.Stat {
	t := c.Text().Start
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
		{Label: t.LastHour, Value: ui.Number(total(hour)), Href: web.LogsPath, Spark: ui.Spark{Values: hour}},
		{Label: t.WorkingKeys, Value: ui.Number(int64(len(of.keys))), Href: web.APIKeysPath + "?status=active&status=replaced"},
		{Label: t.Endpoints, Value: ui.Number(int64(len(of.endpoints))), Note: strconv.Itoa(enabled) + " " + t.Enabled, Href: web.WebhooksPath},
	}
}

// toolAttention is what someone should look at: endpoints that fail, keys that are being rolled.
func (p *Pages) toolAttention(c *web.Request, of tools) (out []ui.Task) {
	t := c.Text()
	for _, e := range of.endpoints {
		task := ui.Task{Tone: ui.Danger, Href: web.WebhooksPath + "/" + e.ID.String(),
			Text: t.Start.PausedHook(web.EndpointHost(e.URL)), Note: web.Joined(web.Deref(e.Description), e.URL)}
		if e.Status == webhook.Enabled {
			task.Tone, task.Text = ui.Warning, t.Start.FailingHook(web.EndpointHost(e.URL))
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
		out = append(out, ui.Task{Tone: ui.Info, Icon: ui.IconKey, Text: t.Start.RollUnderWay(k.Name), Note: note,
			Href: web.APIKeysPath + "/" + k.ID.String()})
	}
	return out
}

// developerSteps are ticked by what there is; none once all were taken, and for who could not take them.
func (p *Pages) developerSteps(c *web.Request, of tools) []ui.Task {
	if !c.May(authz.KeyManage) {
		return nil
	}
	t := c.Text().Start
	has := map[apikey.Kind]bool{}
	for _, k := range of.keys {
		has[k.Kind] = true
	}
	out := []ui.Task{
		{Text: t.StepSecret, Href: web.APIKeysPath + "/new?kind=secret", Done: has[apikey.Secret] || has[apikey.Restricted]},
		{Text: t.StepPublic, Href: web.APIKeysPath + "/new?kind=public", Done: has[apikey.Public]},
		{Text: t.StepRequest, Href: web.StartPath, Done: len(of.latest) > 0},
		{Text: t.StepHook, Href: web.WebhooksPath + "/new", Done: len(of.endpoints) > 0},
	}
	for _, step := range out {
		if !step.Done {
			return out
		}
	}
	return nil
}
