// Package planted names bugs that a build with the planted tag has on purpose, one at a time, so that
// the chaos run can show that it finds them. Other builds contain none of them.
package planted

// The bugs.
const (
	CallBeforeClaim   = "call_before_claim"   // the processor is called before the claim is committed
	Resubmit          = "resubmit"            // a call without an answer is made again
	EventAfterCommit  = "event_after_commit"  // an event is written after the change that it tells of
	RefundWithoutLock = "refund_without_lock" // what is left of a charge is read without its lock
)

// Names lists them.
func Names() []string {
	return []string{CallBeforeClaim, Resubmit, EventAfterCommit, RefundWithoutLock}
}
