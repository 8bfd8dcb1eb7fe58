package token

import (
	"context"
	"encoding/json"
	"errors"

	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/instant"
	"svcpay/internal/pg"
)

// Result is what a request about one object came to: the object as it is now, or what an earlier
// request with the same key left.
type Result[T any] struct {
	Object T
	Prior  *idempotency.Prior
}

// remembered is a refusal that wrote something: its transaction is committed, and its key keeps it.
type remembered struct{ refusal *fault.Error }

func (r remembered) Error() string { return r.refusal.Error() }

// once runs do in a transaction and stores the object that it returns, or a refusal to remember, as the
// outcome of the request's key. Every other error takes back all that was written, the key's claim too.
func once[T any](ctx context.Context, s *Service, claim *idempotency.Claim, applicationID int64, objectID [16]byte,
	do func(*pg.Tx, instant.Moment) (T, error),
) (out Result[T], err error) {
	m, err := s.Clock.Moment(ctx, applicationID)
	if err != nil {
		return out, err
	}
	var refusal *fault.Error
	err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		out, refusal = Result[T]{}, nil
		verdicts, err := idempotency.ClaimTx(ctx, tx, m.Machine, []idempotency.Entry{{Claim: claim, ObjectID: objectID}})
		if err != nil {
			return err
		}
		switch v := verdicts[0]; {
		case v.Err != nil:
			return v.Err
		case v.Prior != nil && v.Prior.State != idempotency.Done:
			return idempotency.InUse()
		case v.Prior != nil:
			out.Prior = v.Prior
			return nil
		}
		out.Object, err = do(tx, m)
		if kept := (remembered{}); errors.As(err, &kept) {
			refusal, err = kept.refusal, nil
		}
		if err != nil || claim == nil {
			return err
		}
		return finishTx(tx, claim, objectID, out.Object, refusal)
	})
	if err == nil && refusal != nil {
		err = refusal
	}
	return out, err
}

// finishTx queues the outcome of a key: an object, unless there is a refusal.
func finishTx(tx *pg.Tx, claim *idempotency.Claim, objectID [16]byte, object any, refusal *fault.Error) error {
	o := idempotency.Outcome{Refusal: refusal}
	if refusal == nil {
		var err error
		if o.Result, err = json.Marshal(object); err != nil {
			return err
		}
	}
	return idempotency.FinishTx(tx, idempotency.Held{ApplicationID: claim.ApplicationID, Key: claim.Key, ObjectID: objectID}, o)
}
