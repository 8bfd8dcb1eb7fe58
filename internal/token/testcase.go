package token

import (
	"cmp"
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// TestCase is a payment method that a sandbox treats in a known way: a card number, or a bank account.
type TestCase struct {
	Name string
	Card sensitive.PAN
	Bank processor.Bank
}

// TestInput asks for a token of a test case. A nil member was not sent.
type TestInput struct {
	TestCase   *string `json:"test_case"`
	MerchantID *int64  `json:"merchant_id"`
	// Wallet is wallet_a or wallet_b: the card is one in a payer's wallet.
	Wallet *string `json:"wallet"`
	// Swiped: the card was read by a card reader.
	Swiped *bool `json:"swiped" default:"false"`
	// Verified is false for a bank account whose two deposits are still to be told.
	Verified *bool `json:"verified" default:"true"`
	// Billing changes members of the test payer's.
	Billing *BillingChange `json:"billing"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in TestInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "test_case", in.TestCase != nil)
	check.Required(&fs, "merchant_id", in.MerchantID != nil)
	check.Merchant(&fs, in.MerchantID)
	check.OneOf(&fs, "wallet", in.Wallet, string(WalletA), string(WalletB))
	if in.Wallet != nil && in.swiped() {
		fs.Add("swiped", "parameters_exclusive", "A card is swiped or in a wallet, not both. Leave one of them out.")
	}
	if in.Billing != nil {
		fs = append(fs, in.Billing.Validate()...)
	}
	return fs
}

func (in TestInput) swiped() bool     { return in.Swiped != nil && *in.Swiped }
func (in TestInput) unverified() bool { return in.Verified != nil && !*in.Verified }

// suits refuses what a test case's kind of payment method cannot be.
func (in TestInput) suits(c TestCase) error {
	card := !c.Card.IsZero()
	switch {
	case !card && (in.Wallet != nil || in.swiped()):
		return fault.Refused("token_type_mismatch",
			"Only cards are swiped or in a wallet. Choose a test case of a card.").On("test_case")
	case card && in.unverified():
		return fault.Refused("token_type_mismatch",
			"Only bank accounts are verified. Choose a test case of a bank account.").On("test_case")
	}
	return nil
}

// CreateTest makes a token without a browser, so that servers can be tried on their own. Only a
// sandbox has test cases. The data goes the way that a payer's goes. It happens once per key.
func (s *Service) CreateTest(ctx context.Context, actor authz.Actor, in TestInput,
	claim *idempotency.Claim) (idempotency.Result[Token], error) {
	if err := s.deps.Check.Check(actor, authz.TokenCreateTest); err != nil {
		return idempotency.Result[Token]{}, err
	}
	if s.deps.TestCase == nil {
		return idempotency.Result[Token]{}, fault.Missing()
	}
	if err := in.Validate().Err(); err != nil {
		return idempotency.Result[Token]{}, err
	}
	c, ok := s.deps.TestCase(*in.TestCase)
	if !ok {
		return idempotency.Result[Token]{}, fault.Invalid("parameter_invalid",
			check.AllowedValues(s.deps.TestCases...)).On("test_case")
	}
	if err := in.suits(c); err != nil {
		return idempotency.Result[Token]{}, err
	}
	m, err := s.deps.Merchants.Find(ctx, actor.ApplicationID, *in.MerchantID)
	if fault.HasCode(err, "resource_missing") || !actor.Sees(*in.MerchantID) {
		return idempotency.Result[Token]{}, merchant.ErrNotAssociated
	}
	if err != nil {
		return idempotency.Result[Token]{}, err
	}
	row, err := s.prepareTest(ctx, m, c, in)
	if err != nil {
		return idempotency.Result[Token]{}, err
	}
	return once(ctx, s, claim, actor.ApplicationID, row.created.Token.Bytes(),
		func(tx *pg.Tx, now instant.Moment) (Token, error) {
			if err := queueInsertTx(tx, row, now); err != nil {
				return Token{}, err
			}
			if err := tx.Flush(ctx); err != nil {
				return Token{}, err
			}
			t, err := find(ctx, tx, actor.ApplicationID, row.created.Token)
			return t.derive(s.livemode()), err
		})
}

// prepareTest seals the payment method of a test case, for a payer who is always the same but for what was asked.
func (s *Service) prepareTest(ctx context.Context, m merchant.Merchant, c TestCase, in TestInput) (newToken, error) {
	billing := Billing{FirstName: "Dana", LastName: "Reed", AddressLine1: "12 Elm Street", AddressZip: "97301",
		AddressCountry: m.Country, Email: "dana@example.org"}
	if in.Billing != nil {
		billing = in.Billing.on(billing)
	}
	switch {
	case in.Wallet != nil:
		return s.prepareTestWallet(ctx, m, c, Kind(*in.Wallet), billing)
	case !c.Card.IsZero():
		return s.prepare(ctx, owner{m.ApplicationID, m.ID}, CardInput{Number: c.Card, CVC: testCode(c.Card),
			ExpMonth: 12, ExpYear: s.testYear(), Billing: billing, Swiped: in.swiped()}, CardKind)
	}
	row, err := s.prepareBank(ctx, m, BankInput{Scheme: c.Bank.Scheme, Routing: c.Bank.Routing, Number: c.Bank.Number,
		AccountType: "checking", Billing: billing, Mandate: Acceptance{IP: "127.0.0.1", UserAgent: "test case"}}, Keyed)
	if err != nil {
		return row, err
	}
	row.status, row.created.BankAccount.Status, row.deposits, row.verifiedAt, row.refusal = Active, Active,
		nil, nil, nil
	if !in.unverified() {
		return row, nil
	}
	err = s.await(m, &row)
	return row, cmp.Or(err, row.refusal)
}

// prepareTestWallet has the sandbox's wallet pay, and opens what it sends as a payer's is opened. No page asks, so the
// merchant's domains do not matter.
func (s *Service) prepareTestWallet(ctx context.Context, m merchant.Merchant, c TestCase, kind Kind,
	billing Billing) (newToken, error) {
	if s.deps.Wallets.Seal == nil || !takesWallet(m, kind) {
		return newToken{}, errWalletOff.On("wallet")
	}
	payload, err := s.deps.Wallets.Seal(WalletSale{Kind: kind, Card: c.Card, ExpYear: s.testYear(),
		Holder: billing.Name(), Currency: m.Currency, Bound: BoundTo(m.ID)})
	if err != nil {
		return newToken{}, err
	}
	return s.openPaid(ctx, m, WalletInput{Kind: kind, Payload: payload, Billing: billing})
}

func (s *Service) testYear() int { return s.deps.Now().Year() + 3 }

// TestDeposits are the amounts of the two deposits that verify a bank account in a sandbox.
type TestDeposits struct {
	Object   string    `json:"object"` // test_deposits
	Livemode bool      `json:"livemode"`
	Token    ids.Token `json:"token"`
	Amounts  [2]int64  `json:"amounts"` // minor units
}

// TestDeposits says what was deposited to the account of a token that awaits verification.
func (s *Service) TestDeposits(ctx context.Context, actor authz.Actor, id string) (TestDeposits, error) {
	if err := s.deps.Check.Check(actor, authz.TokenCreateTest); err != nil {
		return TestDeposits{}, err
	}
	if s.deps.TestCase == nil {
		return TestDeposits{}, fault.Missing()
	}
	tokenID, err := s.reach(ctx, actor, id)
	if err != nil {
		return TestDeposits{}, err
	}
	t, err := find(ctx, s.deps.Pool, actor.ApplicationID, tokenID)
	if err != nil {
		return TestDeposits{}, err
	}
	if t.BankAccount == nil {
		return TestDeposits{}, fault.Refused("token_type_mismatch", "Only bank accounts are verified.")
	}
	return TestDeposits{Object: "test_deposits", Token: tokenID, Amounts: sandboxDeposits}, nil
}

func testCode(number sensitive.PAN) sensitive.CVC {
	const codes = "1234"
	return sensitive.NewCVC(codes[:sensitive.BrandOf(number.Reveal()).CVC()])
}
