package portal

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"svcpay/internal/authz"
)

// What matters most is asked for again ten minutes after the last proof: keys, fees, files, and refunds of much. The
// form is kept, and does its work with the proof.
func TestWhatMattersTakesAFreshProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	small, large := w.charged(visaCard, 99_999, nil), w.charged(visaCard, 100_000, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	at := func(id string) string { return chargesPath + "/" + id + "/refund" }
	forms := map[string]url.Values{}
	for _, path := range []string{at(small.ID.String()), at(large.ID.String()), apiKeysPath + "/new"} {
		forms[path] = w.drawnForm(path, cookie)
	}
	forms[at(large.ID.String())].Set("amount", "1,000.00")
	w.pass(11 * time.Minute)
	for path, asked := range map[string]bool{at(small.ID.String()): false, at(large.ID.String()): true, apiKeysPath + "/new": true} {
		a := w.send(path, forms[path], "Cookie", cookie)
		if proof := a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusOK; proof != asked {
			t.Errorf("%s is answered %d: %s", path, a.StatusCode, a.words())
		}
		if asked {
			a.says(t, `name="proof_password"`)
		}
	}
	w.send(chargesPath+".csv", nil, "Cookie", cookie).says(t, `name="proof_password"`)
	if n := len(w.refundsOf(large)); n != 0 {
		t.Fatalf("%d refunds without a proof", n)
	}
	form := forms[at(large.ID.String())]
	form.Set("proof_password", "not "+password)
	w.send(at(large.ID.String()), form, "Cookie", cookie).says(t, `name="proof_password"`, `name="once"`, `value="1,000.00"`)
	form.Set("proof_password", password)
	w.send(at(large.ID.String()), form, "Cookie", cookie).wants(t, http.StatusSeeOther, chargesPath+"/"+large.ID.String())
	if n := len(w.refundsOf(large)); n != 1 {
		t.Errorf("%d refunds with a proof", n)
	}
}
