package daf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/operation"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// The codes of a failure.
const (
	declined     = "daf_session_declined"
	notSubmitted = "not_submitted"
)

// declines tells, by decline code, why a fund refused. A provider's own words are not ours to pass on: an
// unlisted code is reported as a generic decline.
var declines = map[string]string{
	"generic_decline":    "The fund declined the grant.",
	"insufficient_funds": "The fund declined the grant: its balance is too low.",
	"authorization_expired": "The donor's authorization has expired. It is valid for 15 minutes. " +
		"Have the donor authorize again.",
	"session_already_used":  "Another grant was made of this authorization. Have the donor authorize again.",
	"amount_not_authorized": "The donor authorized another amount. Have the donor authorize again.",
}

// failureOf says why an answer, or none, is no grant.
func failureOf(answer *provider.Answer) *Failure {
	if answer == nil {
		return &Failure{Code: notSubmitted,
			Message: "The grant did not reach the provider and nothing was given. Have the donor authorize again."}
	}
	code := answer.DeclineCode
	if _, ok := declines[code]; !ok {
		code = "generic_decline"
	}
	return &Failure{Code: declined, DeclineCode: code, Message: declines[code]}
}

// refusal is the fault that a donation which failed answers with, each time that it is asked for.
func refusal(d Donation) *fault.Error {
	e := fault.New(fault.KindDeclined, declined, d.Failure.Message).With("decline_code", d.Failure.DeclineCode)
	if d.Failure.Code == notSubmitted {
		e = fault.New(fault.KindUnavailable, "processor_error", d.Failure.Message)
	}
	return e.With("donation_id", d.ID.String()).With("advice", "authorize_again").With("retryable", false)
}

// Finish writes the outcome of grants whose answer was lost, each in its own transaction.
func (s *Service) Finish(ctx context.Context, outcomes []outcome) error {
	var errs []error
	for _, o := range outcomes {
		_, err := s.finish(ctx, o, outbox.Job)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// finish writes one outcome. What is written already is returned as it is, so that the request and the
// resolver may both arrive here; the provider's own events may have been quicker than both.
func (s *Service) finish(ctx context.Context, o outcome, source outbox.Source) (out finished, err error) {
	m, err := s.deps.Clock.Moment(ctx, o.ApplicationID)
	if err != nil {
		return out, err
	}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		r, err := s.lockTx(ctx, tx, o.ApplicationID, ids.DonationFrom(o.SubjectID))
		if err != nil {
			return fmt.Errorf("daf: outcome of %v: %w", ids.DonationFrom(o.SubjectID), err)
		}
		d := r.Donation
		open, err := operation.IsOpen(ctx, tx, o.ID)
		if err != nil {
			return err
		}
		if open {
			after := d
			switch {
			case operation.StateOf(o.Answer) == operation.Approved:
				after = granted(after, *o.Answer)
			case d.Status == Initiated: // else the provider notified of a grant that it says it refused
				after = move(d, Canceled, m)
				after.Failure = failureOf(o.Answer)
			}
			if d, err = s.changeTx(tx, m, d, after, nil, causeProvider(o.RequestID, source)); err != nil {
				return err
			}
			operation.CloseTx(tx, o, m.Machine)
		}
		out = finished{Object: d}
		if d.Failure != nil {
			out.Refusal = refusal(d)
		}
		if !open {
			return nil
		}
		return o.StoreTx(tx, d, out.Refusal)
	})
	return out, err
}

// granted is a donation whose grant was approved: with its tracking id, and with the provider's own fee if it reported
// one. Fees that have accrued stay as they are.
func granted(d Donation, a provider.Answer) Donation {
	d.TrackingID = &a.TrackingID
	if d.Status != Initiated || a.ProviderFee <= 0 || a.ProviderFee >= d.Amount {
		return d
	}
	lines := slices.DeleteFunc(slices.Clone(d.Fees), func(l fee.Line) bool { return l.Fee == providerFee })
	line := feeLine(providerFee, d.Amount, ProviderPercentage)
	if line.Amount != a.ProviderFee {
		line.Rate, line.Amount = nil, a.ProviderFee
	}
	d.Fees = append(lines, line)
	d.FeeTotal = fee.Total(d.Fees)
	d.Net = d.Amount - d.FeeTotal
	return d
}

// Late brings donations back whose grants turn up after they were given up: nothing was notified of them but
// that they had not arrived.
func (s *Service) Late(ctx context.Context, outcomes []outcome) error {
	var errs []error
	for _, o := range outcomes {
		errs = append(errs, s.late(ctx, o))
	}
	return errors.Join(errs...)
}

func (s *Service) late(ctx context.Context, o outcome) error {
	m, err := s.deps.Clock.Moment(ctx, o.ApplicationID)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		r, err := s.lockTx(ctx, tx, o.ApplicationID, ids.DonationFrom(o.SubjectID))
		if err != nil {
			return err
		}
		if first, err := operation.FoundTx(ctx, tx, o); err != nil || !first {
			return err
		}
		after := r.Donation
		if after.Failure != nil {
			after = move(after, Initiated, m)
		}
		after = granted(after, *o.Answer)
		_, err = s.changeTx(tx, m, r.Donation, after, nil, causeProvider(o.RequestID, outbox.Job))
		return err
	})
}
