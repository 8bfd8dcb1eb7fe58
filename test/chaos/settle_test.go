package chaos

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"time"

	"svcpay/internal/platform/pg"
)

// settle heals everything, lets every client come to the end of what it wanted, and waits until nothing
// is in progress any more.
func (r *run) settle() {
	r.calm.Store(true)
	r.sink.Heal()
	for _, s := range r.servers {
		s.kill() // it may be armed; the next is not
	}
	healed := time.Now()
	r.await("a server that answers, after all is healed", r.site.Ready)
	first := &client{run: r, number: clients + stripeClients, chance: rand.New(rand.NewPCG(r.seed, 99))}
	q := first.want("charge", "/api/charges", first.order(true))
	first.insist(q)
	r.back = time.Since(healed).Round(time.Millisecond)
	r.over.Store(true)
	ended := make(chan struct{})
	go func() {
		r.lives.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		r.found.add("clients got no final answer in %s after all was healed", patience)
		r.journal.giveUp.Store(true)
		<-ended
	}
	for _, m := range r.moods() {
		m.late.Wait()
	}
	var asked time.Time
	ending := newChance(r.seed, 12)
	r.await("the end of all that is under way", func() bool {
		if time.Since(asked) > 2*time.Second { // what the sink refused twice would wait for minutes
			asked = time.Now()
			span := map[string]any{"since": "2020-01-01T00:00:00Z", "until": asked.UTC().Format(time.RFC3339),
				"which": "failed"}
			_, _ = r.site.API("POST", r.endpoint+"/replay", "", span) // one may be in progress
		}
		left, err := pg.Value[int64](context.Background(), r.database.pool, `
			SELECT (SELECT count(*) FROM processor_operations WHERE state = 'open') + (SELECT count(*) FROM events
				WHERE sequence IS NULL AND NOT test)
				+ (SELECT count(*) FROM webhook_due) + (SELECT count(*) FROM inbound_events
					WHERE handled_at IS NULL)`, pg.Args{})
		if err != nil || left > 0 {
			return false
		}
		r.stripe.dispute(r, true)
		differ, err := r.banksDiffer(context.Background())
		if err != nil || len(differ) > 0 || !r.stripe.heard(r) {
			return false
		}
		r.chariot.end(ending)
		differ, err = r.donationsDiffer(context.Background())
		return err == nil && len(differ) == 0
	})
	r.drained = time.Since(healed).Round(time.Millisecond)
}

// copyBook writes a processor's book where the sandbox's are, so that the same statements audit all.
func (r *run) copyBook(of bookkeeper) error {
	return pg.InTx(context.Background(), r.database.pool, func(tx *pg.Tx) error {
		for _, l := range of.lines() {
			answer, err := json.Marshal(l.answer)
			if err != nil {
				return err
			}
			if l.returned {
				tx.Later(`
					INSERT INTO sandbox_processor_feed (id, account, at, kind, reference, return_code, dispute,
						retrieval, reason, amount, currency)
					VALUES (@number, @account, @at, 'debit_returned', @reference, '', '', false, '', @amount,
						@currency)`,
					pg.Args{"number": l.Number, "account": l.Account, "at": l.At, "reference": l.Reference,
						"amount": l.Amount, "currency": l.Currency})
			}
			tx.Later(`
				INSERT INTO sandbox_processor_book (processor, kind, reference, original, account, amount, currency,
					captured, approved, last4, test_case, answer, visible_at, account_at, created_at)
				VALUES (@processor, @kind, @reference, nullif(@original, ''), @account, @amount, @currency, @captured,
					@approved, '4242', '', @answer, @at, @at, @at)`,
				pg.Args{"processor": of.Name(), "kind": l.Kind, "reference": l.Reference, "original": l.original,
					"account": l.Account, "amount": l.Amount,
					"currency": l.Currency, "captured": l.captured &&
						l.Kind == "authorize", "approved": l.Approved, "answer": answer, "at": l.At})
		}
		return nil
	})
}

// repeatAll has every key asked for again.
func (r *run) repeatAll() {
	work := make(chan *request)
	var under sync.WaitGroup
	for i := range 8 {
		c := &client{run: r, number: clients + stripeClients + 1 + i, chance: rand.New(rand.NewPCG(r.seed, uint64(i)))}
		under.Go(func() {
			for q := range work {
				c.again(q)
			}
		})
	}
	for _, q := range r.journal.entries() {
		if q.kept() {
			work <- q
		}
	}
	close(work)
	under.Wait()
}
