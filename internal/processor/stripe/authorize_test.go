package stripe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
)

// sent writes the requests that came, one a line, with their idempotency keys. Ids are left out.
func (w *world) sent(references ...string) string {
	var lines []string
	for _, r := range w.Requests() {
		var form []string
		for name, values := range r.Form {
			form = append(form, name+"="+strings.Join(values, ","))
		}
		slices.Sort(form)
		line := r.Method + " " + r.Path + " " + strings.Join(form, " ")
		if key := r.Header.Get("Idempotency-Key"); r.Method == http.MethodPost &&
			slices.ContainsFunc(references, func(ref string) bool { return strings.HasPrefix(key, ref) }) {
			line += " key=" + key
		}
		for i, ref := range references {
			line = strings.ReplaceAll(line, ref, fmt.Sprintf("REF%d", i))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, a := w.open(), w.authorization(fake.Approved)
	a.Capture, a.Stored, a.Descriptor = false, processor.Recurring, `Hope's "Söhne" <24 characters>`
	held := w.paid(t, a)
	capture := w.about(a.Reference, 4_000)
	capture.OriginalID = held.ExternalID
	if answer, err := p.Capture(t.Context(), capture); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	refund := w.about(a.Reference, 1_500)
	refund.OriginalID = held.ExternalID
	if answer, err := p.Refund(t.Context(), refund); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	want := strings.Join([]string{
		"POST /v1/payment_intents amount=10000 capture_method=manual currency=usd metadata[svcpay_account]=pa_acct_first " +
			"metadata[svcpay_reference]=REF0 payment_method_types[0]=card " +
			"statement_descriptor_suffix=Hopes Shne transfer_group=REF0 key=REF0",
		"POST /v1/payment_methods billing_details[address][line1]=12 Elm Street billing_details[address][postal_code]=97301 card[cvc]=123 " +
			"card[exp_month]=12 card[exp_year]=2030 card[number]=4242424242424242 type=card",
		"POST /v1/payment_intents/PI/confirm error_on_requires_action=true expand[0]=latest_charge off_session=true payment_method=PM key=REF0:confirm",
		"GET /v1/payment_intents/PI expand[0]=latest_charge",
		"POST /v1/payment_intents/PI/capture amount_to_capture=4000 metadata[svcpay_capture]=REF1 key=REF1",
		"GET /v1/payment_intents/PI expand[0]=latest_charge",
		"POST /v1/refunds amount=1500 metadata[svcpay_account]=pa_acct_first metadata[svcpay_reference]=REF2 " +
			"payment_intent=PI key=REF2",
	}, "\n")
	got := strings.ReplaceAll(strings.ReplaceAll(w.sent(a.Reference, capture.Reference, refund.Reference),
		held.ExternalID, "PI"), "pm_00000002fake", "PM")
	if got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

func TestAnswersOfCards(t *testing.T) {
	t.Parallel()
	pass, fail := processor.Pass, processor.Fail
	passed := processor.Checks{CVC: pass, AddressLine1: pass, AddressZip: pass}
	none := processor.Checks{CVC: processor.Unavailable, AddressLine1: processor.Unavailable,
		AddressZip: processor.Unavailable}
	for number, want := range map[string]processor.Answer{
		fake.Approved:      {Approved: true, Checks: passed},
		fake.CVCFails:      {Approved: true, Checks: processor.Checks{CVC: fail, AddressLine1: pass, AddressZip: pass}},
		fake.AddressFails:  {Approved: true, Checks: processor.Checks{CVC: pass, AddressLine1: fail, AddressZip: fail}},
		"4000000000000002": {DeclineCode: "generic_decline", RawCode: "generic_decline", Checks: passed},
		"4000000000009995": {DeclineCode: "insufficient_funds", RawCode: "insufficient_funds", Checks: passed},
		"4000000000009987": {DeclineCode: "lost_card", RawCode: "lost_card", Checks: passed},
		"4000000000009979": {DeclineCode: "stolen_card", RawCode: "stolen_card", Checks: passed},
		"4000000000000069": {DeclineCode: "expired_card", RawCode: "expired_card", Checks: passed},
		"4000000000000127": {DeclineCode: "incorrect_cvc", RawCode: "incorrect_cvc", Checks: processor.Checks{CVC: fail, AddressLine1: pass, AddressZip: pass}},
		"4000000000000119": {DeclineCode: "processing_error", RawCode: "processing_error", Checks: passed},
		fake.Blocked:       {DeclineCode: "generic_decline", RawCode: "blocked_highest_risk_level", Checks: passed},
		"4000002760003184": {DeclineCode: "generic_decline", RawCode: "authentication_required", Checks: passed},
		// no card at all
		"4242424242424241": {DeclineCode: "generic_decline", RawCode: "incorrect_number", Checks: none},
	} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			got, err := w.open().Authorize(t.Context(), w.authorization(number))
			if err != nil || want.Approved != (got.ExternalID != "" && got.AuthorizationCode != "" &&
				got.NetworkTransactionID != "") {
				t.Errorf("%+v, %v", got, err)
			}
			got.ExternalID, got.AuthorizationCode, got.NetworkTransactionID = "", "", ""
			if got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestDeclineCodesAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	for _, code := range stripe.DeclineCodes() {
		if stripe.DeclineOf("", code) == "generic_decline" ||
			stripe.DeclineOf(code, "card_declined") != stripe.DeclineOf("", code) {
			t.Errorf("%s: %s, %s", code, stripe.DeclineOf(code, "card_declined"), stripe.DeclineOf("", code))
		}
	}
	for _, code := range []string{"do_not_honor", "pickup_card", "fraudulent", "incorrect_zip",
		"a code of next year", ""} {
		if got := stripe.DeclineOf(code, "card_declined"); got != "generic_decline" {
			t.Errorf("%s: %s", code, got)
		}
	}
}

func TestStoredCredentials(t *testing.T) {
	t.Parallel()
	for stored, want := range map[processor.StoredCredential]url.Values{
		processor.NotStored:   {},
		processor.Initial:     {"setup_future_usage": {"off_session"}},
		processor.Recurring:   {"off_session": {"true"}},
		processor.Unscheduled: {"off_session": {"true"}},
	} {
		w := newWorld(t)
		a := w.authorization(fake.Approved)
		a.Stored = stored
		w.paid(t, a)
		sent := w.Requests()[2].Form
		for _, name := range []string{"setup_future_usage", "off_session"} {
			if sent.Get(name) != want.Get(name) {
				t.Errorf("%s: %s=%s", stored, name, sent.Get(name))
			}
		}
	}
}

func TestAuthorizationHasItsExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.authorization(fake.Approved)
	if got := w.paid(t, a); !got.ExpiresAt.IsZero() {
		t.Errorf("a payment expires at %v", got.ExpiresAt)
	}
	a.Reference, a.Capture = w.reference(), false
	if got := w.paid(t, a); !got.ExpiresAt.Equal(start.Add(7 * 24 * time.Hour)) {
		t.Errorf("a hold expires at %v", got.ExpiresAt)
	}
}

// A wallet's number must not be sent as if the payer had typed it.
func TestWalletsAreDeclinedWithoutARequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.authorization(fake.Approved)
	a.Card.Cryptogram = sensitive.NewCryptogram("AgAAAAAABk4DWZ4C28yUQAAAAAA=")
	answer, err := w.open().Authorize(t.Context(), a)
	if err != nil || answer.DeclineCode != "generic_decline" || answer.RawCode != "wallet_not_supported" ||
		len(w.Requests()) != 0 {
		t.Errorf("%+v, %v", answer, err)
	}
}

// Whatever goes wrong at whichever request, the outcome is unknown and not a decline; a look-up finds it out once and
// for all.
func TestFaultsLeaveTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	faults := map[string]fake.Fault{"lost answer": fake.LoseAnswer, "lost call": fake.LoseCall, "429": fake.TooMany,
		"500": fake.Broken, "409": fake.InUse}
	for name, fault := range faults {
		for _, on := range []string{"POST /v1/payment_intents", "POST /v1/payment_methods", "LAST"} {
			t.Run(name+" of "+on, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				paid := on == "LAST" && fault == fake.LoseAnswer
				if on == "LAST" {
					on = fake.LostAnswer // the confirmation of this card
				}
				w.Fail(on, fault)
				a := w.authorization(fake.LostAnswer)
				a.Capture = false
				p := w.open()
				if answer, err := p.Authorize(t.Context(), a); err == nil || errors.Is(err, processor.ErrNotFound) ||
					errors.Is(err, processor.ErrUnreachable) {
					t.Fatalf("%+v, %v", answer, err)
				}
				if answer, err := p.Lookup(t.Context(), account, a.Reference); answer.Approved != paid ||
					(err == nil) != paid {
					t.Errorf("at once: %+v, %v", answer, err)
				}
				w.Advance(90 * time.Second)
				answer, err := p.Lookup(t.Context(), account, a.Reference)
				if answer.Approved != paid || errors.Is(err, processor.ErrNotFound) == paid {
					t.Errorf("later: %+v, %v", answer, err)
				}
				w.Advance(time.Hour)
				if again, err := p.Lookup(t.Context(), account, a.Reference); again != answer || (err == nil) != paid {
					t.Errorf("an hour later: %+v, %v", again, err)
				}
			})
		}
	}
}

