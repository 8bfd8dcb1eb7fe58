package receipt

import (
	"context"
	"crypto/sha256"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
)

// Receipts go to any address that a person types, so they are limited by address and by person, in an application. The
// mail service limits those of one charge.
var (
	addressBound = ratelimit.Bound{What: "receipt_address", Most: 10, Within: time.Hour}
	personBound  = ratelimit.Bound{What: "receipt_person", Most: 30, Within: time.Hour}
)

// countTx counts a receipt of an actor to an address, unless one of the two has had too many. The locks of all senders
// are in the same order. Fault: too_many_attempts.
func countTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, email string, now time.Time) error {
	if actor.IsPerson() {
		if err := countOneTx(ctx, tx, personBound, actor.ApplicationID, strconv.FormatInt(actor.PersonID, 10),
			"You sent many receipts within the last hour. Wait a while, then try again.", now); err != nil {
			return err
		}
	}
	return countOneTx(ctx, tx, addressBound, actor.ApplicationID, strings.ToLower(email),
		"This address got many receipts within the last hour. Wait a while, then try again.", now)
}

// countOneTx counts one receipt within a bound. The database keeps a digest of what names the person or the address.
func countOneTx(ctx context.Context, tx *pg.Tx, b ratelimit.Bound, applicationID int64, of, tooMany string,
	now time.Time) error {
	key := sha256.Sum256([]byte(b.What + "\x00" + of))
	left, err := b.LockTx(ctx, tx, applicationID, key[:], now)
	if err != nil {
		return err
	}
	if left <= 0 {
		next, err := b.NextTx(ctx, tx, applicationID, key[:], now)
		if err != nil {
			return err
		}
		return fault.New(fault.KindLimited, "too_many_attempts", tooMany).After(next)
	}
	b.CountTx(tx, applicationID, key[:], now)
	return nil
}
