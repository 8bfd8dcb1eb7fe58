// Package combine does the work of requests that come at the same time in one round, such as one
// transaction. A round takes what queued while those before it ran; nothing waits for a timer, so
// that a lone request is as quick as by itself.
package combine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/clock"
	"svcpay/internal/fault"
	"svcpay/internal/pg"
)

// Bounds. More inputs in a round cost the first of them more than they gain the others.
const (
	maxRound   = 64
	maxWaiting = 1024
	// worthwhile is how many that wait are worth a round beside those that run already: one of fewer costs nearly as much.
	worthwhile = 16
	// enough is how many are worth one more than a combiner has by itself, or one beside another where other servers have
	// theirs, too: with fewer, two servers on one database would have twice as many rounds at a time, each of half as many.
	enough = maxRound
	// slow is how long no round takes that has what it needs.
	slow = 100 * time.Millisecond
	// roundTimeout bounds a round, whoever waits for it.
	roundTimeout = 30 * time.Second
)

// rounds is how many there are at a time without further ado, and the most that one combiner has but for one more when enough wait
// for it. One round of many costs less than two of half as many, so who comes while one runs waits for its end; but where
// many wait already, the processors that are left and the time that the disk takes are worth having.
var rounds = max(1, runtime.NumCPU()/2)

// errAlone is in the chain of an error after which the members of a round are done one by one.
var errAlone = errors.New("combine: one by one")

// Alone makes an error of a round's transaction one after which its members are done one by one, because
// one of them may be at fault: unless the database is not there, or nobody knows what it did.
func Alone(err error) error {
	if !pg.OfOneRow(err) {
		return err
	}
	return fmt.Errorf("%w: %w", errAlone, err)
}

// Turns are taken by the rounds of several combiners that use the same processors and the same database, such
// as those of one kind of object: what begins it and what ends it.
type Turns struct {
	mu      sync.Mutex
	running int
	several bool // the last round had more than one member, or left somebody who waits
	all     []combiner
	patient bool // waits for slow rounds, too, as tests do

	pool   *pgxpool.Pool
	others func() bool // whether other servers do rounds; nil if nobody knows
}

// On makes the turns of combiners that do their rounds on a pool, but those of r where there are any.
func On(r *pg.Rounds, pool *pgxpool.Pool) *Turns {
	if r == nil {
		return &Turns{pool: pool}
	}
	return &Turns{pool: r.Pool, others: r.Others}
}

type combiner interface {
	begin() bool
}

// Combiner gives the inputs of concurrent callers to one function, several at a time.
type Combiner[In, Out any] struct {
	do    func(ctx context.Context, ins []In) ([]Out, error)
	key   func(In) string
	limit int
	place int // among those that take turns

	*Turns  // whose lock guards what follows
	waiting []*member[In, Out]
	mine    int                 // rounds that run
	keys    map[string]struct{} // of the rounds that run
}

type member[In, Out any] struct {
	in   In
	key  string
	out  Out
	err  error
	done chan struct{}
}

// New makes a combiner. do answers each input, at its place; when it fails with an error of [Alone] it is
// asked again with each input by itself, so that one's failure is nobody else's. Inputs of the same key, ""
// for none, are never in work at the same time. It takes turns with the other combiners of t.
func New[In, Out any](t *Turns, do func(ctx context.Context, ins []In) ([]Out, error), key func(In) string) *Combiner[In, Out] {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &Combiner[In, Out]{Turns: t, do: do, key: key, limit: maxWaiting, place: len(t.all), keys: make(map[string]struct{})}
	t.all = append(t.all, c)
	return c
}

// Together has do, which answers inputs in one transaction at the times of their applications, work for a
// combiner. found looks for what became of a round when the answer to its commit was lost; nil if each
// caller is to learn that nobody knows.
func Together[In, Out any](t *Turns, c *clock.Clock, application func(In) int64,
	do func(ctx context.Context, tx *pg.Tx, at clock.Moments, ins []In) ([]Out, error),
	found func(ctx context.Context, ins []In, out []Out, lost error) []Out,
) func(ctx context.Context, ins []In) ([]Out, error) {
	return func(ctx context.Context, ins []In) (out []Out, err error) {
		at, err := clock.MomentsOf(ctx, c, ins, application)
		if err != nil {
			return nil, err
		}
		err = pg.InRound(ctx, t.pool, func(tx *pg.Tx) (err error) {
			out, err = do(ctx, tx, at, ins)
			return err
		})
		if errors.Is(err, pg.ErrCommit) && found != nil {
			return found(ctx, ins, out, err), nil
		}
		return out, Alone(err)
	}
}

