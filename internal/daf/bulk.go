package daf

import (
	"context"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/platform/audit"
)

// maxBulk is how many donations one request moves.
const maxBulk = 50

// BulkInput wants one status for several donations, with a note for those that get it.
type BulkInput struct {
	Donations []BulkOne
	Status    Status
	Note      *string
}

// BulkOne is one of several donations, with metadata of its own; the other two are as of [UpdateInput].
type BulkOne struct {
	ID        string
	IfVersion *int // refused with object_changed if it is of another version, unless it has the status
	Pairs     map[string]string
}

// BulkResult is the outcome of one donation of several: as it is now, or why it stayed as it was.
type BulkResult struct {
	ID       string
	Donation Donation
	Refused  *fault.Error
	Stayed   bool // it had the status already
}

// SetStatuses gives several donations, at most 50, a status by hand, each as [Service.Update] does and by
// itself: what one is refused does not keep the others, and one that has the status
// stays as it is. The results are in the order of the input; an error other than a refusal ends the work, with the
// results so far.
func (s *Service) SetStatuses(ctx context.Context, actor authz.Actor, in BulkInput) ([]BulkResult, error) {
	if err := s.audit.Allow(ctx, actor, authz.DonationUpdate, audit.Of("daf_donation", "", 0)); err != nil {
		return nil, err
	}
	var fs fault.Fields
	if n := len(in.Donations); n < 1 || n > maxBulk {
		fs.Add("donations", "parameter_invalid", fmt.Sprintf("1 to %d donations.", maxBulk))
	}
	one := UpdateInput{Status: patch.Set(string(in.Status))}
	if in.Note != nil {
		one.Note = patch.Set(*in.Note)
	}
	fs = append(fs, one.Validate()...)
	for i, d := range in.Donations {
		var of fault.Fields
		check.Metadata(&of, d.Pairs)
		for _, f := range of {
			fs.Add(fmt.Sprintf("donations[%d].%s", i, f.Param), f.Code, f.Message)
		}
	}
	if err := fs.Err(); err != nil {
		return nil, err
	}
	results := make([]BulkResult, 0, len(in.Donations))
	for _, d := range in.Donations {
		stayed, id := false, d.ID
		one.IfVersion, one.Pairs = d.IfVersion, d.Pairs
		out, err := s.update(ctx, actor, id, one, nil, func(d Donation) bool {
			stayed = d.Status == in.Status
			return stayed
		})
		refused, ok := fault.As(err)
		if err != nil && (!ok || refused.Kind == fault.KindInternal) {
			return results, err
		}
		results = append(results, BulkResult{ID: id, Donation: out.Object, Refused: refused, Stayed: stayed})
	}
	return results, nil
}
