package identity

import (
	"context"
	"strconv"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
)

// wrongCodes is how many wrong codes of a person are checked in any 24 hours, from anywhere. Right codes in between
// don't begin the count again, so that an attacker gains nothing from a person who signs in every day. The
// deployment's operator does ([Service.MakeReset]).
var wrongCodes = ratelimit.Bound{What: "wrong_codes", Most: 50, Within: 24 * time.Hour}

// wrongCodesOf is the key of a person's count, which is of no application.
func wrongCodesOf(personID int64) []byte {
	return digest("wrong_codes\x00" + strconv.FormatInt(personID, 10))
}

// isRecoveryCode reports whether a code has the form of a recovery code. With 80 random bits, those can't be guessed,
// so they aren't bounded by the day.
func isRecoveryCode(tidy string) bool { return len(tidy) == codeText.EncodedLen(recoveryBytes) }

// countWrong takes one of the day's wrong codes before a code is checked, so that many at once can't outrun the bound.
// The code counts until [Service.uncountWrong]. Fault: too_many_attempts.
func (s *Service) countWrong(ctx context.Context, personID int64, at time.Time) error {
	ok, err := wrongCodes.Take(ctx, s.pool, 0, wrongCodesOf(personID), at)
	if err != nil || ok {
		return err
	}
	return s.wrongCodesLeft(ctx, personID)
}

// uncountWrong removes a code that proved right from the count. at is when it was counted.
func (s *Service) uncountWrong(ctx context.Context, personID int64, at time.Time) error {
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		wrongCodes.UncountTx(tx, 0, wrongCodesOf(personID), at)
		return nil
	})
}

// wrongCodesLeft returns nil while a person may enter codes, or the fault too_many_attempts, which says when they may
// again.
func (s *Service) wrongCodesLeft(ctx context.Context, personID int64) error {
	now := s.now()
	left, err := wrongCodes.Left(ctx, s.pool, 0, wrongCodesOf(personID), now)
	if err != nil || left > 0 {
		return err
	}
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		wait, err := wrongCodes.NextTx(ctx, tx, 0, wrongCodesOf(personID), now)
		if err != nil {
			return err
		}
		return fault.New(fault.KindLimited, "too_many_attempts",
			"Too many wrong codes were entered in the last 24 hours. Codes of your app work again "+inWords(wait)+
				". Until then, use a passkey or a recovery code, or ask your administrator to reset your sign-in.").
			On("code").After(wait)
	})
}

// inWords is how long something takes, rounded up to minutes or hours.
func inWords(d time.Duration) string {
	minutes := int((d + time.Minute - 1) / time.Minute)
	switch hours := (minutes + 59) / 60; {
	case minutes <= 1:
		return "in a minute"
	case minutes < 60:
		return "in " + strconv.Itoa(minutes) + " minutes"
	case hours == 1:
		return "in an hour"
	default:
		return "in " + strconv.Itoa(hours) + " hours"
	}
}

// allowCodesTx queues that a person's wrong codes are forgotten, and those of the last minutes too.
func allowCodesTx(tx *pg.Tx, personID int64) {
	tx.Later(`DELETE FROM counted_acts WHERE application_id = 0 AND what = @what AND key = @key`,
		pg.Args{"what": wrongCodes.What, "key": wrongCodesOf(personID)})
	id := strconv.FormatInt(personID, 10)
	for _, b := range []bound{codeBound, proofBound} {
		tx.Later(`DELETE FROM attempts WHERE key = @key`, pg.Args{"key": b.key(id)})
	}
}
