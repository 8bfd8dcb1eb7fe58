package sandbox_test

import (
	"context"
	"errors"
	"testing"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// subject is an adapter as the port's contract sees it.
type subject struct {
	// open gives another instance over the same counterparty, as after a restart.
	open func() processor.Processor
	// approved and declined are card numbers with a sure fate.
	approved, declined string
	card               func(number string) processor.Card
}

func (s subject) authorization(number string) processor.Authorization {
	return processor.Authorization{
		Reference: ids.NewOperation(start).String(), Amount: 1_250, Currency: money.USD, Capture: true,
		Descriptor: "RIVERSIDE FOOD", Card: s.card(number), Stored: processor.NotStored,
	}
}

// conformance is what the service relies on, of any adapter.
func conformance(t *testing.T, s subject) {
	p := s.open()
	t.Run("answers are kept under their reference", func(t *testing.T) {
		for number, approved := range map[string]bool{s.approved: true, s.declined: false} {
			a := s.authorization(number)
			answer, err := p.Authorize(t.Context(), a)
			if err != nil || answer.Approved != approved || (answer.DeclineCode == "") != approved || (answer.NetworkTransactionID != "") != approved {
				t.Fatalf("%s: %+v, %v", number, answer, err)
			}
			for name, instance := range map[string]processor.Processor{"the same instance": p, "another": s.open()} {
				if again, err := instance.Lookup(t.Context(), a.Reference); err != nil || again != answer {
					t.Errorf("%s looks up %+v, %v; want %+v", name, again, err, answer)
				}
			}
		}
	})
	t.Run("an unknown reference is not found", func(t *testing.T) {
		for _, reference := range []string{"", "ch_unheard", s.authorization(s.approved).Reference} {
			if a, err := p.Lookup(t.Context(), reference); !errors.Is(err, processor.ErrNotFound) {
				t.Errorf("%q: %+v, %v", reference, a, err)
			}
		}
	})
	t.Run("who gives up is told nothing", func(t *testing.T) {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if a, err := p.Authorize(gone, s.authorization(s.approved)); err == nil {
			t.Errorf("authorized %+v", a)
		}
		if a, err := p.Lookup(gone, "ch_unheard"); err == nil || errors.Is(err, processor.ErrNotFound) {
			t.Errorf("looked up %+v, %v: giving up is not the same as not found", a, err)
		}
	})
	t.Run("references are not mixed up", func(t *testing.T) {
		a, b := s.authorization(s.approved), s.authorization(s.approved)
		first, err := p.Authorize(t.Context(), a)
		second, err2 := p.Authorize(t.Context(), b)
		if err := errors.Join(err, err2); err != nil || first.NetworkTransactionID == second.NetworkTransactionID {
			t.Errorf("%v and %v, %v", first, second, err)
		}
	})
	t.Run("it describes itself and cards", func(t *testing.T) {
		profile, err := p.Profile(t.Context(), sensitive.NewPAN(s.approved).BIN())
		if err != nil || profile.Funding == "" || len(profile.Country) != 2 || p.Name() == "" {
			t.Errorf("%q: %+v, %v", p.Name(), profile, err)
		}
		if p.SettleWindow() <= processor.CallTimeout {
			t.Error("a submission could arrive after its reference was given up")
		}
	})
}
