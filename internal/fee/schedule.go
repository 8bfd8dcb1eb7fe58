// Package fee defines what a merchant pays for each event: immutable schedules, the fee lines of an event, and the
// record of what those lines were computed from.
package fee

import (
	"slices"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
)

// Rates are the twelve settings of a merchant. Flat fees are minor units of the merchant's
// currency; a nil platform fee is off.
type Rates struct {
	AuthorizationFee        money.Amount   `db:"authorization_fee" json:"authorization_fee"`
	CaptureFee              money.Amount   `db:"capture_fee" json:"capture_fee"`
	AmexSurchargePercentage money.Percent  `db:"amex_surcharge_percentage" json:"amex_surcharge_percentage"`
	ACHTransferFlatFee      money.Amount   `db:"ach_transfer_flat_fee" json:"ach_transfer_flat_fee"`
	ACHTransferPercentage   money.Percent  `db:"ach_transfer_percentage" json:"ach_transfer_percentage"`
	ACHTransferFailedFee    money.Amount   `db:"ach_transfer_failed_fee" json:"ach_transfer_failed_fee"`
	ACHReturnFee            money.Amount   `db:"ach_return_fee" json:"ach_return_fee"`
	ChargebackFee           money.Amount   `db:"chargeback_fee" json:"chargeback_fee"`
	RetrievalFee            money.Amount   `db:"retrieval_fee" json:"retrieval_fee"`
	PlatformFlatFee         *money.Amount  `db:"platform_flat_fee" json:"platform_flat_fee"`
	PlatformPercentage      *money.Percent `db:"platform_percentage" json:"platform_percentage"`
	DAFPercentage           money.Percent  `db:"daf_percentage" json:"daf_percentage"`
}

// Schedule is a merchant's rates from EffectiveAt on, until a later schedule takes over.
type Schedule struct {
	ID          ids.FeeSchedule `db:"id" json:"id"`
	EffectiveAt instant.Time    `db:"effective_at" json:"effective_at"`
	Rates
}

// Terms are the two schedules that an event is charged by: the merchant's, which the application
// collects, and the service's own to the application, whose id is zero if there is none.
type Terms struct{ Merchant, Service Schedule }

// Event assesses something that happened: what it costs by both schedules, with what that is computed from.
func (t Terms) Event(m Merchant, source [16]byte, kind Kind, base money.Amount, brand string, at time.Time) Event {
	e := Event{Merchant: m, SourceID: source, Kind: kind, Base: base, Brand: brand, ScheduleID: t.Merchant.ID,
		Lines: t.Merchant.Lines(kind, base, brand), At: at}
	if !t.Service.ID.IsZero() {
		e.ServiceScheduleID, e.ServiceLines = t.Service.ID, t.Service.Lines(kind, base, brand)
	}
	return e
}

// Kind is an event that may cost a fee.
type Kind string

// The events.
const (
	Authorized   Kind = "authorized"    // a card payment was approved
	Captured     Kind = "captured"      // a card payment was captured
	BankSettled  Kind = "bank_settled"  // a bank payment settled
	BankFailed   Kind = "bank_failed"   // a bank payment failed before it settled
	BankReturned Kind = "bank_returned" // a bank payment came back after it had settled
	Chargeback   Kind = "chargeback"    // a chargeback was opened, or a retrieval escalated
	Retrieval    Kind = "retrieval"     // a retrieval was opened
)

// Line is one fee of an event, rounded on its own. Percent fees carry basis and rate, flat
// fees neither.
type Line struct {
	Fee        string          `json:"fee"`
	Basis      *money.Amount   `json:"basis,omitempty"`
	Rate       *money.Percent  `json:"rate,omitempty"`
	Amount     money.Amount    `json:"amount"`
	ScheduleID ids.FeeSchedule `json:"schedule_id,omitzero"` // none on the lines of a preview's proposal
}

// Lines computes what an event costs: kind happened to a payment of that brand, with base the
// amount authorized, captured or settled, in minor units. Each line is rounded on its own, half up.
// Fees of zero make no line.
func (s Schedule) Lines(kind Kind, base money.Amount, brand string) []Line {
	var lines []Line
	for _, set := range settings {
		if !slices.Contains(set.Kinds, kind) || set.Brand != "" && set.Brand != brand {
			continue
		}
		if l := set.line(&s.Rates, base); l != nil {
			l.ScheduleID = s.ID
			lines = append(lines, *l)
		}
	}
	return lines
}

// Total sums the lines.
func Total(lines []Line) money.Amount {
	var sum money.Amount
	for _, l := range lines {
		sum += l.Amount
	}
	return sum
}
