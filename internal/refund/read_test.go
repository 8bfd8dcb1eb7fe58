package refund_test

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
)

func TestListPages(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c, other := captured(t, w, 1_000), captured(t, w, 1_000)
	var made []ids.Refund
	var times []time.Time
	for i := range 5 {
		w.Clock.Advance(time.Millisecond)
		times = append(times, w.Clock.Now())
		in := of(c, 10)
		if i == 2 {
			in = of(other, 10)
			in.ExternalID = ptr("gift-2")
		}
		made = append(made, create(t, w, in, nil).Object.ID)
	}
	for _, tt := range []struct {
		name string
		in   refund.ListInput
		want []int
		more bool
	}{
		{"newest first", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 2}}, []int{4, 3}, true},
		{"the next page", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 2, After: made[3]}}, []int{2, 1}, true},
		{"the last page", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 2, After: made[1]}}, []int{0}, false},
		{"the page before", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 2, Before: made[0]}}, []int{2, 1}, true},
		{"the first page again", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 4, Before: made[2]}}, []int{4, 3}, false},
		{"oldest first", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 3, Ascending: true}}, []int{0, 1, 2}, true},
		{"oldest first, on", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 3, Ascending: true, After: made[2]}}, []int{3, 4}, false},
		{"oldest first, back", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 2, Ascending: true, Before: made[4]}}, []int{2, 3}, true},
		{"by status", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 5}, Statuses: []string{"failed", "pending"}}, nil, false},
		{"by the other status", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 5}, Statuses: []string{"succeeded"}}, []int{4, 3, 2, 1, 0}, false},
		{"by charge", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 5}, ChargeID: &c.ID}, []int{4, 3, 1, 0}, false},
		{"by external id", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 5}, ExternalID: ptr("gift-2")}, []int{2}, false},
		{"by merchant", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 5}, Merchants: []int64{w.App.Merchants.US}}, []int{4, 3, 2, 1, 0}, false},
		{"by time", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 5}, Created: page.Times{From: &times[1], Until: &times[3]}}, []int{2, 1}, false},
		{"by another merchant", refund.ListInput{Page: page.Input[ids.Refund]{Limit: 5}, Merchants: []int64{w.App.Merchants.CA}}, nil, false},
	} {
		got, err := w.Refunds.List(t.Context(), w.Actor(), tt.in)
		var places []int
		for _, r := range got.Items {
			places = append(places, slices.Index(made, r.ID))
			if r.Object != "refund" {
				t.Errorf("%s: %s", tt.name, jsonOf(t, r))
			}
		}
		if err != nil || !slices.Equal(places, tt.want) || got.HasMore != tt.more {
			t.Errorf("%s: %v, more %v, %v; want %v, %v", tt.name, places, got.HasMore, err, tt.want, tt.more)
		}
	}
}
