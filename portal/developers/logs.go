package developers

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/requestlog"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Pages) logRoutes() []web.Route {
	return []web.Route{
		web.Get(web.LogsPath, authz.RequestLogRead, p.logList().Show).Grows(),
		web.Get(web.LogsPath+".csv", authz.ExportCreate, p.logList().Send).Grows(),
		web.Get(web.LogsPath+"/:id", authz.RequestLogRead, p.showLog),
		web.Get(web.IdempotencyPath, authz.IdempotencyKeyRead, p.showIdempotency),
	}
}

// The statuses that each outcome stands for.
var outcomes = map[string][2]int64{"good": {200, 299}, "refused": {400, 499}, "broken": {500, 599}}

// logInput reads what the address selects.
func logInput(c *web.Request, at page.Input[ids.Request]) requestlog.ListInput {
	query := c.QueryParams()
	in := requestlog.ListInput{Page: at, Created: web.Days(c, query, "at"), Methods: query["method"]}
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
	if id, err := web.Number(query.Get("merchant")); err == nil {
		in.Merchants = []int64{id}
	}
	words := strings.TrimSpace(query.Get("q"))
	if _, err := event.ObjectID(words); err == nil {
		in.ObjectID = &words
	} else if words != "" {
		in.IdempotencyKey = &words
	}
	return in
}

func (p *Pages) logList() web.List[requestlog.Log, ids.Request] {
	return web.List[requestlog.Log, ids.Request]{Path: web.LogsPath, Read: ids.ParseRequest,
		Opens: web.ByID(ids.ParseRequest),
		Key:   func(l requestlog.Log) ids.Request { return l.ID },
		Find:  web.Find(logInput, p.RequestLogs.List),
		Draw: func(c *web.Request, logs page.Of[requestlog.Log]) (views.List, error) {
			t := c.Text()
			return views.List{Head: ui.Head{Title: t.Logs.Title, Text: t.Logs.Text},
				Above: views.ToolTabs(developerTabs(c), redactedBanner(c)),
				Table: logTable(t, logs.Items), Bar: p.logBar(c),
				Empty: ui.NothingYet(ui.IconCode, t.Logs.EmptyTitle, t.Logs.EmptyText)}, nil
		},
		Shown: func(t *text.Catalogue, n int) string { return t.Logs.Shown(n) },
		File:  "requests", Line: logRow,
		Head: []string{"id", "method", "path", "status", "error_code", "key_name", "object_id", "idempotency_key",
			"took_ms", "created_at"}}
}

func logRow(_ *web.Request, l requestlog.Log) []string {
	return []string{l.ID.String(), l.Method, l.Path, strconv.Itoa(l.Status), web.Deref(l.ErrorCode), l.KeyName,
		web.Deref(l.ObjectID),
		web.Deref(l.IdempotencyKey), strconv.Itoa(l.TookMS), web.Stamp(l.CreatedAt.Time)}
}

// withheldPanel is in the place of contents.
func withheldPanel(c *web.Request) views.ToolPanel {
	t := c.Text().Developers
	return views.ToolPanel{Body: ui.Empty{Icon: ui.IconLock, Title: t.Redacted, Text: t.RedactedText}.View()}
}

// redactedBanner tells anyone who sees no contents that there are some; nil for the others.
func redactedBanner(c *web.Request) templ.Component {
	if !withheld(c) {
		return nil
	}
	t := c.Text().Developers
	return ui.Banner{Tone: ui.Info, Title: t.Redacted, Text: t.RedactedText}.View()
}

