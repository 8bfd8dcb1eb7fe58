package merchant

import (
	"context"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

// Status says what a merchant may still do; see [Allows].
type Status string

// The statuses.
const (
	Active    Status = "active"
	Suspended Status = "suspended" // stopped for now
	Closed    Status = "closed"    // for good; what is left is wound up
)

// Statuses lists every status that a merchant can have.
func Statuses() []Status { return []Status{Active, Suspended, Closed} }

// StatusNames lists them as words.
func StatusNames() (out []string) {
	for _, s := range Statuses() {
		out = append(out, string(s))
	}
	return out
}

// Move is one allowed change of status.
type Move struct{ From, To Status }

// Moves lists every allowed change. Closed is final.
func Moves() []Move {
	return []Move{{Active, Suspended}, {Suspended, Active}, {Active, Closed}, {Suspended, Closed}}
}

// Action is something that is done for a merchant.
type Action string

// The actions.
const (
	TakeCharge    Action = "new charges"
	TakeDonation  Action = "new donations"
	Capture       Action = "captures"
	Void          Action = "voids"
	Refund        Action = "refunds"
	AnswerDispute Action = "disputes"
	PayOut        Action = "payouts"
)

// Actions lists every action.
func Actions() []Action {
	return []Action{TakeCharge, TakeDonation, Capture, Void, Refund, AnswerDispute, PayOut}
}

// allowed says what each status lets be done; docs/merchant-states.md shows the same table.
var allowed = map[Status][]Action{
	Active:    Actions(),
	Suspended: {Capture, Void, Refund, AnswerDispute},
	Closed:    {Void, Refund, AnswerDispute, PayOut},
}

// Allows reports whether a merchant of that status may still do that.
func Allows(s Status, a Action) bool { return slices.Contains(allowed[s], a) }

// maxReason is how long a reason may be, in characters.
const maxReason = 255

// StatusInput is a wish to change what a merchant may do.
type StatusInput struct {
	MerchantID int64
	Status     Status
	Reason     string // for people, kept with the merchant
}

// SetStatus moves a merchant to another status. The status that it has already changes nothing and
// is no mistake; a move that is not listed is a conflict that names the status.
func (s *Service) SetStatus(ctx context.Context, actor authz.Actor, in StatusInput) (Merchant, error) {
	if err := s.audit.Allow(ctx, actor, authz.MerchantStatus, on(in.MerchantID)); err != nil {
		return Merchant{}, err
	}
	if !actor.Sees(in.MerchantID) {
		return Merchant{}, fault.Missing()
	}
	in.Reason = strings.TrimSpace(in.Reason)
	var fs fault.Fields
	if !slices.Contains(Statuses(), in.Status) {
		fs.Add("status", "parameter_invalid", "A merchant is active, suspended or closed.")
	}
	if in.Reason == "" {
		fs.Add("reason", "parameter_missing", "Say why the status changes.")
	} else {
		check.Text(&fs, "reason", &in.Reason, 1, maxReason)
	}
	if err := fs.Err(); err != nil {
		return Merchant{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Merchant{}, err
	}
	var after Merchant
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		before, err := s.LockTx(ctx, tx, actor.ApplicationID, in.MerchantID)
		if err != nil {
			return err
		}
		after = before
		if before.Status == in.Status {
			return nil
		}
		if !slices.Contains(Moves(), Move{before.Status, in.Status}) {
			return fault.New(fault.KindConflict, "merchant_status_not_allowed",
				"This merchant is "+string(before.Status)+" and stays so.").
				On("status").With("status", string(before.Status))
		}
		after.Status, after.StatusReason = in.Status, &in.Reason
		after, err = s.changedTx(tx, m, actor, authz.MerchantStatus, before, after)
		return err
	})
	return after, err
}
