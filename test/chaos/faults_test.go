package chaos

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/test/rig"
)

// longRun is how long a run must be to show everything.
const longRun = 100 * time.Second

// newChance is a source of chance that is made of the run's seed.
func newChance(seed, of uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, of)) }

// deck deals all its cards before it deals one again, so that everything happens.
type deck struct {
	chance *rand.Rand
	cards  []string
	left   []string
}

func (d *deck) deal() string {
	if len(d.left) == 0 {
		d.left = append(d.left, d.cards...)
		d.chance.Shuffle(len(d.left), func(i, j int) { d.left[i], d.left[j] = d.left[j], d.left[i] })
	}
	card := d.left[0]
	d.left = d.left[1:]
	return card
}

// The faults that are dealt. Others happen to single calls and deliveries.
const (
	killServer   = "kill: server"
	killDatabase = "kill: PostgreSQL"
	killBackend  = "kill: one backend of PostgreSQL"
)

// dealt has each fault as often as it is to happen.
func dealt() (cards []string) {
	times := map[string]int{killServer: 5, killDatabase: 1, killBackend: 1,
		"database network: cut": 2, "database network: reset": 2, "database network: slow": 2,
		"database network: silent": 1, stripeDown: 1, stripeBusy: 1, stripeOutage: 1,
		"processor network: cut": 2, "processor network: reset": 2, "processor network: slow": 2,
		"processor network: silent": 1}
	for _, card := range slices.Sorted(maps.Keys(times)) {
		cards = append(cards, slices.Repeat([]string{card}, times[card])...)
	}
	return cards
}

// The bounds of the mean time between two faults: a short run needs ten kills.
const (
	fastest = 300 * time.Millisecond
	slowest = 1500 * time.Millisecond
)

// rage has faults happen for that long, about as often as servers can come up. It goes on, but not for six times as
// long, while the run shows too little: a busy machine comes to less in its time. A hunt ends with what it finds.
func (r *run) rage(during time.Duration) {
	var under sync.WaitGroup
	began := time.Now()
	for {
		time.Sleep(r.pace/3 + time.Duration(r.chance.Int64N(int64(r.pace*4/3))))
		enough := time.Since(began) > during && (*hunt != "" || len(r.unseen(during)) == 0)
		if enough || time.Since(began) > 6*during || *hunt != "" && len(r.found.all()) > 0 {
			break
		}
		card, a, b := r.faults.deal(), r.chance.Float64(), rand.New(rand.NewPCG(r.chance.Uint64(), 0))
		under.Go(func() { r.happen(card, a, b) })
	}
	under.Wait()
	r.raged += time.Since(began)
}

// happen makes one fault, and counts it if there was something to hit.
func (r *run) happen(card string, how float64, chance *rand.Rand) {
	hit := true
	where, what, _ := strings.Cut(card, ": ")
	network := r.toDatabase
	if where == "processor network" {
		all := r.networks()
		network = all[chance.IntN(len(all))]
	}
	takes := 200*time.Millisecond + time.Duration(how*float64(1500*time.Millisecond))
	server := r.servers[chance.IntN(len(r.servers))]
	switch {
	case card == killServer && how < 1./3:
		hit = server.kill()
	case card == killServer:
		hit = server.killLater()
	case card == killDatabase:
		hit = r.database.kill(context.Background(), &r.found)
	case card == killBackend:
		hit = r.database.killBackend(context.Background(), chance)
	case card == stripeDown, card == stripeBusy: // often enough in a third of all cases
		hit = how < 1./3 && r.stripe.suffer(card, 4*takes)
	case card == stripeOutage:
		hit = *lasts >= longRun && r.counts.count(card) == 0 && r.stripe.suffer(card, time.Minute)
	case what == "cut":
		network.cut(false)
	case what == "reset":
		network.cut(true)
	case what == "slow":
		network.slow(time.Duration(5+how*60)*time.Millisecond, takes)
	case what == "silent":
		network.swallow(takes)
	}
	if hit {
		r.counts.add(card)
	}
}

// elsewhere has the crash points of flows that this run has none of. The table of test/e2e dies at each
// of them.
var elsewhere = regexp.MustCompile(`^(dispute|enrollment|export|vault|verification)\.`)

// points are the crash points in the source that this run can pass.
func points(t *testing.T) (all []string) {
	t.Helper()
	named, err := rig.ReadSources(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, point := range slices.Sorted(maps.Keys(named)) {
		if !elsewhere.MatchString(point) {
			all = append(all, point)
		}
	}
	if len(all) < 10 {
		t.Fatalf("only the crash points %q were found", all)
	}
	return all
}

// arm deals the next server's crash point, first those at which none has died yet; every third server has none.
func (r *run) arm() string {
	r.arming.Lock()
	defer r.arming.Unlock()
	if r.calm.Load() || r.armed.chance.IntN(3) == 0 {
		return ""
	}
	for range r.armed.cards {
		if point := r.armed.deal(); r.counts.count("crash: "+point) == 0 {
			return point + ":1"
		}
	}
	return fmt.Sprintf("%s:%d", r.armed.deal(), 1+r.armed.chance.IntN(2))
}

func cutPoint(armed string) (point, hit string, ok bool) { return strings.Cut(armed, ":") }

// unseen says what should have happened and did not: a run without it shows nothing of it. What chance
// may leave out of a short run is asked of a long one alone.
func (r *run) unseen(during time.Duration) (missing []string) {
	long := during >= longRun
	least := map[string]int{killDatabase: 1}
	if long {
		least[killDatabase] = 10
		for _, card := range dealt() {
			least[card] = max(least[card], 1)
		}
		for _, m := range r.moods() {
			for _, mood := range m.names {
				least[m.name+": "+mood] = 1
			}
		}
		for _, how := range slices.Concat(hookNames("Stripe"), hookNames("Chariot"),
			[]string{"answer: charge " + blockedByRule, disputeWon, disputeLost, evidenceWon, evidenceLost}) {
			least[how] = 1
		}
		for _, point := range r.armed.cards {
			least["crash: "+point] = 1
		}
		if before, after := r.sink.Refused(); before == 0 || after == 0 {
			missing = append(missing, "failures of the webhooks' sink before and after")
		}
	}
	for _, c := range r.counterparties {
		if long {
			least["moves of a merchant away from "+c.acquirer.name] = 3
			least[capturedAfterMove+c.acquirer.name] = 2
		}
	}
	for _, b := range r.bookkeepers() {
		if len(b.lines()) == 0 {
			missing = append(missing, "a payment at "+b.Name())
		}
	}
	if long {
		for _, all := range []map[string]int{r.stripe.states(), r.chariot.statuses()} {
			for what, n := range all {
				if n == 0 {
					missing = append(missing, what)
				}
			}
		}
	}
	for what, n := range least {
		if got := r.counts.count(what); got < n {
			missing = append(missing, fmt.Sprintf("%d instead of %d: %s", got, n, what))
		}
	}
	kills := r.kills()
	if least := map[bool]int{false: 10, true: 100}[long]; kills < least {
		missing = append(missing, fmt.Sprintf("%d instead of %d kills of the server", kills, least))
	}
	if r.counts.sum("answer: ") < 20 {
		missing = append(missing, "fewer than 20 final answers")
	}
	return missing
}

// kills is how often the server died, of us or at a crash point.
func (r *run) kills() int { return r.counts.count(killServer) + r.counts.sum("crash: ") }