func logTable(t *text.Catalogue, logs []requestlog.Log) ui.Table {
	out := ui.Table{Caption: t.Logs.Title, Target: ui.ResultsID,
		Columns: []ui.Column{{Title: t.Logs.Request, Place: ui.PlaceLead}, {Title: t.Logs.Status, Place: ui.PlaceState},
			{Title: t.Logs.Key}, {Title: t.Logs.Took, Right: true},
			{Title: t.Logs.When, Right: true, Place: ui.PlaceTime}}}
	for _, l := range logs {
		out.Rows = append(out.Rows, ui.Row{Href: web.LogsPath + "/" + l.ID.String(), Label: l.Method + " " + l.Path,
			Cells: []templ.Component{
				ui.Two(l.Method+" "+l.Path, l.ID.String()), logStatus(l), ui.Plain(l.KeyName),
				ui.Plain(t.Logs.Milliseconds(l.TookMS)), ui.Time(l.CreatedAt.Time)}})
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
	return views.ChargeState(views.State{Tone: tone, Word: strconv.Itoa(l.Status), Note: web.Deref(l.ErrorCode)})
}

func (p *Pages) logBar(c *web.Request) ui.FilterBar {
	t := c.Text()
	outcomes := []ui.Option{{Value: "good", Label: t.Logs.Good}, {Value: "refused", Label: t.Logs.Refused},
		{Value: "broken", Label: t.Logs.Broken}}
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	bar := ui.FilterBar{Search: ui.Filter{Name: "q", Label: t.Logs.Search, Kind: ui.FilterWords}, Filters: []ui.Filter{
		{Name: "outcome", Label: t.Logs.Outcome, Kind: ui.FilterMany, Options: outcomes},
		{Name: "method", Label: t.Logs.Method, Kind: ui.FilterMany, Options: web.Options(methods, nil)},
		{Name: "code", Label: t.Logs.Code, Kind: ui.FilterWords},
		{Name: "merchant", Label: t.Logs.Merchant, Kind: ui.FilterWords},
		{Name: "at", Label: t.Logs.When, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.MachineDay(c))}}}
	if c.QueryParam("key") != "" {
		bar.Filters = append(bar.Filters, ui.Filter{Name: "key", Label: t.Logs.Key, Kind: ui.FilterWords})
	}
	return bar
}

func (p *Pages) showLog(c *web.Request) error {
	l, err := p.RequestLogs.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	t := c.Text()
	view := views.Tool{Tabs: developerTabs(c), Head: ui.Head{Title: l.Method + " " + l.Path, Aside: logStatus(l),
		Crumbs: toolCrumbs(t, t.Logs.Title, web.LogsPath)},
		Above: []templ.Component{redactedBanner(c)}, Main: p.logBodies(c,
			l), Side: []views.ToolPanel{{Card: ui.Card{Title: t.Logs.Details}, Body: ui.Facts(p.logFacts(c, l))}}}
	if l.IdempotentReplayed {
		view.Above = append(view.Above,
			ui.Banner{Tone: ui.Info, Title: t.Logs.Replayed, Text: t.Logs.ReplayedText}.View())
	}
	return web.Render(c, http.StatusOK, views.ToolPage(c.Page(view.Head.Title), view))
}

// logBodies show what was asked and told; nothing of it for anyone who may not see contents.
func (p *Pages) logBodies(c *web.Request, l requestlog.Log) []views.ToolPanel {
	t := c.Text().Logs
	if withheld(c) {
		return []views.ToolPanel{withheldPanel(c)}
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
	return []views.ToolPanel{{Card: ui.Card{Title: t.RequestBody}, Body: asked},
		{Card: ui.Card{Title: t.ResponseBody}, Body: told}}
}

func (p *Pages) logFacts(c *web.Request, l requestlog.Log) []ui.Fact {
	t := c.Text().Logs
	out := web.Facts{{Key: t.ID, Value: ui.Copied(t.ID, l.ID.String())},
		{Key: t.When, Value: ui.Time(l.CreatedAt.Time)}, {Key: t.Took, Value: ui.Plain(t.Milliseconds(l.TookMS))},
		{Key: t.Key, Value: ui.Linked(l.KeyName, web.APIKeysPath+"/"+l.KeyID.String())}}
	object, key := web.Deref(l.ObjectID), web.Deref(l.IdempotencyKey)
	out.Code(t.Object, object, p.pageOfObject(c, object))
	out.Merchant(t.Merchant, l.MerchantID)
	out.Code(t.Idempotency, key, web.IdempotencyPath+"?"+url.Values{"key": {key}}.Encode())
	out.Code(t.ClientID, web.Deref(l.ClientRequestID), "")
	out.Code(t.Address, l.IP, "")
	out.Code(t.Agent, l.UserAgent, "")
	out.Code(t.Version, l.APIVersion, "")
	return out
}

// readable is JSON with its members one a line; any other text is as it is.
func readable(words string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(words), "", "  ") != nil {
		return words
	}
	return out.String()
}

