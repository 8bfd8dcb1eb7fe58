package daf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// ErrNotice is of an event that does not fit what is known of its grant.
var ErrNotice = errors.New("daf: the provider's event does not fit its grant")

// Completed writes that the provider paid a grant to the organization. Like [Service.Canceled] it bears
// repetitions and any order: of the provider's events the latest counts, and one that is older than what
// was taken in changes nothing. What a person or the application set by hand gives way to an event that
// was not taken in before, and stands after one that was. The error is resource_missing for a grant of
// which nothing is known (yet) in the event's account, or [ErrNotice].
func (s *Service) Completed(ctx context.Context, ev provider.Event) error {
	return s.inbound(ctx, ev, Completed)
}

// Canceled writes that a grant will not be paid.
func (s *Service) Canceled(ctx context.Context, ev provider.Event) error {
	return s.inbound(ctx, ev, Canceled)
}

func (s *Service) inbound(ctx context.Context, ev provider.Event, to Status) error {
	found, err := pg.Find[struct {
		ApplicationID int64        `db:"application_id"`
		MerchantID    int64        `db:"merchant_id"`
		ID            ids.Donation `db:"id"`
	}](ctx, s.deps.Pool, `
		SELECT application_id, merchant_id, id FROM daf_donations WHERE provider_name = @provider
			AND provider_reference = @reference`,
		pg.Args{"provider": s.deps.Provider.Name(), "reference": ev.Reference})
	if err != nil {
		return err
	}
	if ev.Account != processor.MerchantAccount(found.ApplicationID, found.MerchantID) {
		return fault.Missing()
	}
	m, err := s.deps.Clock.Moment(ctx, found.ApplicationID)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		r, err := s.lockTx(ctx, tx, found.ApplicationID, found.ID)
		if err != nil {
			return err
		}
		return s.tellTx(tx, m, r, ev, to)
	})
}

// tellTx takes an event of the provider in, unless it is older than one that was.
func (s *Service) tellTx(tx *pg.Tx, m instant.Moment, r row, ev provider.Event, to Status) error {
	if !newer(ev, r) {
		return nil
	}
	after := r.Donation
	switch {
	case after.TrackingID == nil && ev.TrackingID != "": // the answer to the grant was lost, and the event is quicker
		after.TrackingID = &ev.TrackingID
	case deref(after.TrackingID) != ev.TrackingID || ev.TrackingID == "":
		return fmt.Errorf("%w: %s names another tracking id", ErrNotice, ev.ID)
	}
	if after.Status != to {
		after = move(after, to, m)
	}
	after.Failure = nil
	toldTx(tx, after, ev)
	_, err := s.changeTx(tx, m, r.Donation, after, nil, causeProvider(ids.Request{}, outbox.Job))
	return err
}

// newer reports whether an event came about after the last one of its donation that was taken in.
func newer(ev provider.Event, r row) bool {
	return r.ProviderEventAt == nil ||
		cmp.Or(moment(ev.At).Compare(r.ProviderEventAt.Time), strings.Compare(ev.ID, deref(r.ProviderEventID))) > 0
}

// moment is a time as the database keeps it.
func moment(t time.Time) time.Time { return instant.Of(t).Time }

// toldTx notes which event of the provider was taken in.
func toldTx(tx *pg.Tx, d Donation, ev provider.Event) {
	tx.Later(`
		UPDATE daf_donations SET provider_event_at = @at, provider_event_id = @event
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"at": instant.Of(ev.At), "event": ev.ID, "application_id": d.ApplicationID, "id": d.ID})
}