// Do has an input done and returns its answer. A caller who goes away takes nothing back: the work goes
// on without them. Only one who is alone does it themselves, and stays for it: to wake another goroutine, and be woken
// by it, takes a twentieth of the time that a lone request does. With too much waiting the fault is overloaded, and nothing was done.
func (c *Combiner[In, Out]) Do(ctx context.Context, in In) (out Out, err error) {
	m := &member[In, Out]{in: in, key: c.key(in), done: make(chan struct{})}
	own, entered := c.enter(m)
	if !entered {
		return out, fault.New(fault.KindUnavailable, "overloaded", "The service is busy. Try again shortly.").After(time.Second)
	}
	if len(own) > 0 {
		c.work(own)
		return m.out, m.err
	}
	select {
	case <-m.done:
		return m.out, m.err
	case <-ctx.Done():
		return out, ctx.Err()
	}
}

// enter queues a member and begins a round if there may be another. The round of a member who is alone is their own to do.
func (c *Combiner[In, Out]) enter(m *member[In, Out]) (own []*member[In, Out], entered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) >= c.limit {
		return nil, false
	}
	alone := !c.several && c.running == 0 && len(c.waiting) == 0
	c.waiting = append(c.waiting, m)
	if alone {
		return c.take(), true
	}
	c.begin()
	return nil, true
}

// begin begins a round of what waits if there may be another now. The lock is held.
func (c *Combiner[In, Out]) begin() bool {
	round := c.take()
	if len(round) > 0 {
		go c.work(round)
	}
	return len(round) > 0
}

// take takes a round of what waits if there may be another now. The lock is held.
func (c *Combiner[In, Out]) take() []*member[In, Out] {
	if !c.mayBegin() {
		return nil
	}
	round := c.next(nil)
	if len(round) > 0 {
		c.mine++
		c.running++
	}
	return round
}

// mayBegin says whether there may be another round, with what waits now. The lock is held.
func (c *Combiner[In, Out]) mayBegin() bool {
	switch n := len(c.waiting); {
	case c.mine < rounds:
		return c.running < rounds || n >= enough || n >= worthwhile && !c.crowded()
	case c.mine == rounds:
		return n >= enough
	default:
		return false
	}
}

// crowded says whether other servers have rounds on the database, too.
func (t *Turns) crowded() bool { return t.others != nil && t.others() }

// ended begins what may begin now that a combiner's round is over, those of the others first. The lock is held.
func (t *Turns) ended(place int) {
	for i := range t.all {
		for t.all[(place+1+i)%len(t.all)].begin() {
		}
	}
}

// next takes what a round has room for out of the queue: the oldest whose keys are not at work. The lock is held.
func (c *Combiner[In, Out]) next(round []*member[In, Out]) []*member[In, Out] {
	rest := c.waiting[:0]
	for _, m := range c.waiting {
		_, busy := c.keys[m.key]
		if len(round) == maxRound || busy && m.key != "" {
			rest = append(rest, m)
			continue
		}
		c.keys[m.key] = struct{}{}
		round = append(round, m)
	}
	clear(c.waiting[len(rest):])
	c.waiting = rest
	return round
}

// work does one round, and lets the next begin. A slow one, which waits for a lock rather than for a processor, is not waited for
// by the other combiners.
func (c *Combiner[In, Out]) work(round []*member[In, Out]) {
	counts := true
	over := func() {
		if counts {
			counts = false
			c.running--
		}
		c.ended(c.place)
	}
	if !c.patient {
		late := time.AfterFunc(slow, func() { c.mu.Lock(); defer c.mu.Unlock(); over() })
		defer late.Stop()
	}
	round = c.joined(round)
	c.answer(round)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.several = len(round) > 1 || c.running > 1 || len(c.waiting) > 0
	for _, m := range round {
		delete(c.keys, m.key)
		close(m.done)
	}
	c.mine--
	over()
}

// joined lets whoever was answered just now come with their next step, and adds those who did to a round. It wakes others for
// that, which is not worth it where nobody was beside the last one.
func (c *Combiner[In, Out]) joined(round []*member[In, Out]) []*member[In, Out] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.several {
		return round
	}
	c.mu.Unlock()
	runtime.Gosched()
	c.mu.Lock()
	return c.next(round)
}

// answer does one round. Members of one that failed as a whole are done one by one.
func (c *Combiner[In, Out]) answer(round []*member[In, Out]) {
	err := c.together(round)
	if err == nil {
		return
	}
	if len(round) == 1 || !errors.Is(err, errAlone) {
		for _, m := range round {
			m.err = err
		}
		return
	}
	for i := range round {
		round[i].err = c.together(round[i : i+1])
	}
}

// together runs do for some members. A panic is an error: others wait for the combiner.
func (c *Combiner[In, Out]) together(round []*member[In, Out]) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: panicked: %v\n%s", errAlone, r, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), roundTimeout)
	defer cancel()
	ins := make([]In, len(round))
	for i, m := range round {
		ins[i] = m.in
	}
	outs, err := c.do(ctx, ins)
	if err != nil {
		return err
	}
	for i, m := range round {
		m.out = outs[i]
	}
	return nil
}
