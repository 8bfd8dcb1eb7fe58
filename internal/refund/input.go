package refund

import (
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/money"
)

// CreateInput is the body of a refund's creation. A nil member was not sent; without an amount
// everything that is left is returned.
type CreateInput struct {
	ChargeID   *string           `json:"charge_id"`
	Amount     *money.Amount     `json:"amount" absent:"all"`
	Reason     *string           `json:"reason"`
	Note       *string           `json:"note"`
	ExternalID *string           `json:"external_id"`
	Metadata   map[string]string `json:"metadata" default:"{}"`
	// IfLeft is what was left to return when the caller looked: it must still be.
	IfLeft *money.Amount `json:"-"`
	// Unproven says that a person makes the refund who didn't verify their identity: if it needs that, it is refused
	// (see [Service.NeedsProof]).
	Unproven bool `json:"-"`
}

// reasons are those that a refund may have.
var reasons = []string{"duplicate", "fraudulent", "requested_by_payer", "other"}

// maxNote is how long a note may be, in characters.
const maxNote = 500

// Validate returns every mistake that can be seen without looking anything up.
func (in CreateInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "charge_id", in.ChargeID != nil)
	check.Amount(&fs, "amount", in.Amount)
	check.OneOf(&fs, "reason", in.Reason, reasons...)
	check.Text(&fs, "note", in.Note, 1, maxNote)
	check.ExternalID(&fs, in.ExternalID)
	check.Metadata(&fs, in.Metadata)
	return fs
}
