package inbound

import (
	"context"
	"testing"

	"svcpay/internal/processor"
)

// Events carry the name of the adapter whose feed told them, whatever they say themselves.
func TestEventsNameTheirAdapter(t *testing.T) {
	t.Parallel()
	s := &Service{Processors: map[string]*Feed[processor.Event]{}}
	for _, name := range []string{"one", "two"} {
		s.Processors[name] = &Feed[processor.Event]{handlers: map[string]Handle[processor.Event]{}}
	}
	var told []processor.Account
	s.onEvent(processor.PayoutPaid, func(_ context.Context, e processor.Event) error {
		told = append(told, e.On())
		return nil
	})
	for _, name := range []string{"one", "two"} {
		for _, says := range []string{"", "forged"} {
			e := processor.Event{Adapter: says, Account: "acct_1"}
			if err := s.Processors[name].handlers[string(processor.PayoutPaid)](t.Context(), e); err != nil {
				t.Fatal(err)
			}
			if got := told[len(told)-1]; got != (processor.Account{Adapter: name, External: "acct_1"}) {
				t.Errorf("an event of %s that says %q is of %+v", name, says, got)
			}
		}
	}
}
