package charge

import "svcpay/internal/processor"

// PaymentMethod is what may be shown of the token as it was when charged: of a card or of a bank
// account, whose members stand next to kind and last4.
type PaymentMethod struct {
	Kind  string `json:"kind"`
	Last4 string `json:"last4"`
	*CardMethod
	*BankMethod
}

// CardMethod is what is notified of a card, a wallet's too.
type CardMethod struct {
	Brand    string            `json:"brand"`
	BIN      string            `json:"bin"`
	ExpMonth int               `json:"exp_month"`
	ExpYear  int               `json:"exp_year"`
	Funding  string            `json:"funding"`
	Country  string            `json:"country"`
	Wallet   *string           `json:"wallet"`
	Checks   *processor.Checks `json:"checks"`
}

// BankMethod is what is notified of a bank account.
type BankMethod struct {
	BankName    string `json:"bank_name"`
	AccountType string `json:"account_type"` // checking or savings
}

// brand is the card's network, "" for a bank account.
func (m PaymentMethod) brand() string {
	if m.CardMethod == nil {
		return ""
	}
	return m.CardMethod.Brand
}

// withChecks is the method with what the issuer said; other holders of the card's description keep theirs.
func (m PaymentMethod) withChecks(checks processor.Checks) PaymentMethod {
	card := *m.CardMethod
	card.Checks = &checks
	m.CardMethod = &card
	return m
}

// method is what a processor account must serve for a charge of the type.
func (t Type) method() processor.Method {
	switch t {
	case ACH:
		return processor.MethodACH
	case ACSS:
		return processor.MethodACSS
	case Card:
	}
	return processor.MethodCard
}
