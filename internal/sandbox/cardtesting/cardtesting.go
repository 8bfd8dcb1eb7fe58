// Package cardtesting simulates attacks with stolen cards on an application, through its real services and database:
// how many cards attackers learn the status of, and how many real donors are challenged or refused.
package cardtesting

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/token"
)

// Assumptions about donors and attackers.
const (
	livePercent     = 10 // of stolen cards
	knownPercent    = 40 // of donors, whose card paid in the application before
	declinedPercent = 6  // of the other donors' first cards; then they use another one
	sharedPercent   = 10 // of donors, who come from one of sharedNetworks addresses
	sharedNetworks  = 10
	knownCards      = 200 // at most
	// parallel is how many donors of merchants that are not attacked are played at a time.
	parallel = 8
	// longJump is how far the clock moves at most while payments are in progress.
	longJump = 10 * time.Second
	// watchEvery is how often the job looks at merchants and addresses while tokens of before are charged.
	watchEvery = 5 * time.Second
)

// devices are hashes a second of donors' browsers, with the percentage of donors who have one no faster.
var devices = []struct{ percent, perSecond int }{{10, 150_000}, {60, 500_000}, {100, 1_200_000}}

// Kinds of cards, by their first digits.
const (
	stolenDead = "4111"
	stolenLive = "4112"
	expired    = "4113" // of donors, declined
	fresh      = "4242"
	known      = "4243"
)

// Declined reports whether the simulation's processor has to decline a card.
func Declined(number string) bool { return number[:4] == stolenDead || number[:4] == expired }

// Clock is the time of a simulation, which moves it.
type Clock interface {
	Now() time.Time
	Advance(time.Duration)
}

// Deps are what a simulation works with. The services must use Clock, watch for card testing, and have a processor that
// declines cards as [Declined] says. EasierProofs is that of their configuration: waits are computed for full proofs.
type Deps struct {
	Tokens       *token.Service
	Charges      *charge.Service
	Clock        Clock
	Actor        authz.Actor // the application's server
	PublicKey    string
	Page         string
	Merchants    []int64 // the first one is attacked
	EasierProofs int
}

// Attack is one kind of attack.
type Attack struct {
	Name      string
	Addresses int
	Lasts     time.Duration
	Rotates   bool          // over all merchants
	Waits     time.Duration // between the token of a card and its charge
	OfPair    int           // cards of an address at a merchant one after the other, if it rotates; 0: any number
}

// Attacks are the kinds that are simulated.
func Attacks() []Attack {
	return []Attack{
		{Name: "one address, fast", Addresses: 1, Lasts: 20 * time.Minute},
		{Name: "200 addresses, slow", Addresses: 200, Lasts: 16 * time.Hour},
		{Name: "an address for each card", Addresses: 1 << 24, Lasts: 16 * time.Hour},
		{Name: "200 addresses, all merchants", Addresses: 200, Lasts: 16 * time.Hour, Rotates: true},
		{Name: "tokens in advance", Addresses: 200, Lasts: 50 * time.Minute, Waits: 55 * time.Minute},
		{Name: "tokens in advance, everywhere", Addresses: 200, Lasts: 50 * time.Minute, Waits: 55 * time.Minute,
			Rotates: true},
		{Name: "tokens 3 h in advance", Addresses: 200, Lasts: 50 * time.Minute, Waits: 3 * time.Hour},
		{Name: "tokens 25 h in advance", Addresses: 200, Lasts: 50 * time.Minute, Waits: 25 * time.Hour},
		{Name: "tokens 3 h, everywhere", Addresses: 200, Lasts: 50 * time.Minute, Waits: 3 * time.Hour,
			Rotates: true, OfPair: 4},
	}
}

// Group is how some payers fared.
type Group struct {
	All, Challenged, Refused int
	waits                    []time.Duration
}

