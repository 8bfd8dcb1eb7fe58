package token_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/processor/unconnected"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// Accounts that the sandbox's processor verifies in a way of their own.
const (
	noAnswer  = "000777777771" // to the start
	declining = "000555555559"
	returning = "000666666661"
)

// pendingOf makes a token of a bank account that awaits verification.
func pendingOf(t *testing.T, w *fixture.World, number string) string {
	t.Helper()
	return bank(t, w, w.App.Merchants.USQ, account(number)).ID.String()
}

// start runs the job and returns how many verifications it asked for.
func start(t *testing.T, w *fixture.World) int {
	t.Helper()
	n, err := w.Tokens.StartVerifications(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// verification is one as both sides have it.
type verification struct {
	Reference  string  `db:"reference"`
	Status     string  `db:"status"`
	ExternalID *string `db:"external_id"`
	Started    int     `db:"started"` // at the sandbox's processor
}

func verificationOf(t *testing.T, w *fixture.World, id string) verification {
	t.Helper()
	v, err := pg.One[verification](t.Context(), w.Pool, `
		SELECT v.reference, v.status, v.external_id, (SELECT count(*)::int FROM sandbox_processor_verifications s
			WHERE s.processor = v.processor AND s.reference = v.reference
				AND s.account = v.processor_account) AS started
		FROM bank_verifications v WHERE v.token_id = @id`, pg.Args{"id": get(t, w, id).ID})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// disabled checks that a token ended because it was not verified, with one event.
func disabled(t *testing.T, w *fixture.World, id string) {
	t.Helper()
	now := get(t, w, id)
	if now.Status != token.Disabled || *now.DisabledReason != "verification_failed" ||
		verificationOf(t, w, id).Status != "failed" {
		t.Errorf("%+v, %+v", now, verificationOf(t, w, id))
	}
	told(t, w, now, "status")
}

func TestDepositsAreAskedForOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := pending(t, w)
	bank(t, w, w.App.Merchants.US, account("000123456789")) // of processor P: nothing to verify
	before := verificationOf(t, w, id)
	if before.Status != "requested" || before.Started != 0 {
		t.Errorf("%+v", before)
	}
	if n := start(t, w); n != 1 {
		t.Errorf("%d were asked for", n)
	}
	if v := verificationOf(t, w, id); v.Status != "sent" || v.Started != 1 || v.Reference != before.Reference ||
		v.ExternalID == nil {
		t.Errorf("%+v", v)
	}
	w.Clock.Advance(2 * time.Hour)
	if n := start(t, w); n != 0 {
		t.Errorf("%d were asked for again", n)
	}
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(45, 32), nil); err != nil ||
		verificationOf(t, w, id).Status != "verified" {
		t.Errorf("%v, %+v", err, verificationOf(t, w, id))
	}
	if _, err := w.Inbound.Run(t.Context()); err != nil { // which reports it as well
		t.Fatal(err)
	}
	told(t, w, get(t, w, id), "status")
}

func TestStartWithoutAnAnswerIsRepeated(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := pendingOf(t, w, noAnswer)
	before := verificationOf(t, w, id)
	if n := start(t, w); n != 1 || verificationOf(t, w, id).Status != "requested" {
		t.Errorf("%d, %+v", n, verificationOf(t, w, id))
	}
	if n := start(t, w); n != 0 {
		t.Error("it is repeated at once")
	}
	w.Clock.Advance(time.Minute)
	if n := start(t, w); n != 1 {
		t.Error("it is not repeated")
	}
	if v := verificationOf(t, w, id); v.Status != "sent" || v.Started != 1 || v.Reference != before.Reference ||
		count(t, w, "sandbox_processor_verifications") != 1 {
		t.Errorf("%+v", v)
	}
}

// A verification whose start was never answered ends by an event, which names the processor's id of it: debits need it.
func TestEventsNameTheVerification(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := pendingOf(t, w, noAnswer)
	v := verificationOf(t, w, id)
	e := processor.Event{Adapter: w.Processor.Name(),
		Account: processor.MerchantAccount(w.App.AppID, w.App.Merchants.USQ), Reference: v.Reference,
		ExternalID: "seti_1"}
	for range 2 {
		if err := w.Tokens.AccountVerified(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		e.ExternalID = "seti_2" // what is known stays
	}
	external, err := pg.Value[string](t.Context(), w.Pool, `SELECT coalesce(external_id, '') FROM bank_verifications
		WHERE reference = @reference`, pg.Args{"reference": v.Reference})
	if err != nil || external != "seti_1" || get(t, w, id).Status != token.Active {
		t.Errorf("%q, %v, %s", external, err, get(t, w, id).Status)
	}
}

func TestAccountsThatCannotBeVerifiedAreDisabled(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	declined, atOnce, returned, gone := pendingOf(t, w, declining), pendingOf(t, w, declining), pendingOf(t, w,
		returning), pendingOf(t, w, "000123456787")
	if _, err := w.Tokens.Delete(t.Context(), w.Actor(), gone, token.DeleteInput{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), atOnce, amounts(32, 45), nil); code(err) != "token_disabled" {
		t.Errorf("%v", err)
	}
	disabled(t, w, atOnce)
	start(t, w)
	disabled(t, w, declined)
	if v := verificationOf(t, w, gone); v.Status != "failed" || v.Started != 0 {
		t.Errorf("a deleted one: %+v", v)
	}
	if left := answer(t, w, returned, amounts(32, 45)); left != 9 {
		t.Errorf("%v are left of deposits that are not there", left)
	}
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 7*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Inbound.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	disabled(t, w, returned)
	event := processor.Event{Adapter: "sandbox", Kind: processor.VerificationFailed,
		Reference: verificationOf(t, w, returned).Reference,
		Account:   processor.MerchantAccount(w.App.AppID, w.App.Merchants.USQ)}
	other := event
	other.Account = processor.MerchantAccount(w.App.AppID, w.App.Merchants.US)
	if again, elsewhere := w.Tokens.VerificationFailed(t.Context(), event), w.Tokens.VerificationFailed(t.Context(),
		other); again != nil ||
		code(elsewhere) != "resource_missing" {
		t.Errorf("again: %v; of another account: %v", again, elsewhere)
	}
	if err := w.Tokens.AccountVerified(t.Context(), event); err != nil { // too late
		t.Error(err)
	}
	disabled(t, w, returned)
}

// faulty is a processor that does not answer to confirmations while it is broken; what it was asked, it does all the
// same.
type faulty struct {
	processor.Processor
	broken bool
	most   int    // tries, if it counts them itself
	code   string // of the one deposit, if it sends one
}

func (f *faulty) Confirm(ctx context.Context, c processor.Confirmation) (processor.Confirmed, error) {
	if f.code != "" && c.Code == f.code && c.Amounts == [2]int64{} {
		return processor.Confirmed{Verdict: processor.Verified}, nil
	}
	out, err := f.Processor.Confirm(ctx, c)
	switch {
	case f.broken:
		return processor.Confirmed{}, errors.New("no answer")
	case f.most > 0 && out.Remaining != nil:
		f.most--
		out.Remaining = &f.most
	}
	return out, err
}

func newFaulty(t *testing.T) (*fixture.World, *faulty) {
	f := &faulty{}
	return fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		f.Processor = inner
		return f
	}), f
}

