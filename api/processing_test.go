package api

import (
	"fmt"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
)

// connect gives the US merchant an account of its own, for cards.
func (s *site) connect(t *testing.T, external string) accounts.Account {
	t.Helper()
	a, err := s.Accounts.Connect(t.Context(), s.Admin(),
		accounts.ConnectInput{MerchantID: &s.App.Merchants.US, Processor: "sandbox",
			External: processor.AccountPrefix(s.App.AppID) + external,
			Serving:  accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestProcessingSaysWhatServesAMerchant(t *testing.T) {
	t.Parallel()
	s := open(t)
	a := s.connect(t, "own")
	p := readAs[accounts.Processing](t, s.get(t, ofUS(s, "/processing")))
	if len(p.Methods) != len(processor.Methods()) || p.MerchantID != s.App.Merchants.US {
		t.Fatalf("%+v", p)
	}
	for _, m := range p.Methods {
		want := accounts.OfSandbox
		if m.Method == processor.MethodCard {
			want = accounts.OfMerchant
		}
		if m.Source == nil || *m.Source != want || want == accounts.OfMerchant &&
			(*m.External != a.External || *m.Onboarding != processor.OnboardingComplete) {
			t.Errorf("%+v", m)
		}
	}
	s.get(t, fmt.Sprintf("/api/merchants/%d/processing", s.Other.Merchants.US)).want(t, 404, "resource_missing")
}

// A merchant without an account for cards takes none, but its earlier payments go on where they were made.
func TestChargeWithoutAnAccountIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	token, a := s.Token(good), s.connect(t, "own")
	c := s.post(t, s.body(token, "capture", "false")).want(t, 201, "").charge(t)
	if _, err := s.Accounts.SetStatus(t.Context(), s.Admin(), a.ID.String(), accounts.Disabled, nil); err != nil {
		t.Fatal(err)
	}
	before := s.rows(t)
	e := s.postKey(t, "refused", s.body(token)).want(t, 422, "processing_not_configured").error()
	if e.Param != "merchant_id" || e.Method != string(processor.MethodCard) || s.rows(t) != before {
		t.Errorf("%+v", e)
	}
	m := s.merchant(t, s.App.Merchants.US)
	if m.CanProcess.CC || m.CanProcess.WalletB || !m.CanProcess.ACH {
		t.Errorf("it takes %+v", m.CanProcess)
	}
	captured := s.follow(t, "capture", c, "{}").want(t, 200, "").charge(t)
	if captured.Status != charge.Captured {
		t.Errorf("%+v", captured)
	}
	if _, err := s.Accounts.SetStatus(t.Context(), s.Admin(), a.ID.String(), accounts.Active, nil); err != nil {
		t.Fatal(err)
	}
	s.postKey(t, "refused", s.body(token)).want(t, 201, "") // nothing was kept for the key
}