// A look-up ends a payment that was not confirmed, but not while its call may be in progress: until then nothing is
// known of it.
func TestLookupFences(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Fail(fake.LostAnswer, fake.LoseCall)
	p, a := w.open(), w.authorization(fake.LostAnswer)
	if _, err := p.Authorize(t.Context(), a); err == nil {
		t.Fatal("it is approved")
	}
	canceled := func(known bool) bool {
		w.Requests()
		if answer, err := p.Lookup(t.Context(), account, a.Reference); err == nil ||
			errors.Is(err, processor.ErrNotFound) != known {
			t.Errorf("%+v, %v", answer, err)
		}
		return strings.Contains(w.sent(), "/cancel cancellation_reason=abandoned")
	}
	w.Advance(processor.CallTimeout)
	if canceled(false) {
		t.Error("it is fenced while its call may be in progress")
	}
	w.Advance(61 * time.Second)
	if !canceled(true) {
		t.Error("it is not fenced")
	}
	if canceled(true) {
		t.Error("it is fenced twice")
	}
	if answer, err := p.Authorize(t.Context(), a); err == nil {
		t.Errorf("after the fence: %+v", answer)
	}
}

// planted are card data that must be nowhere.
var planted = []string{"4242424242424241", "4000000000000077", "4000000000000002", "987"}

