package daf

import (
	"context"
	"fmt"

	"svcpay/internal/audit"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/patch"
)

// maxBulk is how many donations one request moves.
const maxBulk = 50

// BulkInput wants one status for several donations, with a note and metadata for those that get it.
type BulkInput struct {
	Donations []string
	Status    Status
	Note      *string
	Pairs     map[string]string // as of [UpdateInput]
}

// BulkResult is what became of one donation of several: as it is now, or why it stayed as it was.
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
	one := UpdateInput{Status: patch.Set(string(in.Status)), Pairs: in.Pairs}
	if in.Note != nil {
		one.Note = patch.Set(*in.Note)
	}
	if err := append(fs, one.Validate()...).Err(); err != nil {
		return nil, err
	}
	results := make([]BulkResult, 0, len(in.Donations))
	for _, id := range in.Donations {
		stayed := false
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
