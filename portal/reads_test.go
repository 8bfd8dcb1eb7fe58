package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/requestlog"
	"svcpay/policy"
	"svcpay/portal/web"
)

// The developers' pages show no objects that a person may not read: events, requests, subscriptions.
func TestDeveloperPagesShowWhatAPersonMayRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	c := w.charged("4242424242424242", money.Amount(1200), nil)
	w.number()
	told, err := w.Events.List(t.Context(), w.Actor(), event.ListInput{Page: page.Input[int64]{Limit: 1},
		Types: []string{"charge.*"}})
	if err != nil || len(told.Items) == 0 {
		t.Fatal(told, err)
	}
	made := w.Actor()
	made.RequestID, made.KeyID, made.KeyName = ids.NewRequest(w.Clock.Now()), ids.NewKey(w.Clock.Now()), "Server"
	w.RequestLogs.Add(requestlog.Entry{Actor: made, Method: "POST", Path: "/api/charges",
		Body: []byte(`{"description":"the winter gala"}`), Status: 201, At: w.Clock.Now(), Took: time.Millisecond})
	if err := w.RequestLogs.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	at, log := web.EventsPath+"/"+told.Items[0].ID.String(), web.LogsPath+"/"+made.RequestID.String()
	w.send(web.EventsPath, nil, "Cookie", cookie).says(t, "charge.captured", "merchant.created")
	w.send(at, nil, "Cookie", cookie).says(t, c.ID.String())
	w.send(log, nil, "Cookie", cookie).says(t, "the winter gala")

	w.Gate.Close(authz.ChargeRead)
	list := w.send(web.EventsPath, nil, "Cookie", cookie)
	list.says(t, "merchant.created")
	if strings.Contains(list.body, at) || strings.Contains(list.body, c.ID.String()) {
		t.Errorf("the list has the event of a charge")
	}
	w.send(at, nil, "Cookie", cookie).wants(t, http.StatusForbidden, "")
	if a := w.send(log, nil, "Cookie", cookie); strings.Contains(a.body, "the winter gala") ||
		a.StatusCode != http.StatusOK {
		t.Errorf("the log of a request is %d %s", a.StatusCode, a.body)
	}
	before := w.denials()
	form := w.drawn(web.WebhooksPath+"/new", cookie,
		url.Values{"url": {"https://example.org/hooks"}, "groups": {"charge.*"}})
	if a := w.send(web.WebhooksPath+"/new", form, "Cookie", cookie); secretText.MatchString(a.body) {
		t.Errorf("an endpoint for charges is made: %d", a.StatusCode)
	}
	if w.denials() != before+1 {
		t.Error("the audit log does not have the refusal")
	}
	w.listening(cookie, "https://example.org/hooks", "merchant.*")
}

// denying denies everything.
type denying struct{}

func (denying) Check(_ authz.Actor, p authz.Permission) error { return authz.Denied(p) }

// A person who may not read a kind of objects reads no event about them and subscribes to none, of all kinds.
func TestEventsOfEveryKindTakeItsPermission(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, now := w.as(authz.RoleApplicationAdmin), w.Clock.Now()
	ofKind := map[string]event.Type{}
	events := map[string]string{} // their pages
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		for _, e := range event.Types() {
			id := ids.NewEvent(now)
			if ofKind[e.Object] = e; events[e.Object] == "" {
				events[e.Object] = web.EventsPath + "/" + id.String()
			}
			if err := outbox.EmitTx(tx, instant.Both(now),
				outbox.Event{ID: id, ApplicationID: w.App.AppID, Type: e.Name,
					ObjectID: id.Bytes(), Position: 1, Object: map[string]string{
						"object": e.Object}, Source: outbox.Job,
					Test: e.Name == "ping"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.number()
	for kind, page := range events {
		f, ok := fault.As(authz.Reads(denying{}, authz.Actor{}, kind))
		if !ok {
			t.Errorf("no permission reads objects of the kind %s", kind)
			continue
		}
		needed := authz.Permission(fmt.Sprint(f.Detail["required_permission"]))
		form := w.drawn(web.WebhooksPath+"/new", cookie,
			url.Values{"url": {"https://example.org/" + kind}, "events": {ofKind[kind].Name}})
		w.Gate.Close(needed)
		for other, its := range events {
			if other != kind && needed == authz.WebhookRead { // each page lists the deliveries of its event
				continue
			}
			if a := w.send(its, nil, "Cookie", cookie); (a.StatusCode == http.StatusForbidden) != (other == kind) {
				t.Errorf("without %s, the event of %s is answered %d", needed, other, a.StatusCode)
			}
		}
		list := web.EventsPath + "?type=" + ofKind[kind].Name
		if a := w.send(list, nil, "Cookie", cookie); strings.Contains(a.body, page) {
			t.Errorf("without %s, %s is listed", needed, ofKind[kind].Name)
		}
		if a := w.send(web.WebhooksPath+"/new", form, "Cookie", cookie); secretText.MatchString(a.body) {
			t.Errorf("without %s, an endpoint for %s is made", needed, ofKind[kind].Name)
		}
		w.Gate.Close()
		if a := w.send(web.WebhooksPath+"/new", form, "Cookie", cookie); !secretText.MatchString(a.body) {
			t.Errorf("with %s, an endpoint for %s is refused: %d", needed, ofKind[kind].Name, a.StatusCode)
		}
	}
}

// number gives the events that were written their numbers.
func (w *world) number() {
	w.t.Helper()
	for more := 1; more > 0; {
		var err error
		if more, err = w.Events.Number(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// Roles of people that see the contents of requests and change endpoints read every kind of object in them: the
// portal's forms offer all types.
func TestRolesOfDevelopersReadEveryKind(t *testing.T) {
	t.Parallel()
	rules, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range authz.PeopleRoles() {
		a := authz.Actor{Role: role, PersonID: 1, Granted: authz.Domain{Scope: role.Scope(), ID: 7}}
		if role.Scope() == authz.ScopeSystem {
			a.Granted = authz.System()
		}
		if rules.Check(a, authz.ContentRead) != nil && rules.Check(a, authz.WebhookManage) != nil {
			continue
		}
		for _, kind := range authz.Kinds() {
			if err := authz.Reads(rules, a, kind); err != nil {
				t.Errorf("%s sees contents, and not objects of the kind %s", role, kind)
			}
		}
	}
}
