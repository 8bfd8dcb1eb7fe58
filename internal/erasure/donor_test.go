package erasure_test

import (
	"slices"
	"strings"
	"testing"

	"svcpay/internal/daf"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/erasure"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// A donor whose address the fund's pages were told, and the request was not, is known by it.
func TestADonorIsKnownByTheModal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	amount, who, whose, note := money.Amount(2500), first, last, "for the library"
	grant := w.Authorized(w.App, w.App.Merchants.US, workflow.Nonintegrated, amount)
	w.exec(`UPDATE daf_workflows SET donor = donor || jsonb_build_object('email', @address::text)
		WHERE grant_id = @grant`, pg.Args{"address": strings.ToUpper(address), "grant": grant})
	out, err := w.DAF.Create(t.Context(), w.Actor(),
		daf.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, GrantID: &grant,
			User: &daf.UserInput{FirstName: &who, LastName: &whose, Email: new(""), Note: &note}},
		w.claimed("donation"))
	w.must(err)
	e, err := w.erase(address)
	if err != nil || len(e.Donations) != 2 || !slices.Contains(e.Donations, w.donation.ID) ||
		!slices.Contains(e.Donations, out.Object.ID) {
		t.Fatalf("%+v, %v", e, err)
	}
	if left := w.found(); len(left) > 0 {
		t.Errorf("still there:\n%s", strings.Join(left, "\n"))
	}
}

// A donor whom the request named otherwise than they named themselves is found in the request log by either name.
func TestADonorIsLoggedByTheNameThatTheyGave(t *testing.T) {
	t.Parallel()
	w := &world{World: fixture.New(t)}
	w.erasures = erasure.New(erasure.Deps{Pool: w.Pool, Check: w.Gate, Clock: w.Clocks})
	w.TakesDAF(w.App.Merchants.US)
	amount := money.Amount(2500)
	grant := w.Authorized(w.App, w.App.Merchants.US, workflow.Nonintegrated, amount)
	w.exec(`UPDATE daf_workflows SET donor = donor || @donor::jsonb WHERE grant_id = @grant`,
		pg.Args{"donor": map[string]string{"first_name": first, "last_name": last, "email": address}, "grant": grant})
	who, whose := "Odie", "Q"
	_, err := w.DAF.Create(t.Context(), w.Actor(),
		daf.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, GrantID: &grant,
			User: &daf.UserInput{FirstName: &who, LastName: &whose, Email: new("")}}, nil)
	w.must(err)
	w.log("/api/search", "q=one", []byte(`{"first_name":"Odalys","last_name":"Quenneville"}`))
	w.log("/api/search", "q=two", []byte(`{"first_name":"Odie","last_name":"Q"}`))
	w.log("/api/search", "q=three", []byte(`{"first_name":"Dana"}`))
	w.must(w.RequestLogs.Flush(t.Context()))
	_, err = w.erase(address)
	w.must(err)
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM request_logs`, pg.Args{}); err != nil ||
		n != 1 {
		t.Errorf("%d entries are left, %v", n, err)
	}
}
