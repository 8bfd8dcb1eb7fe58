package charge_test

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/testing/fixture"
)

func TestListPages(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var made []string
	var times []*time.Time
	for range 5 {
		w.Clock.Advance(time.Millisecond)
		c := create(t, w, input(w, good, 100), nil).Object
		made, times = append(made, c.ID.String()), append(times, &c.CreatedAt.Time)
	}
	id := func(i int) ids.Charge { return mustID(t, made[i]) }
	type by = page.Input[ids.Charge]
	for _, c := range []struct {
		name string
		in   charge.ListInput
		want []int
		more bool
	}{
		{"newest first", charge.ListInput{Page: by{Limit: 2}}, []int{4, 3}, true},
		{"the next page", charge.ListInput{Page: by{Limit: 2, After: id(3)}}, []int{2, 1}, true},
		{"the last page", charge.ListInput{Page: by{Limit: 2, After: id(1)}}, []int{0}, false},
		{"the page before", charge.ListInput{Page: by{Limit: 2, Before: id(0)}}, []int{2, 1}, true},
		{"the first page again", charge.ListInput{Page: by{Limit: 4, Before: id(2)}}, []int{4, 3}, false},
		{"oldest first", charge.ListInput{Page: by{Limit: 3, Ascending: true}}, []int{0, 1, 2}, true},
		{"oldest first, on", charge.ListInput{Page: by{Limit: 3, Ascending: true, After: id(2)}}, []int{3, 4}, false},
		{"oldest first, back", charge.ListInput{Page: by{Limit: 2, Ascending: true, Before: id(4)}}, []int{2, 3}, true},
		{"by status", charge.ListInput{Page: by{Limit: 5}, Statuses: []string{"failed"}}, nil, false},
		{"by merchant", charge.ListInput{Page: by{Limit: 5}, Merchants: []int64{w.App.Merchants.US}}, []int{4, 3, 2, 1, 0}, false},
		{"by another merchant", charge.ListInput{Page: by{Limit: 5}, Merchants: []int64{w.App.Merchants.CA}}, nil, false},
		{"from a time on", charge.ListInput{Page: by{Limit: 5}, Created: page.Times{From: times[3]}}, []int{4, 3}, false},
		{"before a time", charge.ListInput{Page: by{Limit: 1}, Created: page.Times{Until: times[2]}}, []int{1}, true},
		{"between times", charge.ListInput{Page: by{Limit: 5}, Created: page.Times{From: times[1], Until: times[3]}}, []int{2, 1}, false},
	} {
		p, err := w.Charges.List(t.Context(), w.Actor(), c.in)
		var got []int
		for _, ch := range p.Items {
			got = append(got, slices.Index(made, ch.ID.String()))
		}
		if err != nil || !slices.Equal(got, c.want) || p.HasMore != c.more {
			t.Errorf("%s: %v, more %v, %v; want %v, %v", c.name, got, p.HasMore, err, c.want, c.more)
		}
	}
}
