package charge

import (
	"fmt"
	"strings"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
)

// payer is what the claim must know of merchant and token. Nil members: there is no such merchant or
// token, or it is of the other kind.
type payer struct {
	Ordinal        int             `db:"ordinal"`
	MerchantStatus *string         `db:"merchant_status"`
	Currency       *money.Currency `db:"currency"`
	MinimumCharge  *money.Amount   `db:"minimum_charge"`
	Descriptor     *string         `db:"statement_descriptor"`
	Kind           *token.Kind     `db:"kind"`
	EntryMode      *string         `db:"entry_mode"`
	TokenStatus    *token.Status   `db:"token_status"`
	TokenExpiresAt *time.Time      `db:"token_expires_at"`
	Brand          *string         `db:"brand"`
	BIN            *string         `db:"bin"`
	Last4          *string         `db:"last4"`
	ExpMonth       *int            `db:"exp_month"`
	ExpYear        *int            `db:"exp_year"`
	Funding        *string         `db:"funding"`
	Country        *string         `db:"country"`
	BankName       *string         `db:"bank_name"`
	AccountType    *string         `db:"account_type"`
	Routing        *string         `db:"routing"`
	Billing        *token.Billing  `db:"billing"`
	NetworkID      *string         `db:"network_transaction_id"`
	Fingerprint    []byte          `db:"fingerprint"`
	HasRules       bool            `db:"has_rules"` // for card payments
	Routes         accounts.Routes `db:"routes"`
	// The successful verification of the bank account by deposits, if there is one.
	VerifiedBy      *string `db:"verified_by"`
	VerifiedAccount *string `db:"verified_account"`
	VerificationID  *string `db:"verification_id"`
}

// askPayers has a batch read the payers of requests, in the order of the requests.
func askPayers(b *pg.Batch, requests []request) *pg.Answer[payer] {
	applications, merchants, tokens := make([]int64, len(requests)), make([]int64, len(requests)), make([]ids.Token,
		len(requests))
	for i, r := range requests {
		applications[i], merchants[i], tokens[i] = r.applicationID, *r.in.MerchantID, r.token
	}
	return pg.Ask[payer](b, `
		SELECT w.ordinal::int AS ordinal, m.status AS merchant_status, m.currency, m.minimum_charge,
			m.statement_descriptor, t.kind, t.entry_mode, t.status AS token_status,
				t.expires_at AS token_expires_at, t.brand,
			t.bin, t.last4, t.exp_month, t.exp_year, t.funding, t.country, t.bank_name, t.account_type, t.routing,
			t.billing, t.network_transaction_id, t.fingerprint, EXISTS (SELECT FROM card_rules r
				WHERE r.application_id = w.application_id AND r.merchant_id = w.merchant_id) AS has_rules,
					v.processor AS verified_by, v.processor_account AS verified_account,
			v.external_id AS verification_id, `+accounts.Column+`
		FROM unnest(@applications::bigint[], @merchants::bigint[], @tokens::uuid[])
			WITH ORDINALITY AS w (application_id, merchant_id, token_id, ordinal)
		LEFT JOIN merchants m ON m.application_id = w.application_id AND m.id = w.merchant_id
		LEFT JOIN tokens t ON t.application_id = w.application_id AND t.merchant_id = w.merchant_id
			AND t.id = w.token_id
		LEFT JOIN bank_verifications v ON v.token_id = t.id AND v.status = 'verified'
		ORDER BY w.ordinal`,
		pg.Args{"applications": applications, "merchants": merchants, "tokens": tokens})
}

