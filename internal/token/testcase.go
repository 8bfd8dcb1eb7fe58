package token

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// TestCase is a payment method that a sandbox treats in a known way: a card number, or a bank account.
type TestCase struct {
	Name string
	Card sensitive.PAN
	Bank processor.Bank
}

// TestInput asks for a token of a test case.
type TestInput struct {
	TestCase   *string `json:"test_case"`
	MerchantID *int64  `json:"merchant_id"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in TestInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "test_case", in.TestCase != nil)
	check.Required(&fs, "merchant_id", in.MerchantID != nil)
	check.Merchant(&fs, in.MerchantID)
	return fs
}

// CreateTest makes a token without a browser, so that servers can be tried by themselves. Only a
// sandbox has test cases. The data goes the way that a payer's goes. It happens once per key.
func (s *Service) CreateTest(ctx context.Context, actor authz.Actor, in TestInput, claim *idempotency.Claim) (idempotency.Result[Token], error) {
	if err := s.Check.Check(actor, authz.TokenCreateTest); err != nil {
		return idempotency.Result[Token]{}, err
	}
	if s.TestCase == nil {
		return idempotency.Result[Token]{}, fault.Missing()
	}
	if err := in.Validate().Err(); err != nil {
		return idempotency.Result[Token]{}, err
	}
	c, ok := s.TestCase(*in.TestCase)
	if !ok {
		return idempotency.Result[Token]{}, fault.Invalid("parameter_invalid", "There is no such test case. The page about testing lists them.").On("test_case")
	}
	m, err := s.Merchants.Find(ctx, actor.ApplicationID, *in.MerchantID)
	if fault.HasCode(err, "resource_missing") || !actor.Sees(*in.MerchantID) {
		return idempotency.Result[Token]{}, merchant.ErrNotAssociated
	}
	if err != nil {
		return idempotency.Result[Token]{}, err
	}
	row, err := s.prepareTest(ctx, m, c)
	if err != nil {
		return idempotency.Result[Token]{}, err
	}
	return once(ctx, s, claim, actor.ApplicationID, row.created.Token.Bytes(), func(tx *pg.Tx, now instant.Moment) (Token, error) {
		if err := queueInsert(tx, row, now); err != nil {
			return Token{}, err
		}
		if err := tx.Flush(ctx); err != nil {
			return Token{}, err
		}
		t, err := find(ctx, tx, actor.ApplicationID, row.created.Token)
		return t.derive(s.livemode()), err
	})
}

// prepareTest seals the payment method of a test case, for a payer who is always the same. A bank
// account needs no verification.
func (s *Service) prepareTest(ctx context.Context, m merchant.Merchant, c TestCase) (newToken, error) {
	billing := Billing{FirstName: "Dana", LastName: "Reed", AddressLine1: "12 Elm Street", AddressZip: "97301",
		AddressCountry: m.Country, Email: "dana@example.org"}
	if !c.Card.IsZero() {
		return s.prepare(ctx, owner{m.ApplicationID, m.ID}, CardInput{Number: c.Card, CVC: testCode(c.Card),
			ExpMonth: 12, ExpYear: s.Now().Year() + 3, Billing: billing}, CardKind)
	}
	row, err := s.prepareBank(ctx, m, BankInput{Scheme: c.Bank.Scheme, Routing: c.Bank.Routing, Number: c.Bank.Number,
		AccountType: "checking", Billing: billing, Mandate: Acceptance{IP: "127.0.0.1", UserAgent: "test case"}}, Keyed)
	row.status = Active
	return row, err
}

func testCode(number sensitive.PAN) sensitive.CVC {
	const codes = "1234"
	return sensitive.NewCVC(codes[:sensitive.BrandOf(number.Reveal()).CVC()])
}
