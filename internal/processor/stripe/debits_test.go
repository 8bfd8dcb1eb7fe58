package stripe_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
)

// canadian is a bank account at the Canadian test bank.
func canadian(number string) processor.Bank {
	return processor.Bank{Scheme: processor.ACSS, Routing: fake.RoutingACSS, Number: sensitive.NewAccountNumber(number),
		Holder: "Ada Byron"}
}

func (w *world) verification(bank processor.Bank, currency money.Currency) processor.VerificationRequest {
	return processor.VerificationRequest{Reference: w.reference(), Account: account, Currency: currency,
		Descriptor: "RIVERSIDE FOOD", Bank: bank,
		Email: "ada@example.org", Mandate: processor.MandateAcceptance{IP: "192.0.2.7", UserAgent: "Browser/1",
			AcceptedAt: w.Now().Add(-time.Hour)}}
}

// verified is a debit of a bank account that Stripe verified.
func (w *world) verified(t *testing.T, bank processor.Bank, currency money.Currency) processor.Debit {
	t.Helper()
	v := w.verification(bank, currency)
	answer, err := w.open().Start(t.Context(), v)
	if err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	c := processor.Confirmation{Reference: w.reference(), Account: account, Original: v.Reference,
		OriginalID: answer.ExternalID, Amounts: [2]int64{32, 45}}
	if confirmed, err := w.open().Confirm(t.Context(), c); err != nil || confirmed.Verdict != processor.Verified {
		t.Fatalf("%+v, %v", confirmed, err)
	}
	return processor.Debit{Reference: ids.NewCharge(w.Now()).String(), Account: account, Amount: 10_000,
		Currency: currency, Descriptor: "RIVERSIDE FOOD",
		Bank: bank, Verification: answer.ExternalID}
}

// ended returns the events of a debit within a number of days.
func (w *world) ended(t *testing.T, reference string, days int) (found []processor.Event) {
	t.Helper()
	w.Advance(time.Duration(days)*24*time.Hour + 2*time.Minute)
	all, err := conformance.Events(t.Context(), w.open(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Reference == reference {
			found = append(found, e)
		}
	}
	return found
}

func TestReturnCodesOfFailedDebits(t *testing.T) {
	t.Parallel()
	for number, codes := range map[string][2]string{"000111111113": {"R02", "905"}, "000111111116": {"R03", "902"},
		"000222222227": {"R01", "901"},
		"000333333335": {"R10", "915"}, "000444444440": {"R17", "900"}, fake.Debited: {}} {
		for i, bank := range []processor.Bank{bankOf(number), canadian(number)} {
			w := newWorld(t)
			d := w.verified(t, bank, []money.Currency{money.USD, money.CAD}[i])
			answer, err := w.open().Debit(t.Context(), d)
			if err != nil || !answer.Approved || !strings.HasPrefix(answer.ExternalID, "pi_") {
				t.Fatalf("%s: %+v, %v", number, answer, err)
			}
			events := w.ended(t, d.Reference, 7)
			want := processor.DebitReturned
			if codes[i] == "" {
				want = processor.ChargeSettled
			}
			if len(events) != 1 || events[0].Kind != want || events[0].ReturnCode != codes[i] || events[0].Settled {
				t.Errorf("%s %s: %+v", bank.Scheme, number, events)
			}
		}
	}
}

// A settled debit is returned by a dispute that no one can respond to, so no dispute is reported.
func TestADisputedDebitIsReturned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.verified(t, bankOf(fake.DisputedLater), money.USD)
	if answer, err := w.open().Debit(t.Context(), d); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	for i, e := range w.ended(t, d.Reference, 14) {
		want := processor.DebitReturned
		if i == 0 {
			want = processor.ChargeSettled
		}
		if e.Kind != want || e.Settled != (i > 0) || e.ReturnCode != []string{"", "R10", "R10"}[i] {
			t.Errorf("event %d is %+v", i, e)
		}
	}
	f := w.about(d.Reference, d.Amount)
	if answer, err := w.open().Refund(t.Context(), f); err != nil || answer.Approved {
		t.Errorf("a refund of it: %+v, %v", answer, err)
	}
}

// A dispute of another amount than the debit's waits for a person: the debit would be returned as a whole.
func TestADebitIsReturnedAsAWhole(t *testing.T) {
	t.Parallel()
	const text = `{"id": "dp_1", "object": "dispute", "status": %q, "amount": %d, "currency": %q, "reason": "debit_not_authorized",
		"payment_intent": {"id": "pi_1", "object": "payment_intent", "amount": 10000, "currency": "usd", "payment_method_types": ["us_bank_account"],
		"metadata": {"svcpay_reference": "ch_1"}}}`
	for _, c := range []struct {
		status, currency string
		amount           int
		events           int
		fails            bool
	}{
		{"lost", "usd", 10_000, 1, false},
		{"needs_response", "usd", 10_000, 1, false},
		{"lost", "usd", 6_000, 0, true},
		{"lost", "usd", 10_001, 0, true},
		{"needs_response", "cad", 10_000, 0, true},
		{"won", "usd", 6_000, 0, false},
	} {
		w := newWorld(t)
		for _, kind := range []string{"created", "closed"} {
			events, err := w.notified(t, w.serving(t, fmt.Sprintf(text, c.status, c.amount, c.currency)), kind, "dp_1",
				c.status, "")
			if len(events) != c.events || (err != nil) != c.fails {
				t.Errorf("%+v, %s: %+v, %v", c, kind, events, err)
			}
		}
	}
}

