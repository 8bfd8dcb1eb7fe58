package browser

import (
	"github.com/labstack/echo/v4"

	"svcpay/internal/merchant"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
)

// sessionMandate is what a payer's form shows, and the name of exactly that text, which it returns when it is accepted.
type sessionMandate struct {
	Text    string `json:"text"`
	Version string `json:"version"`
}

// mandateOf is the mandate of a merchant's form; the modals of other merchants show their own.
func mandateOf(m merchant.Merchant) *sessionMandate {
	if !m.CanProcess.ACH || m.BankProcessor != "p" {
		return nil
	}
	text := token.MandateText(processor.ACH, m.Name)
	return &sessionMandate{text, token.ShownMandate(token.MandateVersion, text)}
}

type bankRequest struct {
	Routing     string `json:"routing_number"`
	Number      string `json:"account_number"`
	AccountType string `json:"account_type"`
}

type bankMandate struct {
	Accepted bool   `json:"accepted"`
	Version  string `json:"version"`
}

// bankInput is a payer's bank account, with how he accepted the mandate as the connection shows it.
func bankInput(c echo.Context, in tokenRequest) token.BankInput {
	return token.BankInput{Scheme: processor.ACH, Routing: in.Bank.Routing,
		Number:      sensitive.NewAccountNumber(in.Bank.Number),
		AccountType: in.Bank.AccountType, Country: in.Country, Billing: in.Billing,
		Mandate: token.Acceptance{Accepted: in.Mandate.Accepted, TextVersion: in.Mandate.Version, IP: c.RealIP(),
			UserAgent: c.Request().UserAgent()}}
}
