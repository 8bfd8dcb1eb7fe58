package authz

import (
	"slices"
	"strings"

	"svcpay/internal/fault"
)

// Right is what a restricted key is given: a resource with read or write, such as refund:write.
// Who may write may read.
type Right string

const (
	readEnding  = ":read"
	writeEnding = ":write"
)

// Rights lists every right that a key can be given, in the order of the resources' names: those
// that some permission of a secret key needs.
func Rights() []Right {
	return []Right{
		"balance:read",
		"card_rule:read", "card_rule:write",
		"charge:read", "charge:write",
		"dispute:read", "dispute:write",
		"domain:read", "domain:write",
		"donation:read", "donation:write",
		"event:read", "event:write",
		"export:read", "export:write",
		"fee:read", "fee:write",
		"fee_default:read",
		"file:read", "file:write",
		"idempotency_key:read",
		"mandate:read", "mandate:write",
		"merchant:read", "merchant:write",
		"payout:read",
		"processing:read",
		"refund:read", "refund:write",
		"request_log:read",
		"sandbox:write",
		"search:read",
		"statement:read",
		"token:read", "token:write",
		"webhook:read", "webhook:write",
	}
}

// RightFor is the right that a permission needs: resource:action needs resource:read if the action
// is read, else resource:write. "" means that every key may.
func RightFor(p Permission) Right {
	if p == MeRead {
		return ""
	}
	resource, action, _ := strings.Cut(string(p), ":")
	if action == "read" {
		return Right(resource + readEnding)
	}
	return Right(resource + writeEnding)
}

// whole are the permissions whose use concerns all merchants of an application at once: no key
// that is limited to some has them. A file is no merchant's, and neither is an endpoint.
var whole = []Permission{FileRead, SandboxClock, IdempotencyKeyRead, MerchantCreate, WebhookRead, WebhookManage,
	EventRedeliver}

// Restriction is what a restricted key is held to.
type Restriction struct {
	Rights []Right
	// Merchants are the only ones whose objects the key sees; none means that it sees all.
	Merchants []int64
}

// Covers reports whether the rights are enough for a permission. No restriction at all covers nothing.
func (r *Restriction) Covers(p Permission) bool {
	if r == nil || r.limited() && slices.Contains(whole, p) {
		return false
	}
	needed := RightFor(p)
	resource, reads := strings.CutSuffix(string(needed), readEnding)
	return needed == "" || slices.Contains(r.Rights, needed) || reads &&
		slices.Contains(r.Rights, Right(resource+writeEnding))
}

func (r *Restriction) limited() bool { return r != nil && len(r.Merchants) > 0 }

// only returns the merchants that an actor is held to, if it is.
func (a Actor) only() (merchants []int64, held bool) {
	if a.Domain().Scope == ScopeOrganization {
		return a.Merchants, true
	}
	if a.Restriction.limited() {
		return a.Restriction.Merchants, true
	}
	return nil, false
}

// Sees reports whether objects of a merchant of the actor's application exist for the actor.
func (a Actor) Sees(merchantID int64) bool {
	merchants, held := a.only()
	return !held || slices.Contains(merchants, merchantID)
}

// Seen is a record of a merchant that was read for the actor: the fault that says that it is missing,
// unless the actor sees the merchant.
func Seen[T any](a Actor, record T, merchantID int64, err error) (T, error) {
	if err == nil && !a.Sees(merchantID) {
		err = fault.Missing()
	}
	if err != nil {
		var none T
		return none, err
	}
	return record, nil
}

// Reach looks whose an object is that the actor wants changed, before an idempotency key is: what the
// key keeps is not for everybody. An actor who sees every merchant need not wait for that.
func (a Actor) Reach(owner func() (merchantID int64, err error)) error {
	if _, held := a.only(); !held {
		return nil
	}
	merchantID, err := owner()
	_, err = Seen(a, merchantID, merchantID, err)
	return err
}

// Within holds a list's filter by merchants to those that the actor sees. nil selects all, as a
// filter and as an answer; an answer of no merchants selects nothing.
func (a Actor) Within(merchants []int64) []int64 {
	mine, held := a.only()
	switch {
	case !held:
		return merchants
	case merchants == nil:
		return append([]int64{}, mine...)
	}
	out := make([]int64, 0, len(merchants))
	for _, m := range merchants {
		if a.Sees(m) {
			out = append(out, m)
		}
	}
	return out
}
