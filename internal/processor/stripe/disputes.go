package stripe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
)

// Decline codes of responses to disputes, in addition to [processor.EvidenceRefused].
const (
	noDispute     = "dispute_not_found"
	notAnswerable = "dispute_not_answerable"
)

// Values that mark a response in a dispute's metadata.
const (
	submitted = "evidence"   // the same request submitted it
	accepting = "acceptance" // the chargeback is about to be closed
)

// ours is the metadata key of a response. Each response has its own key, because an inquiry that becomes a chargeback
// gets two responses.
func ours(reference string) string { return "svcpay_" + reference }

// Respond implements [processor.Disputes]. It uploads the files, then submits the evidence and our reference in one
// request. To accept a dispute, it first writes our reference, then closes the dispute. So a look-up finds either.
func (a *Adapter) Respond(ctx context.Context, r processor.Response) (processor.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	c, _, err := a.at(ctx, r.Account)
	if err != nil {
		return processor.Answer{}, err
	}
	d, err := retrieveDispute(ctx, c, r.Dispute)
	if errors.Is(err, processor.ErrNotFound) {
		return followDeclined(noDispute), nil
	}
	if err != nil {
		return processor.Answer{}, err
	}
	if answer, err := responded(d, r.Reference); err == nil {
		return answer, nil
	}
	if !answerable(d, r, a.config.Now()) {
		return followDeclined(notAnswerable), nil
	}
	send := func() error { return closeDispute(ctx, c, r) }
	if !r.Accept {
		e, code, err := prepare(ctx, c, r)
		switch {
		case err != nil:
			return processor.Answer{}, err
		case code != "":
			return processor.Answer{DeclineCode: processor.EvidenceRefused, RawCode: code}, nil
		}
		send = func() error { return e.submit(ctx, c, r) }
	}
	if err := send(); err != nil {
		return a.responseRefused(ctx, c, r, err)
	}
	return processor.Answer{Approved: true}, nil
}

// responseRefused is the outcome of a response that returned an error. The dispute shows why Stripe refused it.
func (a *Adapter) responseRefused(ctx context.Context, c *sdk.Client, r processor.Response,
	err error) (processor.Answer, error) {
	e, ok := final(err)
	if !ok {
		return processor.Answer{}, problem("respond to "+r.Dispute, err)
	}
	d, err := retrieveDispute(ctx, c, r.Dispute)
	if errors.Is(err, processor.ErrNotFound) {
		return followDeclined(noDispute), nil
	}
	if err != nil {
		return processor.Answer{}, err
	}
	if answer, err := responded(d, r.Reference); err == nil {
		return answer, nil
	}
	answer := followDeclined(notAnswerable)
	if answerable(d, r, a.config.Now()) {
		answer = followDeclined(otherRefusal)
		if !r.Accept {
			answer = followDeclined(processor.EvidenceRefused)
		}
	}
	answer.RawCode = cmp.Or(string(e.Code), answer.RawCode)
	return answer, nil
}

// retrieveDispute reads a dispute with its payment, or returns ErrNotFound.
func retrieveDispute(ctx context.Context, c *sdk.Client, id string) (*sdk.Dispute, error) {
	if id == "" {
		return nil, processor.ErrNotFound
	}
	p := &sdk.DisputeRetrieveParams{}
	p.AddExpand("payment_intent")
	d, err := c.V1Disputes.Retrieve(ctx, id, p)
	switch {
	case isMissing(err):
		return nil, processor.ErrNotFound
	case err != nil:
		return nil, problem("retrieve dispute", err)
	case d.ID != id:
		return nil, fmt.Errorf("stripe: asked for %s, the answer is about another dispute", id)
	}
	return d, nil
}

// responded is the outcome of a response that is marked in a dispute's metadata, or ErrNotFound. A lost chargeback
// counts as accepted: the payer has the money in both cases.
func responded(d *sdk.Dispute, reference string) (processor.Answer, error) {
	switch what := d.Metadata[ours(reference)]; {
	case what == submitted, what == accepting && d.Status == sdk.DisputeStatusLost:
		return processor.Answer{Approved: true}, nil
	}
	return processor.Answer{}, processor.ErrNotFound
}

// answerable reports whether a dispute can take such a response. An inquiry can't be accepted, and evidence for an
// inquiry must not be used up on a chargeback. Stripe accepts late evidence but does not promise to forward it. If the
// payer's bank accepts no response, no evidence is in time.
func answerable(d *sdk.Dispute, r processor.Response, now time.Time) bool {
	switch {
	case d.Status == sdk.DisputeStatusWarningNeedsResponse && !r.Accept, d.Status == sdk.DisputeStatusNeedsResponse &&
		!r.Retrieval:
	default:
		return false
	}
	if d.EvidenceDetails == nil {
		return true
	}
	due := d.EvidenceDetails.DueBy
	return due == 0 && r.Accept || now.Before(time.Unix(due, 0))
}

// closeDispute accepts a chargeback.
func closeDispute(ctx context.Context, c *sdk.Client, r processor.Response) error {
	announce := &sdk.DisputeUpdateParams{Submit: sdk.Bool(false),
		Metadata: map[string]string{ours(r.Reference): accepting}}
	announce.SetIdempotencyKey(r.Reference + ":accept")
	if _, err := c.V1Disputes.Update(ctx, r.Dispute, announce); err != nil {
		return err
	}
	p := &sdk.DisputeCloseParams{}
	p.SetIdempotencyKey(r.Reference)
	done, err := c.V1Disputes.Close(ctx, r.Dispute, p)
	if err == nil && done.Status != sdk.DisputeStatusLost {
		err = fmt.Errorf("stripe: the closed %s has another status than lost", r.Dispute)
	}
	return err
}

// disputeLife is the longest time between the opening of a dispute and the last response to it: an inquiry can take
// months to become a chargeback.
const disputeLife = 180 * 24 * time.Hour

// findResponse finds the dispute whose metadata marks a response. A key that may not read disputes made none, because
// [Adapter.Respond] reads the dispute first. Without this rule, captures and voids that never reached Stripe would stay
// unknown.
func findResponse(ctx context.Context, c *sdk.Client, s submission) (processor.Answer, error) {
	p := &sdk.DisputeListParams{CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: s.at.Add(-disputeLife).Unix(),
		LesserThanOrEqual: s.at.Add(clockSkew).Unix()}}
	p.Limit = sdk.Int64(pageSize)
	d, err := first(ctx, c.V1Disputes.List(ctx, p), "list disputes",
		func(d *sdk.Dispute) bool { return d.Metadata[ours(s.reference)] != "" })
	switch {
	case errors.Is(err, errForbidden):
		return processor.Answer{}, processor.ErrNotFound
	case err != nil:
		return processor.Answer{}, err
	}
	return responded(d, s.reference)
}
