package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/requestlog"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Portal) logRoutes() []route {
	return []route{
		{http.MethodGet, logsPath, access(authz.RequestLogRead), p.showLogs},
		{http.MethodGet, logsPath + ".csv", access(authz.ExportCreate), p.sendLogs},
		{http.MethodGet, logsPath + "/:id", access(authz.RequestLogRead), p.showLog},
		{http.MethodGet, idempotencyPath, access(authz.IdempotencyKeyRead), p.showIdempotency},
	}
}

// The statuses that each outcome stands for.
var outcomes = map[string][2]int64{"good": {200, 299}, "refused": {400, 499}, "broken": {500, 599}}

// logInput reads what the address selects.
func logInput(c echo.Context, query url.Values) requestlog.ListInput {
	in := requestlog.ListInput{Page: cursors(query, ids.ParseRequest), Created: days(c, query, "at"), Methods: query["method"]}
	for _, name := range query["outcome"] {
		for s := outcomes[name][0]; s > 0 && s <= outcomes[name][1]; s++ {
			in.Statuses = append(in.Statuses, s)
		}
	}
	if key, err := ids.ParseKey(query.Get("key")); err == nil {
		in.KeyID = &key
	}
	if code := strings.TrimSpace(query.Get("code")); code != "" {
		in.Code = &code
	}
	if id, err := number(query.Get("merchant")); err == nil {
		in.Merchants = []int64{id}
	}
	words := strings.TrimSpace(query.Get("q"))
	if _, err := objectOf(words); err == nil {
		in.ObjectID = &words
	} else if words != "" {
		in.IdempotencyKey = &words
	}
	return in
}

func (p *Portal) showLogs(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(logsPath, query); untidy {
		return seeOther(c, to)
	}
	if id, err := ids.ParseRequest(strings.TrimSpace(query.Get("q"))); err == nil {
		return seeOther(c, logsPath+"/"+id.String())
	}
	t := say(c)
	logs, err := p.RequestLogs.List(c.Request().Context(), actor(c), logInput(c, query))
	if err != nil {
		return err
	}
	list := views.List{Head: ui.Head{Title: t.Logs.Title, Text: t.Logs.Text}, Above: views.ToolTabs(p.developerTabs(c), p.redactedBanner(c)), Table: logTable(t, logs.Items), Bar: p.logBar(c, query),
		Empty: ui.NothingYet(ui.IconCode, t.Logs.EmptyTitle, t.Logs.EmptyText),
		Pager: pagerOf(logsPath, query, logs, func(l requestlog.Log) string { return l.ID.String() }, t.Logs.Shown(len(logs.Items)))}
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Logs.Title), list))
}

// redactedBanner tells whoever sees no contents that there are some; nil for the others.
func (p *Portal) redactedBanner(c echo.Context) templ.Component {
	if !p.withheld(c) {
		return nil
	}
	t := say(c).Developers
	return ui.Banner{Tone: ui.Info, Title: t.Redacted, Text: t.RedactedText}.View()
}

func logTable(t *text.Catalogue, logs []requestlog.Log) ui.Table {
	out := ui.Table{Caption: t.Logs.Title, Target: ui.ResultsID, Columns: []ui.Column{{Title: t.Logs.Request, Place: ui.PlaceLead}, {Title: t.Logs.Status, Place: ui.PlaceState},
		{Title: t.Logs.Key}, {Title: t.Logs.Took, Right: true}, {Title: t.Logs.When, Right: true, Place: ui.PlaceTime}}}
	for _, l := range logs {
		out.Rows = append(out.Rows, ui.Row{Href: logsPath + "/" + l.ID.String(), Label: l.Method + " " + l.Path, Cells: []templ.Component{
			ui.Two(l.Method+" "+l.Path, l.ID.String()), logStatus(l), ui.Plain(l.KeyName), ui.Plain(t.Logs.Milliseconds(l.TookMS)), ui.Time(l.CreatedAt.Time)}})
	}
	return out
}

// logStatus is the status of an answer with the code of its error.
func logStatus(l requestlog.Log) templ.Component {
	tone := ui.Success
	switch {
	case l.Status >= 500:
		tone = ui.Danger
	case l.Status >= 400:
		tone = ui.Warning
	}
	return views.ChargeState(views.State{Tone: tone, Word: strconv.Itoa(l.Status), Note: deref(l.ErrorCode)})
}

func (p *Portal) logBar(c echo.Context, query url.Values) ui.FilterBar {
	t := say(c)
	methods := ui.Filter{Name: "method", Label: t.Logs.Method, Kind: ui.FilterMany}
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		methods.Options = append(methods.Options, ui.Option{Value: m, Label: m})
	}
	bar := ui.FilterBar{Path: logsPath, Query: query, Target: ui.ResultsID, Export: p.exported(c, logsPath+".csv"), Search: ui.Filter{Name: "q", Label: t.Logs.Search, Kind: ui.FilterWords},
		Filters: []ui.Filter{
			{Name: "outcome", Label: t.Logs.Outcome, Kind: ui.FilterMany, Options: []ui.Option{{Value: "good", Label: t.Logs.Good}, {Value: "refused", Label: t.Logs.Refused}, {Value: "broken", Label: t.Logs.Broken}}},
			methods, {Name: "code", Label: t.Logs.Code, Kind: ui.FilterWords}, {Name: "merchant", Label: t.Logs.Merchant, Kind: ui.FilterWords},
			{Name: "at", Label: t.Logs.When, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.machineDay(c))}}}
	if query.Get("key") != "" {
		bar.Filters = append(bar.Filters, ui.Filter{Name: "key", Label: t.Logs.Key, Kind: ui.FilterWords})
	}
	return bar
}

