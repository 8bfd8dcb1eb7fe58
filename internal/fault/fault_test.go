package fault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"svcpay/internal/fault"
)

func TestFieldsTellAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	var fs fault.Fields
	if fs.Err() != nil {
		t.Error("no mistake is a mistake")
	}
	fs.Check("a", nil)
	fs.Check("amount", fault.Invalid("amount_too_small", "Too small."))
	one, _ := fault.As(fs.Err())
	if one.Code != "amount_too_small" || one.Param != "amount" || len(one.Fields) != 1 ||
		one.Kind != fault.KindInvalid {
		t.Errorf("one mistake is told as %+v", one)
	}
	fs.Check("date", errors.New("the submitted value 4242 is secret"))
	many, _ := fault.As(fs.Err())
	want := []fault.Field{
		{Param: "amount", Code: "amount_too_small", Message: "Too small."},
		{Param: "date", Code: "parameter_invalid", Message: "This value is not valid here."},
	}
	if many.Code != "validation_failed" || many.Param != "amount" ||
		!reflect.DeepEqual([]fault.Field(many.Fields), want) {
		t.Errorf("two mistakes are told as %+v", many)
	}
}

func TestDecoratingCopies(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire")
	base := fault.Refused("no", "No.")
	e := base.On("p").With("a", 1).With("b", 2).After(time.Second).Because(cause)
	if base.Param != "" || base.Detail != nil || base.RetryAfter != 0 || base.Unwrap() != nil {
		t.Errorf("the original changed: %+v", base)
	}
	other := e.With("a", 3)
	if e.Detail["a"] != 1 || other.Detail["a"] != 3 || other.Detail["b"] != 2 {
		t.Errorf("details %v and %v", e.Detail, other.Detail)
	}
	wrapped := fmt.Errorf("outer: %w", e)
	if f, ok := fault.As(wrapped); !ok || f != e || !errors.Is(wrapped, cause) || !fault.HasCode(wrapped, "no") ||
		fault.HasCode(cause, "no") {
		t.Errorf("the chain of %v is broken", wrapped)
	}
	if e.Error() != "no: No.: disk on fire" || base.Error() != "no: No." {
		t.Errorf("%q, %q", e, base)
	}
}

func TestRetrySecondsNeverComeTooEarly(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]int{0: 0, time.Millisecond: 1, time.Second: 1, 1500 * time.Millisecond: 2,
		time.Minute: 60} {
		if got := fault.Refused("no", "No.").After(d).RetrySeconds(); got != want {
			t.Errorf("%s: %d, want %d", d, got, want)
		}
	}
}

func TestStoredFormKeepsAllButTheCause(t *testing.T) {
	t.Parallel()
	e := fault.New(fault.KindDeclined, "card_declined", "Declined.").On("token").With("charge_id",
		"ch_1").After(time.Second)
	text, err := json.Marshal(e.Because(errors.New("secret")))
	if err != nil {
		t.Fatal(err)
	}
	var back fault.Error
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(&back, e) {
		t.Errorf("%s reads as %+v, %v", text, back, err)
	}
}

func TestInternalHidesItsCause(t *testing.T) {
	t.Parallel()
	e := fault.Internal(errors.New("column missing"))
	if e.Kind != fault.KindInternal || e.Message != "Something went wrong on our side. It has been recorded." {
		t.Errorf("%+v", e)
	}
	if m := fault.Missing(); m.Kind != fault.KindNotFound || m.Code != "resource_missing" {
		t.Errorf("%+v", m)
	}
}
