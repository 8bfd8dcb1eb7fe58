package portal

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/merchant"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
)

// receiver is an application's own server, which answers with a status.
func (w *world) receiver(status *atomic.Int32) string {
	return w.received(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(int(status.Load()))
		_, _ = rw.Write([]byte("<i>no upstream</i>"))
	})
}

// received is the address of such a server that answers as it likes.
func (w *world) received(answers http.HandlerFunc) string {
	s := httptest.NewServer(answers)
	w.t.Cleanup(s.Close)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return "http://hooks.localhost:" + port + "/take"
}

// work numbers events, sends them and runs replays until the test ends.
func (w *world) work() {
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { w.Webhooks.NewWorker().Run(ctx) })
	run.Go(func() {
		for ctx.Err() == nil {
			_, _ = w.Webhooks.RunReplays(ctx)
			time.Sleep(20 * time.Millisecond)
		}
	})
	w.t.Cleanup(func() { cancel(); run.Wait() })
}

// until loads a page again and again until it says something.
func (w *world) until(path, cookie, words string) answer {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		a := w.send(path, nil, "Cookie", cookie)
		if strings.Contains(a.body, words) || time.Now().After(end) {
			a.says(w.t, words)
			return a
		}
	}
}

// attempted waits until every event is numbered and every delivery has been attempted so often: what is in progress, or
// is due within seconds, no replay hurries, and the world's clock stands still.
func (w *world) attempted(times int) {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var all bool
		if err := w.Pool.QueryRow(w.t.Context(), `
			SELECT NOT EXISTS (SELECT FROM events WHERE sequence IS NULL AND NOT test) AND NOT EXISTS (
				SELECT FROM webhook_deliveries d WHERE NOT EXISTS (
					SELECT FROM webhook_attempts a WHERE a.application_id = d.application_id AND a.delivery_id = d.id
						AND a.number = $1))`,
			times).Scan(&all); err != nil || all {
			if err != nil {
				w.t.Fatal(err)
			}
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("not every delivery was attempted %d times", times)
		}
	}
}

var (
	endpointAt = regexp.MustCompile(`/portal/developers/webhooks/whe_[a-z0-9]+`)
	deliveryAt = regexp.MustCompile(`/portal/developers/webhooks/whe_[a-z0-9]+/deliveries/dlv_[a-z0-9]+`)
	secretText = regexp.MustCompile(`whsec_[0-9A-Za-z/+=]{20,}`)
)

// listening adds an endpoint by the form and returns the address of its page.
func (w *world) listening(cookie, address string, groups ...string) string {
	w.t.Helper()
	form := w.drawn(web.WebhooksPath+"/new", cookie,
		url.Values{"url": {address}, "groups": groups, "description": {"Books"}})
	made := w.send(web.WebhooksPath+"/new", form, "Cookie", cookie)
	made.wants(w.t, http.StatusOK, "")
	made.says(w.t, "Copy the secret now", "whsec_")
	at := endpointAt.FindString(made.body)
	if again := w.send(web.WebhooksPath+"/new", form, "Cookie", cookie); endpointAt.FindString(again.body) != at {
		w.t.Error("a form that is sent twice adds two endpoints")
	}
	if page := w.send(at, nil, "Cookie", cookie); secretText.MatchString(page.body) {
		w.t.Error("the secret is shown later")
	}
	return at
}