// Wait is the mean time that proofs of work took those who were challenged, and the time that 95 % stayed below.
func (g Group) Wait() (mean, p95 time.Duration) {
	if len(g.waits) == 0 {
		return 0, 0
	}
	slices.Sort(g.waits)
	for _, w := range g.waits {
		mean += w
	}
	return mean / time.Duration(len(g.waits)), g.waits[len(g.waits)*95/100]
}

// Report is the outcome of an attack.
type Report struct {
	Attack   Attack
	Tried    int // stolen cards
	Learned  int // of them, those that were approved or declined
	Hashes   int // that the attackers computed
	Donors   Group
	Attacked Group // donors of the attacked merchant
}

// LearnedPercent is the share of stolen cards whose status was learned.
func (r Report) LearnedPercent() float64 { return 100 * float64(r.Learned) / float64(max(r.Tried, 1)) }

// RefusedPercent is the share of real donors who were refused.
func (r Report) RefusedPercent() float64 {
	return 100 * float64(r.Donors.Refused) / float64(max(r.Donors.All, 1))
}

// event is something that happens in a simulated day.
type event struct {
	at     time.Duration
	stolen bool
	later  bool // the charge of a token that was made in advance
	n      int
}

// day is a simulation that runs.
type day struct {
	Deps
	attack Attack
	begins time.Time
	seed   uint64
	known  int            // cards that paid before
	tokens map[int]string // that were made in advance
	looked time.Time      // the last run of the job
	mu     sync.Mutex
	report Report
	failed error
}

// Run simulates a day with an attack: it tries as many stolen cards, while as many real donors pay. It begins at the
// time of the clock. Another seed has other cards.
func Run(ctx context.Context, d Deps, a Attack, cards, donors int, seed uint64) (Report, error) {
	s := &day{Deps: d, attack: a, seed: seed, known: max(1, min(knownCards, donors/4)),
		tokens: make(map[int]string), report: Report{Attack: a}}
	if err := s.before(ctx); err != nil {
		return s.report, err
	}
	s.begins = d.Clock.Now()
	places, running := make(chan struct{}, parallel), sync.WaitGroup{}
	defer running.Wait()
	for _, e := range s.events(cards, donors) {
		jump := s.begins.Add(e.at).Sub(d.Clock.Now())
		if jump > longJump {
			running.Wait()
		}
		d.Clock.Advance(jump)
		if err := cmp.Or(ctx.Err(), s.error()); err != nil {
			return s.report, err
		}
		switch {
		case e.later:
			s.note(s.chargeLater(ctx, e.n))
			continue
		case e.stolen:
			s.note(s.steal(ctx, e.n))
			continue
		}
		places <- struct{}{}
		running.Go(func() {
			s.note(s.donate(ctx, e.n))
			<-places
		})
	}
	running.Wait()
	return s.report, s.error()
}

func (s *day) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = cmp.Or(s.failed, err)
}

