package token_test

import (
	"sync"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// pending makes a token of a bank account that awaits verification.
func pending(t *testing.T, w *fixture.World) string {
	t.Helper()
	out := bank(t, w, w.App.Merchants.USQ, account("000123456789"))
	if out.Status != token.PendingVerification {
		t.Fatalf("%+v", out)
	}
	return out.ID.String()
}

func amounts(a ...int64) token.VerifyInput { return token.VerifyInput{Amounts: a} }

func descriptor(code string) token.VerifyInput { return token.VerifyInput{DescriptorCode: &code} }

func TestDepositsVerifyAnAccount(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for _, right := range []token.VerifyInput{amounts(32, 45), amounts(45, 32)} {
		id := pending(t, w)
		if _, err := w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(32, 44),
			nil); code(err) != "verification_failed" {
			t.Errorf("%v", err)
		}
		out, err := w.Tokens.Verify(t.Context(), w.Actor(), id, right, claim(w, "k"+id, ""))
		if err != nil || out.Object.Status != token.Active || out.Object.Version != 2 {
			t.Fatalf("%+v, %v", out, err)
		}
		told(t, w, get(t, w, id), "status")
		if again, err := w.Tokens.Verify(t.Context(), w.Actor(), id, right, claim(w, "k"+id, "")); err != nil ||
			again.Prior == nil || again.Prior.Outcome.Result == nil {
			t.Errorf("%+v, %v", again, err)
		}
		if again, err := w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(1, 2), nil); err != nil ||
			again.Object.Version != 2 || again.Object.Object != "token" {
			t.Errorf("an active one: %+v, %v", again, err)
		}
	}
}

func TestVerifyIsRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := pending(t, w)
	for _, in := range []token.VerifyInput{amounts(), amounts(32), amounts(32, 45, 1), amounts(0, 45), amounts(32, 100),
		amounts(-1, 2)} {
		if _, err := w.Tokens.Verify(t.Context(), w.Actor(), id, in, nil); code(err) != "parameter_invalid" &&
			(in.Amounts != nil || code(err) != "parameter_missing") {
			t.Errorf("%v: %v", in.Amounts, err)
		}
	}
	for _, text := range []string{"", " ", "SM", "SM11A", "SM11AAA", "XX11AA", "SM11A-", "SM 11AA", "SM1\u0660AA",
		"\u017fM11AA", "SM11AA\x00", "SM11AA SM11AA"} {
		if _, err := w.Tokens.Verify(t.Context(), w.Actor(), id, descriptor(text),
			nil); code(err) != "parameter_invalid" {
			t.Errorf("%q: %v", text, err)
		}
	}
	both := descriptor("SM11AA")
	both.Amounts = []int64{32, 45}
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), id, both, nil); code(err) != "parameters_exclusive" {
		t.Errorf("both: %v", err)
	}
	if left := answer(t, w, id, amounts(1, 2)); left != 9 {
		t.Errorf("%v are left: malformed answers were counted", left)
	}
	ended := map[string]func(id string) error{
		"token_not_found": func(id string) error {
			return second(w.Tokens.Delete(t.Context(), w.Actor(), id, token.DeleteInput{}, nil))
		},
		"token_disabled": func(id string) error {
			return pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
				return token.DisableTx(t.Context(), tx, instant.Both(w.Clock.Now()),
					token.Ending{ApplicationID: w.App.AppID, Token: get(t, w, id).ID, Reason: "x", Source: outbox.Job})
			})
		},
	}
	for want, end := range ended {
		id := pending(t, w)
		if err := end(id); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(32, 45), nil); code(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), w.Token(visa), amounts(32, 45),
		nil); code(err) != "token_type_mismatch" {
		t.Errorf("a card: %v", err)
	}
	w.Clock.Advance(get(t, w, id).ExpiresAt.Sub(w.Clock.Now()))
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(32, 45), nil); code(err) != "token_expired" {
		t.Errorf("%v", err)
	}
}

