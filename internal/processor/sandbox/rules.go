package sandbox

import (
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// The decline codes of follow-up calls.
const (
	noOriginal     = "original_not_found"
	notApproved    = "original_not_approved"
	otherCurrency  = "currency_mismatch"
	captured       = "already_captured"
	voided         = "already_voided"
	settled        = "already_settled"
	returned       = "debit_returned"
	expired        = "authorization_expired"
	overAuthorized = "capture_exceeds_authorized"
	overCaptured   = "refund_exceeds_captured"
	notWhole       = "void_not_whole"
)

// payment is an authorization or debit, with what was done to it since.
type payment struct {
	Kind           string         `db:"kind"` // authorize or debit
	Reference      string         `db:"reference"`
	Account        string         `db:"account"`
	Amount         money.Amount   `db:"amount"`
	Currency       money.Currency `db:"currency"`
	Approved       bool           `db:"approved"`
	CapturedAtOnce bool           `db:"captured"`
	TestCase       string         `db:"test_case"`
	At             time.Time      `db:"account_at"`
	CapturedLater  money.Amount   `db:"captured_later"`
	Refunded       money.Amount   `db:"refunded"` // by refunds that have not failed
	Voided         bool           `db:"voided"`
	Settled        bool           `db:"settled"` // sooner than the calendar says, as the feed told
	Returned       bool           `db:"returned"`
	// ExternalIDs are those of the payment and of its captures.
	ExternalIDs []string `db:"external_ids"`
}

// taken is what the payer paid, before refunds.
func (p payment) taken() money.Amount {
	switch {
	case !p.Approved || p.Voided:
		return 0
	case p.Kind == "debit", p.CapturedAtOnce:
		return p.Amount
	}
	return p.CapturedLater
}

// capture judges a capture: once, of an authorization that lives, of at most what was authorized.
// It returns a decline code or "".
func (p payment) capture(f processor.FollowUp, now time.Time) string {
	switch {
	case p.Kind != "authorize":
		return captured
	case !p.Approved:
		return notApproved
	case p.Voided:
		return voided
	case p.taken() > 0:
		return captured
	case !now.Before(p.At.Add(terms.AuthorizationLife)):
		return expired
	case f.Amount > p.Amount:
		return overAuthorized
	case f.Currency != p.Currency:
		return otherCurrency
	}
	return ""
}

// void judges a void: of all of an authorization that was not captured, or of a debit that has not
// come to an end.
func (p payment) void(f processor.FollowUp) string {
	switch {
	case !p.Approved:
		return notApproved
	case p.Voided:
		return voided
	case p.Returned:
		return returned
	case p.Settled:
		return settled
	case p.Kind == "authorize" && p.taken() > 0:
		return captured
	case f.Amount != p.Amount:
		return notWhole
	case f.Currency != p.Currency:
		return otherCurrency
	}
	return ""
}

// refund judges a refund: all refunds together never exceed what was taken.
func (p payment) refund(f processor.FollowUp) string {
	switch {
	case !p.Approved:
		return notApproved
	case p.Voided:
		return voided
	case p.Returned:
		return returned
	case f.Amount > p.taken()-p.Refunded:
		return overCaptured
	case f.Currency != p.Currency:
		return otherCurrency
	}
	return ""
}