func (p *Portal) sendLogs(c echo.Context) error {
	in := logInput(c, c.QueryParams())
	head := []string{"id", "method", "path", "status", "error_code", "key_name", "object_id", "idempotency_key", "took_ms", "created_at"}
	return sheet(c, "requests", head, func(write func(...string) error) error {
		return everyPage(in.Page, func(of page.Input[ids.Request]) (page.Of[requestlog.Log], error) {
			in.Page = of
			return p.RequestLogs.List(c.Request().Context(), actor(c), in)
		}, func(l requestlog.Log) ids.Request { return l.ID }, func(l requestlog.Log) error {
			return write(l.ID.String(), l.Method, l.Path, strconv.Itoa(l.Status), deref(l.ErrorCode), l.KeyName, deref(l.ObjectID), deref(l.IdempotencyKey), strconv.Itoa(l.TookMS), stamp(l.CreatedAt.Time))
		})
	})
}

func (p *Portal) showLog(c echo.Context) error {
	l, err := p.RequestLogs.Get(c.Request().Context(), actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	t := say(c)
	view := views.Tool{Tabs: p.developerTabs(c), Head: ui.Head{Title: l.Method + " " + l.Path, Beside: logStatus(l), Crumbs: toolCrumbs(t, t.Logs.Title, logsPath)},
		Above: []templ.Component{p.redactedBanner(c)}, Main: p.logBodies(c, l), Side: []views.ToolPanel{{Card: ui.Card{Title: t.Logs.Details}, Body: ui.Facts(p.logFacts(c, l))}}}
	if l.IdempotentReplayed {
		view.Above = append(view.Above, ui.Banner{Tone: ui.Info, Title: t.Logs.Replayed, Text: t.Logs.ReplayedText}.View())
	}
	return render(c, http.StatusOK, views.ToolPage(p.page(c, view.Head.Title), view))
}

// logBodies show what was asked and told; nothing of it for whoever may not see contents.
func (p *Portal) logBodies(c echo.Context, l requestlog.Log) []views.ToolPanel {
	t := say(c).Logs
	if p.withheld(c) {
		d := say(c).Developers
		return []views.ToolPanel{{Body: ui.Empty{Icon: ui.IconLock, Title: d.Redacted, Text: d.RedactedText}.View()}}
	}
	asked := views.Paragraph(t.NoBody)
	switch {
	case l.RequestBody != nil:
		asked = ui.CodeBlock(t.RequestBody, readable(*l.RequestBody))
	case l.RequestBytes > 0:
		asked = views.Paragraph(t.NotKept(l.RequestBytes))
	}
	if l.Query != "" {
		asked = views.Stacked(views.Titled(t.Query, ui.Code(t.Query, l.Query)), asked)
	}
	told := views.Paragraph(t.NoAnswer)
	if l.ResponseBody != nil {
		told = ui.CodeBlock(t.ResponseBody, readable(*l.ResponseBody))
	}
	return []views.ToolPanel{{Card: ui.Card{Title: t.RequestBody}, Body: asked}, {Card: ui.Card{Title: t.ResponseBody}, Body: told}}
}

func (p *Portal) logFacts(c echo.Context, l requestlog.Log) []ui.Fact {
	t := say(c).Logs
	out := []ui.Fact{{Key: t.ID, Value: ui.Copied(t.ID, l.ID.String())}, {Key: t.When, Value: ui.Time(l.CreatedAt.Time)}, {Key: t.Took, Value: ui.Plain(t.Milliseconds(l.TookMS))},
		{Key: t.Key, Value: ui.Linked(l.KeyName, apiKeysPath+"/"+l.KeyID.String())}}
	if l.ObjectID != nil {
		object := ui.Mono(*l.ObjectID)
		if to := p.pageOfObject(c, *l.ObjectID); to != "" {
			object = ui.Linked(*l.ObjectID, to)
		}
		out = append(out, ui.Fact{Key: t.Object, Value: object})
	}
	if l.MerchantID != nil {
		merchant := strconv.FormatInt(*l.MerchantID, 10)
		out = append(out, ui.Fact{Key: t.Merchant, Value: ui.Linked(merchant, merchantsPath+"/"+merchant)})
	}
	if l.IdempotencyKey != nil {
		out = append(out, ui.Fact{Key: t.Idempotency, Value: ui.Linked(*l.IdempotencyKey, idempotencyPath+"?"+url.Values{"key": {*l.IdempotencyKey}}.Encode())})
	}
	for _, one := range []struct{ key, value string }{{t.ClientID, deref(l.ClientRequestID)}, {t.Address, l.IP}, {t.Agent, l.UserAgent}, {t.Version, l.APIVersion}} {
		if one.value != "" {
			out = append(out, ui.Fact{Key: one.key, Value: ui.Mono(one.value)})
		}
	}
	return out
}