// Of a debit that was refunded in part, Stripe may dispute what is left.
func TestADisputeOfWhatIsLeftOfADebit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.verified(t, bankOf(fake.DisputedLater), money.USD)
	if answer, err := w.open().Debit(t.Context(), d); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.Advance(5 * 24 * time.Hour)
	if answer, err := w.open().Refund(t.Context(), w.about(d.Reference, 4_000)); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.Advance(7 * 24 * time.Hour)
	p, failed := w.open(), 0
	messages, err := p.Messages(t.Context(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		events, err := p.Events(t.Context(), m)
		if err != nil {
			failed++
		}
		for _, e := range events {
			if e.Kind == processor.DebitReturned {
				t.Errorf("%+v", e)
			}
		}
	}
	if failed != 2 { // that it was opened, and that it was lost
		t.Errorf("%d messages wait for a person", failed)
	}
}

// The adapter debits only bank accounts that Stripe verified on the same Stripe account. It sends nothing for others.
func TestUnverifiedAccountsAreNotDebited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.verification(bankOf(fake.Debited), money.USD)
	pending, err := w.open().Start(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	sound := w.verified(t, bankOf(fake.Debited), money.USD)
	elsewhere := sound
	elsewhere.Account = other
	w.Requests()
	for name, d := range map[string]processor.Debit{
		"without a verification":    {Account: account, Bank: bankOf(fake.Debited)},
		"of another processor":      {Account: account, Bank: bankOf(fake.Debited), Verification: "ver_1"},
		"before the deposits":       {Account: account, Bank: bankOf(fake.Debited), Verification: pending.ExternalID},
		"verified on another place": elsewhere,
	} {
		d.Reference, d.Amount, d.Currency = ids.NewCharge(w.Now()).String(), 10_000, money.USD
		answer, err := w.open().Debit(t.Context(), d)
		if err != nil || answer.Approved || answer.DeclineCode != "bank_account_unusable" ||
			answer.RawCode != "not_verified" {
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
	}
	for _, r := range w.Requests() {
		if r.Method != "GET" {
			t.Errorf("%s %s was sent", r.Method, r.Path)
		}
	}
}

// A look-up finds a debit whose response was lost, and fences one whose confirmation never arrived.
func TestLostDebits(t *testing.T) {
	t.Parallel()
	for fault, found := range map[fake.Fault]bool{fake.LoseAnswer: true, fake.LoseCall: false} {
		w := newWorld(t)
		d := w.verified(t, bankOf(fake.Debited), money.USD)
		w.Fail(fake.Debited, fault)
		if answer, err := w.open().Debit(t.Context(), d); err == nil {
			t.Fatalf("%+v", answer)
		}
		w.Advance(time.Hour)
		if answer, err := w.open().Lookup(t.Context(), account, d.Reference); (err == nil && answer.Approved) != found {
			t.Errorf("%v: %+v, %v", fault, answer, err)
		}
		again, err := w.open().Debit(t.Context(), d)
		if found != (err == nil && again.Approved) {
			t.Errorf("%v, again: %+v, %v", fault, again, err)
		}
		debits := 0
		for _, e := range w.ended(t, d.Reference, 5) {
			if e.Kind == processor.ChargeSettled {
				debits++
			}
		}
		if (debits == 1) != found {
			t.Errorf("%v: %d debits", fault, debits)
		}
	}
}

// A start that is retried after its idempotency key expired sends no second deposits.
func TestAVerificationIsFoundAfterItsKeyExpired(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.verification(bankOf(fake.LostVerify), money.USD)
	w.Fail(fake.LostVerify, fake.LoseAnswer)
	if answer, err := w.open().Start(t.Context(), v); err == nil {
		t.Fatalf("%+v", answer)
	}
	w.Advance(30 * time.Hour)
	w.Requests()
	if answer, err := w.open().Start(t.Context(), v); err != nil || !answer.Approved {
		t.Errorf("%+v, %v", answer, err)
	}
	for _, r := range w.Requests() {
		if r.Method != "GET" {
			t.Errorf("%s %s was sent again", r.Method, r.Path)
		}
	}
}

// What Stripe refuses of the account's numbers or of the confirmation says that the payer's account is unusable. A
// refusal of the customer and of the SetupIntent does not: the verification is repeated with the same reference.
func TestOnlyTheAccountIsUnusable(t *testing.T) {
	t.Parallel()
	for path, unusable := range map[string]bool{"/v1/customers": false, "/v1/setup_intents": false,
		"/v1/payment_methods": true, "/confirm": true} {
		for _, status := range []int{http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound} {
			w := newWorld(t)
			v := w.verification(bankOf(fake.Debited), money.USD)
			p := w.inFront(t, refuses(path, status))
			answer, err := p.Start(t.Context(), v)
			if unusable != (err == nil && answer.DeclineCode == "bank_account_unusable" &&
				answer.RawCode == "not_turned_on") || answer.Approved ||
				!unusable && (err == nil || strings.Contains(err.Error(), "Turn it on")) {
				t.Errorf("%s with %d: %+v, %v", path, status, answer, err)
			}
			if !unusable {
				w.inFront(t, func(http.ResponseWriter, *http.Request) bool { return false })
				if answer, err := w.open().Start(t.Context(), v); err != nil || !answer.Approved {
					t.Errorf("%s, once it is turned on: %+v, %v", path, answer, err)
				}
			}
		}
	}
}

// refuses answers requests that make something, whose path ends so.
func refuses(path string, status int) func(http.ResponseWriter, *http.Request) bool {
	return func(rw http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, path) {
			return false
		}
		rw.WriteHeader(status)
		fmt.Fprint(rw,
			`{"error": {"type": "invalid_request_error", "code": "not_turned_on", "message": "Turn it on."}}`)
		return true
	}
}

