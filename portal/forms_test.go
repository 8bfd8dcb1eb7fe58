package portal

import (
	"errors"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/portal/web"
	"svcpay/views/text"
)

func TestProblemsStandAboveAndBesideTheirInputs(t *testing.T) {
	t.Parallel()
	var fs fault.Fields
	fs.Add("amount", "parameter_invalid", "Too much.")
	fs.Add("merchant_id", "parameter_missing", "Which one?")
	above, beside, ok := web.Problems(text.English, fs.Err(), "Nothing happened", map[string]string{"merchant_id": "merchant"})
	if !ok || above.Title != "Nothing happened" || len(above.List) != 2 || above.List[1].Field != "merchant" ||
		beside["amount"] != "Too much." || beside["merchant"] != "Fill in this field." {
		t.Errorf("%+v, %v", above, beside)
	}
	above, beside, ok = web.Problems(text.English, fault.New(fault.KindConflict, "charge_not_refundable", "It is void."), "", nil)
	if !ok || len(beside) != 0 || len(above.List) != 1 || above.List[0].Text != "It is void." {
		t.Errorf("%+v, %v", above, beside)
	}
	for _, err := range []error{nil, errors.New("broken"), fault.Missing(), authz.Denied(authz.ChargeRead), fault.Internal(errors.New("x")),
		fault.New(fault.KindUnavailable, "unavailable", "Later.")} {
		if _, _, ok := web.Problems(text.English, err, "", nil); ok {
			t.Errorf("%v is a mistake in a form", err)
		}
	}
}

// The title of a page that shows a form again says so: not that of a page about an error, and not that of a proof
// which is asked for the first time.
func TestTitlesTellOfRefusedForms(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	admin := w.as(authz.RoleApplicationAdmin)
	for path, want := range map[string]string{invitePath: "Error: Invite somebody", webhooksPath + "/new": "Error: ", merchantNew: "Error: Add a merchant",
		forgotPath: "Error: ", teamPath + "/0/role": "There is no such page"} {
		w.send(path, url.Values{"once": {web.NewOnce()}}, "Cookie", admin).says(t, "<title>"+want)
	}
	w.send(invitePath, nil, "Cookie", admin).says(t, "<title>Invite somebody")
	w.pass(11 * time.Minute)
	asked := w.send(invitePath, url.Values{"email": {"x"}}, "Cookie", admin)
	asked.says(t, `name="proof_password"`)
	asked.lacks(t, "<title>Error")
	w.send(invitePath, url.Values{"proof_password": {"wrong"}}, "Cookie", admin).says(t, "<title>Error: ")
}

// The same form is the same claim; another input, another form or another token is another one.
func TestAFormIsClaimedOnce(t *testing.T) {
	t.Parallel()
	claim := func(path string, form url.Values) string {
		c := echo.New().NewContext(httptest.NewRequest("POST", path, nil), httptest.NewRecorder())
		c.Set(web.ActingKey, identity.Acting{Actor: authz.Actor{ApplicationID: 7, PersonID: 1}})
		out, err := web.Once(c, form)
		if err != nil {
			return err.Error()
		}
		if out.ApplicationID != 7 || out.Path != path || out.Method != "POST" {
			t.Errorf("the claim is %+v", out)
		}
		return out.Key + string(out.Fingerprint[:])
	}
	token := web.NewOnce()
	first := claim("/portal/x", url.Values{"once": {token}, "amount": {"5"}})
	if again := claim("/portal/x", url.Values{"amount": {"5"}, "once": {token}}); again != first {
		t.Error("the same form is another claim")
	}
	for _, other := range []string{claim("/portal/x", url.Values{"once": {token}, "amount": {"6"}}), claim("/portal/y", url.Values{"once": {token}, "amount": {"5"}}),
		claim("/portal/x", url.Values{"once": {web.NewOnce()}, "amount": {"5"}})} {
		if other == first {
			t.Error("another form is the same claim")
		}
	}
	for _, bad := range []string{"", "short", token + "x"} {
		if got := claim("/portal/x", url.Values{"once": {bad}}); got != web.ErrOnce.Error() {
			t.Errorf("%q claims %q", bad, got)
		}
	}
}
