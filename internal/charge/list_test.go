package charge_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
)

// mixed are columns of the k-th copy of an authorized charge over 1000, whose traits differ.
func mixed(k int, other ids.Token) map[string]any {
	columns := map[string]any{
		"amount": 1000 + k%40, "recurring": k%2 == 0, "external_id": fmt.Sprintf("gift-%d", k),
		"billing": map[string]string{}, "metadata": map[string]string{},
		"payment_method": method(fmt.Sprintf("000%d", k%9), sensitive.BrandNames()[k%4]),
	}
	if k%3 == 0 {
		columns["status"], columns["voided_at"], columns["next_step_at"] = "voided", time.Unix(0, 0), nil
	}
	if k%5 == 0 {
		columns["type"], columns["capture"] = "ach", true
	}
	if k%7 == 0 {
		columns["currency"], columns["funding_currency"] = "cad", "cad"
	}
	at := time.Unix(1_800_000_000+int64(k), 0).UTC()
	if k%6 == 1 {
		columns["captured_at"] = at
	}
	switch k % 9 { // those whose status is authorized
	case 1:
		columns["status"], columns["failed_at"], columns["next_step_at"] = "failed", at, nil
		columns["failure"] = map[string]any{"code": charge.FailureCodes()[k%5], "message": "No.",
			"advice": "try_again_later", "retryable": true}
	case 4:
		columns["status"], columns["next_step_at"], columns["amount_captured"] = "settled", nil, columns["amount"]
		columns["captured_at"], columns["settled_at"], columns["available_on"] = at, at, "2027-01-15"
		columns["amount_authorized"] = columns["amount"]
	}
	if k%8 == 1 {
		columns["token_id"] = uuidOf(other)
	}
	if k%4 != 0 {
		columns["billing"] = map[string]string{"email": fmt.Sprintf("Donor%d@Example.org", k%6)}
	}
	if k%4 != 1 {
		columns["metadata"] = map[string]string{"campaign": []string{"spring", "fall"}[k%2], "order": fmt.Sprint(k % 8)}
	}
	return columns
}

func method(last4, brand string) map[string]any {
	return map[string]any{"kind": "card", "brand": brand, "last4": last4, "bin": "424242", "exp_month": 8,
		"exp_year": 2031, "funding": "credit", "country": "US"}
}

// authorized makes one charge over 1000 that is only authorized.
func authorized(t *testing.T, w *fixture.World) charge.Charge {
	t.Helper()
	in := input(w, good, 1000)
	in.Capture = ptr(false)
	return create(t, w, in, nil).Object
}

// fits is what the filters of a list mean.
func fits(c charge.Charge, in charge.ListInput) bool {
	amount := int64(c.Amount)
	for key, value := range in.Metadata {
		if has, ok := c.Metadata[key]; !ok || has != value {
			return false
		}
	}
	return (in.Statuses == nil || slices.Contains(in.Statuses, string(c.Status))) &&
		(in.Merchants == nil || slices.Contains(in.Merchants, c.MerchantID)) &&
		(in.Types == nil || slices.Contains(in.Types, string(c.Type))) &&
		(in.Currencies == nil || slices.Contains(in.Currencies, string(c.Currency))) &&
		(in.ExternalID == nil || c.ExternalID != nil && *c.ExternalID == *in.ExternalID) &&
		(in.Email == nil || strings.EqualFold(c.Billing.Email, *in.Email)) &&
		(in.Last4 == nil || c.PaymentMethod.Last4 == *in.Last4) &&
		(in.Recurring == nil || c.Recurring == *in.Recurring) &&
		(in.Token == nil || c.Token == *in.Token) &&
		(in.Brands == nil || slices.Contains(in.Brands, c.PaymentMethod.Brand)) &&
		(in.Failures == nil || c.Failure != nil && slices.Contains(in.Failures, c.Failure.Code)) &&
		within(c.CapturedAt, in.Captured) && within(c.SettledAt, in.Settled) &&
		(in.Amounts.Least == nil || amount >= *in.Amounts.Least) &&
		(in.Amounts.Most == nil || amount <= *in.Amounts.Most) &&
		(in.Created.From == nil || !c.CreatedAt.Before(*in.Created.From)) &&
		(in.Created.Until == nil || c.CreatedAt.Before(*in.Created.Until))
}

// within reports whether a span has a time; the one without ends has none, too.
func within(at *instant.Time, span page.Times) bool {
	if at == nil {
		return span == page.Times{}
	}
	return (span.From == nil || !at.Before(*span.From)) && (span.Until == nil || at.Before(*span.Until))
}

// walk follows a list to its end, from its beginning or backwards from a charge.
func walk(t *testing.T, w *fixture.World, in charge.ListInput) []ids.Charge {
	t.Helper()
	var out []ids.Charge
	for {
		p, err := w.Charges.List(t.Context(), w.Actor(), in)
		if err != nil {
			t.Fatal(err)
		}
		var part []ids.Charge
		for _, c := range p.Items {
			part = append(part, c.ID)
		}
		if in.Page.Backwards() {
			out = append(part, out...)
		} else {
			out = append(out, part...)
		}
		switch {
		case !p.HasMore:
			return out
		case in.Page.Backwards():
			in.Page.Before = part[0]
		default:
			in.Page.After = part[len(part)-1]
		}
	}
}

// maybe draws a value of g, or none.
func maybe[T any](t *rapid.T, label string, g *rapid.Generator[T]) *T {
	if rapid.IntRange(0, 3).Draw(t, label+"?") > 0 {
		return nil
	}
	return ptr(g.Draw(t, label))
}

