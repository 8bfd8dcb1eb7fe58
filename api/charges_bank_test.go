package api

import (
	"bytes"
	"fmt"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/platform/pg"
)

func TestChargesOfBankAccounts(t *testing.T) {
	t.Parallel()
	s := open(t)
	us, ca := s.App.Merchants.US, s.App.Merchants.CA
	for _, tt := range []struct {
		body     string
		kind     charge.Type
		currency string
		bank     string
	}{
		{s.body(s.BankToken(us, s.USBank("000123456789"))), charge.ACH, "usd", "Sandbox Bank"},
		{s.body(s.BankToken(us, s.USBank("000123456789")), "type", `"ach"`, "capture", "true", "recurring", "true"), charge.ACH, "usd", "Sandbox Bank"},
		{s.body(s.BankToken(ca, s.CABank("000123456789")), "merchant_id", fmt.Sprint(ca)), charge.ACSS, "cad", "Sandbox Bank of Canada"},
	} {
		a := s.post(t, tt.body).want(t, 201, "")
		c := a.charge(t)
		if c.Status != charge.Pending || c.Type != tt.kind || string(c.Currency) != tt.currency ||
			c.PaymentMethod.BankMethod == nil ||
			c.PaymentMethod.BankName != tt.bank || c.PaymentMethod.Last4 != "6789" || c.AvailableOn == nil {
			t.Errorf("the charge is %s", a.body)
		}
		if read := s.get(t, a.header.Get("Location")).want(t, 200, ""); !bytes.Equal(read.body, a.body) {
			t.Errorf("made as\n%s\nread as\n%s", a.body, read.body)
		}
	}
}

func TestDebitThatIsNotAccepted(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := s.body(s.BankToken(s.App.Merchants.US, s.USBank("000555555559")))
	first := s.postKey(t, "k", body).want(t, 402, "bank_account_unusable")
	e := first.error()
	if e.Type != "bank_error" || e.Param != "token" || e.Advice != "use_another_method" || e.DeclineCode != "" ||
		e.Retryable {
		t.Errorf("told as %s", first.body)
	}
	if again := s.postKey(t, "k", body).want(t, 402, "bank_account_unusable"); !again.replayed() ||
		!bytes.Equal(again.body, first.body) {
		t.Errorf("first\n%s\nthen\n%s", first.body, again.body)
	}
	c := s.get(t, "/api/charges/"+e.ChargeID).want(t, 200, "").charge(t)
	if c.Status != charge.Failed || c.Failure.Code != "bank_account_unusable" || c.Failure.DeclineCode != "" ||
		c.AmountCaptured != 0 {
		t.Errorf("the charge is %+v", c)
	}
}

func TestRefusalsOfBankAccounts(t *testing.T) {
	t.Parallel()
	s := open(t)
	us := s.App.Merchants.US
	bank := s.BankToken(us, s.USBank("000123456789"))
	s.execute(t, `UPDATE merchants SET bank_processor = 'q' WHERE id = @id`, pg.Args{"id": us})
	unproved := s.BankToken(us, s.USBank("000123456789"))
	card := s.Token(good)
	before := s.rows(t)
	for _, tt := range []struct{ name, body, code, param string }{
		{"not verified", s.body(unproved), "bank_account_unverified", "token"},
		{"held first", s.body(bank, "capture", "false"), "authorization_unsupported", "capture"},
		{"as a card", s.body(bank, "type", `"cc"`), "token_type_mismatch", "type"},
		{"as a Canadian account", s.body(bank, "type", `"acss"`), "token_type_mismatch", "type"},
		{"card as an account", s.body(card, "type", `"ach"`), "token_type_mismatch", "type"},
		{"at a terminal", s.body(bank, "origin", `"terminal"`), "token_type_mismatch", "origin"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if e := s.postKey(t, "one-for-all", tt.body).want(t, 422, tt.code).error(); e.Param != tt.param {
				t.Errorf("told of %q, want %q", e.Param, tt.param)
			}
		})
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}
