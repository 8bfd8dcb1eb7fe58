package scale

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/test/rig"
)

// callers is how many programs charge at once, each on a connection that it keeps.
const callers = 16

// card is one that is approved.
const card = "4242424242424242"

// try is a request that did not come to its final answer.
type try struct {
	key          string
	began, ended time.Time
	status       int // 0: no answer
	what         string
}

// outcome is what a key came to.
type outcome struct{ charge, status string }

// rush is what callers did while something was killed, and what they were told.
type rush struct {
	site  rig.Site
	token string
	over  atomic.Bool
	group sync.WaitGroup

	mu       sync.Mutex
	told     map[string]outcome   // by key
	answered map[string]time.Time // by key
	failed   []try                // without an answer, or 5xx
	waited   []try                // told to ask again
	refused  []try                // anything else, and keys that were never answered
}

// rush has callers charge at an address until it is over.
func (p *place) rush(t *testing.T, addr string) *rush {
	t.Helper()
	r := &rush{site: p.site, told: map[string]outcome{}, answered: map[string]time.Time{}}
	r.site.Addr = addr
	eventually(t, "a server that is ready", r.site.Ready)
	var err error
	if r.token, err = r.site.Token(card); err != nil {
		t.Fatal(err)
	}
	for n := range callers {
		r.group.Go(func() { r.call(n) })
	}
	t.Cleanup(r.end)
	return r
}

func (r *rush) call(number int) {
	k := &rig.Keeper{Addr: r.site.Addr, Patience: patience}
	for n := 0; !r.over.Load(); n++ {
		key, amount := fmt.Sprintf("caller-%d-%d", number, n), 100+n%900
		if r.charge(k, key, amount); r.failedFor(key) { // nothing was taken: it is asked for again
			r.charge(k, key+"-anew", amount)
		}
	}
	_ = k.Close() // nothing is on its way
}

// charge asks for a charge, with its key, until it is told the outcome of it.
func (r *rush) charge(k *rig.Keeper, key string, amount int) {
	header := r.site.Credentials()
	header["Idempotency-Key"] = key
	begun := time.Now()
	for ; time.Since(begun) < patience; time.Sleep(50 * time.Millisecond) {
		_ = k.Refresh() // what was closed is closed
		asked := try{key: key, began: time.Now()}
		a, err := k.Send(rig.APIHost, http.MethodPost, "/api/charges", r.site.Order(r.token, amount), header)
		asked.ended, asked.status, asked.what = time.Now(), a.Status, fmt.Sprint(err, " ", a)
		if r.hear(asked, a, err) {
			return
		}
	}
	r.hear(try{key: key, began: begun, ended: time.Now(), what: "never answered"},
		rig.Answer{Status: http.StatusTeapot}, nil)
}

// hear takes an answer in, and reports whether it is final.
func (r *rush) hear(asked try, a rig.Answer, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil && a.Status == http.StatusCreated:
		r.told[asked.key] = outcome{a.Text("id"), "captured"}
		r.answered[asked.key] = asked.ended
		return true
	// never reached: the sandbox has its book in the database
	case err == nil && a.Text("error", "code") == "processor_error":
		r.told[asked.key] = outcome{a.Text("error", "charge_id"), "failed"}
		r.answered[asked.key] = asked.ended
		return true
	case err != nil || a.Status >= http.StatusInternalServerError:
		r.failed = append(r.failed, asked)
	case a.Status == http.StatusAccepted, a.Status == http.StatusConflict:
		r.waited = append(r.waited, asked)
	default:
		r.refused = append(r.refused, asked)
	}
	return false
}

// failedFor reports whether a key's charge failed: the processor was never asked.
func (r *rush) failedFor(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told[key].status == "failed"
}

// again is how many charges failed and were made when they were asked for with another key.
func (r *rush) anew(t *testing.T) (n int) {
	t.Helper()
	for key, o := range r.told {
		if o.status != "failed" {
			continue
		}
		if r.told[key+"-anew"].status != "captured" {
			t.Errorf("%s failed, and was not made when it was asked for anew: %v", key, r.told[key+"-anew"])
		}
		n++
	}
	return n
}

// count is how many charges were acknowledged.
func (r *rush) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.told)
}

// more waits for so many more charges.
func (r *rush) more(t *testing.T, n int) {
	t.Helper()
	before := r.count()
	eventually(t, fmt.Sprint(n, " more charges"), func() bool { return r.count() >= before+n })
}

// end lets every caller come to the end of what it wanted.
func (r *rush) end() {
	r.over.Store(true)
	r.group.Wait()
}

// check looks at what callers were told, when the rush is over.
func (r *rush) check(t *testing.T) {
	t.Helper()
	for _, a := range r.refused {
		t.Errorf("%s: %s", a.key, a.what)
	}
}

// waitedAfterFailures: only who had asked before without an answer was told to wait.
func (r *rush) waitedAfterFailures(t *testing.T) {
	t.Helper()
	for _, a := range r.waited {
		if !slices.ContainsFunc(r.failed, func(f try) bool { return f.key == a.key && f.began.Before(a.began) }) {
			t.Errorf("%s was told to wait although nothing had failed: %s", a.key, a.what)
		}
	}
}

// retried is how long the slowest of the keys that failed took from its first try to its charge.
func (r *rush) retried() (slowest time.Duration) {
	first := map[string]time.Time{}
	for _, f := range r.failed {
		if at, again := first[f.key]; !again || f.began.Before(at) {
			first[f.key] = f.began
		}
	}
	for key, at := range first {
		slowest = max(slowest, r.answered[key].Sub(at))
	}
	return slowest.Round(time.Millisecond)
}
