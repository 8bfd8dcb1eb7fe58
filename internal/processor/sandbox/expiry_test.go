package sandbox

import (
	"testing"
	"time"

	"svcpay/internal/processor"
)

// The sandbox's bank takes a card as long as the payment fields do: until its month is over everywhere.
func TestBankTakesACardUntilItsMonthIsOverEverywhere(t *testing.T) {
	t.Parallel()
	p := &Processor{machine: time.Now}
	end := time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC)
	for at, want := range map[time.Time]string{end.Add(-time.Second): "", end: "expired_card"} {
		answer := p.decide(Case{}, processor.Authorization{Card: processor.Card{ExpMonth: 12, ExpYear: 2026}}, at)
		if answer.DeclineCode != want || answer.Approved != (want == "") {
			t.Errorf("at %s: %+v", at, answer)
		}
	}
}
