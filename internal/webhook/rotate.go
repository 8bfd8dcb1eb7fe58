package webhook

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// overlaps are how long a secret that was replaced may go on signing.
var overlaps = map[string]time.Duration{"now": 0, "1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour}

// Overlaps lists the words for how long the former secret goes on signing.
func Overlaps() []string { return []string{"now", "1h", "24h", "7d"} }

// RotateInput is the body of a rotation; the former secret goes on for 24 hours unless it says otherwise.
type RotateInput struct {
	Overlap *string `json:"overlap" default:"24h"`
}

// Validate returns every mistake of the input.
func (in RotateInput) Validate() fault.Fields {
	var fs fault.Fields
	check.OneOf(&fs, "overlap", in.Overlap, Overlaps()...)
	return fs
}

// Rotate gives an endpoint a new secret, which is in the answer and in no later one. Until the overlap
// is over, each message has a signature of both. A third secret ends the first.
func (s *Service) Rotate(ctx context.Context, actor authz.Actor, id string, in RotateInput,
	claim *idempotency.Claim) (idempotency.Result[Endpoint], error) {
	overlap := overlaps["24h"]
	if in.Overlap != nil && slices.Contains(Overlaps(), *in.Overlap) {
		overlap = overlaps[*in.Overlap]
	}
	return s.change(ctx, actor, id, in.Validate(), claim, func(_ *pg.Tx, e *Endpoint) (err error) {
		e.SealedPrevious, e.PreviousUntil = nil, nil
		if overlap > 0 {
			e.SealedPrevious, e.PreviousUntil = e.Sealed, instant.Ptr(s.deps.Now().Add(overlap))
		}
		e.Secret, e.Sealed, err = s.newSecret(e.ID)
		return err
	})
}
