package main

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// call makes the request of one turn. The turn is unique in a cell.
type call func(turn int) []byte

// answered looks at an answer; it is called from many goroutines. Nil for no one.
type answered func(turn, status int, body []byte)

// outcome is what a load came to.
type outcome struct {
	took      time.Duration
	latencies []time.Duration // of those that succeeded, sorted
	refused   []time.Duration // of 429 and 503, sorted
	statuses  map[int]int     // 0: no answer
}

// rate is of what succeeded, in a second.
func (o outcome) rate() float64 { return float64(len(o.latencies)) / o.took.Seconds() }

// worker is one connection's part.
type worker struct {
	outcome
	addr string
	wire *wire
}

// load makes requests on so many connections.
type load struct {
	addr        string
	also        []string // addresses of more servers: connections take them in turn
	connections int
	call        call
	answered    answered
	most        int // turns; 0 for no bound
}

// closed has every connection ask again as soon as it was answered.
func (l load) closed(during time.Duration) (outcome, error) {
	began := time.Now()
	return l.run(began, func(int) (time.Time, bool) {
		now := time.Now()
		return now, now.Sub(began) < during
	})
}

// open begins requests at a rate, whether or not earlier ones were answered, as far as there are
// connections; the time of a request counts from when it was to begin.
func (l load) open(rate float64, during time.Duration) (outcome, error) {
	began := time.Now()
	return l.run(began, func(turn int) (time.Time, bool) {
		after := time.Duration(float64(turn) / rate * float64(time.Second))
		return began.Add(after), after < during
	})
}

// run has workers take turns until planned says that there are no more.
func (l load) run(began time.Time, planned func(turn int) (time.Time, bool)) (outcome, error) {
	var turns atomic.Int64
	workers := make([]worker, l.connections)
	addrs := append([]string{l.addr}, l.also...)
	for i := range workers {
		addr := addrs[i%len(addrs)]
		w, err := dial(addr)
		if err != nil {
			return outcome{}, err
		}
		workers[i] = worker{addr: addr, wire: w, outcome: outcome{statuses: make(map[int]int)}}
	}
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			w := &workers[i]
			defer func() { w.wire.close() }()
			for {
				turn := int(turns.Add(1) - 1)
				at, more := planned(turn)
				if !more || l.most > 0 && turn >= l.most {
					return
				}
				time.Sleep(time.Until(at))
				w.once(l, turn, at)
			}
		})
	}
	all.Wait()
	return gather(workers, time.Since(began)), nil
}

// once makes one request; after a failure the connection is made again.
func (w *worker) once(l load, turn int, at time.Time) {
	status, body, err := w.wire.do(l.call(turn))
	took := time.Since(at)
	if err != nil {
		status = 0
		w.wire.close()
		if again, err := dial(w.addr); err == nil {
			w.wire = again
		}
	}
	w.statuses[status]++
	switch {
	case status >= 200 && status < 300:
		w.latencies = append(w.latencies, took)
	case status == 429 || status == 503:
		w.refused = append(w.refused, took)
	}
	if l.answered != nil {
		l.answered(turn, status, body)
	}
}

func gather(workers []worker, took time.Duration) outcome {
	out := outcome{took: took, statuses: make(map[int]int)}
	for _, w := range workers {
		out.latencies = append(out.latencies, w.latencies...)
		out.refused = append(out.refused, w.refused...)
		for status, n := range w.statuses {
			out.statuses[status] += n
		}
	}
	slices.Sort(out.latencies)
	slices.Sort(out.refused)
	return out
}

// quantile is the latency that a share of all are within; 0 of none.
func quantile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	at := int(share*float64(len(sorted))+0.9999999) - 1
	return sorted[min(max(at, 0), len(sorted)-1)]
}
