package charge

import (
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/money"
)

// CreateInput is the body of a charge's creation. A nil member was not sent.
type CreateInput struct {
	MerchantID      *int64            `json:"merchant_id"`
	Amount          *money.Amount     `json:"amount"`
	Token           *string           `json:"token"`
	Type            *string           `json:"type"`
	Currency        *string           `json:"currency"`
	FundingCurrency *string           `json:"funding_currency"`
	Origin          *string           `json:"origin" default:"ecommerce"`
	Recurring       *bool             `json:"recurring" default:"false"`
	Capture         *bool             `json:"capture" default:"true"`
	Description     *string           `json:"description"`
	ExternalID      *string           `json:"external_id"`
	StatementSuffix *string           `json:"statement_suffix"`
	Metadata        map[string]string `json:"metadata" default:"{}"`
}

// maxSuffix is how long what a charge adds to the statement may be, in characters.
const maxSuffix = 12

// Validate returns every mistake that can be seen without looking anything up.
func (in CreateInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "merchant_id", in.MerchantID != nil)
	check.Required(&fs, "amount", in.Amount != nil)
	check.Required(&fs, "token", in.Token != nil)
	check.Merchant(&fs, in.MerchantID)
	check.Amount(&fs, "amount", in.Amount)
	if in.Token != nil && *in.Token == "" {
		fs.Add("token", "parameter_invalid", "A token starts with tok_.")
	}
	check.OneOf(&fs, "type", in.Type, Types()...)
	check.OneOf(&fs, "origin", in.Origin, string(Ecommerce), string(MOTO), string(Terminal))
	check.Currency(&fs, "currency", in.Currency)
	check.Currency(&fs, "funding_currency", in.FundingCurrency)
	check.Text(&fs, "description", in.Description, 0, check.MaxDescription)
	check.ExternalID(&fs, in.ExternalID)
	check.Text(&fs, "statement_suffix", in.StatementSuffix, 1, maxSuffix)
	check.Metadata(&fs, in.Metadata)
	return fs
}