func TestAnswersThatCannotBeCheckedCountForNothing(t *testing.T) {
	t.Parallel()
	w, f := newFaulty(t)
	id, key := pending(t, w), "k"
	f.broken = true
	for range 12 { // more often than there are tries
		_, err := w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(32, 44), claim(w, key, ""))
		if e, ok := fault.As(err); !ok || e.Code != "overloaded" || e.Kind != fault.KindUnavailable {
			t.Fatalf("%v", err)
		}
	}
	f.broken = false
	if now := get(t, w, id); now.Status != token.PendingVerification || now.Version != 1 {
		t.Errorf("%+v", now)
	}
	another := pending(t, w) // the processor itself has no more tries for the first
	if left := answer(t, w, another, amounts(1, 2)); left != 9 {
		t.Errorf("%v are left of the account's", left)
	}
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(32, 45),
		claim(w, key, "")); code(err) != "verification_failed" {
		t.Errorf("the key was kept: %v", err)
	}
	disabled(t, w, id)
	// The answer is lost, and the processor reports it later.
	f.broken = true
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), another, amounts(32, 45), nil); code(err) != "overloaded" {
		t.Errorf("%v", err)
	}
	if _, err := w.Inbound.Run(t.Context()); err != nil || get(t, w, another).Status != token.Active ||
		verificationOf(t, w, another).Status != "verified" {
		t.Errorf("%v, %+v", err, get(t, w, another))
	}
}