// A payment that Stripe refuses to make is no fault of the bank account. An error without an answer leaves it unknown.
func TestDebitsThatStripeDoesNotMake(t *testing.T) {
	t.Parallel()
	for status, known := range map[int]bool{http.StatusBadRequest: true, http.StatusForbidden: false,
		http.StatusTooManyRequests: false} {
		w := newWorld(t)
		d := w.verified(t, bankOf(fake.Debited), money.USD)
		p := w.inFront(t, refuses("/v1/payment_intents", status))
		answer, err := p.Debit(t.Context(), d)
		if known != (err == nil && answer.DeclineCode == "processing_error" && answer.RawCode == "not_turned_on") ||
			answer.Approved {
			t.Errorf("%d: %+v, %v", status, answer, err)
		}
	}
}

// Events of card payments are neither stored nor read twice.
func TestTheFeedLeavesCardPaymentsOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.open()
	w.paid(t, w.authorization(fake.Approved))
	w.Advance(2 * time.Minute)
	for range 2 {
		if messages, err := p.Messages(t.Context(), "", 10); err != nil || len(messages) != 0 {
			t.Errorf("%+v, %v", messages, err)
		}
		w.Advance(time.Hour)
	}
	d := w.verified(t, bankOf(fake.Debited), money.USD)
	if answer, err := w.open().Debit(t.Context(), d); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.Advance(5 * 24 * time.Hour)
	w.Requests()
	messages, err := p.Messages(t.Context(), "", 10)
	if err != nil || len(messages) != 2 {
		t.Errorf("%+v, %v", messages, err)
	}
	for _, r := range w.Requests() {
		from, _ := strconv.ParseInt(r.Form.Get("created[gte]"), 10, 64)
		if strings.HasSuffix(r.Path, "/events") && r.Header.Get("Authorization") == "Bearer sk_test_first" &&
			from < start.Add(time.Hour).Unix() {
			t.Errorf("the feed reads again from %d", from)
		}
	}
}

// Stripe gets the time, IP address and browser of the payer's acceptance of the mandate, as far as known.
func TestMandatesReachStripe(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change   func(*processor.VerificationRequest)
		how, at  string
		customer string
	}{
		"in a browser":        {func(*processor.VerificationRequest) {}, "online", strconv.FormatInt(start.Add(-time.Hour).Unix(), 10), "192.0.2.7"},
		"just now":            {func(v *processor.VerificationRequest) { v.Mandate.AcceptedAt = start }, "online", "", "192.0.2.7"},
		"at a sandbox's time": {func(v *processor.VerificationRequest) { v.Mandate.AcceptedAt = start.AddDate(1, 0, 0) }, "online", "", "192.0.2.7"},
		"unknown":             {func(v *processor.VerificationRequest) { v.Mandate = processor.MandateAcceptance{} }, "offline", "", ""},
	} {
		w := newWorld(t)
		v := w.verification(bankOf(fake.Debited), money.USD)
		tt.change(&v)
		if answer, err := w.open().Start(t.Context(), v); err != nil || !answer.Approved {
			t.Fatalf("%s: %+v, %v", name, answer, err)
		}
		all := w.Requests()
		const of = "mandate_data[customer_acceptance]"
		if form := all[len(all)-1].Form; form.Get(of+"[type]") != tt.how || form.Get(of+"[accepted_at]") != tt.at ||
			form.Get(of+"[online][ip_address]") != tt.customer {
			t.Errorf("%s: %v", name, form)
		}
	}
}
