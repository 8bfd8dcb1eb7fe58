package web

import (
	"errors"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/views/text"
)

func TestProblemsStandAboveAndBesideTheirInputs(t *testing.T) {
	t.Parallel()
	var fs fault.Fields
	fs.Add("amount", "parameter_invalid", "Too much.")
	fs.Add("merchant_id", "parameter_missing", "Which one?")
	above, beside, ok := Problems(text.English, fs.Err(), "Nothing happened",
		map[string]string{"merchant_id": "merchant"})
	if !ok || above.Title != "Nothing happened" || len(above.List) != 2 || above.List[1].Field != "merchant" ||
		beside["amount"] != "Too much." || beside["merchant"] != "Fill in this field." {
		t.Errorf("%+v, %v", above, beside)
	}
	above, beside, ok = Problems(text.English, fault.New(fault.KindConflict, "charge_not_refundable", "It is void."),
		"", nil)
	if !ok || len(beside) != 0 || len(above.List) != 1 || above.List[0].Text != "It is void." {
		t.Errorf("%+v, %v", above, beside)
	}
	for _, err := range []error{nil, errors.New("broken"), fault.Missing(), authz.Denied(authz.ChargeRead),
		fault.Internal(errors.New("x")), fault.New(fault.KindUnavailable, "unavailable", "Later.")} {
		if _, _, ok := Problems(text.English, err, "", nil); ok {
			t.Errorf("%v is a mistake in a form", err)
		}
	}
}

// The same form is the same claim; another input, another form or another token is another one.
func TestAFormIsClaimedOnce(t *testing.T) {
	t.Parallel()
	claim := func(path string, form url.Values) string {
		c := echo.New().NewContext(httptest.NewRequest("POST", path, nil), httptest.NewRecorder())
		c.Set(actingKey, identity.Acting{Actor: authz.Actor{ApplicationID: 7, PersonID: 1}})
		out, err := Once(c, form)
		if err != nil {
			return err.Error()
		}
		if out.ApplicationID != 7 || out.Path != path || out.Method != "POST" {
			t.Errorf("the claim is %+v", out)
		}
		return out.Key + string(out.Fingerprint[:])
	}
	token := NewOnce()
	first := claim("/portal/x", url.Values{"once": {token}, "amount": {"5"}})
	if again := claim("/portal/x", url.Values{"amount": {"5"}, "once": {token}}); again != first {
		t.Error("the same form is another claim")
	}
	for _, other := range []string{claim("/portal/x", url.Values{"once": {token}, "amount": {"6"}}),
		claim("/portal/y", url.Values{"once": {token}, "amount": {"5"}}),
		claim("/portal/x", url.Values{"once": {NewOnce()}, "amount": {"5"}})} {
		if other == first {
			t.Error("another form is the same claim")
		}
	}
	for _, bad := range []string{"", "short", token + "x"} {
		if got := claim("/portal/x", url.Values{"once": {bad}}); got != ErrOnce.Error() {
			t.Errorf("%q claims %q", bad, got)
		}
	}
}

// A form that was refused keeps the version that its editor saw, unless it shows what someone else changed.
func TestAFormKeepsTheVersionThatItsEditorSaw(t *testing.T) {
	t.Parallel()
	typed := url.Values{VersionField: {"3"}}
	for _, c := range []struct {
		in   Input
		want string
	}{
		{Input{Values: url.Values{}}, "7"},
		{Input{Values: typed, Refused: fault.Invalid("parameter_invalid", "No.")}, "3"},
		{Input{Values: typed, Refused: fault.Changed()}, "7"},
	} {
		if got := c.in.Version(7); got != c.want {
			t.Errorf("after %v the version is %s, want %s", c.in.Refused, got, c.want)
		}
	}
	if v := (Input{Values: typed}).IfVersion(); v == nil || *v != 3 {
		t.Errorf("the version is %v", v)
	}
	if v := (Input{Values: url.Values{}}).IfVersion(); v != nil {
		t.Errorf("a form without a version has %d", *v)
	}
}

// A form's second sending waits for the outcome of the first.
func TestTheSecondSendingOfAFormWaits(t *testing.T) {
	t.Parallel()
	sent := 0
	out, err := waitForOutcome(t.Context(), func() (int, error) {
		if sent++; sent < 3 {
			return 0, fault.New(fault.KindConflict, "idempotency_key_in_use", "Wait.")
		}
		return sent, nil
	})
	if err != nil || out != 3 {
		t.Errorf("sent %d times it came to %d, %v", sent, out, err)
	}
}
