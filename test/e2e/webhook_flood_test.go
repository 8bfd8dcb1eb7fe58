package e2e

import (
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

const (
	floodEvents  = 10_000
	floodWriters = 8
	floodBatch   = 50
)

// happen writes n events in one transaction, as changes of charges do, and tells their ids.
func (p *place) happen(t *testing.T, n int) []ids.Event {
	t.Helper()
	events, objects := make([]ids.Event, n), make([]ids.Charge, n)
	for i := range n {
		events[i], objects[i] = ids.NewEvent(time.Now()), ids.NewCharge(time.Now())
	}
	_, err := pg.Exec(t.Context(), p.pool, `
		INSERT INTO events (id, application_id, merchant_id, type, object_id, position, object, previous_attributes,
			source, created_at)
		SELECT id, @app, @merchant, 'charge.updated', object, 1, '{"object":"charge"}', '{}', 'job', now()
			FROM unnest(@events::uuid[], @objects::uuid[]) AS e (id, object)`,
		pg.Args{"app": p.app.AppID, "merchant": p.app.Merchants.US, "events": events, "objects": objects})
	if err != nil {
		t.Error(err)
	}
	return events
}

// TestNoEventIsLost: 10,000 events, a receiver that fails 8 % of them before it takes them and 4 % after,
// and three kills of the server. It runs alone, as it keeps a small machine busy.
func TestNoEventIsLost(t *testing.T) {
	p := newPlace(t)
	s := p.serve(t, program, "SVCPAY_WEBHOOK_LOCAL=true")
	k := sinkThat(t, 0.08, 0.04, false)
	path := s.listen(t, k, "charge.*")
	var all []ids.Event
	var mu sync.Mutex
	var writers sync.WaitGroup
	for range floodWriters {
		writers.Go(func() {
			for range floodEvents / floodWriters / floodBatch {
				made := p.happen(t, floodBatch)
				mu.Lock()
				all = append(all, made...)
				mu.Unlock()
			}
		})
	}
	for kill := range 3 {
		eventually(t, patience, "some events", func() bool { return k.Count() > floodEvents*(kill+1)/5 })
		s.kill(t)
		s = p.serve(t, program, "SVCPAY_WEBHOOK_LOCAL=true")
	}
	writers.Wait()
	took := eventually(t, patience, "every event", func() bool { p.hurry(t); return k.Count() >= floodEvents })
	t.Logf("%d events arrived, %d of them again, the last %v after the last kill", k.Count(), k.Repeated(), took)
	for _, id := range all {
		if _, ok := k.Arrival(id.String()); !ok {
			t.Errorf("%s is lost", id)
		}
	}
	if n := k.Count(); n != floodEvents || len(all) != floodEvents {
		t.Errorf("%d of %d events arrived", n, len(all))
	}
	if a, err := s.api("GET", path, nil, nil); err != nil || a.text("status") != "enabled" {
		t.Errorf("the endpoint: %v, %s", err, a)
	}
	auditDeliveries(t, p, "events of one object out of order", "deliveries that did not succeed")
}

// hurry makes attempts due that would be made in five minutes or later: two in a row failed.
func (p *place) hurry(t *testing.T) {
	t.Helper()
	if _, err := pg.Exec(t.Context(), p.pool, `
		UPDATE webhook_due SET next_attempt_at = now()
			WHERE next_attempt_at > now() + interval '1 minute'`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
}

// TestAReceiverThatHangsDelaysNobody: what the others get comes as soon as without it. Runs with and
// without it take turns. It runs alone, as what others do would count for either.
func TestAReceiverThatHangsDelaysNobody(t *testing.T) {
	p := newPlace(t)
	s := p.serve(t, program, "SVCPAY_WEBHOOK_LOCAL=true")
	eventually(t, patience, "the numbers of what was before", func() bool { return unnumbered(t, p) == 0 })
	good := sinkThat(t, 0, 0, false)
	s.listen(t, good, "charge.*")
	hanging := s.listen(t, sinkThat(t, 0, 0, true), "charge.*")
	var with, without []time.Duration
	for range 4 {
		for how, times := range map[string]*[]time.Duration{"/disable": &without, "/enable": &with} {
			if a, err := s.api("POST", hanging+how, nil, nil); err != nil || a.status != 200 {
				t.Fatalf("%v, %s", err, a)
			}
			*times = append(*times, p.delay(t, good))
		}
	}
	slices.Sort(with)
	slices.Sort(without)
	t.Logf("95 of 100 events arrive within %v, with a receiver that hangs within %v", without, with)
	if with[0] > without[0]*3/2 { // the best of each: what other programs delay counts for neither
		t.Errorf("with a receiver that hangs %v, without %v", with[0], without[0])
	}
}

// delay is how long 95 of 100 events take from their commit to a sink.
func (p *place) delay(t *testing.T, k *sink) time.Duration {
	t.Helper()
	made := map[ids.Event]time.Time{}
	for range 200 {
		id := p.happen(t, 1)[0]
		made[id] = time.Now()
		time.Sleep(5 * time.Millisecond)
	}
	var took []time.Duration
	for id, at := range made {
		eventually(t, patience, "the event", func() bool {
			arrived, ok := k.Arrival(id.String())
			if ok {
				took = append(took, arrived.Sub(at))
			}
			return ok
		})
	}
	slices.Sort(took)
	return took[len(took)*95/100]
}
