package webhook_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/event"
	"svcpay/internal/webhook"
)

func TestAnEventReachesEachEndpointThatWantsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all, some, none := receive(t, answer(200)), receive(t, answer(204)), receive(t, answer(200))
	everything, refunds, off := w.listen(all), w.listen(some, "refund.*", "charge.captured"), w.listen(none)
	if _, err := w.Webhooks.Disable(t.Context(), w.Actor(), off.ID.String(), nil); err != nil {
		t.Fatal(err)
	}
	w.emit(2, "charge.created")
	w.emit(1, "charge.captured")
	w.emit(1, "refund.created")
	w.work()
	got, few := all.await(4), some.await(2)
	w.awaitDeliveries(everything, 4, "succeeded")
	w.awaitDeliveries(refunds, 2, "succeeded")
	var numbers []int64
	for _, m := range got {
		numbers = append(numbers, m.Sequence)
		if err := verify(everything.Secret, m); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
		if verify(refunds.Secret, m) == nil {
			t.Error("another endpoint's secret signed")
		}
		var e event.Event
		stored, err := w.Events.Get(t.Context(), w.Actor(), m.ID)
		if text, _ := json.Marshal(stored); err != nil || string(text) != string(m.Body) ||
			json.Unmarshal(m.Body, &e) != nil || m.Header.Get("Content-Type") != "application/json" {
			t.Errorf("the body is %s, the event %s, %v", m.Body, text, err)
		}
	}
	slices.Sort(numbers)
	if first := numbers[0]; !slices.Equal(numbers, []int64{first, first + 1, first + 2, first + 3}) {
		t.Errorf("sequences %v", numbers)
	}
	if names := []string{few[0].Type, few[1].Type}; !slices.Contains(names, "charge.captured") ||
		!slices.Contains(names, "refund.created") {
		t.Errorf("the one with filters got %v", names)
	}
	if len(none.messages()) > 0 || len(w.deliveries(off)) > 0 {
		t.Error("something was sent to an endpoint that is disabled")
	}
}

func TestADeliveryTellsWhatWasSentAndSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("ä", 4000) + "4242424242424242"
	r := receive(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("X-Pot", "black 4242424242424242")
		w.Header().Set("Set-Cookie", "a=b")
		w.Header()["X-Twice"] = []string{"1", "2"}
		w.Header().Set("Z-Long", strings.Repeat("z", 4000))
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "4242 4242 4242 4242\x00\xff"+long)
	})
	e := w.listen(r)
	id := w.emit(1, "charge.created")[0]
	w.work()
	d := w.attempted(e, 1)[0]
	m := r.await(1)[0]
	a := d.Attempts[0]
	if d.EventID != id || d.EventType != "charge.created" || *d.EventSequence < 1 || d.Cause != webhook.ByEvent ||
		d.Status != "pending" || d.Object != "webhook_delivery" ||
		*d.LastStatusCode != 418 || d.LastError != nil || d.FinishedAt != nil || !d.NextAttemptAt.After(w.Clock.Now()) {
		t.Errorf("%+v", d)
	}
	if a.Number != 1 || *a.StatusCode != 418 || a.Error != nil || a.URL != r.url ||
		a.Request["webhook-signature"] != m.Signature ||
		a.Request["webhook-id"] != id.String() || !a.CreatedAt.Equal(w.Clock.Now()) {
		t.Errorf("%+v", a)
	}
	if got := a.Response; got["x-pot"] != "black [redacted]" || got["x-twice"] != "1, 2" || got["content-type"] == "" ||
		got["set-cookie"] != "" || got["z-long"] != "" {
		t.Errorf("%v came with it", got)
	}
	if len(a.ResponseBody) > 2048 || len(a.ResponseBody) < 2000 ||
		!strings.HasPrefix(a.ResponseBody, "[redacted]\uFFFD\uFFFDää") || strings.Contains(a.ResponseBody, "4242") {
		t.Errorf("%d bytes: %q", len(a.ResponseBody), a.ResponseBody[:40])
	}
}

func TestWhatIsNo2xxFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	elsewhere := receive(t, answer(200))
	endings := map[string]struct {
		h      http.HandlerFunc
		status int
		err    string
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.url, http.StatusTemporaryRedirect)
		}, 307, ""},
		"refusal":  {answer(400), 400, ""},
		"failure":  {answer(500), 500, ""},
		"hangs":    {hang, 0, "timed_out"},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, "unreachable"},
	}
	endpoints := map[string]webhook.Endpoint{}
	for name, ending := range endings {
		endpoints[name] = w.listen(receive(t, ending.h))
	}
	w.emit(1, "payout.paid")
	w.work()
	for name, want := range endings {
		d := w.attempted(endpoints[name], 1)[0]
		if d.Status != "pending" || deref(d.LastStatusCode) != want.status || deref(d.LastError) != want.err ||
			deref(d.Attempts[0].Error) != want.err {
			t.Errorf("%s: %+v", name, d)
		}
		if e := w.endpoint(d.EndpointID); e.FailingSince == nil || e.Status != webhook.Enabled || e.Version != 1 {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if n := len(elsewhere.messages()); n > 0 {
		t.Errorf("a redirect was followed %d times", n)
	}
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