// Flow 5: a failing webhook, from its banner to the replay of what was missed.
func TestAFailingWebhookIsRepairedAndWhatItMissedReplayed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.work()
	cookie := w.as(authz.RoleApplicationAdmin)
	var status atomic.Int32
	status.Store(http.StatusBadGateway)
	at := w.listening(cookie, w.receiver(&status), "merchant.*")
	name := "Riverside"
	for range 2 {
		w.Merchant(merchant.CreateInput{Name: &name})
	}
	failing := w.until(at, cookie, "Events aren’t being delivered")
	failing.says(t, "HTTP 502", "Check its logs.", "merchant.created", at+"/test", at+"/replay")
	w.send(web.WebhooksPath, nil, "Cookie", cookie).says(t, "Some endpoints are failing", "Failing")
	// where it needs attention, its description says which one it is
	for _, path := range []string{web.Home, web.DevelopersPath} {
		w.send(path, nil, "Cookie", cookie).says(t, "Books · ")
	}
	delivery := w.send(deliveryAt.FindString(failing.body), nil, "Cookie", cookie)
	delivery.says(t, "Attempt 1", "&lt;i&gt;no upstream&lt;/i&gt;", "webhook-signature", "previous_attributes")
	redacted := w.send(deliveryAt.FindString(failing.body), nil, "Cookie", w.as(authz.RoleSupportStaff))
	redacted.says(t, "Attempt 1", "are hidden")
	if strings.Contains(redacted.body, "no upstream") || strings.Contains(redacted.body, "previous_attributes") {
		t.Error("support staff sees what was sent and said")
	}

	w.attempted(1)
	w.pass(6 * time.Second) // the second attempt fails, the third waits for minutes
	w.attempted(2)
	w.until(deliveryAt.FindString(failing.body), cookie, "Attempt 2")
	status.Store(http.StatusOK)
	w.send(at+"/test?type=merchant.created", nil, "Cookie", cookie).says(t, "Riverside")
	wrong := w.send(at+"/test",
		w.drawn(at+"/test?type=merchant.created", cookie, url.Values{"type": {"merchant.created"}, "body": {"{no"}}),
		"Cookie", cookie)
	wrong.wants(t, http.StatusUnprocessableEntity, "")
	wrong.says(t, "Enter a valid JSON object.", ">{no</textarea>")
	tried := w.send(at+"/test",
		w.drawn(at+"/test", cookie,
			url.Values{"type": {"charge.captured"}, "body": {`{"object":"charge","id":"ch_made_up"}`}}),
		"Cookie", cookie)
	if tried.StatusCode != http.StatusSeeOther || !deliveryAt.MatchString(tried.Header.Get("Location")) {
		t.Fatalf("a test is answered %d\n%s", tried.StatusCode, tried.body)
	}
	w.until(tried.Header.Get("Location"), cookie, "HTTP 200").says(t, "ch_made_up")
	form := w.send(at+"/replay", nil, "Cookie", cookie)
	form.says(t, `value="failed" checked`)
	since := regexp.MustCompile(`name="since"[^>]*|value="(\d{4}-\d\d-\d\d)"`).FindStringSubmatch(form.body)
	if len(since) == 0 {
		t.Error("the form knows no day")
	}
	day := w.Clock.Now().UTC().Format(time.DateOnly)
	started := w.send(at+"/replay", w.drawn(at+"/replay", cookie, url.Values{"which": {"failed"}, "since": {day}}),
		"Cookie", cookie)
	progress := started.Header.Get("Location")
	if started.StatusCode != http.StatusSeeOther || !strings.Contains(progress, "/replays/") {
		t.Fatalf("a replay is answered %d\n%s", started.StatusCode, started.body)
	}
	w.until(progress, cookie, "Done")
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if healthy := w.send(at, nil, "Cookie", cookie); !strings.Contains(healthy.body, "not arrive") {
			healthy.says(t, "Replay, ", "Enabled")
			break
		} else if time.Now().After(end) {
			t.Errorf("after the replay the page says\n%s", healthy.words())
			break
		}
	}
	w.send(progress+"/cancel", url.Values{}, "Cookie", cookie).wants(t, http.StatusSeeOther, progress)
	bad := w.send(at+"/replay", w.drawn(at+"/replay", cookie, url.Values{"which": {"failed"}, "since": {"then"}}),
		"Cookie", cookie)
	bad.wants(t, http.StatusUnprocessableEntity, "")
	bad.says(t, "Choose a day.")
}

func TestEndpointsAreChangedAndEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	w.send(web.WebhooksPath, nil, "Cookie", cookie).says(t, "No endpoints yet")
	wrong := w.drawn(web.WebhooksPath+"/new", cookie,
		url.Values{"url": {"ftp://shop.example"}, "events": {"charge.eaten"}})
	a := w.send(web.WebhooksPath+"/new", wrong, "Cookie", cookie)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, `href="#url"`, `href="#events"`, `value="ftp://shop.example"`)
	var status atomic.Int32
	status.Store(http.StatusOK)
	at := w.listening(cookie, w.receiver(&status))
	w.send(at, nil, "Cookie", cookie).says(t, "No deliveries yet", "Enabled")
	edit := w.drawn(at+"/edit", cookie,
		url.Values{"url": {"http://other.localhost:9/take"}, "events": {"charge.captured\nrefund.*"}, "version": {"1"}})
	w.send(at+"/edit", edit, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "other.localhost", "charge.captured", "refund.*")
	stale := w.send(at+"/edit",
		w.drawn(at+"/edit", cookie, url.Values{"url": {"http://mine.localhost:9/take"}, "version": {"1"}}),
		"Cookie", cookie)
	stale.wants(t, http.StatusConflict, "")
	stale.says(t, "Someone else just edited this endpoint", "http://other.localhost:9/take",
		"http://mine.localhost:9/take", `name="version" value="2"`)
	rotated := w.send(at+"/rotate", w.drawn(at+"/rotate", cookie, url.Values{"overlap": {"24h"}}), "Cookie", cookie)
	rotated.says(t, "New signing secret", "whsec_")
	w.send(at, nil, "Cookie", cookie).says(t, "Previous secret valid until")
	for _, act := range []string{"disable", "enable", "disable"} {
		w.send(at+"/"+act, nil, "Cookie", cookie).says(t, `action="`+at+"/"+act)
		w.send(at+"/"+act, url.Values{}, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	}
	w.send(at, nil, "Cookie", cookie).says(t, "Disabled", at+"/enable")
	refused := w.send(at+"/test", w.drawn(at+"/test", cookie, url.Values{"type": {"ping"}}), "Cookie", cookie)
	refused.wants(t, http.StatusConflict, "")
	refused.says(t, "Nothing is sent to an endpoint that is disabled")
	foreign := w.in(authz.RoleApplicationAdmin, w.Other)
	for _, path := range []string{at, at + "/edit", at + "/test", at + "/replay", at + "/rotate", at + "/delete"} {
		w.send(path, nil, "Cookie", foreign).wants(t, http.StatusNotFound, "")
	}
	w.send(at+"/delete", url.Values{}, "Cookie", foreign).wants(t, http.StatusNotFound, "")
	w.send(web.WebhooksPath+".csv", nil, "Cookie", cookie).says(t, "http://other.localhost:9/take")
	w.send(at+"/delete", w.drawn(at+"/delete", cookie, url.Values{}), "Cookie", cookie).wants(t, http.StatusSeeOther,
		web.WebhooksPath)
	w.send(at, nil, "Cookie", cookie).wants(t, http.StatusNotFound, "")
}

func TestEventsAreReadAndSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.work()
	cookie := w.as(authz.RoleApplicationAdmin)
	var status atomic.Int32
	status.Store(http.StatusOK)
	at := w.listening(cookie, w.receiver(&status), "merchant.*")
	made := w.Merchant(merchant.CreateInput{})
	w.until(at, cookie, "Delivered")
	list := w.until(fmt.Sprintf("%s?type=merchant.created&merchant=%d", web.EventsPath, made.ID), cookie,
		"A merchant was created.")
	list.says(t, "merchant.created")
	one := regexp.MustCompile(`/portal/developers/events/evt_[a-z0-9]+`).FindString(list.body)
	w.until(one, cookie, "hooks.localhost").says(t, "merchant_id", one+"/resend")
	id := one[strings.LastIndex(one, "/")+1:]
	w.send(web.EventsPath+"?q="+id, nil, "Cookie", cookie).wants(t, http.StatusSeeOther, one)
	w.send(web.EventsPath+"?q=nothing", nil, "Cookie", cookie).says(t, "No results")
	w.send(web.EventsPath+".csv?type=merchant.created", nil, "Cookie", cookie).says(t, id)
	form := w.drawn(one, cookie, url.Values{})
	w.send(one+"/resend", form, "Cookie", cookie).wants(t, http.StatusSeeOther, one)
	w.send(one+"/resend", form, "Cookie", cookie).wants(t, http.StatusSeeOther, one)
	if again := w.send(at, nil, "Cookie", cookie); strings.Count(again.body, "Resent") != 1 {
		t.Errorf("a form that is sent twice sends an event again %d times", strings.Count(again.body, "Resent"))
	}
	if a := w.send(one, nil, "Cookie", w.as(authz.RoleSupportStaff)); a.StatusCode != http.StatusOK ||
		strings.Contains(a.body, "/resend") {
		t.Errorf("support staff sees %d\n%s", a.StatusCode, a.body)
	}
	w.send(one, nil, "Cookie", w.in(authz.RoleApplicationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
}

// Of an endpoint that has long been quiet a replay of what it missed is offered as far back as that is known.
func TestAReplayIsOfferedOfWhatIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var status atomic.Int32
	status.Store(http.StatusOK)
	at := w.listening(w.as(authz.RoleApplicationAdmin), w.receiver(&status))
	w.Clock.Advance(40 * 24 * time.Hour)
	form := w.send(at+"/replay", nil, "Cookie", w.as(authz.RoleApplicationAdmin))
	form.says(t, "skipped in the last 28 days")
	offered := regexp.MustCompile(`value="(\d{4}-\d\d-\d\d)"`).FindStringSubmatch(form.body)
	if len(offered) == 0 {
		t.Fatalf("the form knows no day:\n%s", form.body)
	}
	day, err := time.Parse(time.DateOnly, offered[1])
	if ago := w.Clock.Now().Sub(day); err != nil || ago > webhook.MissedWithin-24*time.Hour ||
		ago < webhook.MissedWithin-72*time.Hour {
		t.Errorf("%s is offered, %v ago, %v", offered[1], ago, err)
	}
}

