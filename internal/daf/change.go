package daf

import (
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// cause is who makes a change: the history and the events of it tell.
type cause struct {
	trigger   Trigger
	source    Source
	keyName   *string
	user      *string
	requestID ids.Request
	outbox    outbox.Source
}

// causeOf is someone who calls: a program by its key, or a person in the portal.
func causeOf(a authz.Actor) cause {
	from := outbox.SourceOf(a)
	c := cause{trigger: ByHand, source: Source(from), requestID: a.RequestID, outbox: from}
	switch {
	case a.Role.IsServer():
		c.keyName = &a.KeyName
	case a.IsPerson():
		c.user = &a.PersonName
	}
	return c
}

// causeProvider is the provider, asked or unasked; source says who writes it down.
func causeProvider(requestID ids.Request, source outbox.Source) cause {
	return cause{trigger: ByProvider, source: FromProvider, requestID: requestID, outbox: source}
}

// entry is the history's line of a donation that has just got its status.
func (c cause) entry(d Donation, note *string) StatusChange {
	return StatusChange{Status: d.Status, Source: c.source, KeyName: c.keyName, User: c.user, Note: note,
		At: d.UpdatedAt}
}

// move gives a donation another status. Whether it may have that is looked at by [changeTx].
func move(d Donation, to Status, m instant.Moment) Donation {
	d.Status, d.CompletedAt, d.CanceledAt, d.Failure = to, nil, nil, nil
	switch to {
	case Completed:
		d.CompletedAt = instant.Ptr(m.At)
	case Canceled:
		d.CanceledAt = instant.Ptr(m.At)
	case Unknown, Initiated:
	}
	return d
}

// changeTx writes the next version of a donation that the transaction holds: with its status goes a line of
// the history, which has the note, and what the fees do. A change that changes nothing writes nothing.
func (s *Service) changeTx(tx *pg.Tx, m instant.Moment, before, after Donation, note *string,
	by cause) (Donation, error) {
	previous, err := outbox.Changed(before, after)
	if err != nil || len(previous) == 0 {
		return before, err
	}
	after.Version, after.UpdatedAt = before.Version+1, instant.Of(m.At)
	if after.Status != before.Status {
		if !allowed(after.Kind, before.Status, after.Status, by.trigger) {
			return before, fmt.Errorf("daf: no move from %s to %s by %s", before.Status, after.Status, by.trigger)
		}
		entry := by.entry(after, note)
		after.StatusHistory = append(after.StatusHistory[:len(after.StatusHistory):len(after.StatusHistory)], entry)
		historyTx(tx, after, entry, by.requestID)
		if after.Status == Completed || before.Status == Completed {
			accrueTx(tx, m, after)
		}
	}
	updateTx(tx, after)
	return after, emitTx(tx, m, before, after, by)
}

// emitTx reports a donation's change; before is zero for its creation. A version that completes or cancels
// has two events: of the change, then of what it came to.
func emitTx(tx *pg.Tx, m instant.Moment, before, after Donation, by cause) error {
	var previous map[string]any
	if before.Version > 0 {
		var err error
		if previous, err = outbox.Changed(before, after); err != nil {
			return err
		}
	}
	to := after.Status
	if before.Status == to {
		to = ""
	}
	for i, event := range events(before.Status, to) {
		if err := outbox.EmitTx(tx, m, outbox.Event{ApplicationID: after.ApplicationID, MerchantID: after.MerchantID,
			Type:     event,
			ObjectID: after.ID.Bytes(), Position: int64(2*after.Version - 1 + i), Object: after, Previous: previous,
			RequestID: by.requestID, Source: by.outbox}); err != nil {
			return err
		}
	}
	return nil
}
