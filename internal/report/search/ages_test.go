package search_test

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/report/search"
)

// What has a word that the newest do not have is found in the order of its ids, wherever ages begin and pages end.
func TestWordsAreFoundAgeByAge(t *testing.T) {
	t.Parallel()
	w := open(t)
	token, amount := w.Token("4242424242424242"), money.Amount(1000)
	c, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.us, Amount: &amount, Token: &token}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// 66 days of charges. The newest 5000, six weeks of them, are looked at first; an age has seven.
	w.Copies(c.Object, 8000, 12*time.Minute, func(k int) map[string]any {
		if k > 5000 && k%30 == 0 {
			return map[string]any{"description": "Lantern walk"}
		}
		return nil
	})
	want, err := pg.Value[[]string](t.Context(), w.Pool, `
		SELECT array_agg(id::text ORDER BY id DESC) FROM charges WHERE description = 'Lantern walk'`, pg.Args{})
	if err != nil || len(want) != 100 {
		t.Fatalf("%d, %v", len(want), err)
	}
	query, err := search.Parse("lantern walk")
	if err != nil {
		t.Fatal(err)
	}
	for _, up := range []bool{false, true} {
		var got []string
		in := search.Input{Query: query, Page: page.Input[search.Ref]{Limit: 9, Ascending: up}}
		for more := true; more; {
			found, err := w.Search.Find(t.Context(), w.Actor(), in)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found.Items {
				id := f.Object.(charge.Charge).ID
				raw, err := id.UUIDValue()
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, raw.String())
			}
			if more = found.HasMore; more {
				if in.Page.After, err = search.ParseRef(found.Items[len(found.Items)-1].ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		if up {
			slices.Reverse(got)
		}
		if !slices.Equal(got, want) {
			t.Errorf("ascending %v: %d were found, %d have the words\n%v\n%v", up, len(got), len(want), got, want)
		}
	}
	aged, err := pg.Value[bool](t.Context(), w.Pool, `
		SELECT bool_and(words @@ to_tsquery('pg_catalog.simple', 't' || left(id::text, 4))) FROM charges`, pg.Args{})
	if err != nil || !aged {
		t.Errorf("a charge is not found by its age: %v", err)
	}
}
