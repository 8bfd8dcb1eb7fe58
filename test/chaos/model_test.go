package chaos

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// The refunds of one charge are linearizable: there is an order in which each took place between its
// request and its answer, and in which each was reserved, refused or let go of rightly.

// move is what one refund does to what is left: a refund that failed reserves, and lets go later.
type move struct {
	what   string // reserve, refuse or release
	refund int
	amount int
}

// left is what a charge has left, and which refunds have something reserved or returned.
type left struct {
	amount   int
	reserved uint8
}

// refunds is the model of a charge of which that much was captured.
func refunds(captured int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return left{amount: captured} },
		Step: func(state, input, _ any) (bool, any) {
			s, m := state.(left), input.(move)
			bit := uint8(1) << m.refund
			switch m.what {
			case "reserve":
				return m.amount <= s.amount, left{s.amount - m.amount, s.reserved | bit}
			case "release":
				return s.reserved&bit != 0, left{s.amount + m.amount, s.reserved &^ bit}
			}
			return m.amount > s.amount, s
		},
		Equal: func(a, b any) bool { return a == b },
	}
}

// history is what clients saw of the refunds of one charge.
func history(all []*request) (ops []porcupine.Operation) {
	for i, q := range all {
		add := func(what string) {
			ops = append(ops, porcupine.Operation{ClientId: len(ops), Input: move{what, i, q.amount()},
				Call: q.called.UnixNano(), Return: q.answered.UnixNano()})
		}
		switch {
		case q.final.Status >= 300:
			add("refuse")
		case q.final.Text("status") == "failed":
			add("reserve")
			add("release")
		default:
			add("reserve")
		}
	}
	return ops
}

// auditRefunds checks the refunds of each charge against the model.
func (r *run) auditRefunds() {
	captured, of := map[string]int{}, map[string][]*request{}
	for _, q := range r.journal.entries() {
		switch {
		case q.final == nil:
		case q.Kind == "charge" && q.final.Status < 300 && q.Body["capture"] == true:
			captured[q.object] = q.amount()
		case q.Kind == "capture" && q.final.Status < 300:
			captured[q.final.Text("id")] = q.amount()
		case q.Kind == "refund":
			charge, _ := q.Body["charge_id"].(string)
			of[charge] = append(of[charge], q)
		}
	}
	for charge, all := range of {
		r.counts.add("charges whose refunds were checked against the model")
		if !porcupine.CheckOperations(refunds(captured[charge]), history(all)) {
			r.found.add("the refunds of %s have no order in which they are right", charge)
		}
	}
}

func TestModelOfRefunds(t *testing.T) {
	t.Parallel()
	at := func(from, to int, m move) porcupine.Operation {
		return porcupine.Operation{ClientId: m.refund, Input: m, Call: int64(from) * int64(time.Second),
			Return: int64(to) * int64(time.Second)}
	}
	for name, c := range map[string]struct {
		right bool
		ops   []porcupine.Operation
	}{
		"one of two at once is refused":    {true, []porcupine.Operation{at(0, 2, move{"reserve", 0, 6}), at(1, 3, move{"refuse", 1, 6})}},
		"both of two at once":              {false, []porcupine.Operation{at(0, 2, move{"reserve", 0, 6}), at(1, 3, move{"reserve", 1, 6})}},
		"refused although it is free":      {false, []porcupine.Operation{at(0, 1, move{"reserve", 0, 4}), at(2, 3, move{"refuse", 1, 6})}},
		"let go of, and then taken":        {true, []porcupine.Operation{at(0, 3, move{"reserve", 0, 6}), at(0, 3, move{"release", 0, 6}), at(2, 5, move{"reserve", 1, 6})}},
		"refused after it was let go of":   {false, []porcupine.Operation{at(0, 1, move{"reserve", 0, 6}), at(0, 1, move{"release", 0, 6}), at(2, 3, move{"refuse", 1, 6})}},
		"let go of without being reserved": {false, []porcupine.Operation{at(0, 1, move{"release", 0, 6})}},
	} {
		if got := porcupine.CheckOperations(refunds(10), c.ops); got != c.right {
			t.Errorf("%s: %v", name, got)
		}
	}
}
