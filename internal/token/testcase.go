package token

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
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
	if in.TestCase == nil {
		fs.Add("test_case", "parameter_missing", "This parameter is required.")
	}
	if in.MerchantID == nil {
		fs.Add("merchant_id", "parameter_missing", "This parameter is required.")
	} else if *in.MerchantID < 1 {
		fs.Add("merchant_id", "parameter_invalid", "A merchant's id is a positive integer.")
	}
	return fs
}

// CreateTest makes a token without a browser, so that servers can be tried by themselves. Only a
// sandbox has test cases. The data goes the way that a payer's goes.
func (s *Service) CreateTest(ctx context.Context, actor authz.Actor, in TestInput) (Created, error) {
	if err := s.Check.Check(actor, authz.TokenCreateTest); err != nil {
		return Created{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return Created{}, err
	}
	if s.TestCase == nil {
		return Created{}, fault.Missing()
	}
	c, ok := s.TestCase(*in.TestCase)
	if !ok {
		return Created{}, fault.Invalid("parameter_invalid", "There is no such test case. The page about testing lists them.").On("test_case")
	}
	m, err := s.Merchants.Get(ctx, actor.ApplicationID, *in.MerchantID)
	if fault.HasCode(err, "resource_missing") {
		return Created{}, fault.New(fault.KindForbidden, "merchant_not_associated", "This merchant is not associated with your application.").On("merchant_id")
	}
	if err != nil {
		return Created{}, err
	}
	billing := Billing{FirstName: "Dana", LastName: "Reed", AddressLine1: "12 Elm Street", AddressZip: "97301",
		AddressCountry: m.Country, Email: "dana@example.org"}
	var row newToken
	if c.Card.IsZero() {
		row, err = s.prepareBank(ctx, m, BankInput{Scheme: c.Bank.Scheme, Routing: c.Bank.Routing, Number: c.Bank.Number,
			AccountType: "checking", Billing: billing, Mandate: Acceptance{IP: "127.0.0.1", UserAgent: "test case"}}, Keyed)
		row.status = Active
		if row.created.BankAccount != nil {
			row.created.BankAccount.Status = Active
		}
	} else {
		row, err = s.prepare(ctx, owner{m.ApplicationID, m.ID}, CardInput{Number: c.Card, CVC: testCode(c.Card),
			ExpMonth: 12, ExpYear: s.Now().Year() + 3, Billing: billing})
	}
	if err != nil {
		return Created{}, err
	}
	return s.keep(ctx, row, nil)
}

func testCode(number sensitive.PAN) sensitive.CVC {
	const codes = "1234"
	return sensitive.NewCVC(codes[:brandOf(number.Reveal()).cvc()])
}
