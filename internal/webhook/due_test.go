package webhook_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/webhook"
)

// undue counts deliveries that are pending and not due, or due and not pending.
func (w world) undue(ctx context.Context) (int, error) {
	return pg.Value[int](ctx, w.Pool, `
		SELECT count(*) FROM (SELECT id FROM webhook_deliveries WHERE status = 'pending') d
		FULL JOIN webhook_due w ON w.delivery_id = d.id WHERE d.id IS NULL OR w.delivery_id IS NULL`, pg.Args{})
}

// watch looks between all transactions whether what is pending is due, until it is stopped.
func (w world) watch() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		for ctx.Err() == nil {
			if n, err := w.undue(context.WithoutCancel(ctx)); n > 0 || err != nil {
				w.t.Errorf("%d deliveries are pending or due alone, %v", n, err)
				return
			}
		}
	})
	return func() { cancel(); watching.Wait() }
}

// Whatever happens to deliveries, they are pending exactly when they are due.
func TestWhatIsPendingIsDueAtEveryInstant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stopped := w.watch()
	defer stopped()
	since := w.Clock.Now()
	var well atomic.Bool
	fails := func(rw http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			rw.WriteHeader(http.StatusBadGateway)
		}
	}
	listen := func(h http.HandlerFunc) webhook.Endpoint { return w.listen(receive(t, h), "charge.*") }
	good, bad, gone, left := listen(answer(200)), listen(fails), listen(answer(410)), listen(fails)
	told := w.emit(30, "charge.created")
	stop := w.work()
	w.awaitDeliveries(good, 30, "succeeded")
	w.attempted(bad, 1)
	eventually(t, func() bool {
		return w.endpoint(gone.ID).Status == webhook.Paused && len(w.deliveries(gone, "pending")) == 0
	}, "an end of all deliveries")
	for what, do := range map[string]func() error{
		"redelivery": func() error {
			_, err := w.Webhooks.Redeliver(t.Context(), w.Actor(), told[0].String(),
				webhook.RedeliverInput{EndpointID: ptr(good.ID.String())}, nil)
			return err
		},
		"test": func() error {
			_, err := w.Webhooks.Test(t.Context(), w.Actor(), good.ID.String(), webhook.TestInput{}, nil)
			return err
		},
		"deletion": func() error {
			_, err := w.Webhooks.Delete(t.Context(), w.Actor(), left.ID.String(), webhook.DeleteInput{}, nil)
			return err
		},
	} {
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	w.Clock.Advance(6 * time.Second)
	w.attempted(bad, 2)
	well.Store(true)
	w.replay(bad, webhook.ReplayInput{Since: &since, Which: ptr("failed")})
	w.awaitDeliveries(bad, 30, "succeeded")
	eventually(t, func() bool { return len(w.deliveries(good, "pending"))+len(w.deliveries(bad, "pending")) == 0 },
		"an end of all deliveries")
	stop()
	w.Clock.Advance(31 * 24 * time.Hour)
	if n, err := w.Webhooks.Purge(t.Context()); n < 120 || err != nil {
		t.Errorf("%d deliveries were forgotten, %v", n, err)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*) FROM webhook_due`, pg.Args{}); n != 0 ||
		err != nil {
		t.Errorf("%d are due still, %v", n, err)
	}
}

// Neither a lease nor the end of a delivery changes an index: there is room for them where the rows are.
func TestADeliveryEndsInItsPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.listen(receive(t, answer(200)))
	w.emit(300, "charge.created")
	w.number()
	w.work()
	eventually(t, func() bool { return len(w.deliveries(e, "pending")) == 0 }, "an end of all deliveries")
	type updates struct{ All, InPlace int }
	read := func(table string) updates {
		u, err := pg.One[updates](t.Context(), w.Pool, `
			SELECT n_tup_upd AS all, n_tup_hot_upd AS in_place FROM pg_stat_user_tables
				WHERE relname = @table`, pg.Args{"table": table})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, table := range []string{"webhook_deliveries", "webhook_due"} {
		eventually(t, func() bool { w.Pool.Reset(); return read(table).All >= 300 },
			"300 changes of %s that are told of", table)
		if u := read(table); u.InPlace < u.All*9/10 {
			t.Errorf("%s: %d of %d changes were made in their place", table, u.InPlace, u.All)
		}
	}
}

// Where something is due is remembered while it is attempted. When someone moves it in the meantime, the attempt is
// taken for lost, and nothing else is taken for it.
func TestWhatWasMovedWhileItWasAttemptedIsAttemptedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var moved sync.Once
	e := w.listen(receive(t, func(http.ResponseWriter, *http.Request) {
		moved.Do(func() { w.exec(`VACUUM FULL webhook_due`, nil) })
	}))
	w.emit(3, "charge.created")
	w.number()
	for _, want := range []string{"pending", "succeeded"} {
		if err := w.Webhooks.SendTogether(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.deliveries(e, want); len(got) != 3 {
			t.Errorf("%d of 3 are %s", len(got), want)
		}
		if n, err := w.undue(t.Context()); n != 0 || err != nil {
			t.Errorf("%d are pending or due alone, %v", n, err)
		}
		w.Clock.Advance(20 * time.Second)
	}
	for _, d := range w.deliveries(e) {
		if len(d.Attempts) != 2 {
			t.Errorf("%d attempts are told of", len(d.Attempts))
		}
	}
}

// How what is due is found, and how it should be: where it stands, or as the next of an endpoint; if all is wanted, be
// it due or not.
var (
	anyScan  = regexp.MustCompile(`Scan (using \w+ )?on webhook_due`)
	goodScan = regexp.MustCompile(
		`Tid Scan on webhook_due|Index Scan using webhook_due_next on webhook_due [^\n]*\n *Index Cond: \(\(endpoint_id = `)
	allScan = regexp.MustCompile(
		`Tid Scan on webhook_due|Index Scan using webhook_due_next on webhook_due [^\n]*\n *Index Cond: \(endpoint_id = `)
)

// Plans that are made while nothing is due are good when much is.
func TestPlansMadeWhileNothingIsDueReadLittle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.listen(receive(t, answer(200)))
	w.emit(10, "charge.created")
	w.number()
	if err := w.Webhooks.SendTogether(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.exec(`VACUUM ANALYZE webhook_due`, nil)
	for name, sql := range webhook.DueStatements {
		n := 0
		numbered := regexp.MustCompile(`@[a-z]+`).ReplaceAllStringFunc(sql,
			func(string) string { n++; return "$" + strconv.Itoa(n) })
		nulls := strings.TrimSuffix(strings.Repeat("NULL, ", n), ", ")
		err := pg.InBatch(t.Context(), w.Pool, func(tx *pg.Tx) error {
			if _, err := tx.Exec(t.Context(), "PREPARE looked AS "+numbered, nil); err != nil {
				return err
			}
			plan, err := pg.All[struct {
				Text string `db:"QUERY PLAN"`
			}](t.Context(), tx, "EXPLAIN EXECUTE looked ("+nulls+")", nil)
			var text strings.Builder
			for _, line := range plan {
				text.WriteString(line.Text + "\n")
			}
			wanted := goodScan
			if strings.HasPrefix(name, "cancel") {
				wanted = allScan
			}
			scans, good := anyScan.FindAllString(text.String(), -1), wanted.FindAllString(text.String(), -1)
			if len(good) == 0 || len(scans) != len(good) || strings.Contains(text.String(), "Seq Scan") {
				t.Errorf("%s: %s", name, text.String())
			}
			_, cleared := tx.Exec(t.Context(), "DEALLOCATE looked", nil)
			return errors.Join(err, cleared)
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Those that ended long ago are found by their ids among all that there are.
func TestOldDeliveriesAreFoundByAnIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`ALTER TABLE webhook_deliveries DISABLE TRIGGER ALL`, nil)
	w.exec(`INSERT INTO webhook_deliveries (id, application_id, endpoint_id, event_id, event_type, cause, status,
		created_at, finished_at)
		SELECT (lpad(to_hex((extract(epoch FROM made) * 1000)::bigint), 12, '0') || substr(md5(random()::text), 1,
			20))::uuid, @app,
			gen_random_uuid(), gen_random_uuid(), 'charge.created', 'event', 'succeeded', made, made
		FROM (SELECT @now::timestamptz - n * interval '1 minute' AS made FROM generate_series(1, 60 * 24 * 40) n) past`,
		map[string]any{"app": w.App.AppID, "now": w.Clock.Now()})
	w.exec(`ANALYZE webhook_deliveries`, nil)
	before := w.Clock.Now().Add(-30 * 24 * time.Hour)
	err := pg.InBatch(t.Context(), w.Pool, func(tx *pg.Tx) error {
		plan, err := pg.All[struct {
			Text string `db:"QUERY PLAN"`
		}](t.Context(), tx, "EXPLAIN "+webhook.PurgeStatement,
			pg.Args{"before": before, "made": ids.FirstDelivery(before), "batch": 100})
		var text strings.Builder
		for _, line := range plan {
			text.WriteString(line.Text + "\n")
		}
		if !strings.Contains(text.String(), "Index Cond: ((application_id = a.id) AND (id < ") ||
			strings.Contains(text.String(), "Seq Scan on") {
			t.Error(text.String())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	var all int64
	for n := int64(1); n > 0; all += n {
		if n, err = w.Webhooks.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if want := int64(60 * 24 * 10); all < want-1 || all > want+1 {
		t.Errorf("%d deliveries of ten days were forgotten, want %d", all, want)
	}
}
