package check

import "svcpay/internal/fault"

// Version wants an object to be of the version that its caller read; nil is any. Else the fault is
// object_changed, with the version that there is. It is asked with the object locked, once the request's
// key is claimed: a repetition of a change gets the answer of the first although the version is another by
// then.
func Version(wanted *int, is int) error {
	if wanted != nil && *wanted != is {
		return fault.Changed().With("version", is)
	}
	return nil
}
