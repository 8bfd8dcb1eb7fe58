package daf_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/daf"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
)

// fits is what the filters of a list mean.
func fits(d daf.Donation, in daf.ListInput) bool {
	is := func(wanted []string, is string) bool { return wanted == nil || slices.Contains(wanted, is) }
	equal := func(wanted, is *string) bool { return wanted == nil || is != nil && *wanted == *is }
	for k, v := range in.Metadata {
		if d.Metadata[k] != v {
			return false
		}
	}
	return is(in.Kinds, string(d.Kind)) && is(in.Statuses, string(d.Status)) &&
		(in.Merchants == nil || slices.Contains(in.Merchants, d.MerchantID)) &&
		equal(in.TrackingID, d.TrackingID) && equal(in.ExternalID, d.ExternalID) &&
		(equal(in.Reference, d.ExternalID) || d.TrackingID != nil && strings.EqualFold(*in.Reference, *d.TrackingID)) &&
		(in.Email == nil || strings.EqualFold(*in.Email, d.User.Email)) &&
		(in.Amounts.Least == nil || int64(d.Amount) >= *in.Amounts.Least) &&
		(in.Amounts.Most == nil || int64(d.Amount) <= *in.Amounts.Most) &&
		(in.Created.From == nil || !d.CreatedAt.Before(*in.Created.From)) &&
		(in.Created.Until == nil || d.CreatedAt.Before(*in.Created.Until))
}

// filters draws some filters, most of which fit some donation.
func filters(t *rapid.T, all []daf.Donation, merchants []int64) daf.ListInput {
	some := rapid.SampledFrom(all).Draw(t, "like")
	var in daf.ListInput
	may := func(what string) bool { return rapid.IntRange(0, 3).Draw(t, what) == 0 }
	if may("kind") {
		in.Kinds = []string{string(some.Kind)}
	}
	if may("status") {
		in.Statuses = rapid.SliceOfDistinct(rapid.SampledFrom(daf.Statuses()), rapid.ID[string]).Draw(t, "statuses")
	}
	if may("merchant") {
		in.Merchants = []int64{rapid.SampledFrom(merchants).Draw(t, "which")}
	}
	if may("tracking id") {
		in.TrackingID = some.TrackingID
	}
	if may("external id") {
		in.ExternalID = some.ExternalID
	}
	if id := rapid.SampledFrom([]*string{some.TrackingID, some.ExternalID}).Draw(t,
		"one of the two"); may("reference") && id != nil {
		in.Reference = id
		if rapid.Bool().Draw(t, "in lower case") {
			in.Reference = ptr(strings.ToLower(*id))
		}
	}
	if may("email") && some.User.Email != "" {
		in.Email = ptr(strings.ToUpper(some.User.Email))
	}
	if may("metadata") && len(some.Metadata) > 0 {
		in.Metadata = some.Metadata
	}
	if may("least") {
		in.Amounts.Least = ptr(int64(some.Amount))
	}
	if may("most") {
		in.Amounts.Most = ptr(int64(some.Amount))
	}
	if may("from") {
		in.Created.From = &some.CreatedAt.Time
	}
	if may("until") {
		in.Created.Until = &some.CreatedAt.Time
	}
	return in
}

// A list has exactly what fits its filters, page by page, in either order.
func TestListHasWhatFits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all []daf.Donation
	for i := range 14 {
		kind := []daf.Kind{daf.Integrated, daf.Nonintegrated}[i%2]
		in := w.input(kind, daf.WholeDollar*2)
		if i%3 == 0 {
			in = w.input(kind, 900)
		}
		if i%4 == 0 {
			in.ExternalID, in.Metadata = ptr("gift-"+string(rune('a'+i))), map[string]string{"campaign": "spring",
				"n": string(rune('a' + i))}
		}
		if i%5 == 0 {
			in.User, in.Anonymous = nil, new(true)
		}
		d := w.create(in, nil).Object
		if i%6 < 2 {
			if _, err := w.set(d.ID, daf.Completed); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, w.get(d.ID))
		w.Clock.Advance(time.Minute)
	}
	merchants := []int64{w.App.Merchants.US, w.App.Merchants.CA}
	rapid.Check(t, func(t *rapid.T) {
		in := filters(t, all, merchants)
		in.Page = page.Input[ids.Donation]{Limit: rapid.IntRange(1, 20).Draw(t, "limit"),
			Ascending: rapid.Bool().Draw(t, "ascending")}
		var want, got []string
		for _, d := range all {
			if fits(d, in) {
				want = append(want, d.ID.String())
			}
		}
		if !in.Page.Ascending {
			slices.Reverse(want)
		}
		for more := true; more; {
			p, err := w.DAF.List(w.T.Context(), w.Actor(), in)
			if err != nil || len(p.Items) > in.Page.Limit {
				t.Fatalf("%d, %v", len(p.Items), err)
			}
			for _, d := range p.Items {
				got = append(got, d.ID.String())
				in.Page.After = d.ID
			}
			more = p.HasMore
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%+v gives %v, want %v", in, got, want)
		}
	})
	if p, err := w.DAF.List(t.Context(), w.ActorOf(w.Other),
		daf.ListInput{Page: page.Input[ids.Donation]{Limit: 5}}); err != nil || len(p.Items) != 0 {
		t.Errorf("another application sees %d, %v", len(p.Items), err)
	}
}
