package e2e

import (
	"strings"
	"testing"
	"time"

	"svcpay/internal/pg"
)

// webhookCrashes are ways to die between an event's commit and its delivery.
var webhookCrashes = []string{
	"event.numbered:1", "event.numbered:2", "webhook.claimed:1", "webhook.claimed:2", "webhook.attempted:1", "webhook.attempted:2",
	"webhook.completed:1", "webhook.completed:2",
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
		return unnumbered(t, p) == 0 && value[int64](t, p, `SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'`, pg.Args{}) == 0
	})
	t.Logf("%s: all delivered after %s, %d twice", arm, time.Since(died).Round(time.Millisecond), k.repeated())
	for what, sql := range deliveryInvariants {
		if n := value[int64](t, p, sql, pg.Args{}); n != 0 {
			t.Errorf("audit: %d %s", n, what)
		}
	}
	if want := value[int64](t, p, `SELECT count(*) FROM events WHERE type LIKE 'charge.%'`, pg.Args{}); int64(k.count()) != want || want == 0 {
		t.Errorf("%d of %d events arrived", k.count(), want)
	}
}

func unnumbered(t *testing.T, p *place) int64 {
	t.Helper()
	return value[int64](t, p, `SELECT count(*) FROM events WHERE sequence IS NULL AND NOT test`, pg.Args{})
}

// deliveryInvariants are counts of what must not be.
var deliveryInvariants = map[string]string{
	"gaps in the sequences": `SELECT count(*) FROM (SELECT application_id FROM events WHERE NOT test GROUP BY application_id
		HAVING max(sequence) <> count(*) OR min(sequence) <> 1) off`,
	"streams that are not where their events are": `SELECT count(*) FROM event_streams s
		WHERE last_sequence <> (SELECT count(*) FROM events e WHERE e.application_id = s.application_id AND NOT test)`,
	"events of one object out of order": `SELECT count(*) FROM events a JOIN events b ON a.application_id = b.application_id AND a.object_id = b.object_id
		WHERE a.position < b.position AND a.sequence > b.sequence`,
	"events that were not queued once": `SELECT count(*) FROM events e, webhook_endpoints w WHERE e.application_id = w.application_id
		AND e.created_at > w.created_at AND (e.type LIKE 'charge.%') AND 'charge.*' = ANY (w.events) AND w.status = 'enabled'
		AND 1 <> (SELECT count(*) FROM webhook_deliveries d WHERE d.event_id = e.id AND d.endpoint_id = w.id)`,
	"deliveries that did not succeed": `SELECT count(*) FROM webhook_deliveries WHERE status <> 'succeeded'`,
}