func TestTriesOfTheProcessorCount(t *testing.T) {
	t.Parallel()
	w, f := newFaulty(t)
	f.most = 3
	id := pending(t, w)
	for left := 2; left >= 0; left-- {
		if told := answer(t, w, id, amounts(1, 2)); told != left {
			t.Errorf("%v are left, want %d", told, left)
		}
	}
	disabled(t, w, id)
}

// The sandbox sends two deposits, so that a code is a wrong answer like others. The processor that sent one gets it as
// it writes it.
func TestCodesOfDepositsAreCompared(t *testing.T) {
	t.Parallel()
	w, f := newFaulty(t)
	id := pending(t, w)
	if left := answer(t, w, id, descriptor("SM11AA")); left != 9 {
		t.Errorf("%v are left", left)
	}
	f.code = "SM11AA"
	if left := answer(t, w, id, descriptor("SM11AB")); left != 8 {
		t.Errorf("%v are left", left)
	}
	_, err := w.Tokens.Verify(t.Context(), w.Actor(), id, descriptor("SM11AB"), nil)
	if e, ok := fault.As(err); !ok || e.Param != "descriptor_code" || e.Detail["remaining"] != 7 {
		t.Errorf("%+v", err)
	}
	out, err := w.Tokens.Verify(t.Context(), w.Actor(), id, descriptor(" sm11aA\n"), nil)
	if err != nil || out.Object.Status != token.Active || verificationOf(t, w, id).Status != "verified" {
		t.Errorf("%+v, %v", out.Object, err)
	}
}

// Tokens that servers of the previous version made have deposits of their own.
func TestTokensOfBeforeAreVerifiedAsBefore(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := pending(t, w)
	if _, err := pg.Exec(t.Context(), w.Pool, `DELETE FROM bank_verifications`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	if left := answer(t, w, id, amounts(1, 2)); left != 9 {
		t.Errorf("%v are left", left)
	}
	if left := answer(t, w, id, descriptor("SM11AA")); left != 8 {
		t.Errorf("%v are left after a code", left)
	}
	out, err := w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(45, 32), nil)
	if err != nil || out.Object.Status != token.Active || count(t, w, "sandbox_processor_verifications") != 0 {
		t.Errorf("%+v, %v", out.Object, err)
	}
}

// cardsOnly is a processor of cards alone.
type cardsOnly struct {
	processor.Adapter
	processor.Payments
}

// Where no processor can send deposits, an account that would need them is not taken; what was taken before is.
func TestAccountsThatNoProcessorVerifiesAreNotTaken(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	q, in := w.SessionOf(w.App, w.App.Merchants.USQ), account("000123456789")
	first, err := w.Tokens.CreateBank(t.Context(), q, "before", in)
	if err != nil {
		t.Fatal(err)
	}
	d := w.Tokens.Deps()
	for _, adapters := range [][]processor.Adapter{nil, {cardsOnly{w.Processor, w.Processor}}} {
		d.Processors = processor.NewRegistry(unconnected.Directory{}, adapters...)
		tokens := token.New(d)
		if again, err := tokens.CreateBank(t.Context(), q, "before", in); err != nil || again.Token != first.Token {
			t.Errorf("a retry: %+v, %v", again, err)
		}
		if _, err := tokens.CreateBank(t.Context(), q, ids.NewRequest(w.Clock.Now()).String(),
			in); code(err) != "payment_method_disabled" {
			t.Errorf("%v", err)
		}
		name, merchantID, no := "ach_settles", w.App.Merchants.USQ, false
		test := token.TestInput{TestCase: &name, MerchantID: &merchantID, Verified: &no}
		if _, err := tokens.CreateTest(t.Context(), w.Actor(), test, nil); code(err) != "payment_method_disabled" {
			t.Errorf("a test case: %v", err)
		}
		test.Verified = nil
		if _, err := tokens.CreateTest(t.Context(), w.Actor(), test, nil); err != nil {
			t.Errorf("a test case that is verified: %v", err)
		}
	}
	if !slices.Equal([]int{count(t, w, "bank_verifications"), count(t, w, "tokens")}, []int{1, 3}) {
		t.Errorf("%d verifications, %d tokens", count(t, w, "bank_verifications"), count(t, w, "tokens"))
	}
}
