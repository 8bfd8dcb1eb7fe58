package charge

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	Origin          *string           `json:"origin"`
	Recurring       *bool             `json:"recurring"`
	Capture         *bool             `json:"capture"`
	Description     *string           `json:"description"`
	ExternalID      *string           `json:"external_id"`
	StatementSuffix *string           `json:"statement_suffix"`
	Metadata        map[string]string `json:"metadata"`
}

// Bounds of the texts of a charge, in characters.
const (
	maxDescription   = 255
	MaxExternalID    = 64 // characters
	maxSuffix        = 12
	maxMetadata      = 50
	maxMetadataKey   = 40
	maxMetadataValue = 500
)

// Validate returns every mistake that can be seen without looking anything up.
func (in CreateInput) Validate() fault.Fields {
	var fs fault.Fields
	required(&fs, "merchant_id", in.MerchantID != nil)
	required(&fs, "amount", in.Amount != nil)
	required(&fs, "token", in.Token != nil)
	if in.MerchantID != nil && *in.MerchantID < 1 {
		fs.Add("merchant_id", "parameter_invalid", "A merchant's id is a positive integer.")
	}
	amountBounds(&fs, in.Amount)
	if in.Token != nil && *in.Token == "" {
		fs.Add("token", "parameter_invalid", "A token starts with tok_.")
	}
	oneOf(&fs, "type", in.Type, string(Card), string(ACH), string(ACSS))
	oneOf(&fs, "origin", in.Origin, string(Ecommerce), string(MOTO), string(Terminal))
	currency(&fs, "currency", in.Currency)
	currency(&fs, "funding_currency", in.FundingCurrency)
	text(&fs, "description", in.Description, 0, maxDescription)
	text(&fs, "external_id", in.ExternalID, 1, MaxExternalID)
	text(&fs, "statement_suffix", in.StatementSuffix, 1, maxSuffix)
	metadata(&fs, in.Metadata)
	return fs
}

func amountBounds(fs *fault.Fields, amount *money.Amount) {
	switch {
	case amount == nil:
	case *amount < money.MinCharge:
		fs.Add("amount", "amount_too_small", fmt.Sprintf("The amount must be at least %d, in minor units.", money.MinCharge))
	case *amount > money.MaxCharge:
		fs.Add("amount", "amount_too_large", fmt.Sprintf("The amount must be at most %d, in minor units.", money.MaxCharge))
	}
}

func required(fs *fault.Fields, param string, given bool) {
	if !given {
		fs.Add(param, "parameter_missing", "This parameter is required.")
	}
}

func oneOf(fs *fault.Fields, param string, value *string, allowed ...string) {
	if value == nil || slices.Contains(allowed, *value) {
		return
	}
	fs.Add(param, "parameter_invalid", fmt.Sprintf("Allowed here: %q.", allowed))
}

func currency(fs *fault.Fields, param string, value *string) {
	if value == nil {
		return
	}
	if _, ok := money.ParseCurrency(*value); !ok {
		fs.Add(param, "currency_unsupported", "Use usd or cad, in lowercase letters.")
	}
}

func text(fs *fault.Fields, param string, value *string, least, most int) {
	if value == nil {
		return
	}
	if n := utf8.RuneCountInString(*value); n < least || n > most || hasControl(*value) {
		fs.Add(param, "parameter_invalid", fmt.Sprintf("A text of %d to %d characters without control characters.", least, most))
	}
}

func metadata(fs *fault.Fields, m map[string]string) {
	if len(m) > maxMetadata {
		fs.Add("metadata", "parameter_invalid", fmt.Sprintf("At most %d pairs.", maxMetadata))
	}
	for k, v := range m {
		if n := utf8.RuneCountInString(k); n == 0 || n > maxMetadataKey || utf8.RuneCountInString(v) > maxMetadataValue || hasNUL(k+v) {
			fs.Add("metadata", "parameter_invalid",
				fmt.Sprintf("Keys have 1 to %d characters, values at most %d.", maxMetadataKey, maxMetadataValue))
			return
		}
	}
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// hasNUL finds the one character that PostgreSQL's jsonb cannot hold.
func hasNUL(s string) bool { return strings.Contains(s, "\x00") }
