package charge_test

import (
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
)

func request(w *fixture.World, in charge.CreateInput, key string) charge.Request {
	r := charge.Request{ApplicationID: w.App.AppID, In: in}
	if key != "" {
		r.Claim = claimOf(w, key)
	}
	return r
}

func TestClaimAnswersEveryInput(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	taken, shared, gift := input(w, good, 1), input(w, good, 2), input(w, good, 3)
	first, err := w.Charges.ClaimAll(t.Context(), request(w, taken, "taken"))
	if err != nil || first[0].Refused != nil || first[0].Charge.Status != charge.Processing {
		t.Fatalf("%+v, %v", first, err)
	}
	gift.ExternalID = ptr("gift")
	foreign, unknown := input(w, good, 4), input(w, good, 5)
	foreign.MerchantID, unknown.Token = &w.Other.Merchants.US, ptr("tok_x")
	reused := request(w, taken, "taken")
	reused.Claim.Fingerprint[0]++
	theirs := charge.Request{ApplicationID: w.Other.AppID, In: charge.CreateInput{
		MerchantID: &w.Other.Merchants.CA, Amount: ptr(money.Amount(6)),
		Token: ptr(w.TokenIn(w.SessionOf(w.Other, w.Other.Merchants.CA), good)),
	}}
	out, err := w.Charges.ClaimAll(t.Context(), request(w, shared, "a"), request(w, foreign, "b"),
		request(w, taken, "taken"), reused,
		request(w, gift, ""), request(w, gift, "c"), request(w, unknown, "d"), request(w, shared, ""), theirs)
	if err != nil || len(out) != 9 {
		t.Fatalf("%d answers, %v", len(out), err)
	}
	for i, want := range []string{"<nil>", "merchant_not_associated", "prior", "idempotency_key_reused", "<nil>",
		"external_id_taken", "token_not_found", "<nil>", "<nil>"} {
		got := code(out[i].Refused)
		if out[i].Prior != nil {
			got = "prior"
		}
		if submits := want == "<nil>"; got != want || out[i].HasPAN != submits ||
			(submits && out[i].Charge.Status != charge.Processing) {
			t.Errorf("input %d: %s, %+v; want %s", i, got, out[i], want)
		}
	}
	if !out[0].HasCVC || out[7].HasCVC {
		t.Error("a code is for the first authorization that could use it, in one batch too")
	}
	if out[2].Prior.ObjectID != first[0].Charge.ID.Bytes() || out[8].Charge.Currency != money.CAD ||
		out[8].Charge.Amount != 6 {
		t.Errorf("%+v, %+v", out[2].Prior, out[8].Charge)
	}
	if n := count(t, w, "charges", pg.Args{}); n != 5 {
		t.Errorf("%d charges", n)
	}
	if n := count(t, w, "idempotency_keys WHERE path = '/api/charges'", pg.Args{}); n != 2 {
		t.Errorf("%d keys: refusals keep theirs", n)
	}
	audit(t, w)
}

func TestWhoIsRefusedKeepsTheirVerificationCode(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	gift, again := input(w, good, 1), input(w, good, 2)
	gift.ExternalID, again.ExternalID = ptr("gift"), ptr("gift")
	out, err := w.Charges.ClaimAll(t.Context(), request(w, gift, "a"), request(w, again, "b"))
	if err != nil || out[0].Refused != nil || !out[0].HasCVC || code(out[1].Refused) != "external_id_taken" {
		t.Fatalf("%+v, %v", out, err)
	}
	again.ExternalID = ptr("another")
	if out, err = w.Charges.ClaimAll(t.Context(), request(w, again, "b")); err != nil || out[0].Refused != nil ||
		!out[0].HasCVC {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestFinishAnswersEveryInput(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	hold := input(w, good, 300)
	hold.Capture = ptr(false)
	claimed, err := w.Charges.ClaimAll(t.Context(), request(w, input(w, good, 100), "a"),
		request(w, input(w, good, 200), ""),
		request(w, hold, "b"), request(w, input(w, good, 400), "c"), request(w, input(w, good, 500), "d"))
	if err != nil {
		t.Fatal(err)
	}
	approved := &processor.Answer{Approved: true, NetworkTransactionID: "n"}
	outcome := func(i int, a *processor.Answer) charge.Outcome {
		return charge.Outcome{ApplicationID: w.App.AppID, ID: claimed[i].Charge.ID, Answer: a}
	}
	declined := &processor.Answer{DeclineCode: "insufficient_funds"}
	first, err := w.Charges.FinishAll(t.Context(), outcome(3, approved))
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.Charges.FinishAll(t.Context(), outcome(4, nil), outcome(2, approved), outcome(3, declined),
		outcome(1, declined), outcome(0, approved))
	if err != nil || len(out) != 5 {
		t.Fatalf("%d answers, %v", len(out), err)
	}
	for i, want := range []struct {
		status charge.Status
		of     int
	}{{charge.Failed, 4}, {charge.Authorized, 2}, {charge.Captured, 3}, {charge.Failed, 1}, {charge.Captured, 0}} {
		if out[i].Status != want.status || out[i].ID != claimed[want.of].Charge.ID || out[i].Version != 2 {
			t.Errorf("outcome %d: %s, want %s", i, jsonOf(t, out[i]), want.status)
		}
		if is := jsonOf(t, get(t, w, out[i].ID)); is != jsonOf(t, out[i]) {
			t.Errorf("outcome %d: answered %s\nrecorded %s", i, jsonOf(t, out[i]), is)
		}
	}
	if jsonOf(t, first[0]) != jsonOf(t, out[2]) {
		t.Error("an outcome was taken back")
	}
	audit(t, w)
}

func TestFinishOfAStrangerWritesNothing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	claimed, err := w.Charges.ClaimAll(t.Context(), request(w, input(w, good, 100), "a"))
	if err != nil {
		t.Fatal(err)
	}
	id := claimed[0].Charge.ID
	for name, o := range map[string]charge.Outcome{
		"another application's": {ApplicationID: w.Other.AppID, ID: id},
		"an unknown one":        {ApplicationID: w.App.AppID, ID: ids.NewCharge(w.Clock.Now())},
	} {
		if out, err := w.Charges.FinishAll(t.Context(), charge.Outcome{ApplicationID: w.App.AppID, ID: id},
			o); err == nil {
			t.Errorf("%s: %+v", name, out)
		}
	}
	if c := get(t, w, id); c.Status != charge.Processing {
		t.Errorf("%+v", c)
	}
	audit(t, w)
}
