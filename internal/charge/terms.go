package charge

import (
	"sync"
	"time"

	"svcpay/internal/fee"
)

const (
	// termsKept is for how long the terms of a merchant are not asked for again. That they are those still in force, the
	// statement sees that writes the outcome (see [updateTx]), so whoever changes fees need not tell us.
	termsKept = time.Minute
	// mostTerms is of how many merchants some are kept.
	mostTerms = 10_000
)

// knownTerms are what merchants are charged by, as charges were a moment ago. The zero value knows none.
type knownTerms struct {
	mu sync.Mutex
	of map[fee.Merchant]keptTerms
}

type keptTerms struct {
	fee.Terms
	until time.Time
}

// split returns the terms that are known of the wanted merchants, and the merchants that must be asked about.
func (k *knownTerms) split(wanted map[fee.Merchant]time.Time, machine time.Time) (known map[fee.Merchant]fee.Terms, unknown map[fee.Merchant]time.Time) {
	known, unknown = make(map[fee.Merchant]fee.Terms, len(wanted)), make(map[fee.Merchant]time.Time)
	k.mu.Lock()
	defer k.mu.Unlock()
	for m, at := range wanted {
		if kept, ok := k.of[m]; ok && machine.Before(kept.until) {
			known[m] = kept.Terms
		} else {
			unknown[m] = at
		}
	}
	return known, unknown
}

// keep notes what was answered.
func (k *knownTerms) keep(answered map[fee.Merchant]fee.Terms, machine time.Time) {
	if len(answered) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || len(k.of) > mostTerms {
		k.of = make(map[fee.Merchant]keptTerms)
	}
	for m, terms := range answered {
		k.of[m] = keptTerms{terms, machine.Add(termsKept)}
	}
}

// forget has a merchant asked about again, whose terms may have changed.
func (k *knownTerms) forget(m fee.Merchant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.of, m)
}
