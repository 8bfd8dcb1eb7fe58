package portal

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/requestlog"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

// readable is JSON with its members one a line; any other text is as it is.
func readable(words string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(words), "", "  ") != nil {
		return words
	}
	return out.String()
}

func (p *Portal) showIdempotency(c *web.Request) error {
	t, key := c.Text(), strings.TrimSpace(c.QueryParam("key"))
	view := views.Tool{Tabs: developerTabs(c), Head: ui.Head{Title: t.Logs.Keys, Text: t.Logs.KeysText},
		Main: []views.ToolPanel{{Body: views.LookUp(idempotencyPath, ui.Field{Name: "key", Label: t.Logs.KeysLabel, Hint: t.Logs.KeysHint, Value: key, Autocomplete: "off", Focus: key == ""}, t.Logs.Look)}}}
	if key == "" {
		view.Main = append(view.Main, views.ToolPanel{Body: ui.NothingYet(ui.IconKey, t.Logs.KeysTeach, t.Logs.KeysTeachText).View()})
		return web.Render(c, http.StatusOK, views.ToolPage(c.Page(t.Logs.Keys), view))
	}
	story, err := p.RequestLogs.Key(c.Ctx(), c.Actor(), key)
	if fault.HasCode(err, "resource_missing") {
		view.Main = append(view.Main, views.ToolPanel{Body: ui.Empty{Icon: ui.IconMissing, Title: t.Logs.KeyMissing, Text: t.Logs.KeyMissingText}.View()})
		return web.Render(c, http.StatusOK, views.ToolPage(c.Page(t.Logs.Keys), view))
	}
	if err != nil {
		return err
	}
	requests, err := p.RequestLogs.List(c.Ctx(), c.Actor(), requestlog.ListInput{Page: page.Input[ids.Request]{Limit: 20}, IdempotencyKey: &key})
	if err != nil {
		return err
	}
	view.Main = append(view.Main, p.storyPanel(c, story))
	if len(requests.Items) > 0 {
		view.Main = append(view.Main, views.ToolPanel{Card: ui.Card{Title: t.Logs.Repeats, Flush: true, Link: t.Keys.AllRequests, Href: logsPath + "?" + url.Values{"q": {key}}.Encode()}, Body: logTable(t, requests.Items).View()})
	}
	return web.Render(c, http.StatusOK, views.ToolPage(c.Page(t.Logs.Keys), view))
}

// storyPanel tells what became of a key: the object, not what is in it, which its own page shows.
func (p *Portal) storyPanel(c *web.Request, s idempotency.Story) views.ToolPanel {
	t := c.Text().Logs
	state, meaning := ui.Status(ui.Info, t.Claimed), t.ClaimedText
	switch s.State {
	case idempotency.Accepted:
		state, meaning = ui.Status(ui.Info, t.Accepted), t.AcceptedText
	case idempotency.Done:
		state, meaning = ui.Status(ui.Success, t.Done), t.DoneText
	}
	facts := []ui.Fact{{Key: t.State, Value: views.Stacked(state, views.Paragraph(meaning))}, {Key: t.Request, Value: ui.Mono(s.Method + " " + s.Path)}, {Key: t.First, Value: ui.Time(s.CreatedAt)}, {Key: t.Until, Value: ui.Time(s.ExpiresAt)}}
	if !s.RequestID.IsZero() {
		facts = append(facts, ui.Fact{Key: t.ID, Value: ui.Linked(s.RequestID.String(), logsPath+"/"+s.RequestID.String())})
	}
	if object := storyObject(s); object != "" {
		made := ui.Mono(object)
		if to := p.pageOfObject(c, object); to != "" {
			made = ui.Linked(object, to)
		}
		facts = append(facts, ui.Fact{Key: t.Object, Value: made})
	}
	parts := []templ.Component{ui.Facts(facts)}
	if refusal := s.Outcome.Refusal; refusal != nil {
		parts = append(parts, ui.Banner{Tone: ui.Warning, Title: t.Refusal, Text: refusal.Message + " (" + refusal.Code + ")"}.View())
	}
	return views.ToolPanel{Card: ui.Card{Title: s.Key}, Body: views.Stacked(parts...)}
}

// storyObject is the id of the object that the request of a key made or changed, "" while nobody knows.
func storyObject(s idempotency.Story) string {
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(s.Outcome.Result, &object) != nil {
		return "" // none yet, or one whose id is a number
	}
	return object.ID
}
