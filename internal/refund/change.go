package refund

import (
	"encoding/json"
	"fmt"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// cause is who made a change: the events of it tell.
type cause struct {
	source    outbox.Source
	requestID ids.Request
}

// change is what a refund does to the amounts of its charge.
func (c cause) change(pending, refunded money.Amount) charge.Change {
	event := "charge.updated"
	if refunded > 0 {
		event = "charge.refunded"
	}
	return charge.Change{RefundPending: pending, Refunded: refunded, Event: event, Source: c.source,
		RequestID: c.requestID}
}

// next is the refund's next version.
func next(r Refund, m instant.Moment) Refund {
	r.Version++
	r.UpdatedAt = instant.Of(m.At)
	return r
}

// writeTx queues a refund's change and the event of it, and returns how it is told.
func writeTx(tx *pg.Tx, m instant.Moment, before, r Refund, by cause) (json.RawMessage, error) {
	updateTx(tx, r)
	return announceTx(tx, m, before, r, by)
}

// announceTx queues the event of a refund's change, and returns how it is told; before is zero for its creation.
func announceTx(tx *pg.Tx, m instant.Moment, before, r Refund, by cause) (json.RawMessage, error) {
	event, ok := moves.Event(before.Status, r.Status)
	if !ok {
		return nil, fmt.Errorf("refund: no move from %s to %s", before.Status, r.Status)
	}
	object, err := outbox.Text(r)
	if err != nil {
		return nil, err
	}
	var previous map[string]any
	if before.Version > 0 {
		if previous, err = outbox.Changed(before, object); err != nil {
			return nil, err
		}
	}
	return object, outbox.EmitTx(tx, m,
		outbox.Event{ApplicationID: r.ApplicationID, MerchantID: r.MerchantID, Type: event,
			ObjectID: r.ID.Bytes(), Position: int64(r.Version), Object: object, Previous: previous,
			RequestID: by.requestID, Source: by.source})
}
