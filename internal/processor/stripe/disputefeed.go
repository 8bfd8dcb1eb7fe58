package stripe

import (
	"context"
	"fmt"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// readDispute reads a dispute and returns the events of all its known stages, starting with the opening.
func readDispute(ctx context.Context, c *sdk.Client, b body) ([]processor.Event, error) {
	d, err := retrieveDispute(ctx, c, b.Object)
	switch {
	case err != nil:
		return nil, err
	case d.PaymentIntent == nil: // not our payment
		return nil, nil
	case d.PaymentIntent.Object == "":
		return nil, fmt.Errorf("stripe: %s has no payment", d.ID)
	}
	reference := referenceIn(d.PaymentIntent.Metadata, b.account)
	if reference == "" {
		return nil, nil
	}
	if isDebit(d.PaymentIntent) {
		return disputedDebit(b, d)
	}
	stages, err := stagesOf(b, d)
	if err != nil {
		return nil, err
	}
	events := make([]processor.Event, len(stages))
	for i, s := range stages {
		n := noticeOf(d)
		n.Retrieval = s.retrieval
		events[i] = processor.Event{Kind: s.kind, Reference: reference, Dispute: &n}
	}
	return events, nil
}

// stage is a step in the life of a dispute, with the event that reports it.
type stage struct {
	kind      processor.EventKind
	retrieval bool
}

// stagesOf returns the stages that a dispute went through. Its first event, or the status in an event, shows how it
// began: a dispute that ever was an inquiry began as one. If the dispute has ended and the event does not show how it
// began, only the outcome is reported.
func stagesOf(b body, d *sdk.Dispute) ([]stage, error) {
	end, ok := ends[d.Status]
	if d.Status == sdk.DisputeStatusPrevented {
		end, ok = prevented(b, d), true
	}
	if !ok {
		return nil, fmt.Errorf("stripe: %s is in an unknown status", d.ID)
	}
	var stages []stage
	inquiry := isInquiry(b.Status) || isInquiry(b.Before) || isInquiry(string(d.Status))
	switch {
	case inquiry, end == processor.DisputeClosed:
		stages = append(stages, stage{processor.DisputeOpened, true})
		if !isInquiry(string(d.Status)) && end != processor.DisputeClosed {
			stages = append(stages, stage{processor.DisputeEscalated, false})
		}
	case b.Type == sdk.EventTypeChargeDisputeCreated, end == "":
		stages = append(stages, stage{processor.DisputeOpened, false})
	}
	if end != "" {
		stages = append(stages, stage{end, end == processor.DisputeClosed})
	}
	return stages, nil
}

// ends maps Stripe's statuses to outcomes; "" means that the dispute is not decided.
var ends = map[sdk.DisputeStatus]processor.EventKind{
	sdk.DisputeStatusWarningNeedsResponse: "",
	sdk.DisputeStatusWarningUnderReview:   "",
	sdk.DisputeStatusWarningClosed:        processor.DisputeClosed,
	sdk.DisputeStatusNeedsResponse:        "",
	sdk.DisputeStatusUnderReview:          "",
	sdk.DisputeStatusWon:                  processor.DisputeWon,
	sdk.DisputeStatusLost:                 processor.DisputeLost,
}

// prevented is the outcome of a dispute that a dispute prevention service ended. The service may have refunded the
// payer. If no money moved, the dispute was only an inquiry.
func prevented(b body, d *sdk.Dispute) processor.EventKind {
	var left int64
	for _, t := range d.BalanceTransactions {
		left += t.Amount
	}
	switch {
	case left < 0:
		return processor.DisputeLost
	case len(d.BalanceTransactions) > 0, wasChargeback(b.Before), wasChargeback(b.Status):
		return processor.DisputeWon
	}
	return processor.DisputeClosed
}

func wasChargeback(status string) bool {
	return status == string(sdk.DisputeStatusNeedsResponse) || status == string(sdk.DisputeStatusUnderReview)
}

func isInquiry(status string) bool { return strings.HasPrefix(status, "warning_") }

// noticeOf describes a dispute. If the payer's bank accepts no response, the due date is the time it was opened.
func noticeOf(d *sdk.Dispute) processor.DisputeNotice {
	due := d.Created
	if e := d.EvidenceDetails; e != nil && e.DueBy != 0 {
		due = e.DueBy
	}
	return processor.DisputeNotice{ID: d.ID, Reason: reasonOf(d.Reason), Amount: money.Amount(d.Amount),
		Currency:  money.Currency(d.Currency),
		RespondBy: time.Unix(due, 0).UTC()}
}

// reasonOf returns Stripe's reason, which the API uses, too.
func reasonOf(r sdk.DisputeReason) string {
	if r == "" || strings.ContainsFunc(string(r), func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') }) {
		return string(sdk.DisputeReasonGeneral)
	}
	return string(r)
}