func TestTenWrongAnswersDisable(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := pending(t, w)
	wrong := amounts(1, 2)
	for left := 9; left >= 1; left-- {
		_, err := w.Tokens.Verify(t.Context(), w.Actor(), id, wrong, nil)
		if f, ok := fault.As(err); !ok || f.Kind != fault.KindRefused || f.Code != "verification_failed" ||
			f.Detail["remaining"] != left {
			t.Errorf("%d left: %+v", left, err)
		}
	}
	if now := get(t, w, id); now.Status != token.PendingVerification || now.Version != 1 {
		t.Errorf("%+v", now)
	}
	for range 3 { // a repetition of the last is told the same and counts once
		out, err := w.Tokens.Verify(t.Context(), w.Actor(), id, wrong, claim(w, "last", ""))
		if out.Prior != nil {
			err = out.Prior.Outcome.Refusal
		}
		f, ok := fault.As(err)
		if left, _ := f.Detail["remaining"].(float64); !ok || f.Code != "verification_failed" || left != 0 {
			t.Errorf("%+v", err)
		}
	}
	now := get(t, w, id)
	if now.Status != token.Disabled || *now.DisabledReason != "verification_failed" {
		t.Errorf("%+v", now)
	}
	told(t, w, now, "status")
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(32, 45), nil); code(err) != "token_disabled" {
		t.Errorf("%v", err)
	}
}

// answer tells wrong amounts of a token and returns how many tries are left after it.
func answer(t *testing.T, w *fixture.World, id string, in token.VerifyInput) any {
	t.Helper()
	_, err := w.Tokens.Verify(t.Context(), w.Actor(), id, in, nil)
	if f, ok := fault.As(err); ok && f.Code == "verification_failed" {
		return f.Detail["remaining"]
	}
	t.Errorf("%v", err)
	return nil
}

// Anyone who makes tokens of one account again and again has ten wrong answers within thirty days, whatever becomes of
// the tokens.
func TestWrongAnswersCountForTheAccount(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	wrong, right := amounts(1, 2), amounts(32, 45)
	first, second, third := pending(t, w), pending(t, w), pending(t, w)
	for left := 9; left >= 4; left-- {
		if told := answer(t, w, first, wrong); told != left {
			t.Errorf("%v are left, want %d", told, left)
		}
	}
	if _, err := w.Tokens.Delete(t.Context(), w.Actor(), first, token.DeleteInput{}, nil); err != nil {
		t.Fatal(err)
	}
	for left := 3; left >= 0; left-- {
		if told := answer(t, w, second, wrong); told != left {
			t.Errorf("%v are left to another token, want %d", told, left)
		}
	}
	for _, id := range []string{third, pending(t, w)} {
		if told := answer(t, w, id, right); told != 0 {
			t.Errorf("%v are left of none", told)
		}
		told(t, w, get(t, w, id), "status")
	}
	for _, id := range []string{second, third} {
		if now := get(t, w, id); now.Status != token.Disabled || *now.DisabledReason != "verification_failed" {
			t.Errorf("%+v", now)
		}
	}
	another := bank(t, w, w.App.Merchants.USQ, account("000123456788")).ID.String()
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), another, right, nil); err != nil {
		t.Errorf("another account: %v", err)
	}
	theirs, err := w.Tokens.CreateBank(t.Context(), w.SessionOf(w.Other, w.Other.Merchants.USQ), "k",
		account("000123456789"))
	if err == nil {
		_, err = w.Tokens.Verify(t.Context(), w.ActorOf(w.Other), theirs.Token.String(), right, nil)
	}
	if err != nil {
		t.Errorf("another application: %v", err)
	}
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 30*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), pending(t, w), right, nil); err != nil {
		t.Errorf("after thirty days: %v", err)
	}
}

// Each of many tokens of one account is answered for at once: ten of the answers are looked at, and each is notified of
// its own place.
func TestAnswersAtOnceAreCountedForTheAccount(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	tokens := make([]string, 14)
	for i := range tokens {
		tokens[i] = pending(t, w)
	}
	var mu sync.Mutex
	got := map[any]int{}
	var all sync.WaitGroup
	for _, id := range tokens {
		all.Go(func() {
			left := answer(t, w, id, amounts(1, 2))
			mu.Lock()
			defer mu.Unlock()
			got[left]++
		})
	}
	all.Wait()
	for left := range 10 {
		if want := map[bool]int{true: 5, false: 1}[left == 0]; got[left] != want {
			t.Errorf("%d are left: told %d times, want %d", left, got[left], want)
		}
	}
}

func TestAnswersAtOnceAreCountedEach(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := pending(t, w)
	var mu sync.Mutex
	got := map[string]int{}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			_, err := w.Tokens.Verify(t.Context(), w.Actor(), id, amounts(1, 2), nil)
			mu.Lock()
			defer mu.Unlock()
			got[code(err)]++
		})
	}
	all.Wait()
	// The last of the ten disables the token, also before others of them are written.
	if n := got["verification_failed"]; n < 1 || n > 10 || n+got["token_disabled"] != 16 {
		t.Errorf("%v", got)
	}
	told(t, w, get(t, w, id), "status")
	if left := answer(t, w, pending(t, w), amounts(32, 45)); left != 0 {
		t.Errorf("%v are left of the account's", left)
	}
}