// TestNoCardDataInErrorsAndLogs reads everything that the adapter says while things go wrong. It sets the program's
// log: on its own.
func TestNoCardDataInErrorsAndLogs(t *testing.T) {
	var said bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })
	w := newWorld(t)
	try := func(number string) {
		a := w.authorization(number)
		a.Card.CVC = sensitive.NewCVC("987")
		answer, err := w.open().Authorize(t.Context(), a)
		fmt.Fprintf(&said, "%+v %v\n", answer, err)
	}
	for _, number := range planted[:3] {
		try(number)
		for _, on := range []string{"POST /v1/payment_methods", fake.LostAnswer} {
			for _, fault := range []fake.Fault{fake.LoseAnswer, fake.LoseCall, fake.TooMany, fake.Broken, fake.InUse} {
				w.Fail(on, fault)
				try(number)
			}
		}
	}
	w.first.RawCards = false // Stripe's message repeats the number then
	try(planted[1])
	w.keys[account] = "sk_test_wrong"
	try(planted[1])
	for _, number := range planted {
		// ids of requests have any digits
		if regexp.MustCompile(`(^|[^0-9a-z])` + number + `([^0-9a-z]|$)`).MatchString(said.String()) {
			t.Errorf("%s is in\n%s", number, &said)
		}
	}
	if lines := strings.Count(said.String(), "\n"); lines < 30 {
		t.Errorf("only %d lines", lines)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.address = "http://127.0.0.1:1" // no one listens
	if answer, err := w.open().Authorize(t.Context(), w.authorization(fake.Approved)); !errors.Is(err,
		processor.ErrUnreachable) {
		t.Errorf("%+v, %v", answer, err)
	}
}

// Requests of one endpoint wait for each other, below Stripe's limit of 25 a second.
func TestRequestsStayBelowTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, begun := stripe.New(stripe.Config{Accounts: w.keys, API: w.address, Now: w.Now}), time.Now()
	for n := range 26 {
		f := w.about(w.reference(), 1)
		f.OriginalID = fmt.Sprint("pi_none", n)
		if answer, err := p.Refund(t.Context(), f); err != nil || answer.DeclineCode != "original_not_found" {
			t.Fatalf("%+v, %v", answer, err)
		}
	}
	if took := time.Since(begun); took < 200*time.Millisecond {
		t.Errorf("26 requests in %v", took)
	}
	refused := false
	for range 26 { // a pause of this test makes room for one or two
		hurry, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		f := w.about(w.reference(), 1)
		f.OriginalID = "pi_none"
		_, err := p.Refund(hurry, f)
		refused = refused || err != nil
		cancel()
	}
	if !refused {
		t.Error("no request has to wait")
	}
}
