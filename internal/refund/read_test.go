package refund_test

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/fixture"
	"svcpay/internal/ids"
	"svcpay/internal/refund"
)

func TestListPages(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c, other := captured(t, w, 1_000), captured(t, w, 1_000)
	var made []ids.Refund
	for i := range 5 {
		w.Clock.Advance(time.Millisecond)
		in := of(c, 10)
		if i == 2 {
			in = of(other, 10)
			in.ExternalID = ptr("gift-2")
		}
		made = append(made, create(t, w, in, nil).Refund.ID)
	}
	for _, tt := range []struct {
		name string
		in   refund.ListInput
		want []int
		more bool
	}{
		{"newest first", refund.ListInput{Limit: 2}, []int{4, 3}, true},
		{"the next page", refund.ListInput{Limit: 2, After: made[3]}, []int{2, 1}, true},
		{"the last page", refund.ListInput{Limit: 2, After: made[1]}, []int{0}, false},
		{"the page before", refund.ListInput{Limit: 2, Before: made[0]}, []int{2, 1}, true},
		{"the first page again", refund.ListInput{Limit: 4, Before: made[2]}, []int{4, 3}, false},
		{"oldest first", refund.ListInput{Limit: 3, Ascending: true}, []int{0, 1, 2}, true},
		{"oldest first, on", refund.ListInput{Limit: 3, Ascending: true, After: made[2]}, []int{3, 4}, false},
		{"oldest first, back", refund.ListInput{Limit: 2, Ascending: true, Before: made[4]}, []int{2, 3}, true},
		{"by status", refund.ListInput{Limit: 5, Statuses: []string{"failed", "pending"}}, nil, false},
		{"by the other status", refund.ListInput{Limit: 5, Statuses: []string{"succeeded"}}, []int{4, 3, 2, 1, 0}, false},
		{"by charge", refund.ListInput{Limit: 5, ChargeID: c.ID}, []int{4, 3, 1, 0}, false},
		{"by external id", refund.ListInput{Limit: 5, ExternalID: ptr("gift-2")}, []int{2}, false},
		{"by merchant", refund.ListInput{Limit: 5, Merchants: []int64{w.App.Merchants.US}}, []int{4, 3, 2, 1, 0}, false},
		{"by another merchant", refund.ListInput{Limit: 5, Merchants: []int64{w.App.Merchants.CA}}, nil, false},
	} {
		page, err := w.Refunds.List(t.Context(), w.Actor(), tt.in)
		var got []int
		for _, r := range page.Refunds {
			got = append(got, slices.Index(made, r.ID))
			if r.Object != "refund" {
				t.Errorf("%s: %s", tt.name, jsonOf(t, r))
			}
		}
		if err != nil || !slices.Equal(got, tt.want) || page.HasMore != tt.more {
			t.Errorf("%s: %v, more %v, %v; want %v, %v", tt.name, got, page.HasMore, err, tt.want, tt.more)
		}
	}
}
