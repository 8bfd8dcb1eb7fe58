package money

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestAnyLife: whatever happens to an application's charges in whatever order, its books are right
// after every step, and when all has come to an end every record agrees with every other.
func TestAnyLife(t *testing.T) {
	t.Parallel()
	total := tally{count: make(map[string]int)}
	t.Cleanup(func() { total.print(t) })
	for n := range worlds {
		t.Run(fmt.Sprint("world ", n+1), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			rapid.Check(t, func(rt *rapid.T) { total.add(live(w, rt)) })
			for f, n := range w.line.happened {
				total.add(map[string]int{"calls, " + string(f): n})
			}
		})
	}
}

// tally counts what happened in all lives.
type tally struct {
	mu    sync.Mutex
	count map[string]int
}

func (c *tally) add(more map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for what, n := range more {
		c.count[what] += n
	}
}

func (c *tally) print(t *testing.T) {
	sum := 0
	for _, what := range slices.Sorted(maps.Keys(c.count)) {
		t.Logf("%6d %s", c.count[what], what)
		if !strings.HasPrefix(what, "→") && !strings.HasPrefix(what, "calls") {
			sum += c.count[what]
		}
	}
	t.Logf("%6d steps in all", sum)
}

// live is one life, with its end.
func live(w *world, rt *rapid.T) map[string]int {
	l := &life{site: w.open(rt), rt: rt, done: make(map[string]int)}
	w.line.become(fine)
	actions := l.actions()
	for l.n = range steps {
		a := actions[l.number(len(actions))]
		f := fates[l.number(len(fates))]
		w.line.become(f)
		err := a.do()
		rt.Logf("%2d %s (%s) at %s: %v", l.n, a.name, f, l.at().Format("Jan 2 15:04"), err)
		if !expected(err) {
			rt.Fatalf("step %d, %s: %v", l.n, a.name, err)
		}
		if err == nil {
			l.done[a.name]++
		} else {
			l.done[a.name+", refused"]++
		}
		w.Clock.Advance(time.Millisecond) // no two steps at one instant
		l.atEveryInstant()
	}
	l.end()
	l.auditLedger()
	l.auditFees()
	l.auditHistories()
	l.auditBook()
	l.auditPayouts()
	l.auditStatements()
	for _, r := range rows[reached](l.site, `
		SELECT 'charges ' || status AS what, count(*)::int AS n FROM charges WHERE application_id = @app GROUP BY 1
		UNION ALL SELECT 'refunds ' || status, count(*)::int FROM refunds WHERE application_id = @app GROUP BY 1
		UNION ALL SELECT 'payouts ' || status, count(*)::int FROM payouts WHERE application_id = @app GROUP BY 1
		UNION ALL SELECT kind || 's ' || status, count(*)::int FROM disputes WHERE application_id = @app GROUP BY 1
		UNION ALL SELECT 'donations ' || kind || ' ' || status, count(*)::int FROM daf_donations
			WHERE application_id = @app GROUP BY 1
		UNION ALL SELECT 'fees of ' || kind, count(*)::int FROM fee_events WHERE application_id = @app GROUP BY 1
		UNION ALL SELECT 'entries', count(*)::int FROM ledger_entries WHERE application_id = @app`) {
		l.done["→ "+r.What] += r.N
	}
	return l.done
}

// reached is how many records of a kind a life came to.
type reached struct {
	What string `db:"what"`
	N    int    `db:"n"`
}

// end has everything arrive and come to an outcome that is in progress.
func (l *life) end() {
	l.line.become(fine)
	l.must(l.line.deliver())
	l.must(l.wait(l.line.SettleWindow()+time.Second, 2))
	l.must(l.wait(6*time.Minute, 3)) // what was given up is looked up again within five
	l.must(l.advance(0))
	l.must(l.wait(6*time.Minute, 2))
	l.must(l.wait(25*time.Hour, 2)) // a refund that returns a late approval is made again after a day
	l.must(l.advance(0))
}
