package processor

import (
	"svcpay/internal/money"
	"svcpay/internal/sensitive"
)

// StoredCredential says how a card on file is used, in the card networks' sense.
type StoredCredential string

// The uses.
const (
	NotStored   StoredCredential = "none"        // the payer is present, nothing was kept before
	Initial     StoredCredential = "initial"     // the first of a series
	Recurring   StoredCredential = "recurring"   // merchant-initiated, in a series
	Unscheduled StoredCredential = "unscheduled" // a kept card, outside a series
)

// Authorization asks to reserve (and with Capture to take) an amount from a card.
type Authorization struct {
	Reference  string // ours, unique per call
	Account    Account
	Amount     money.Amount
	Currency   money.Currency
	Capture    bool
	Descriptor string
	Card       Card
	Stored     StoredCredential
	// OnBehalfOf is the external ID of the merchant's account, which is connected to Account and may take cards; "" if
	// there is none. The money still goes to Account.
	OnBehalfOf string
	// NetworkTransactionID links a stored credential to its first use; "" at the first.
	NetworkTransactionID string
}

// Card is what a processor needs of a card. CVC and Cryptogram may be empty.
type Card struct {
	PAN sensitive.PAN
	CVC sensitive.CVC
	// Cryptogram is a wallet's proof; PAN is then that of the payer's device, Wallet is wallet_a or wallet_b, and ECI
	// the electronic commerce indicator, "" if the wallet gave none.
	Cryptogram  sensitive.Cryptogram
	Wallet, ECI string
	ExpMonth    int
	ExpYear     int
	Line1, Zip  string
}

// CheckResult is what the issuer said of a submitted detail.
type CheckResult string

// The results.
const (
	Pass        CheckResult = "pass"
	Fail        CheckResult = "fail"
	Unavailable CheckResult = "unavailable" // nothing was submitted, or the issuer did not look
)

// Checks are the issuer's verifications.
type Checks struct {
	CVC          CheckResult `json:"cvc"`
	AddressLine1 CheckResult `json:"address_line_1"`
	AddressZip   CheckResult `json:"address_zip"`
}

// Scheme is a country's way to move money between bank accounts.
type Scheme string

// The schemes.
const (
	ACH  Scheme = "ach"  // United States, NACHA
	ACSS Scheme = "acss" // Canada, pre-authorized debit
)

// Bank is a bank account. Routing is the nine digits of an ABA number, or the five digits of a
// Canadian transit followed by the three of the institution.
type Bank struct {
	Scheme  Scheme
	Routing string
	Number  sensitive.AccountNumber
	Holder  string
	Savings bool
}

// Debit asks to take an amount from a payer's bank account.
type Debit struct {
	Reference  string
	Account    Account
	Amount     money.Amount
	Currency   money.Currency
	Descriptor string
	Bank       Bank
	// Verification is the counterparty's id of the bank account's verification on this account, "" if there was none.
	Verification string
}

// FollowUp is a call about an earlier one, which Original names by our reference: that of the authorization or debit,
// or of its capture. OriginalID is the counterparty's id of it, "" if it gave none or an earlier version closed the
// call (see [Answer.ExternalID]). A void names the whole amount.
type FollowUp struct {
	Reference  string
	Account    Account
	Original   string
	OriginalID string
	Amount     money.Amount
	Currency   money.Currency
}

// Payout asks to send what a merchant is owed to its bank account.
type Payout struct {
	Reference  string
	Account    Account
	Amount     money.Amount
	Currency   money.Currency
	Descriptor string
	Bank       Bank
}

// Response is a merchant's answer to a dispute: evidence, or acceptance. Amount is the disputed one.
type Response struct {
	Reference string
	Account   Account
	Dispute   string // the processor's id of it
	Amount    money.Amount
	Currency  money.Currency
	Accept    bool
	// Retrieval says that the evidence is for a retrieval. If the retrieval has become a chargeback, an adapter may
	// decline the evidence, because a chargeback can be responded to only once.
	Retrieval bool
	Evidence  map[string]string
	Files     []File
}

// EvidenceRefused is the decline code of a response whose evidence the counterparty does not accept. The merchant can
// still respond to the dispute.
const EvidenceRefused = "evidence_refused"

// File is a document that belongs to evidence.
type File struct {
	Name, ContentType string
	Content           []byte
}
