package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/test/rig"
)

// webhookCrashes are ways to die between an event's commit and its delivery.
var webhookCrashes = []string{
	"event.numbered:1", "event.numbered:2", "webhook.claimed:1", "webhook.claimed:2", "webhook.attempted:1",
	"webhook.attempted:2", "webhook.completed:1", "webhook.completed:2",
}

// webhookPoints are the points that these rows crash at.
func webhookPoints() (points []string) {
	for _, arm := range webhookCrashes {
		point, _, _ := strings.Cut(arm, ":")
		points = append(points, point)
	}
	return points
}

// TestKillAtEveryPointOfDelivery: whatever point the server dies at while it numbers and sends events, they
// are numbered without gaps, and each reaches its endpoint.
func TestKillAtEveryPointOfDelivery(t *testing.T) {
	t.Parallel()
	for _, arm := range webhookCrashes {
		t.Run(arm, func(t *testing.T) {
			t.Parallel()
			killAtDelivery(t, arm)
		})
	}
}

func killAtDelivery(t *testing.T, arm string) {
	p := newPlace(t)
	quiet := p.serve(t, program, "SVCPAY_WEBHOOK_LOCAL=true")
	eventually(t, patience, "the numbers of what was before", func() bool { return unnumbered(t, p) == 0 })
	k := sinkThat(t, 0, 0, false)
	quiet.listen(t, k, "charge.*")
	token := quiet.token(t, approvedCard)
	quiet.kill(t)
	s := p.serve(t, chaosProgram, "SVCPAY_WEBHOOK_LOCAL=true", "SVCPAY_CRASH_POINT="+arm)
	for alive := true; alive; time.Sleep(150 * time.Millisecond) {
		_, err := s.api("POST", "/api/charges", s.order(token, 100), nil)
		alive = err == nil
	}
	if state := s.ended(t, patience); !killed(state) {
		t.Fatalf("not a kill: %s", state)
	}
	p.serve(t, program, "SVCPAY_WEBHOOK_LOCAL=true")
	died := time.Now()
	eventually(t, patience, "the end of all deliveries", func() bool {
		// The charge that was in progress at the kill has an event still to come, when the resolver knows its outcome.
		return value[int64](t, p, `SELECT count(*) FROM charges WHERE status = 'processing'`, pg.Args{}) == 0 &&
			unnumbered(t, p) == 0 && value[int64](t, p, `SELECT count(*) FROM webhook_due`, pg.Args{}) == 0
	})
	t.Logf("%s: all delivered after %s, %d twice", arm, time.Since(died).Round(time.Millisecond), k.Repeated())
	auditDeliveries(t, p)
	if want := value[int64](t, p, `SELECT count(*) FROM events WHERE type LIKE 'charge.%'`,
		pg.Args{}); int64(k.Count()) != want || want == 0 {
		t.Errorf("%d of %d events arrived", k.Count(), want)
	}
}

func unnumbered(t *testing.T, p *place) int64 {
	t.Helper()
	return value[int64](t, p, `SELECT count(*) FROM events WHERE sequence IS NULL AND NOT test`, pg.Args{})
}

// auditDeliveries audits the events of both applications, but for what is excepted.
func auditDeliveries(t *testing.T, p *place, except ...string) {
	t.Helper()
	for _, a := range slices.Concat(rig.AtEveryInstant(), rig.OfDeliveries()) {
		for _, app := range []int64{p.app.AppID, p.other.AppID} {
			n := value[int64](t, p, `SELECT count(*) FROM (`+a.SQL+`) wrong`, pg.Args{"app": app})
			if n != 0 && !slices.Contains(except, a.What) {
				t.Errorf("audit: %d %s", n, a.What)
			}
		}
	}
}
