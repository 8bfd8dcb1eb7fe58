package operation

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/crash"
)

// FlowOf makes the calls about one kind of object, from the moment on at which each is written down: it
// makes the call, has its outcome written, and answers later requests with the same key.
type FlowOf[T any, A Answer] struct {
	// Name is the kind of object, in the log and in the names of the crash points.
	Name string
	// Find reads the object that a key was claimed for.
	Find func(ctx context.Context, applicationID int64, object [16]byte) (T, error)
	// Finish writes an outcome.
	Finish   func(ctx context.Context, o OutcomeOf[A]) (Finished[T], error)
	Resolver *ResolverOf[A]
}

// Claimed is what the first step of an operation leaves: the object and the operation, written down and about to be
// called. Otherwise Prior is what an earlier request with the same key left, or Refused is why the caller gets no
// object.
type Claimed[T any] struct {
	Object    T
	Operation Operation
	Prior     *idempotency.Prior
	Refused   error
}

// Proceeds reports whether the operation was written down.
func (c Claimed[T]) Proceeds() bool { return c.Prior == nil && c.Refused == nil }

// Finished is an object whose operation has ended.
type Finished[T any] struct {
	Object  T
	Text    json.RawMessage // JSON of the object, if it was encoded already
	Refusal *fault.Error    // what the caller gets instead of the object; nil: the object
}

// Flow makes the calls to the processor about one kind of object.
type Flow[T any] = FlowOf[T, processor.Answer]

// CarryOut makes the call of an operation that is written down, and has its outcome written. A call that was not sent
// ([ErrNotSent]) fails at once. A call without an answer, or one whose outcome cannot be written now, is not an error:
// its outcome is unknown, and the resolver will find it out. The object is then as it was before.
func (f FlowOf[T, A]) CarryOut(ctx context.Context, before T, o Operation,
	call func(context.Context) (A, error),
) (idempotency.Result[T], error) {
	about := []any{"kind", string(o.Kind), "operation", o.ID.String(), "request_id", o.RequestID.String()}
	answer, err := Call(ctx, o, f.Resolver.machine(), call)
	crash.Point(f.Name + ".called")
	outcome := OutcomeOf[A]{Operation: o, Answer: &answer}
	switch {
	case errors.Is(err, ErrNotSent):
		slog.WarnContext(ctx, "a call was not sent", append(about, "error", err.Error())...)
		outcome = OutcomeOf[A]{Operation: o, Unsent: err}
	case err != nil:
		slog.WarnContext(ctx, "the outcome of a call is unknown", append(about, "error", err.Error())...)
		if err := f.wait(ctx, o); err != nil {
			// It may be approved all the same: a refusal would invite a second one.
			slog.ErrorContext(ctx, "a call could not be put off", append(about, "error", err.Error())...)
		}
		return idempotency.Result[T]{Object: before, Unknown: true}, nil
	}
	end, err := f.Finish(ctx, outcome)
	if err != nil {
		// It is decided but we could not write it down.
		slog.ErrorContext(ctx, "a call could not be finished", append(about, "error", err.Error())...)
		return idempotency.Result[T]{Object: before, Unknown: true}, nil
	}
	crash.Point(f.Name + ".finished")
	if end.Refusal != nil {
		return idempotency.Result[T]{}, end.Refusal
	}
	return idempotency.Result[T]{Object: end.Object, Text: end.Text}, nil
}

// wait notes that the caller is told to wait, and has the resolver ask soon.
func (f FlowOf[T, A]) wait(ctx context.Context, o Operation) error {
	return pg.InTx(ctx, f.Resolver.pool, func(tx *pg.Tx) error {
		SoonTx(tx, o.ID, f.Resolver.machine())
		if o.IdempotencyKey != nil {
			idempotency.AcceptTx(tx, o.Held())
		}
		return nil
	})
}

// Resume answers a request whose key was taken before. The owner of a key that stays claimed may have
// died: then this request finds out the outcome of its object.
func (f FlowOf[T, A]) Resume(ctx context.Context, claim *idempotency.Claim, prior *idempotency.Prior,
) (out idempotency.Result[T], err error) {
	if prior.State == idempotency.Claimed {
		if f.Resolver.machine().Sub(prior.CreatedAt) < idempotency.InFlight {
			return out, idempotency.InUse()
		}
		if err := f.Resolver.ResolveSubject(ctx, claim.ApplicationID, prior.ObjectID); err != nil {
			return out, err
		}
		if prior, err = idempotency.Find(ctx, f.Resolver.pool, claim); err != nil {
			return out, err
		}
	}
	if prior != nil && prior.State == idempotency.Accepted {
		object, err := f.Find(ctx, claim.ApplicationID, prior.ObjectID)
		if err != nil {
			return out, err
		}
		// Read again: it may have become known, and then the object that was read is none to wait for.
		if prior, err = idempotency.Find(ctx, f.Resolver.pool, claim); err != nil {
			return out, err
		}
		if prior != nil && prior.State == idempotency.Accepted {
			return idempotency.Result[T]{Object: object, Prior: prior, Unknown: true}, nil
		}
	}
	if prior == nil || prior.State != idempotency.Done {
		return out, idempotency.InUse()
	}
	return idempotency.Result[T]{Prior: prior}, nil
}

// StoreTx queues the outcome of the key that wanted the operation, if one did: the object, unless there
// is a refusal.
func (o Operation) StoreTx(tx *pg.Tx, result any, refusal *fault.Error) error {
	if o.IdempotencyKey == nil {
		return nil
	}
	return idempotency.StoreTx(tx, o.Held(), result, refusal)
}
