package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/sandbox/demo"
	"svcpay/internal/webhook"
)

func TestReplaysTellHowFarTheyAre(t *testing.T) {
	t.Parallel()
	s := open(t)
	e := s.newEndpoint(t, `{"url":"https://example.org/","events":["charge.*"]}`)
	id, before := s.charged(t)
	path := endpointsPath + "/" + e.ID.String() + "/replay"
	read := func(a answer) (out webhook.Replay) {
		if err := json.Unmarshal(a.want(t, 200, "").body, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	begun := read(s.once(t, http.MethodPost, path, `{"since":"2020-01-01T00:00:00Z"}`,
		`{"since":"2020-01-02T00:00:00Z"}`, 200))
	if begun.Status != "running" || begun.Total != before+2 || begun.Done != 0 || begun.Which != "all" {
		t.Errorf("%+v", begun)
	}
	s.on(t, http.MethodPost, path, `{"since":"2020-01-01T00:00:00Z"}`, "").want(t, 409, "operation_in_progress")
	if n, err := s.Webhooks.RunReplays(t.Context()); err != nil || int64(n) != begun.Total {
		t.Errorf("%d, %v", n, err)
	}
	one := "/api/webhook_replays/" + begun.ID.String()
	if done := read(s.get(t, one)); done.Status != "done" || done.Done != done.Total || done.Queued != 2 ||
		done.FinishedAt == nil {
		t.Errorf("%+v", done)
	}
	if done := read(s.on(t, http.MethodPost, one+"/cancel", "", "")); done.Status != "done" {
		t.Errorf("%+v", done)
	}
	causes := map[webhook.Cause]int{}
	for _, d := range s.deliveriesOf(t, e, "status=pending").Data {
		causes[d.Cause]++
		if !strings.Contains(s.events(t, "object_id="+id).types(), d.EventType) {
			t.Errorf("%+v", d)
		}
	}
	if causes[webhook.ByEvent] != 2 || causes[webhook.ByReplay] != 2 {
		t.Errorf("%v", causes)
	}
	second := read(s.on(t, http.MethodPost, path, `{"since":"2020-01-01T00:00:00Z","which":"failed"}`, ""))
	if canceled := read(s.on(t, http.MethodPost, "/api/webhook_replays/"+second.ID.String()+"/cancel", "",
		"")); canceled.Status != "canceled" || canceled.Done != 0 {
		t.Errorf("%+v", canceled)
	}
	if none := read(s.on(t, http.MethodPost, path, `{"since":"2020-01-01T00:00:00Z","until":"2020-01-01T00:00:00Z"}`,
		"")); none.Status != "done" || none.Total != 0 {
		t.Errorf("%+v", none)
	}
	s.on(t, http.MethodPost, path, `{}`, "").want(t, 400, "parameter_missing")
	for _, body := range []string{`{"since":"2020-01-02T00:00:00Z","until":"2020-01-01T00:00:00Z"}`, `{"since":"x"}`,
		`{"since":"2020-01-02T00:00:00Z","which":"some"}`} {
		s.on(t, http.MethodPost, path, body, "").want(t, 400, "parameter_invalid")
	}
}

// Replays are listed as everything is, by cursor and by each filter; another application's are not.
func TestReplaysAreListed(t *testing.T) {
	t.Parallel()
	s := open(t)
	since := s.Clock.Now().Add(-time.Hour)
	start := func(of demo.Application, endpoint string) string {
		t.Helper()
		s.Clock.Advance(time.Minute)
		out, err := s.Webhooks.StartReplay(t.Context(), s.ActorOf(of), endpoint,
			webhook.ReplayInput{Since: &since}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out.Object.ID.String()
	}
	start(s.Other, s.theirEndpoint(t).String())
	var endpoints, replays []string
	for range 2 {
		id := s.own().theirEndpoint(t).String()
		endpoints, replays = append(endpoints, id), append(replays, start(s.App, id))
	}
	s.on(t, http.MethodPost, "/api/webhook_replays/"+replays[0]+"/cancel", "", "").want(t, 200, "")
	statuses := map[string]string{}
	for _, id := range replays {
		var r webhook.Replay
		if err := json.Unmarshal(s.get(t, "/api/webhook_replays/"+id).body, &r); err != nil {
			t.Fatal(err)
		}
		statuses[r.Status] = id
	}
	for query, want := range map[string][]string{
		"order=asc": replays, "limit=1": replays[1:], "order=asc&starting_after=" +
			replays[0]: replays[1:], "endpoint_id=" + endpoints[0]: replays[:1],
		"created_at[gt]=2000-01-01T00:00:00Z&order=asc": replays, "created_at[lt]=2000-01-01T00:00:00Z": nil,
	} {
		if got := s.listed(t, "/api/webhook_replays?"+query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	for _, status := range webhook.ReplayStatuses() {
		got := s.listed(t, "/api/webhook_replays?status="+status)
		if id := statuses[status]; slices.Contains(got, id) != (id != "") {
			t.Errorf("%s: %v", status, got)
		}
	}
}
