package idempotency

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

// Result is the answer to a request that changes something.
type Result[T any] struct {
	// Object is what the request was about, as it is now.
	Object T
	// Text is the JSON of Object, where it was written already; nil: it was not.
	Text json.RawMessage
	// Prior is what an earlier request with the same key left; Object is then unset unless the outcome
	// is still unknown.
	Prior *Prior
	// Unknown: what the request came to will be known later. Object is as it was before.
	Unknown bool
	// Existing: nothing was made. An earlier request, with another key or none, made Object.
	Existing bool
}

// InFlight is how long the first request of a key is left alone before a retry takes over: its server
// may have died.
const InFlight = 2 * time.Second

// kept is a refusal that wrote something.
type kept struct{ refusal *fault.Error }

func (k kept) Error() string { return k.refusal.Error() }

// Keep marks a refusal that wrote something: [Once] commits its transaction, and its key keeps it.
func Keep(refusal *fault.Error) error { return kept{refusal} }

// Once runs do in a transaction and stores the object that it returns, or a refusal to keep, as the
// outcome of the request's key. Every other error takes back all that was written, the key's claim too.
// do may run again, as in [pg.InTx]. object is what the key is about; machine is the machine's time.
func Once[T any](ctx context.Context, pool *pgxpool.Pool, claim *Claim, machine time.Time, object [16]byte,
	do func(*pg.Tx) (T, error),
) (out Result[T], err error) {
	var refusal *fault.Error
	err = pg.InTx(ctx, pool, func(tx *pg.Tx) error {
		out, refusal = Result[T]{}, nil
		verdicts, err := ClaimTx(ctx, tx, machine, []Entry{{Claim: claim, ObjectID: object}})
		if err != nil {
			return err
		}
		switch v := verdicts[0]; {
		case v.Err != nil:
			return v.Err
		case v.Prior != nil && v.Prior.State != Done: // claim and outcome are written together
			return InUse()
		case v.Prior != nil:
			out.Prior = v.Prior
			return nil
		}
		out.Object, err = do(tx)
		if k := (kept{}); errors.As(err, &k) {
			refusal, err = k.refusal, nil
		}
		if err != nil {
			return err
		}
		return claim.StoreTx(tx, object, out.Object, refusal)
	})
	if err == nil && refusal != nil {
		err = refusal
	}
	return out, err
}

// StoreTx queues the outcome of the key: the object, unless there is a refusal. A request without a key
// stores nothing.
func (c *Claim) StoreTx(tx *pg.Tx, object [16]byte, result any, refusal *fault.Error) error {
	if c == nil {
		return nil
	}
	return StoreTx(tx, Held{ApplicationID: c.ApplicationID, Key: c.Key, ObjectID: object}, result, refusal)
}

// StoreTx queues the outcome of a key that is held: the object, or its JSON as [json.RawMessage], unless there is a
// refusal.
func StoreTx(tx *pg.Tx, h Held, result any, refusal *fault.Error) error {
	if refusal != nil {
		return FinishTx(tx, h, Outcome{Refusal: refusal})
	}
	text, written := result.(json.RawMessage)
	if !written {
		var err error
		if text, err = json.Marshal(result); err != nil {
			return err
		}
	}
	return FinishTx(tx, h, Outcome{Result: text})
}