func words(t *rapid.T, label string, all ...string) []string {
	if given := maybe(t, label, rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 2, rapid.ID[string])); given != nil {
		return *given
	}
	return nil
}

// filters draws what a list is held to; from is the time of the newest of n charges.
func filters(t *rapid.T, w *fixture.World, from time.Time, n int, tokens ...ids.Token) charge.ListInput {
	when := rapid.Map(rapid.IntRange(-n-1, 2),
		func(ms int) time.Time { return from.Add(time.Duration(ms) * time.Millisecond) })
	amount := rapid.Int64Range(998, 1042)
	later := rapid.Map(rapid.IntRange(-1, n+1), func(s int) time.Time { return time.Unix(1_800_000_000+int64(s), 0) })
	in := charge.ListInput{
		Captured: page.Times{From: maybe(t, "captured from", later), Until: maybe(t, "captured until", later)},
		Settled:  page.Times{From: maybe(t, "settled from", later), Until: maybe(t, "settled until", later)},
		Brands:   words(t, "brand", sensitive.BrandNames()...), Failures: words(t, "failure", charge.FailureCodes()...),
		Created:  page.Times{From: maybe(t, "from", when), Until: maybe(t, "until", when)},
		Amounts:  page.Amounts{Least: maybe(t, "least", amount), Most: maybe(t, "most", amount)},
		Statuses: words(t, "status", "authorized", "voided", "failed"), Types: words(t, "type", charge.Types()...),
		Currencies: words(t, "currency", money.CurrencyNames()...), Recurring: maybe(t, "recurring", rapid.Bool()),
		Email: maybe(t, "email", rapid.SampledFrom([]string{"donor1@example.ORG", "Donor3@Example.org", "donor"})),
		Last4: maybe(t, "last4", rapid.SampledFrom([]string{"0000", "0007", "4242", "9999"})),
	}
	if m := maybe(t, "merchants", rapid.SampledFrom([]int64{w.App.Merchants.US, w.App.Merchants.CA})); m != nil {
		in.Merchants = []int64{*m, 999_999}
	}
	if m := maybe(t, "metadata",
		rapid.MapOfN(rapid.SampledFrom([]string{"campaign", "order"}),
			rapid.SampledFrom([]string{"spring", "fall", "3", "6", ""}), 1, 2)); m != nil {
		in.Metadata = *m
	}
	in.Token = maybe(t, "token", rapid.SampledFrom(tokens))
	if e := rapid.IntRange(1, 10*n).Draw(t, "external"); e <= n {
		in.ExternalID = ptr(fmt.Sprintf("gift-%d", e))
	}
	return in
}

func TestListsHoldWhatTheirFiltersSay(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const n = 300
	w.Clock.Advance(time.Second) // the copies are older, but not than the application
	newest := authorized(t, w)
	other := otherToken(t, w)
	w.Copies(newest, n, time.Millisecond, func(k int) map[string]any { return mixed(k, other) })
	all, err := w.Charges.List(t.Context(), w.Actor(),
		charge.ListInput{Page: page.Input[ids.Charge]{Limit: n + 1, Ascending: true}})
	if err != nil || len(all.Items) != n+1 {
		t.Fatalf("%d, %v", len(all.Items), err)
	}
	found := 0
	rapid.Check(t, func(r *rapid.T) {
		in := filters(r, w, newest.CreatedAt.Time, n, newest.Token, other)
		in.Page = page.Input[ids.Charge]{Limit: rapid.IntRange(1, 60).Draw(r, "limit"),
			Ascending: rapid.Bool().Draw(r, "ascending")}
		var want []ids.Charge
		for _, c := range all.Items {
			if fits(c, in) {
				want = append(want, c.ID)
			}
		}
		if !in.Page.Ascending {
			slices.Reverse(want)
		}
		got := walk(t, w, in)
		if !slices.Equal(got, want) {
			r.Fatalf("%d are listed, want %d", len(got), len(want))
		}
		if found += len(got); len(got) == 0 {
			return
		}
		in.Page.Before = got[len(got)-1]
		if back := walk(t, w, in); !slices.Equal(back, got[:len(got)-1]) {
			r.Fatalf("backwards %d are listed, want %d", len(back), len(got)-1)
		}
	})
	if found == 0 {
		t.Error("no list had anything")
	}
}

// A sandbox's clock runs ahead of the ids: the list still has everything of a span.
func TestListsByTimeAfterTheClockWasMoved(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var made []charge.Charge
	for range 4 {
		made = append(made, create(t, w, input(w, good, 100), nil).Object)
		if err := w.Clocks.Advance(t.Context(), w.App.AppID, 40*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Millisecond)
	}
	for from := range made {
		for until := range made {
			in := charge.ListInput{
				Created: page.Times{From: &made[from].CreatedAt.Time, Until: &made[until].CreatedAt.Time}}
			in.Page.Limit = 10
			if got := walk(t, w, in); len(got) != max(0, until-from) {
				t.Errorf("from the %d. to before the %d.: %d", from, until, len(got))
			}
		}
	}
}

// otherToken is a token of the merchant of [authorized].
func otherToken(t *testing.T, w *fixture.World) ids.Token {
	t.Helper()
	id, err := ids.ParseToken(w.Token(good))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// uuidOf is a token's id as its column has it.
func uuidOf(id ids.Token) string {
	raw := id.Bytes()
	return hex.EncodeToString(raw[:])
}
