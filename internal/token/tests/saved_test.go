package token_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

const visa = "4242424242424242"

func TestRecordOfACard(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	saved := get(t, w, w.Token("378282246310005"))
	in := w.Card("378282246310005")
	if *saved.Card != (token.SavedCard{Brand: "amex", BIN: "378282", Last4: "0005", ExpMonth: 8, ExpYear: in.ExpYear,
		Funding: "credit", Country: saved.Card.Country}) ||
		saved.BankAccount != nil || saved.Mandate != nil || saved.Billing != in.Billing ||
		saved.MerchantID != w.App.Merchants.US ||
		saved.Object != "token" || saved.Livemode || saved.Kind != token.CardKind || saved.Status != token.Active {
		t.Errorf("%+v", saved)
	}
	text, err := json.Marshal(saved)
	var members map[string]any
	if err != nil || json.Unmarshal(text, &members) != nil || strings.Contains(string(text), "378282246") ||
		strings.Contains(string(text), "application") {
		t.Errorf("%s, %v", text, err)
	}
	for _, null := range []string{"bank_account", "mandate", "disabled_reason", "last_used_at"} {
		if v, ok := members[null]; !ok || v != nil {
			t.Errorf("%s is %v", null, v)
		}
	}
}

func TestTokensOfOthersAreMissing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.Token(visa)
	foreign := w.ActorOf(w.Other)
	for name, err := range map[string]error{
		"get":       second(w.Tokens.Get(t.Context(), foreign, id)),
		"update":    second(w.Tokens.Update(t.Context(), foreign, id, token.UpdateInput{}, nil)),
		"delete":    second(w.Tokens.Delete(t.Context(), foreign, id, token.DeleteInput{}, nil)),
		"verify":    second(w.Tokens.Verify(t.Context(), foreign, id, token.VerifyInput{Amounts: []int64{32, 45}}, nil)),
		"no id":     second(w.Tokens.Get(t.Context(), w.Actor(), "tok_x")),
		"unheard":   second(w.Tokens.Get(t.Context(), w.Actor(), ids.NewToken(w.Clock.Now()).String())),
		"a charge":  second(w.Tokens.Delete(t.Context(), w.Actor(), ids.NewCharge(w.Clock.Now()).String(), token.DeleteInput{}, nil)),
		"no verify": second(w.Tokens.Verify(t.Context(), w.Actor(), "", token.VerifyInput{Amounts: []int64{32, 45}}, nil)),
	} {
		if code(err) != "resource_missing" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p, err := w.Tokens.List(t.Context(), foreign,
		token.ListInput{Page: page.Input[ids.Token]{Limit: 10}}); err != nil || len(p.Items) != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var all []ids.Token // newest first
	add := func(id ids.Token) {
		all = append([]ids.Token{id}, all...)
		w.Clock.Advance(time.Second)
	}
	start := w.Clock.Now()
	for range 3 {
		add(get(t, w, w.Token(visa)).ID)
	}
	add(bank(t, w, w.App.Merchants.USQ, account("000123456789")).ID)
	add(bank(t, w, w.App.Merchants.US, account("000123456789")).ID)
	if _, err := w.Tokens.Delete(t.Context(), w.Actor(), all[0].String(), token.DeleteInput{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := keepPayout(t, w, w.App.AppID, w.App.Merchants.US, account("000123456789")); err != nil {
		t.Fatal(err)
	}
	later := start.Add(3 * time.Second)
	for _, c := range []struct {
		name string
		in   token.ListInput
		want []int
		more bool
	}{
		{"all", token.ListInput{}, []int{0, 1, 2, 3, 4}, false},
		{"two", token.ListInput{Page: page.Input[ids.Token]{Limit: 2}}, []int{0, 1}, true},
		{"two after", token.ListInput{Page: page.Input[ids.Token]{Limit: 2, After: all[1]}}, []int{2, 3}, true},
		{"two before", token.ListInput{Page: page.Input[ids.Token]{Limit: 2, Before: all[3]}}, []int{1, 2}, true},
		{"ascending", token.ListInput{Page: page.Input[ids.Token]{Limit: 2, Ascending: true}}, []int{4, 3}, true},
		{"active", token.ListInput{Statuses: []string{"active"}}, []int{2, 3, 4}, false},
		{"deleted and pending", token.ListInput{Statuses: []string{"deleted", "pending_verification"}}, []int{0, 1}, false},
		{"banks", token.ListInput{Kinds: []string{"bank_us"}}, []int{0, 1}, false},
		{"one merchant", token.ListInput{Merchants: []int64{w.App.Merchants.USQ}}, []int{1}, false},
		{"another's merchant", token.ListInput{Merchants: []int64{w.Other.Merchants.US}}, []int{}, false},
		{"since", token.ListInput{Created: page.Times{From: &later}}, []int{0, 1}, false},
		{"until", token.ListInput{Created: page.Times{Until: &later}}, []int{2, 3, 4}, false},
	} {
		if c.in.Page.Limit == 0 {
			c.in.Page.Limit = 10
		}
		p, err := w.Tokens.List(t.Context(), w.Actor(), c.in)
		if err != nil {
			t.Fatal(err)
		}
		got := []int{}
		for _, item := range p.Items {
			got = append(got, slices.Index(all, item.ID))
			if item.Object != "token" {
				t.Errorf("%+v", item)
			}
		}
		if !slices.Equal(got, c.want) || p.HasMore != c.more {
			t.Errorf("%s: %v and more %v, want %v and %v", c.name, got, p.HasMore, c.want, c.more)
		}
	}
	if len(token.Statuses()) != 5 || len(token.Kinds()) != 5 {
		t.Error("words are missing")
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	before := get(t, w, w.Token(visa))
	city, none := "Salem", ""
	month, year := int64(2), int64(before.Card.ExpYear+1)
	w.Clock.Advance(time.Minute)
	update := func(in token.UpdateInput) token.Token {
		t.Helper()
		out, err := w.Tokens.Update(t.Context(), w.Actor(), before.ID.String(), in, nil)
		if err != nil || out.Prior != nil {
			t.Fatalf("%+v, %v", out, err)
		}
		return out.Object
	}
	after := update(token.UpdateInput{ExpMonth: &month, ExpYear: &year,
		Billing: &token.BillingChange{AddressCity: &city, Email: &none, AddressZip: &none}})
	want := before.Billing
	want.AddressCity, want.Email, want.AddressZip = "Salem", "", ""
	if after.Card.ExpMonth != 2 || after.Card.ExpYear != int(year) || after.Billing != want || after.Version != 2 ||
		!after.UpdatedAt.Equal(w.Clock.Now()) {
		t.Errorf("%+v", after)
	}
	if saved := get(t, w, before.ID.String()); saved.Billing != want || *saved.Card != *after.Card ||
		saved.Version != 2 {
		t.Errorf("%+v", saved)
	}
	all := told(t, w, after, "card")
	// card, billing, version, updated_at
	if len(all[0].Previous) != 4 || all[0].Source != "api" || all[0].Request.IsZero() {
		t.Errorf("%+v", all[0])
	}
	if same := update(token.UpdateInput{
		ExpMonth: &month, Billing: &token.BillingChange{AddressCity: &city}}); same.Version != 2 ||
		same.Object != "token" {
		t.Errorf("what changes nothing makes %+v", same)
	}
	told(t, w, after, "card")
}

func TestUpdateIsRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	card, account := w.Token(visa), bank(t, w, w.App.Merchants.US, account("000123456789")).ID.String()
	deleted := w.Token(visa)
	if _, err := w.Tokens.Delete(t.Context(), w.Actor(), deleted, token.DeleteInput{}, nil); err != nil {
		t.Fatal(err)
	}
	number := func(n int) *int64 { v := int64(n); return &v }
	bad, long, usa := "dana", visa, "usa"
	for _, c := range []struct {
		name, id    string
		in          token.UpdateInput
		code, param string
	}{
		{"month 0", card, token.UpdateInput{ExpMonth: number(0)}, "parameter_invalid", "exp_month"},
		{"month 13", card, token.UpdateInput{ExpMonth: number(13)}, "parameter_invalid", "exp_month"},
		{"short year", card, token.UpdateInput{ExpYear: number(30)}, "parameter_invalid", "exp_year"},
		{"long year", card, token.UpdateInput{ExpYear: number(10000)}, "parameter_invalid", "exp_year"},
		{"past", card, token.UpdateInput{ExpYear: number(w.Clock.Now().Year() - 1)}, "parameter_invalid", "exp_year"},
		{"too far", card, token.UpdateInput{ExpYear: number(w.Clock.Now().Year() + 21)}, "parameter_invalid", "exp_year"},
		{"email", card, token.UpdateInput{Billing: &token.BillingChange{Email: &bad}}, "parameter_invalid", "billing.email"},
		{"card number", card, token.UpdateInput{Billing: &token.BillingChange{AddressLine2: &long}}, "parameter_invalid", "billing.address_line_2"},
		{"two mistakes", card, token.UpdateInput{ExpMonth: number(13), Billing: &token.BillingChange{AddressCountry: &usa}}, "validation_failed", "exp_month"},
		{"a bank account's expiry", account, token.UpdateInput{ExpMonth: number(1)}, "token_type_mismatch", "exp_month"},
		{"a bank account's year of expiry", account, token.UpdateInput{ExpYear: number(2030)}, "token_type_mismatch", "exp_year"},
		{"deleted", deleted, token.UpdateInput{}, "token_not_found", ""},
	} {
		_, err := w.Tokens.Update(t.Context(), w.Actor(), c.id, c.in, nil)
		f, ok := fault.As(err)
		if !ok || f.Code != c.code || f.Param != c.param || strings.Contains(f.Message, visa) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	told(t, w, get(t, w, card))
	told(t, w, get(t, w, account))
}

// What is wrong with an expiry date is notified of a part that was given.
func TestAMonthThatIsPastIsTheMonths(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	if w.Clock.Now().Month() == time.January { // of which no month of its year is before
		w.Clock.Advance(31 * 24 * time.Hour)
	}
	card, december, january, year := w.Token(visa), int64(12), int64(1), int64(w.Clock.Now().Year())
	if _, err := w.Tokens.Update(t.Context(), w.Actor(), card, token.UpdateInput{ExpMonth: &december, ExpYear: &year},
		nil); err != nil {
		t.Fatal(err)
	}
	_, err := w.Tokens.Update(t.Context(), w.Actor(), card, token.UpdateInput{ExpMonth: &january}, nil)
	if f, ok := fault.As(err); !ok || f.Code != "parameter_invalid" || f.Param != "exp_month" {
		t.Errorf("%v", err)
	}
}

func TestDeleteShredsOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.Token(visa)
	if n := sealed(t, w, get(t, w, id).ID); n != 1 {
		t.Fatalf("%d values are sealed", n)
	}
	first, err := w.Tokens.Delete(t.Context(), w.Actor(), id, token.DeleteInput{}, claim(w, "k", ""))
	if err != nil || first.Object.Status != token.Deleted || first.Object.Version != 2 ||
		sealed(t, w, first.Object.ID) != 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	replay, err := w.Tokens.Delete(t.Context(), w.Actor(), id, token.DeleteInput{}, claim(w, "k", ""))
	if err != nil || replay.Prior == nil || replay.Prior.State != idempotency.Done {
		t.Fatalf("%+v, %v", replay, err)
	}
	var stored token.Token
	if err := json.Unmarshal(replay.Prior.Outcome.Result, &stored); err != nil || stored.Status != token.Deleted ||
		stored.Version != 2 {
		t.Errorf("%s, %v", replay.Prior.Outcome.Result, err)
	}
	if _, err := w.Tokens.Delete(t.Context(), w.Actor(), id, token.DeleteInput{},
		claim(w, "k", "other")); code(err) != "idempotency_key_reused" {
		t.Errorf("%v", err)
	}
	again, err := w.Tokens.Delete(t.Context(), w.Actor(), id, token.DeleteInput{}, nil)
	if err != nil || again.Object.Version != 2 || again.Object.Object != "token" {
		t.Errorf("%+v, %v", again, err)
	}
	told(t, w, get(t, w, id), "status")
	if _, err := w.Tokens.Delete(t.Context(), w.Actor(), "tok_x", token.DeleteInput{},
		claim(w, "k2", "")); code(err) != "resource_missing" || count(t, w, "idempotency_keys") != 2 {
		t.Errorf("a refusal keeps its key: %v", err)
	}
}

func TestUseAndDisabling(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	before := get(t, w, w.Token(visa))
	w.Clock.Advance(24 * time.Hour)
	network, other := "n1", "n2"
	in := func(do func(tx *pg.Tx) error) {
		t.Helper()
		if err := pg.InTx(t.Context(), w.Pool, do); err != nil {
			t.Fatal(err)
		}
	}
	use := func(network *string) {
		in(func(tx *pg.Tx) error {
			token.UsedTx(tx, w.App.AppID, before.MerchantID, before.ID, network, w.Clock.Now())
			return nil
		})
	}
	use(nil)
	use(&network)
	use(&other)
	used := get(t, w, before.ID.String())
	kept, err := pg.Value[string](t.Context(), w.Pool, `SELECT network_transaction_id FROM tokens
		WHERE id = @id`, pg.Args{"id": before.ID})
	if err != nil || kept != "n1" || used.Version != 1 || !used.LastUsedAt.Equal(w.Clock.Now()) ||
		!used.ExpiresAt.Equal(w.Clock.Now().AddDate(0, 13, 0)) {
		t.Errorf("%+v, %s, %v", used, kept, err)
	}
	m := instant.Both(w.Clock.Now())
	disable := func(application int64, reason string) (err error) {
		return pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
			return token.DisableTx(t.Context(), tx, m,
				token.Ending{ApplicationID: application, Token: before.ID, Reason: reason, Source: outbox.Job})
		})
	}
	if err := disable(w.Other.AppID, "return_R02"); code(err) != "resource_missing" {
		t.Errorf("another application: %v", err)
	}
	for _, reason := range []string{"return_R10", "return_R02"} {
		if err := disable(w.App.AppID, reason); err != nil {
			t.Fatal(err)
		}
	}
	now := get(t, w, before.ID.String())
	if now.Status != token.Disabled || *now.DisabledReason != "return_R10" || now.Version != 2 ||
		sealed(t, w, now.ID) != 1 {
		t.Errorf("%+v", now)
	}
	if all := told(t, w, now, "disabled_reason"); all[0].Source != "job" || !all[0].Request.IsZero() {
		t.Errorf("%+v", all)
	}
}

// TestEveryMemberOfBillingChanges holds the change to the members of what it changes.
func TestEveryMemberOfBillingChanges(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.Token(visa)
	texts := map[string]string{"first_name": "A", "middle_name": "B", "last_name": "C", "address_line_1": "D",
		"address_line_2": "E",
		"address_city":   "F", "address_state": "G", "address_zip": "H", "address_country": "CA",
		"email": "i@example.org", "phone": "J"}
	text, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	var change token.BillingChange
	var want token.Billing
	if json.Unmarshal(text, &change) != nil || json.Unmarshal(text, &want) != nil {
		t.Fatal(string(text))
	}
	out, err := w.Tokens.Update(t.Context(), w.Actor(), id, token.UpdateInput{Billing: &change}, nil)
	if err != nil || out.Object.Billing != want || get(t, w, id).Billing != want {
		t.Errorf("%+v, %v", out, err)
	}
	if members := reflect.TypeFor[token.BillingChange]().NumField(); members != len(texts) ||
		members != reflect.TypeFor[token.Billing]().NumField() {
		t.Errorf("%d members", members)
	}
}
