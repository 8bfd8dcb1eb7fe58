package daf

import (
	"context"
	"fmt"
	"maps"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// UpdateInput is the body of an update. Members that are not given stay as they are; null clears all but
// the status. Metadata is replaced as a whole. A note that comes with a status is in the history, too.
type UpdateInput struct {
	Status          patch.Member[string]            `json:"status"`
	Note            patch.Member[string]            `json:"note"`
	ExternalGrantID patch.Member[string]            `json:"external_grant_id"`
	Metadata        patch.Member[map[string]string] `json:"metadata"`
	// Pairs are put among the metadata, and the others stay; one without a value is taken out.
	Pairs map[string]string `json:"-"`
	// IfVersion is the version that the donation must still have; nil for any.
	IfVersion *int `json:"-"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in UpdateInput) Validate() fault.Fields {
	var fs fault.Fields
	if in.Status.Given && in.Status.Value == nil {
		fs.Add("status", "parameter_invalid", "This cannot be null: leave it out to leave it as it is.")
	}
	check.OneOf(&fs, "status", in.Status.Value, Statuses()...)
	if n := in.Note.Value; n != nil {
		check.Prose(&fs, "note", *n, maxNote)
	}
	check.Word(&fs, "external_grant_id", in.ExternalGrantID.Value, 1, check.MaxExternalID)
	if m := in.Metadata.Value; m != nil {
		check.Metadata(&fs, *m)
	}
	check.Metadata(&fs, in.Pairs)
	return fs
}

// on merges the update into a donation that its transaction holds.
func (in UpdateInput) on(d Donation, m instant.Moment) (Donation, error) {
	if in.Status.Value != nil && Status(*in.Status.Value) != d.Status {
		to := Status(*in.Status.Value)
		switch {
		case !allowed(d.Kind, d.Status, to, ByHand):
			return d, notAllowed(d, to)
		case d.undecided():
			return d, fault.New(fault.KindConflict, "operation_in_progress",
				"Whether the provider took the grant is not known yet. Try again when it is.").On("status").After(
				time.Second)
		}
		d = move(d, to, m)
	}
	d.Note, d.ExternalGrantID = in.Note.On(d.Note), in.ExternalGrantID.On(d.ExternalGrantID)
	if in.Metadata.Given {
		d.Metadata = map[string]string{}
		if given := in.Metadata.Value; given != nil {
			d.Metadata = maps.Clone(*given)
		}
	}
	var fs fault.Fields
	if len(in.Pairs) > 0 {
		d.Metadata = with(d.Metadata, in.Pairs)
		check.Metadata(&fs, d.Metadata) // together they may be too many
	}
	return d, fs.Err()
}

// with are metadata with other pairs among them.
func with(metadata, pairs map[string]string) map[string]string {
	out := maps.Clone(orEmpty(metadata))
	for key, value := range pairs {
		if out[key] = value; value == "" {
			delete(out, key)
		}
	}
	return out
}

// undecided reports whether the outcome of the grant's submission is not known yet.
func (d Donation) undecided() bool {
	return d.Kind == Integrated && d.TrackingID == nil && d.Failure == nil
}

func notAllowed(d Donation, to Status) error {
	return fault.New(fault.KindConflict, "daf_status_not_allowed",
		fmt.Sprintf("The donation is %s. One of this kind cannot be made %s by hand from there.", d.Status, to)).
		On("status").With("status", string(d.Status))
}

// Update changes a donation's status by hand, and what the merchant wrote on it. One that changes nothing
// makes no version and no event.
//
// Faults: the mistakes of the input; resource_missing; object_changed, with the version that there is;
// daf_status_not_allowed; operation_in_progress while it is not known whether the provider took the grant.
func (s *Service) Update(ctx context.Context, actor authz.Actor, id string, in UpdateInput,
	claim *idempotency.Claim) (Result, error) {
	return s.update(ctx, actor, id, in, claim, func(Donation) bool { return false })
}

// update is Update of a donation that is not to be left alone.
func (s *Service) update(ctx context.Context, actor authz.Actor, id string, in UpdateInput, claim *idempotency.Claim,
	leave func(Donation) bool,
) (Result, error) {
	if err := s.audit.Allow(ctx, actor, authz.DonationUpdate, audit.Of("daf_donation", id, 0)); err != nil {
		return Result{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return Result{}, err
	}
	donationID, err := ids.ParseDonation(id)
	if err != nil {
		return Result{}, fault.Missing()
	}
	if err := actor.Reach(func() (int64, error) {
		d, err := s.find(ctx, actor.ApplicationID, donationID)
		return d.MerchantID, err
	}); err != nil {
		return Result{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Result{}, err
	}
	return idempotency.Once(ctx, s.deps.Pool, claim, m.Machine, donationID.Bytes(), func(tx *pg.Tx) (Donation, error) {
		before, err := s.lockTx(ctx, tx, actor.ApplicationID, donationID)
		if err != nil {
			return Donation{}, err
		}
		if leave(before.Donation) {
			return before.Donation, nil
		}
		if err := check.Version(in.IfVersion, before.Version); err != nil {
			return Donation{}, err
		}
		after, err := in.on(before.Donation, m)
		if err != nil {
			return Donation{}, err
		}
		after, err = s.changeTx(tx, m, before.Donation, after, in.Note.Value, causeOf(actor))
		if err != nil {
			return Donation{}, err
		}
		return after, s.audit.DoneTx(tx, actor, authz.DonationUpdate, audit.Of("daf_donation", id, after.MerchantID),
			before.Donation, after)
	})
}