// refuse applies the rules that need the merchant and the token; nil means go ahead.
func (p payer) refuse(in CreateInput, now time.Time) error {
	switch {
	case p.MerchantStatus == nil:
		return merchant.ErrNotAssociated
	case !merchant.Allows(merchant.Status(*p.MerchantStatus), merchant.TakeCharge):
		return fault.Refused("merchant_not_active",
			"This merchant can't accept new charges right now.").On("merchant_id")
	case in.Currency != nil && money.Currency(*in.Currency) != *p.Currency:
		return fault.Invalid("currency_unsupported", "This merchant is charged for in "+string(*p.Currency)+
			" only.").On("currency")
	case in.FundingCurrency != nil && money.Currency(*in.FundingCurrency) != *p.Currency:
		return fault.Refused("funding_currency_mismatch",
			"The funding currency must be the merchant's: amounts are not converted.").
			On("funding_currency")
	case *in.Amount < *p.MinimumCharge:
		return tooSmall(*p.MinimumCharge)
	case p.TokenStatus == nil, *p.TokenStatus == token.Deleted, *p.EntryMode == token.PayoutAccount:
		return errNoToken()
	case *p.TokenStatus == token.Disabled:
		return fault.Refused("token_disabled", "This token can no longer be charged.").On("token")
	case *p.TokenStatus == token.Expired, !now.Before(*p.TokenExpiresAt):
		return fault.New(fault.KindGone, "token_expired", "This token has expired.").On("token")
	case *p.TokenStatus == token.PendingVerification:
		return fault.Refused("bank_account_unverified", "This bank account is not verified yet.").On("token")
	}
	return p.refuseType(in)
}

// tooSmall refuses a charge below the merchant's minimum.
func tooSmall(minimum money.Amount) error {
	return fault.Invalid("amount_too_small",
		fmt.Sprintf("This merchant's minimum charge is %d, in minor units.", minimum)).
		On("amount").With("minimum", minimum)
}

func errNoToken() error {
	return fault.Refused("token_not_found", "There is no such token for this merchant.").On("token")
}

// refuseType applies the rules that need the kind of payment.
func (p payer) refuseType(in CreateInput) error {
	kind := p.chargeType()
	switch {
	case in.Type != nil && Type(*in.Type) != kind:
		return fault.Refused("token_type_mismatch", "The token is of another type: it makes charges of type "+
			string(kind)+".").On("type")
	case kind != Card && in.Capture != nil && !*in.Capture:
		return fault.Refused("authorization_unsupported",
			"Only cards can be authorized first and captured later.").On("capture")
	case in.Origin != nil && Origin(*in.Origin) == Terminal && *p.EntryMode != token.Swiped:
		return fault.Refused("token_type_mismatch", "The origin terminal is for swiped cards.").On("origin")
	}
	return nil
}

// chargeType is the type of the charges that the token makes.
func (p payer) chargeType() Type {
	switch *p.Kind {
	case token.BankUS:
		return ACH
	case token.BankCA:
		return ACSS
	}
	return Card
}

// storedCredential says how this charge uses the token's card, in the networks' sense.
func (p payer) storedCredential(kind Type, recurring bool) processor.StoredCredential {
	switch known := p.NetworkID != nil; {
	case kind != Card:
		return processor.NotStored
	case recurring && !known:
		return processor.Initial
	case recurring:
		return processor.Recurring
	case known:
		return processor.Unscheduled
	}
	return processor.NotStored
}

// method describes the token as it is now.
func (p payer) method() PaymentMethod {
	m := PaymentMethod{Kind: string(*p.Kind), Last4: *p.Last4}
	if p.chargeType() != Card {
		m.BankMethod = &BankMethod{BankName: or(p.BankName, ""), AccountType: or(p.AccountType, "")}
		return m
	}
	m.CardMethod = &CardMethod{Brand: *p.Brand, BIN: *p.BIN, ExpMonth: *p.ExpMonth, ExpYear: *p.ExpYear,
		Funding: *p.Funding, Country: *p.Country}
	if *p.Kind == token.WalletA || *p.Kind == token.WalletB {
		wallet := string(*p.Kind)
		m.CardMethod.Wallet = &wallet
	}
	return m
}

// verification is the processor's id of the bank account's verification on a processor account, "" if it was not
// verified there.
func (p payer) verification(on processor.Account) string {
	if or(p.VerifiedBy, "") != on.Adapter || or(p.VerifiedAccount, "") != on.External {
		return ""
	}
	return or(p.VerificationID, "")
}

// bank is the account as a processor needs it.
func (p payer) bank(kind Type, number sensitive.AccountNumber) processor.Bank {
	return processor.Bank{Scheme: processor.Scheme(kind), Routing: or(p.Routing, ""), Number: number,
		Holder:  strings.TrimSpace(p.Billing.FirstName + " " + p.Billing.LastName),
		Savings: or(p.AccountType, "") == "savings"}
}
