package token

import (
	"time"

	"svcpay/internal/ids"
)

// Bounds of the defence against card testing. decision 0043 has the reasons.
const (
	attemptsKept = 30 * 24 * time.Hour // attackers can charge a token long after they made it
	firstsWindow = 24 * time.Hour      // first charges that are looked at
	wideWindow   = time.Hour           // those at all merchants of an application
	firstsMost   = 60                  // of them, the last ones
	chargedAfter = 20 * time.Second    // a payer's page charges a token at once

	suspectLast, suspectDeclined   = 12, 4
	attackedLast, attackedDeclined = 12, 10
	carefulLast, carefulDeclined   = 5, 4
	overLast, overDeclined         = 12, 5
	overApproved                   = 4
	wideLast, wideDeclined         = 40, 20
	wideMerchants                  = 3
	unusedSuspect                  = 10
	unusedAddress                  = 30
	unusedSeveral                  = 5
	hostileLast, hostileLeast      = 12, 4
	declinedLeast                  = 2
	trustedLeast                   = 8
)

// SaysOfCard is the condition, on status and failure of a charge, that its outcome says something about the card: the
// charge ended, the processor could work on it, and no rule of the merchant blocked it before the issuer was asked.
const SaysOfCard = `status <> 'processing' AND coalesce(failure->>'code', '') <> 'not_submitted'
	AND coalesce(failure->>'decline_code', '') <> 'processing_error'
	AND (coalesce(failure->>'code', '') <> 'blocked_by_rule'
		OR coalesce(failure->>'rule', '') IN ('cvc_mismatch', 'postal_code_mismatch'))`

// Group is whose attempts [Deps.Firsts] reads: those of an address, if there is one; else of a merchant; without either
// those of an application.
type Group struct {
	ApplicationID int64
	MerchantID    int64
	Address       []byte
	Since         time.Time // older attempts are left out
	Charged       time.Time // earlier first charges are left out
	Hour          time.Time // since when attempts are counted
	Waited        time.Time // tokens that were made later may yet be charged
	Most          int       // how many attempts are counted, and how many outcomes: the last ones
}

// Firsts is how the first charges of recent card tokens ended.
type Firsts struct {
	// Declines says of each card whether it was declined, the last charge first. Cards without an outcome are left out.
	Declines      []bool    `db:"declines"`
	FirstDeclined ids.Token `db:"first_declined"` // the oldest token that was declined; zero if there is none
	Made          int       `db:"made"`           // tokens in the last hour
	Unused        int       `db:"unused"`         // of them, those that could have been charged and were not
	Cards         int       `db:"cards"`
	Addresses     int       `db:"addresses"`
	Merchants     int       `db:"merchants"` // those with declined cards
}

// declined counts the declined ones of the last cards, of at most so many.
func (f Firsts) declined(last int) (n int) {
	for _, declined := range f.Declines[:min(last, len(f.Declines))] {
		if declined {
			n++
		}
	}
	return n
}

// approvals is how many of the last cards in a row were approved.
func (f Firsts) approvals() (n int) {
	for n < len(f.Declines) && !f.Declines[n] {
		n++
	}
	return n
}

// suspicious reports whether payers have to prove work: several of the last cards were declined, or many tokens wait
// for a charge.
func (f Firsts) suspicious() bool {
	return f.declined(suspectLast) >= suspectDeclined || f.Unused >= unusedSuspect && 2*f.Unused > f.Made
}

// attacked reports whether nearly all of the last cards were declined. After an attack, fewer are enough.
func (f Firsts) attacked(careful bool) bool {
	return f.declined(attackedLast) >= attackedDeclined || careful && f.declined(carefulLast) >= carefulDeclined
}

// over reports whether an attack has ended: the last cards were approved, or most of several, or there were none for
// a day.
func (f Firsts) over() bool {
	return len(f.Declines) == 0 || f.approvals() >= overApproved ||
		len(f.Declines) >= overLast && f.declined(overLast) <= overDeclined
}

// wide reports whether many of the last cards of an application were declined, and at several of its merchants.
func (f Firsts) wide() bool {
	return f.declined(wideLast) >= wideDeclined && f.Merchants >= wideMerchants
}

// hostile reports whether an address uses cards that are mostly declined.
func (f Firsts) hostile() bool {
	n := min(len(f.Declines), hostileLast)
	return n >= hostileLeast && 4*f.declined(hostileLast) >= 3*n
}

// trusted reports whether an address is one that many payers share, most of whose cards are approved.
func (f Firsts) trusted() bool {
	n := min(len(f.Declines), hostileLast)
	return n >= trustedLeast && 5*f.declined(hostileLast) <= n && f.Unused < unusedSuspect
}

// mostlyDeclined reports whether an address used at least two cards, and more of them were declined than approved. One
// is not enough: donors whose first card is declined use another.
func (f Firsts) mostlyDeclined() bool {
	n := min(len(f.Declines), hostileLast)
	return n >= declinedLeast && 2*f.declined(hostileLast) > n
}

// level is what a merchant's payers have to do.
type level int

// The levels.
const (
	calm       level = iota
	challenged       // every new token needs a proof of work
	restricted       // and few of unknown cards are made
)

// levelOf is the level that follows from the last first charges. was says that the merchant is restricted now.
func levelOf(was bool, f Firsts, careful, wide bool) level {
	switch {
	case was && !f.over(), !was && f.attacked(careful):
		return restricted
	case wide, f.suspicious():
		return challenged
	}
	return calm
}

// unknownAnHour is how many tokens of unknown cards a restricted merchant gets an hour. Each card that is approved
// doubles it, so that the restriction ends soon after an attack.
func unknownAnHour(f Firsts) int { return 2 << min(f.approvals(), overApproved) }
