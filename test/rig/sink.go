package rig

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Sink is what an application's own server makes of webhooks. Its answers are made of a seed.
type Sink struct {
	wrong func(what string) // notified of an event that is signature is not valid

	mu      sync.Mutex
	secret  string // "" until the endpoint is made
	chance  *rand.Rand
	before  float64
	after   float64
	seen    map[string]time.Time
	numbers map[string]int64
	again   int
	refused [2]int // before it took them, and after
}

// NewSink makes a sink that refuses a share of events before it takes them, and takes a share and then
// fails.
func NewSink(seed uint64, before, after float64, wrong func(what string)) *Sink {
	return &Sink{wrong: wrong, before: before, after: after, chance: rand.New(rand.NewPCG(seed, 2)),
		seen: map[string]time.Time{}, numbers: map[string]int64{}}
}

// Trust makes the endpoint whose events it believes; none is taken in the meantime.
func (k *Sink) Trust(endpoint func() (secret string)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.secret = endpoint()
}

// Heal has it fail no more.
func (k *Sink) Heal() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.before, k.after = 0, 0
}

// Take notes an event and tells the status to answer.
func (k *Sink) Take(header http.Header, body []byte) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.chance.Float64() < k.before {
		k.refused[0]++
		return http.StatusServiceUnavailable
	}
	hook, err := standardwebhooks.NewWebhook(k.secret)
	if err == nil {
		err = hook.Verify(body, header)
	}
	var e struct {
		ID       string
		Sequence int64
	}
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	id := header.Get("webhook-id")
	if number, twice := k.numbers[id]; err != nil || id == "" || e.ID != id || twice && number != e.Sequence {
		k.wrong(fmt.Sprintf("%s with sequence %d came as %s: %v", id, e.Sequence, body, err))
	}
	if _, twice := k.seen[id]; twice {
		k.again++
	} else {
		k.seen[id], k.numbers[id] = time.Now(), e.Sequence
	}
	if k.chance.Float64() < k.after {
		k.refused[1]++
		return http.StatusInternalServerError
	}
	return http.StatusNoContent
}

// Count is how many events came, each counted once.
func (k *Sink) Count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.seen)
}

// Arrival says when an event first came; false if it did not.
func (k *Sink) Arrival(id string) (time.Time, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at, ok := k.seen[id]
	return at, ok
}

// Repeated is how many events came that were taken before.
func (k *Sink) Repeated() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.again
}

// Refused is how many events it refused, before it took them and after.
func (k *Sink) Refused() (before, after int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refused[0], k.refused[1]
}
