package refund

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/fault"
	"svcpay/internal/money"
)

// CreateInput is the body of a refund's creation. A nil member was not sent; without an amount
// everything that is left is given back.
type CreateInput struct {
	ChargeID   *string           `json:"charge_id"`
	Amount     *money.Amount     `json:"amount"`
	Reason     *string           `json:"reason"`
	Note       *string           `json:"note"`
	ExternalID *string           `json:"external_id"`
	Metadata   map[string]string `json:"metadata"`
}

// Reasons are those that a refund may have.
var reasons = []string{"duplicate", "fraudulent", "requested_by_payer", "other"}

// Bounds of the texts of a refund, in characters.
const (
	maxNote          = 500
	MaxExternalID    = 64 // characters
	maxMetadata      = 50
	maxMetadataKey   = 40
	maxMetadataValue = 500
)

// Validate returns every mistake that can be seen without looking anything up.
func (in CreateInput) Validate() fault.Fields {
	var fs fault.Fields
	if in.ChargeID == nil {
		fs.Add("charge_id", "parameter_missing", "This parameter is required.")
	}
	if in.Amount != nil && *in.Amount < 1 {
		fs.Add("amount", "amount_too_small", "The amount must be at least 1, in minor units.")
	}
	if in.Amount != nil && *in.Amount > money.MaxCharge {
		fs.Add("amount", "amount_too_large", fmt.Sprintf("The amount must be at most %d, in minor units.", money.MaxCharge))
	}
	if in.Reason != nil && !slices.Contains(reasons, *in.Reason) {
		fs.Add("reason", "parameter_invalid", fmt.Sprintf("Allowed here: %q.", reasons))
	}
	text(&fs, "note", in.Note, maxNote)
	text(&fs, "external_id", in.ExternalID, MaxExternalID)
	metadata(&fs, in.Metadata)
	return fs
}

func text(fs *fault.Fields, param string, value *string, most int) {
	if value == nil {
		return
	}
	if n := utf8.RuneCountInString(*value); n < 1 || n > most || strings.ContainsFunc(*value, unicode.IsControl) {
		fs.Add(param, "parameter_invalid", fmt.Sprintf("A text of 1 to %d characters without control characters.", most))
	}
}

func metadata(fs *fault.Fields, m map[string]string) {
	if len(m) > maxMetadata {
		fs.Add("metadata", "parameter_invalid", fmt.Sprintf("At most %d pairs.", maxMetadata))
	}
	for k, v := range m {
		n := utf8.RuneCountInString(k)
		if n == 0 || n > maxMetadataKey || utf8.RuneCountInString(v) > maxMetadataValue || strings.Contains(k+v, "\x00") {
			fs.Add("metadata", "parameter_invalid",
				fmt.Sprintf("Keys have 1 to %d characters, values at most %d.", maxMetadataKey, maxMetadataValue))
			return
		}
	}
}
