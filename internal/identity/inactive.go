package identity

import (
	"time"

	"svcpay/internal/fault"
)

// inactiveAfter is how long an account stays open without a sign-in (PCI DSS 8.2.6). After that, its password is
// refused until it is reset by a link, which shows that the person still has their mailbox.
const inactiveAfter = 90 * 24 * time.Hour

var errInactive = fault.New(fault.KindUnauthenticated, "account_inactive",
	"You haven’t signed in for 90 days. To sign in again, reset your password.")

// lastUsed is when an account was last used: when its person last signed in with any browser that is known, got a new
// password, or was added. For the table people as p.
const lastUsed = `greatest(p.created_at,
	(SELECT max(b.last_seen_at) FROM known_browsers b WHERE b.person_id = p.id),
	(SELECT max(f.replaced_at) FROM former_passwords f WHERE f.person_id = p.id))`