func (s *day) error() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// events are a day of donors at random times, and the attack, which begins after four hours. Donors pay on the day when
// the attacker charges tokens.
func (s *day) events(cards, donors int) (all []event) {
	r := rand.New(rand.NewPCG(s.seed, 1))
	day := s.attack.Waits.Truncate(24 * time.Hour)
	for n := range donors {
		all = append(all, event{at: day + time.Duration(r.Int64N(int64(24*time.Hour))), n: n})
	}
	for n := range cards {
		at := 4*time.Hour + s.attack.Lasts*time.Duration(n)/time.Duration(cards)
		all = append(all, event{at: at, stolen: true, n: n})
		if s.attack.Waits > 0 {
			all = append(all, event{at: at + s.attack.Waits, later: true, n: n})
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return all
}

// before has the known cards pay two hours before the day, long after the day of another simulation.
func (s *day) before(ctx context.Context) error {
	s.Clock.Advance(32 * 24 * time.Hour)
	for n := range s.known {
		p := payment{merchant: s.Merchants[n%len(s.Merchants)], number: s.number(known, n), address: private(n)}
		if _, err := s.pay(ctx, p); err != nil {
			return err
		}
		s.Clock.Advance(10 * time.Second)
	}
	s.Clock.Advance(2 * time.Hour)
	return nil
}

// steal has an attacker make a token of a stolen card, and charge it unless it is charged later.
func (s *day) steal(ctx context.Context, n int) error {
	p := payment{merchant: s.target(n), number: s.number(stolenDead, n), address: stranger(n % s.attack.Addresses)}
	if rand.New(rand.NewPCG(s.seed+1, uint64(n))).IntN(100) < livePercent {
		p.number = s.number(stolenLive, n)
	}
	made, hashes, err := s.tokenOf(ctx, p)
	s.report.Tried++
	s.report.Hashes += hashes
	switch {
	case err != nil || made == "":
		return err
	case s.attack.Waits > 0:
		s.tokens[n] = made
		return nil
	}
	return s.try(ctx, p.merchant, made)
}

// target is the merchant where an attacker tries the n-th card.
func (s *day) target(n int) int64 {
	if s.attack.OfPair > 0 {
		address, round := n%s.attack.Addresses, n/s.attack.Addresses
		return s.Merchants[(address+round/s.attack.OfPair)%len(s.Merchants)]
	}
	if s.attack.Rotates {
		return s.Merchants[n%len(s.Merchants)]
	}
	return s.Merchants[0]
}

// chargeLater has an attacker charge the token of the n-th card. The job runs from time to time, as on a server.
func (s *day) chargeLater(ctx context.Context, n int) error {
	if now := s.Clock.Now(); now.Sub(s.looked) >= watchEvery {
		s.looked = now
		if _, err := s.Tokens.WatchCards(ctx); err != nil {
			return err
		}
	}
	if made, ok := s.tokens[n]; ok {
		return s.try(ctx, s.target(n), made)
	}
	return nil
}

// try has an attacker charge a token, and notes whether the card's status was learned.
func (s *day) try(ctx context.Context, merchantID int64, token string) error {
	status, err := s.charge(ctx, merchantID, token)
	if status != "" {
		s.report.Learned++
	}
	return err
}

// donate has a donor pay; with another card, if the first one is declined.
func (s *day) donate(ctx context.Context, n int) error {
	r := rand.New(rand.NewPCG(s.seed, uint64(n)+2))
	p := payment{merchant: s.Merchants[r.IntN(len(s.Merchants))], number: s.number(fresh, n), address: private(n)}
	if r.IntN(100) < sharedPercent {
		p.address = shared(r.IntN(sharedNetworks))
	}
	perSecond, pick := 0, r.IntN(100)
	for _, d := range devices {
		if perSecond == 0 && pick < d.percent {
			perSecond = d.perSecond
		}
	}
	cards := []string{p.number}
	switch {
	case r.IntN(100) < knownPercent:
		cards = []string{s.number(known, r.IntN(s.known))}
	case r.IntN(100) < declinedPercent:
		cards = []string{s.number(expired, n), p.number}
	}
	var out outcome
	hashes := 0
	for _, p.number = range cards {
		var err error
		if out, err = s.pay(ctx, p); err != nil {
			return err
		}
		hashes += out.hashes
		if out.status == "" {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Donors.add(out, hashes, perSecond)
	if p.merchant == s.Merchants[0] {
		s.report.Attacked.add(out, hashes, perSecond)
	}
	return nil
}

func (g *Group) add(out outcome, hashes, perSecond int) {
	g.All++
	if hashes > 0 {
		g.Challenged++
		g.waits = append(g.waits, time.Duration(hashes)*time.Second/time.Duration(perSecond))
	}
	if out.status == "" {
		g.Refused++
	}
}

// The addresses of donors at home, of shared networks, and of attackers.
func private(n int) netip.Addr  { return address(100, n) }
func shared(n int) netip.Addr   { return address(20, n) }
func stranger(n int) netip.Addr { return address(45, n) }

func address(first byte, n int) netip.Addr {
	return netip.AddrFrom4([4]byte{first, byte(n >> 16), byte(n >> 8), byte(n)})
}