func (p *Pages) showIdempotency(c *web.Request) error {
	t, key := c.Text(), strings.TrimSpace(c.QueryParam("key"))
	view := views.Tool{Tabs: developerTabs(c), Head: ui.Head{Title: t.Logs.Keys, Text: t.Logs.KeysText},
		Main: []views.ToolPanel{
			{Body: views.LookUp(web.IdempotencyPath,
				ui.Field{Name: "key", Label: t.Logs.KeysLabel, Hint: t.Logs.KeysHint, Value: key, Autocomplete: "off",
					Focus: key == ""}, t.Logs.Look)}}}
	if key == "" {
		view.Main = append(view.Main,
			views.ToolPanel{Body: ui.NothingYet(ui.IconKey, t.Logs.KeysTeach, t.Logs.KeysTeachText).View()})
		return web.Render(c, http.StatusOK, views.ToolPage(c.Page(t.Logs.Keys), view))
	}
	story, err := p.RequestLogs.Key(c.Ctx(), c.Actor(), key)
	if fault.HasCode(err, "resource_missing") {
		view.Main = append(view.Main,
			views.ToolPanel{Body: ui.Empty{Icon: ui.IconMissing, Title: t.Logs.KeyMissing,
				Text: t.Logs.KeyMissingText}.View()})
		return web.Render(c, http.StatusOK, views.ToolPage(c.Page(t.Logs.Keys), view))
	}
	if err != nil {
		return err
	}
	requests, err := p.RequestLogs.List(c.Ctx(), c.Actor(),
		requestlog.ListInput{Page: page.Input[ids.Request]{Limit: 20}, IdempotencyKey: &key})
	if err != nil {
		return err
	}
	view.Main = append(view.Main, p.storyPanel(c, story))
	if len(requests.Items) > 0 {
		card := ui.Card{Title: t.Logs.Repeats, Flush: true, Link: t.Keys.AllRequests,
			Href: web.LogsPath + "?" + url.Values{"q": {key}}.Encode()}
		view.Main = append(view.Main, views.ToolPanel{Card: card, Body: logTable(t, requests.Items).View()})
	}
	return web.Render(c, http.StatusOK, views.ToolPage(c.Page(t.Logs.Keys), view))
}

// storyPanel shows the outcome of a key: its object by id; the contents are on the page of the object.
func (p *Pages) storyPanel(c *web.Request, s idempotency.Story) views.ToolPanel {
	t := c.Text().Logs
	state, meaning := ui.Status(ui.Info, t.Claimed), t.ClaimedText
	switch s.State {
	case idempotency.Accepted:
		state, meaning = ui.Status(ui.Info, t.Accepted), t.AcceptedText
	case idempotency.Done:
		state, meaning = ui.Status(ui.Success, t.Done), t.DoneText
	}
	facts := web.Facts{{Key: t.State, Value: views.Stacked(state, views.Paragraph(meaning))},
		{Key: t.Request, Value: ui.Mono(s.Method + " " + s.Path)}, {Key: t.First, Value: ui.Time(s.CreatedAt)},
		{Key: t.Until, Value: ui.Time(s.ExpiresAt)}}
	if id := s.RequestID.String(); !s.RequestID.IsZero() {
		facts.Code(t.ID, id, web.LogsPath+"/"+id)
	}
	object := storyObject(s)
	facts.Code(t.Object, object, p.pageOfObject(c, object))
	parts := []templ.Component{ui.Facts(facts)}
	if refusal := s.Outcome.Refusal; refusal != nil {
		parts = append(parts,
			ui.Banner{Tone: ui.Warning, Title: t.Refusal, Text: refusal.Message + " (" + refusal.Code + ")"}.View())
	}
	return views.ToolPanel{Card: ui.Card{Title: s.Key}, Body: views.Stacked(parts...)}
}

// storyObject is the id of the object that the request of a key made or changed, "" while it is unknown.
func storyObject(s idempotency.Story) string {
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(s.Outcome.Result, &object) != nil {
		return "" // none yet, or one whose id is a number
	}
	return object.ID
}
