package charge_test

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
)

func TestValidationNamesEveryMistake(t *testing.T) {
	t.Parallel()
	long := map[string]string{}
	for i := range 51 {
		long[strings.Repeat("k", i+1)] = ""
	}
	good := func() charge.CreateInput {
		return charge.CreateInput{MerchantID: ptr(int64(1)), Amount: ptr(money.Amount(1)), Token: ptr("tok_x")}
	}
	for _, c := range []struct {
		name  string
		spoil func(*charge.CreateInput)
		want  []string
	}{
		{"nothing wrong", func(*charge.CreateInput) {}, nil},
		{
			"everything missing", func(in *charge.CreateInput) { *in = charge.CreateInput{} },
			[]string{"merchant_id parameter_missing", "amount parameter_missing", "token parameter_missing"},
		},
		{"merchant 0", func(in *charge.CreateInput) { in.MerchantID = ptr(int64(0)) }, []string{"merchant_id parameter_invalid"}},
		{"nothing", func(in *charge.CreateInput) { in.Amount = ptr(money.Amount(0)) }, []string{"amount amount_too_small"}},
		{"less", func(in *charge.CreateInput) { in.Amount = ptr(money.Amount(-5)) }, []string{"amount amount_too_small"}},
		{"the most", func(in *charge.CreateInput) { in.Amount = ptr(money.Amount(99_999_999)) }, nil},
		{"more", func(in *charge.CreateInput) { in.Amount = ptr(money.Amount(100_000_000)) }, []string{"amount amount_too_large"}},
		{"empty token", func(in *charge.CreateInput) { in.Token = ptr("") }, []string{"token parameter_invalid"}},
		{"words of their own", func(in *charge.CreateInput) { in.Type, in.Origin = ptr("wire"), ptr("phone") }, []string{"type parameter_invalid", "origin parameter_invalid"}},
		{"known words", func(in *charge.CreateInput) { in.Type, in.Origin, in.Currency = ptr("cc"), ptr("moto"), ptr("cad") }, nil},
		{"currencies", func(in *charge.CreateInput) { in.Currency, in.FundingCurrency = ptr("USD"), ptr("eur") }, []string{"currency currency_unsupported", "funding_currency currency_unsupported"}},
		{"long texts", func(in *charge.CreateInput) {
			in.Description, in.ExternalID, in.StatementSuffix = ptr(strings.Repeat("é", 256)),
				ptr(strings.Repeat("x", 65)), ptr(strings.Repeat("x", 13))
		}, []string{"description parameter_invalid", "external_id parameter_invalid",
			"statement_suffix parameter_invalid"}},
		{"texts as long as may be", func(in *charge.CreateInput) {
			in.Description, in.ExternalID, in.StatementSuffix = ptr(strings.Repeat("é", 255)),
				ptr(strings.Repeat("é", 64)), ptr(strings.Repeat("x", 12))
		}, nil},
		{
			"empty texts", func(in *charge.CreateInput) {
				in.Description, in.ExternalID, in.StatementSuffix = ptr(""), ptr(""), ptr("")
			},
			[]string{"external_id parameter_invalid", "statement_suffix parameter_invalid"},
		},
		{"control characters", func(in *charge.CreateInput) { in.Description = ptr("a\x00b") }, []string{"description parameter_invalid"}},
		{"many pairs", func(in *charge.CreateInput) { in.Metadata = long }, []string{"metadata parameter_invalid", "metadata parameter_invalid"}},
		{"an empty name", func(in *charge.CreateInput) { in.Metadata = map[string]string{"": "x"} }, []string{"metadata parameter_invalid"}},
		{"a long value", func(in *charge.CreateInput) { in.Metadata = map[string]string{"k": strings.Repeat("v", 501)} }, []string{"metadata parameter_invalid"}},
		{"NUL in a value", func(in *charge.CreateInput) { in.Metadata = map[string]string{"k": "\x00"} }, []string{"metadata parameter_invalid"}},
		{"a line break in a value", func(in *charge.CreateInput) { in.Metadata = map[string]string{"k": "a\nb"} }, nil},
	} {
		in := good()
		c.spoil(&in)
		var got []string
		for _, f := range in.Validate() {
			got = append(got, f.Param+" "+f.Code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// set changes rows behind the service's back.
func set(t *testing.T, w *fixture.World, sql string) {
	t.Helper()
	if n, err := pg.Exec(t.Context(), w.Pool, sql, pg.Args{}); err != nil || n == 0 {
		t.Fatalf("%s: %d, %v", sql, n, err)
	}
}

func TestRefusalsLeaveNothing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	foreign := w.TokenIn(w.SessionOf(w.Other, w.Other.Merchants.US), good)
	sibling := w.TokenIn(w.SessionOf(w.App, w.App.Merchants.USQ), good)
	token := func(status string) func(*charge.CreateInput) {
		id := w.Token(good)
		parsed, _ := ids.ParseToken(id)
		if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE tokens SET status = @status, disabled_reason = CASE @status
			WHEN 'disabled' THEN 'test' END WHERE id = @id`, pg.Args{"status": status, "id": parsed}); err != nil {
			t.Fatal(err)
		}
		return func(in *charge.CreateInput) { in.Token = &id }
	}
	set(t, w, `UPDATE merchants SET status = 'suspended' WHERE id IN (SELECT max(id) FROM merchants
		WHERE application_id = (SELECT min(id) FROM applications))`)
	cases := []struct {
		name  string
		spoil func(*charge.CreateInput)
		kind  fault.Kind
		code  string
		param string
	}{
		{"unknown merchant", func(in *charge.CreateInput) { in.MerchantID = ptr(int64(1)) }, fault.KindForbidden, "merchant_not_associated", "merchant_id"},
		{"another application's merchant", func(in *charge.CreateInput) { in.MerchantID, in.Token = &w.Other.Merchants.US, &foreign }, fault.KindForbidden, "merchant_not_associated", "merchant_id"},
		{"suspended merchant", func(in *charge.CreateInput) { in.MerchantID = &w.App.Merchants.CA }, fault.KindRefused, "merchant_not_active", "merchant_id"},
		{"another currency", func(in *charge.CreateInput) { in.Currency = ptr("cad") }, fault.KindInvalid, "currency_unsupported", "currency"},
		{"another funding currency", func(in *charge.CreateInput) { in.FundingCurrency = ptr("cad") }, fault.KindRefused, "funding_currency_mismatch", "funding_currency"},
		{"no token at all", func(in *charge.CreateInput) { in.Token = ptr("tok_nonsense") }, fault.KindRefused, "token_not_found", "token"},
		{"unknown token", func(in *charge.CreateInput) { in.Token = ptr(ids.NewToken(w.Clock.Now()).String()) }, fault.KindRefused, "token_not_found", "token"},
		{"another application's token", func(in *charge.CreateInput) { in.Token = &foreign }, fault.KindRefused, "token_not_found", "token"},
		{"another merchant's token", func(in *charge.CreateInput) { in.Token = &sibling }, fault.KindRefused, "token_not_found", "token"},
		{"deleted token", token("deleted"), fault.KindRefused, "token_not_found", "token"},
		{"disabled token", token("disabled"), fault.KindRefused, "token_disabled", "token"},
		{"expired token", token("expired"), fault.KindGone, "token_expired", "token"},
	}
	for _, c := range cases {
		in := input(w, good, 100)
		c.spoil(&in)
		claim := claimOf(w, c.name)
		for range 2 { // a refusal that wrote nothing gives its key back
			_, err := w.Charges.Create(t.Context(), w.Actor(), in, claim)
			if f, ok := fault.As(err); !ok || f.Kind != c.kind || f.Code != c.code || f.Param != c.param {
				t.Errorf("%s: %v; want %s on %s", c.name, err, c.code, c.param)
			}
		}
	}
	for _, from := range []string{"charges", "idempotency_keys WHERE path = '/api/charges'",
		"events WHERE type LIKE 'charge.%'", "processor_operations", "sandbox_processor_book"} {
		if n := count(t, w, from, pg.Args{}); n != 0 {
			t.Errorf("%d rows are left in %s", n, from)
		}
	}
	if n := count(t, w, "vault_cvcs", pg.Args{}); n != len(cases)+2+3 {
		t.Errorf("%d codes are kept: refusals took some", n)
	}
}

func TestTokenExpiresThirteenMonthsAfterItsLastUse(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := input(w, good, 100)
	end := w.Clock.Now().AddDate(0, 13, 0)
	w.Clock.Advance(end.Sub(w.Clock.Now()) - time.Millisecond)
	create(t, w, in, nil)
	w.Clock.Advance(time.Millisecond)
	create(t, w, in, nil)
	w.Clock.Advance(w.Clock.Now().AddDate(0, 13, 0).Sub(w.Clock.Now()))
	if _, err := w.Charges.Create(t.Context(), w.Actor(), in, nil); code(err) != "token_expired" {
		t.Errorf("%v", err)
	}
	audit(t, w)
}

func TestOnlyItsOwnServerCreatesAndReads(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := create(t, w, input(w, good, 100), nil).Object.ID.String()
	browser := authz.Actor{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}
	in := input(w, good, 100)
	_, creates := w.Charges.Create(t.Context(), browser, in, nil)
	_, reads := w.Charges.Get(t.Context(), browser, id)
	_, lists := w.Charges.List(t.Context(), browser, charge.ListInput{Page: page.Input[ids.Charge]{Limit: 1}})
	if code(creates) != "permission_denied" || code(reads) != "permission_denied" ||
		code(lists) != "permission_denied" {
		t.Errorf("a browser: %v, %v, %v", creates, reads, lists)
	}
	for _, text := range []string{id, ids.NewCharge(w.Clock.Now()).String(), "ch_", "", "tok_" + id[3:],
		strings.ToUpper(id)} {
		actor := w.ActorOf(w.Other)
		if c, err := w.Charges.Get(t.Context(), actor, text); code(err) != "resource_missing" || !c.ID.IsZero() {
			t.Errorf("another application gets %q: %v", text, err)
		}
	}
	theirs := charge.ListInput{Page: page.Input[ids.Charge]{Limit: 10}, Merchants: []int64{w.App.Merchants.US}}
	if p, err := w.Charges.List(t.Context(), w.ActorOf(w.Other), theirs); err != nil || len(p.Items) != 0 {
		t.Errorf("another application lists %v, %v", p, err)
	}
}

func TestSeriesOfStoredCredentials(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	in := input(w, good, 100)
	var network string
	for i, c := range []struct {
		recurring bool
		want      processor.StoredCredential
	}{{false, processor.NotStored}, {false, processor.NotStored}, {true, processor.Initial},
		{true, processor.Recurring}, {false, processor.Unscheduled}, {true, processor.Recurring}} {
		in.Recurring = &c.recurring
		got := create(t, w, in, nil).Object
		sent := p.calls[i]
		if got.StoredCredential != c.want || sent.Stored != c.want || sent.NetworkTransactionID != network ||
			*got.NetworkTransactionID == network {
			t.Errorf("charge %d: %s, sent %s with %q; want %s with %q", i, got.StoredCredential, sent.Stored,
				sent.NetworkTransactionID, c.want, network)
		}
		if first := i == 0; sent.Card.CVC.IsZero() == first ||
			(got.PaymentMethod.Checks.CVC == processor.Pass) != first ||
			(got.PaymentMethod.Checks.CVC == processor.Unavailable) == first {
			t.Errorf("charge %d: the code was sent %v, checks %+v", i, !sent.Card.CVC.IsZero(),
				got.PaymentMethod.Checks)
		}
		if c.want == processor.Initial {
			network = *got.NetworkTransactionID
		}
	}
	audit(t, w)
}

func TestDeclinedChargeStartsNoSeries(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := input(w, "4000000000009995", 100)
	in.Recurring = ptr(true)
	claim := claimOf(w, "k")
	var texts []string
	for range 2 {
		out, err := w.Charges.Create(t.Context(), w.Actor(), in, claim)
		if out.Prior != nil {
			err = out.Prior.Outcome.Refusal
		}
		f, ok := fault.As(err)
		if !ok || f.Kind != fault.KindDeclined || f.Code != "card_declined" ||
			f.Detail["decline_code"] != "insufficient_funds" {
			t.Fatalf("%v", err)
		}
		texts = append(texts, jsonOf(t, f))
	}
	if texts[0] != texts[1] || count(t, w, "charges WHERE status = 'failed'", pg.Args{}) != 1 {
		t.Errorf("first %s, then %s", texts[0], texts[1])
	}
	in.Token = ptr(w.Token("4000000000000002"))
	create2, err := w.Charges.Create(t.Context(), w.Actor(), in, nil)
	f, _ := fault.As(err)
	c := get(t, w, mustID(t, f.Detail["charge_id"]))
	if c.StoredCredential != processor.Initial || c.FeeTotal != 0 || c.NetworkTransactionID != nil ||
		!create2.Object.ID.IsZero() {
		t.Errorf("%+v", c)
	}
	if n := count(t, w, "tokens WHERE network_transaction_id IS NOT NULL", pg.Args{}); n != 0 {
		t.Error("a declined charge is the first of a series")
	}
	audit(t, w)
}

func mustID(t *testing.T, v any) ids.Charge {
	t.Helper()
	id, err := ids.ParseCharge(v.(string))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestAuthorizationOnly(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := input(w, "378282246310005", 10_000)
	in.Capture = ptr(false)
	c := create(t, w, in, nil).Object
	if c.Status != charge.Authorized || c.AmountAuthorized != 10_000 || c.AmountCaptured != 0 ||
		c.AmountRefundable != 0 || c.FeeTotal != 10 || len(c.Fees) != 1 ||
		!c.AuthorizationExpiresAt.Equal(w.Clock.Now().Add(7*24*time.Hour)) || c.CapturedAt != nil {
		t.Errorf("%s", jsonOf(t, c))
	}
	if n := count(t, w, "sandbox_processor_book WHERE captured", pg.Args{}); n != 0 {
		t.Error("the processor has captured")
	}
	audit(t, w)
}

func TestAnswerAndRecordAgree(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := input(w, "4000000000000010", 12_345)
	in.Origin, in.Description, in.StatementSuffix, in.ExternalID = ptr("moto"), ptr("Spring appeal"), ptr("SPRING"),
		ptr("gift-1")
	in.Metadata, in.FundingCurrency = map[string]string{"campaign": "spring"}, ptr("usd")
	claim := claimOf(w, "k")
	c := create(t, w, in, claim).Object
	if was, is := jsonOf(t, c), jsonOf(t, get(t, w, c.ID)); was != is {
		t.Errorf("answered %s\nrecorded %s", was, is)
	}
	if replay := create(t, w, in, claim); replay.Prior == nil || string(replay.Prior.Outcome.Result) != jsonOf(t, c) {
		t.Errorf("replayed %+v", replay)
	}
	if c.PaymentMethod.Checks.AddressZip != processor.Fail || c.Processor.Reference != c.ID.String() || c.Livemode ||
		c.Object != "charge" || c.Version != 2 {
		t.Errorf("%s", jsonOf(t, c))
	}
}

func TestEventsTellTheStory(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := create(t, w, input(w, good, 100), nil).Object
	type event struct {
		Type, Source string
		Position     int64
		Keys         []string
		Was          string
		Same         bool
	}
	events, err := pg.All[event](t.Context(), w.Pool, `
		SELECT type, source, position, ARRAY(SELECT json_object_keys(previous_attributes) ORDER BY 1) AS keys,
			coalesce(previous_attributes->>'status', '') AS was, object::jsonb = @now::jsonb AS same
		FROM events WHERE object_id = @id ORDER BY position`, pg.Args{"id": c.ID, "now": jsonOf(t, get(t, w, c.ID))})
	if err != nil || len(events) != 2 {
		t.Fatalf("%+v, %v", events, err)
	}
	if e := events[0]; e.Type != "charge.created" || e.Position != 1 || len(e.Keys) != 0 || e.Same ||
		e.Source != "api" {
		t.Errorf("%+v", e)
	}
	want := []string{
		"amount_authorized", "amount_captured", "amount_refundable", "authorized_at", "available_on", "captured_at",
		"fee_total", "fees", "net", "net_after_reversals",
		"network_transaction_id", "payment_method", "status", "version",
	}
	if e := events[1]; e.Type != "charge.captured" || e.Position != 2 || !slices.Equal(e.Keys, want) ||
		e.Was != "processing" || !e.Same || e.Source != "api" {
		t.Errorf("%+v", e)
	}
}

func TestExternalIDIsTakenOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := input(w, good, 100)
	in.ExternalID = ptr("gift-1")
	var made atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, err := w.Charges.Create(t.Context(), w.Actor(), in, claimOf(w, string(rune('a'+i))))
			if err == nil {
				made.Add(1)
			} else if f, ok := fault.As(err); !ok || f.Code != "external_id_taken" || f.Kind != fault.KindConflict ||
				f.Param != "external_id" || !strings.HasPrefix(f.Detail["charge_id"].(string), "ch_") {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 || count(t, w, "charges", pg.Args{}) != 1 ||
		count(t, w, "idempotency_keys WHERE path = '/api/charges'", pg.Args{}) != 1 {
		t.Errorf("made %d", made.Load())
	}
	theirs := charge.CreateInput{
		MerchantID: &w.Other.Merchants.US, Amount: ptr(money.Amount(5)), ExternalID: in.ExternalID,
		Token: ptr(w.TokenIn(w.SessionOf(w.Other, w.Other.Merchants.US), good)),
	}
	if _, err := w.Charges.Create(t.Context(), w.ActorOf(w.Other), theirs, nil); err != nil {
		t.Errorf("another application's: %v", err)
	}
	audit(t, w)
}