// again asks for a part of a page as the page does that looks again on its own.
func (w *world) again(path, part, cookie string) answer {
	w.t.Helper()
	return w.send(path, nil, "Cookie", cookie, web.PollHeader, "1", "HX-Request", "true", "HX-Target", part)
}

// What a replay draws again each second has nothing that the keyboard could be on, and says what there is to hear.
func TestAReplayLooksAgainBesideItsButtons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var status atomic.Int32
	cookie := w.as(authz.RoleApplicationAdmin)
	at, day := w.listening(cookie, w.receiver(&status), "refund.*"), w.Clock.Now().UTC().Format(time.DateOnly)
	w.Merchant(merchant.CreateInput{})
	if _, err := w.Events.Number(t.Context()); err != nil {
		t.Fatal(err)
	}
	started := w.send(at+"/replay", w.drawn(at+"/replay", cookie, url.Values{"which": {"all"}, "since": {day}}),
		"Cookie", cookie)
	progress := started.Header.Get("Location")
	w.send(progress, nil, "Cookie", cookie).says(t, `action="`+progress+`/cancel"`)
	running := w.again(progress, "progress", cookie)
	running.says(t, `hx-trigger="every 1s"`, `data-said="Queuing events"`)
	if _, err := w.Webhooks.RunReplays(t.Context()); err != nil {
		t.Fatal(err)
	}
	over := w.again(progress, "progress", cookie)
	over.says(t, "data-over", `data-said="Done. Delivered: 0. Failed or canceled: 0."`)
	over.lacks(t, "hx-trigger")
	for _, a := range []answer{running, over} {
		if found := regexp.MustCompile(`<(a|button|input|summary)\b|tabindex`).FindString(a.body); found != "" {
			t.Errorf("%s is drawn anew each second", found)
		}
	}
}

// A page about a delivery is as it was until something has become of it.
func TestADeliveryIsDrawnAnewOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	wait := make(chan bool)
	answer := sync.OnceFunc(func() { close(wait) })
	cookie := w.as(authz.RoleApplicationAdmin)
	at := w.listening(cookie, w.received(func(http.ResponseWriter, *http.Request) { <-wait }), "merchant.*")
	w.work()
	t.Cleanup(answer)
	w.Merchant(merchant.CreateInput{})
	one := deliveryAt.FindString(w.until(at, cookie, "/deliveries/dlv_").body)
	w.send(one, nil, "Cookie", cookie).says(t, `hx-trigger="every 1s"`, `id="resend"`)
	w.again(one, "attempts", cookie).wants(t, http.StatusNoContent, "")
	answer()
	w.until(one, cookie, "Attempt 1")
	done := w.again(one, "attempts", cookie)
	done.wants(t, http.StatusOK, "")
	done.says(t, `tabindex="-1" data-said="HTTP 200"`, `id="resend"`)
	done.lacks(t, "hx-trigger")
}
