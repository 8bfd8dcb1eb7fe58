package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/webhook"
)

var eventResource = resource{
	shapes: map[string]any{
		"ChargeCapturedEvent": event.Event{}, "PingEvent": event.Event{}, "EventList": list{},
		"EventRequest": event.Request{}, "ChargeEventData": event.Data{}, "PingEventData": event.Data{},
		"RedeliverEvent": webhook.RedeliverInput{}, "Redelivery": webhook.Redelivery{},
	},
	enums: map[string][]string{"EventType": event.Names()},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/events/:id": func(t *testing.T, s *site) string {
			// they are the fixture's
			s.execute(t, `DELETE FROM events WHERE application_id = @app AND merchant_id <> @merchant`,
				pg.Args{"app": s.Other.AppID, "merchant": s.Other.Merchants.US})
			s.number(t)
			id, err := pg.Value[ids.Event](t.Context(), s.Pool, `SELECT id FROM events WHERE application_id = @app
				AND merchant_id = @merchant LIMIT 1`, pg.Args{"app": s.Other.AppID, "merchant": s.Other.Merchants.US})
			if err != nil {
				t.Fatal(err)
			}
			return id.String()
		},
	},
}

// number gives the events that were written their numbers.
func (s *site) number(t testing.TB) {
	t.Helper()
	for more := true; more; {
		if _, err := s.Events.Number(t.Context()); err != nil {
			t.Fatal(err)
		}
		// None may be numbered while a worker that was just stopped still holds the application's numbers.
		if err := s.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM events
			WHERE sequence IS NULL AND NOT test)`).Scan(&more); err != nil {
			t.Fatal(err)
		}
	}
}

type eventPage struct {
	Data           []event.Event
	HasMore        bool `json:"has_more"`
	Next, Previous *string
}

func (s *site) events(t testing.TB, query string) (out eventPage) {
	t.Helper()
	if err := json.Unmarshal(s.get(t, "/api/events?"+query).want(t, 200, "").body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (p eventPage) types() string {
	var out []string
	for _, e := range p.Data {
		out = append(out, e.Type)
	}
	return strings.Join(out, " ")
}

// charged makes a captured charge whose events have their numbers, and tells its id and the sequence before.
func (s *site) charged(t testing.TB) (id string, before int64) {
	t.Helper()
	s.number(t)
	before = s.events(t, "limit=1").Data[0].Number()
	s.Clock.Advance(time.Second)
	id = s.post(t, s.body(s.Token(good))).want(t, 201, "").charge(t).ID.String()
	s.number(t)
	return id, before
}

func TestEventsAreListedBySequence(t *testing.T) {
	t.Parallel()
	s := open(t)
	id, before := s.charged(t)
	all := s.events(t, fmt.Sprintf("after_sequence=%d", before))
	if all.types() != "charge.created charge.captured" || all.HasMore || all.Next != nil {
		t.Fatalf("%+v", all)
	}
	for i, e := range all.Data {
		read := s.get(t, "/api/events/"+e.ID.String()).want(t, 200, "")
		if text, _ := json.Marshal(e); string(text) != string(read.body) || e.Number() != before+int64(i)+1 ||
			e.Request.ID == nil || e.Request.Source != "api" {
			t.Errorf("%+v is read as %s", e, read.body)
		}
	}
	for query, want := range map[string]string{
		"limit=2":                        "charge.captured charge.created",
		"limit=1&order=desc":             "charge.captured",
		"object_id=" + id:                "charge.captured charge.created",
		"object_id=" + id + "&order=asc": "charge.created charge.captured",
		"type=charge.captured":           "charge.captured",
		"type=charge.*":                  "charge.captured charge.created",
		"type=refund.*,charge.created":   "charge.created",
		"type=daf_donation.*":            "",
		"object_id=" + ids.NewRefund(time.Now()).String():                         "",
		fmt.Sprintf("object_id=%d&type=charge.*", s.App.Merchants.US):             "",
		fmt.Sprintf("merchant_id=%d&type=charge.*", s.App.Merchants.CA):           "",
		fmt.Sprintf("merchant_id=%d&type=charge.*", s.App.Merchants.US):           "charge.captured charge.created",
		fmt.Sprintf("starting_after=%d", before+2) + "&limit=1":                   "charge.created",
		fmt.Sprintf("ending_before=%d", before+1) + "&limit=1":                    "charge.captured",
		fmt.Sprintf("after_sequence=%d&limit=1", before):                          "charge.created",
		fmt.Sprintf("after_sequence=%d&starting_after=%d", before, before+1):      "charge.captured",
		fmt.Sprintf("after_sequence=%d&starting_after=%d", before+1, before):      "charge.captured",
		fmt.Sprintf("after_sequence=%d", before+2):                                "",
		fmt.Sprintf("after_sequence=%d&wait=0", before+2):                         "",
		"type=charge.*&created_at[gte]=" + s.Clock.Now().Format(time.RFC3339Nano): "charge.captured charge.created",
		"created_at[gt]=" + s.Clock.Now().Format(time.RFC3339Nano):                "",
		"type=charge.*&created_at[lt]=" + s.Clock.Now().Format(time.RFC3339Nano):  "",
	} {
		if got := s.events(t, query).types(); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	first := s.events(t, "limit=1")
	second := s.events(t, "limit=1&starting_after="+*first.Next)
	if second.types() != "charge.created" || *second.Previous != second.Data[0].Cursor() ||
		s.events(t, "limit=1&ending_before="+*second.Previous).types() != "charge.captured" {
		t.Errorf("%+v, then %+v", first, second)
	}
}

func TestEventsOfEverythingAreThereOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.charged(t)
	var numbers []int64
	for after := int64(0); ; after = numbers[len(numbers)-1] {
		p := s.events(t, fmt.Sprintf("limit=3&after_sequence=%d", after))
		for _, e := range p.Data {
			numbers = append(numbers, e.Number())
		}
		if !p.HasMore {
			break
		}
	}
	for i, n := range numbers {
		if n != int64(i+1) {
			t.Fatalf("sequences %v", numbers)
		}
	}
}

func TestQueriesOfEventsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	for query, code := range map[string]string{
		"type=" + marker: "parameter_invalid", "type=charge*": "parameter_invalid",
		"type=charge.created,": "parameter_invalid",
		"object_id=" + marker:  "parameter_invalid", "object_id=0": "parameter_invalid", "wait=21": "parameter_invalid",
		"wait=-1":  "parameter_invalid",
		"wait=1.5": "parameter_invalid", "after_sequence=-1": "parameter_invalid",
		"after_sequence=01": "parameter_invalid", "starting_after=0": "cursor_invalid",
		"after_sequence=1&order=asc":       "parameters_exclusive",
		"after_sequence=1&ending_before=3": "parameters_exclusive",
		"starting_after=1&ending_before=3": "parameters_exclusive",
	} {
		s.get(t, "/api/events?"+query).want(t, 400, code)
	}
}

func TestWhoWaitsGetsTheNextEventAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	_, before := s.charged(t)
	began := time.Now()
	if p := s.events(t, fmt.Sprintf("after_sequence=%d&wait=1", before+2)); len(p.Data) > 0 ||
		time.Since(began) < time.Second {
		t.Errorf("%v after %v", p, time.Since(began))
	}
	if s.events(t, fmt.Sprintf("after_sequence=%d&wait=20", before)); time.Since(began) > 10*time.Second {
		t.Error("who has something to read waited")
	}
	came := make(chan eventPage)
	go func() { came <- s.events(t, fmt.Sprintf("after_sequence=%d&wait=20&type=charge.captured", before+2)) }()
	time.Sleep(300 * time.Millisecond)
	s.charged(t)
	select {
	case p := <-came:
		if p.types() != "charge.captured" {
			t.Errorf("%+v", p)
		}
	case <-time.After(10 * time.Second):
		t.Error("who waits was not told")
	}
	go func() { came <- s.events(t, fmt.Sprintf("after_sequence=%d&wait=20", before+4)) }()
	time.Sleep(300 * time.Millisecond)
	s.Events.Release()
	s.Events.Release()
	select {
	case p := <-came:
		if len(p.Data) > 0 {
			t.Errorf("%+v", p)
		}
	case <-time.After(10 * time.Second):
		t.Error("a server that stops held those who waited")
	}
}

func TestEventsOfAnotherMerchantAreUnseen(t *testing.T) {
	t.Parallel()
	s := open(t)
	id, _ := s.charged(t)
	about := s.events(t, "object_id="+id).Data[0].ID.String()
	other := s.own().limited(t, s.App.Merchants.CA)
	a := s.send(t, call{path: "/api/events?type=charge.*", as: other}).want(t, 200, "")
	if strings.Contains(string(a.body), about) {
		t.Errorf("%s", a.body)
	}
	s.send(t, call{path: "/api/events/" + about, as: other}).want(t, 404, "resource_missing")
	e := s.newEndpoint(t, `{"url":"https://example.org/"}`)
	s.on(t, http.MethodPost, "/api/webhook_endpoints/"+e.ID.String()+"/test", "", "").want(t, 200, "")
	d := s.deliveriesOf(t, e, "").Data[0]
	s.get(t, "/api/events/"+d.EventID.String()).want(t, 200, "")
	s.send(t, call{path: "/api/events/" + d.EventID.String(), as: other}).want(t, 404, "resource_missing")
}

func TestEventsAreSentOnceMore(t *testing.T) {
	t.Parallel()
	s := open(t)
	all := s.newEndpoint(t, `{"url":"https://example.org/1"}`)
	refunds := s.newEndpoint(t, `{"url":"https://example.org/2","events":["refund.*"]}`)
	off := s.newEndpoint(t, `{"url":"https://example.org/3"}`)
	s.on(t, http.MethodPost, "/api/webhook_endpoints/"+off.ID.String()+"/disable", "", "").want(t, 200, "")
	id, _ := s.charged(t)
	about := s.events(t, "object_id="+id).Data[0]
	path := "/api/events/" + about.ID.String() + "/redeliver"
	to := func(a answer) (out webhook.Redelivery) {
		if err := json.Unmarshal(a.want(t, 200, "").body, &out); err != nil || out.EventID != about.ID {
			t.Fatalf("%s, %v", a.body, err)
		}
		return out
	}
	if got := to(s.once(t, http.MethodPost, path, `{}`, `{"endpoint_id":"x"}`, 200)).Endpoints; !slices.Equal(got,
		[]ids.Endpoint{all.ID}) {
		t.Errorf("sent to %v", got)
	}
	if got := to(s.on(t, http.MethodPost, path, fmt.Sprintf(`{"endpoint_id":%q}`, refunds.ID),
		"")).Endpoints; !slices.Equal(got, []ids.Endpoint{refunds.ID}) {
		t.Errorf("sent to %v", got)
	}
	causes := ""
	for _, d := range s.deliveriesOf(t, all, "event_id="+about.ID.String()).Data {
		causes += string(d.Cause)
		if *d.EventSequence != about.Number() {
			t.Errorf("%+v", d)
		}
	}
	if causes != "redeliveryevent" && causes != "eventredelivery" {
		t.Errorf("deliveries because of %s", causes)
	}
	s.on(t, http.MethodPost, path, fmt.Sprintf(`{"endpoint_id":%q}`, off.ID), "").want(t, 409,
		"webhook_endpoint_not_enabled")
	for _, missing := range []string{marker, ids.NewEndpoint(s.Clock.Now()).String()} {
		if e := s.on(t, http.MethodPost, path, fmt.Sprintf(`{"endpoint_id":%q}`, missing), "").want(t, 404,
			"resource_missing").error(); e.Param != "endpoint_id" {
			t.Errorf("%+v", e)
		}
	}
}

func FuzzEventList(f *testing.F) {
	for _, text := range []string{
		"after_sequence=0&wait=20", "after_sequence=9223372036854775808", "wait=9223372036854775807",
		"type=charge.*,ping,*", "type=,", "object_id=1042",
		"object_id=whe_01jq8z6k4t8m2x9v5c7b1n3d0f", "starting_after=1&ending_before=01",
		"object_id=9223372036854775807",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		q := &query{values: values}
		in := eventList(q)
		err = q.err()
		if invalid(t, err); err != nil {
			return
		}
		if in.Wait < 0 || in.Wait > event.MaxWait || in.Page.After < 0 || in.Page.Before < 0 || values.Has("type") &&
			len(event.Covered(in.Types)) == 0 ||
			values.Has("object_id") != (in.ObjectID != nil) {
			t.Errorf("taken: %+v", in)
		}
	})
}
