package fee

import (
	"context"
	"maps"
	"sync"
	"time"

	"svcpay/internal/pg"
)

// Known remembers what merchants were charged by when it was last asked for, so that it need not be asked for each time. Who
// computes by what is remembered has the database look where the event is written whether it is so still (see [StillInForce]), and
// otherwise asks with [Known.AskNow]. The zero value remembers nothing yet.
type Known struct {
	mu    sync.Mutex
	terms map[Merchant]Terms
}

// maxKnown bounds how many merchants are remembered, of half a kilobyte each. With more, all are forgotten.
const maxKnown = 10_000

// Asked are terms that were asked for and not waited for.
type Asked struct {
	by    *Known
	known map[Merchant]Terms
	rows  *pg.Asked[termsRow] // nil: all are known
}

// Ask is [InForceTx] for terms that are needed later (see [pg.Ahead]) and may be those of before.
func (k *Known) Ask(tx *pg.Tx, wanted map[Merchant]time.Time) Asked {
	a, unknown := Asked{by: k, known: make(map[Merchant]Terms)}, make(map[Merchant]time.Time)
	k.mu.Lock()
	defer k.mu.Unlock()
	for m, at := range wanted {
		if terms, ok := k.terms[m]; ok {
			a.known[m] = terms
		} else {
			unknown[m] = at
		}
	}
	if len(unknown) > 0 {
		a.rows = askInForce(tx, unknown)
	}
	return a
}

// AskNow is [Known.Ask] for terms that are in force, and stay so until the transaction ends (see [HoldTx]).
func (k *Known) AskNow(tx *pg.Tx, wanted map[Merchant]time.Time) Asked {
	holdAhead(tx, wanted)
	return Asked{by: k, rows: askInForce(tx, wanted)}
}

func askInForce(tx *pg.Tx, wanted map[Merchant]time.Time) *pg.Asked[termsRow] {
	return pg.Ahead[termsRow](tx, inForce, inForceArgs(wanted))
}

// Terms are those of each merchant that was asked for. A merchant that had no schedule by then has none.
func (a Asked) Terms(ctx context.Context) (map[Merchant]Terms, error) {
	if a.rows == nil {
		return a.known, nil
	}
	rows, err := a.rows.Rows(ctx)
	if err != nil {
		return nil, err
	}
	terms := termsOf(rows)
	a.by.learn(terms)
	maps.Copy(terms, a.known)
	return terms, nil
}

// learn remembers terms. One that shows that the service's own to an application are others now, which concerns all of its
// merchants, has all forgotten.
func (k *Known) learn(terms map[Merchant]Terms) {
	k.mu.Lock()
	defer k.mu.Unlock()
	forget := k.terms == nil || len(k.terms)+len(terms) > maxKnown
	for m, t := range terms {
		before, ok := k.terms[m]
		forget = forget || ok && before.Service.ID != t.Service.ID
	}
	if forget {
		k.terms = make(map[Merchant]Terms, len(terms))
	}
	maps.Copy(k.terms, terms)
}
