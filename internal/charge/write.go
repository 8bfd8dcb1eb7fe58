package charge

import (
	"context"
	"encoding/json"
	"fmt"

	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/operation"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/token"
)

// writeTx queues a change of status with everything that comes with it, for a charge whose row the
// transaction holds, and returns the charge as it then is, with its JSON.
func (s *Service) writeTx(ctx context.Context, tx *pg.Tx, m instant.Moment, before Charge, e effects,
	request ids.Request, source outbox.Source) (c Charge, text json.RawMessage, err error) {
	c = s.derive(e.charge)
	event, ok := moves.Event(before.Status, c.Status)
	switch {
	case e.next == operation.Capture:
		event = "charge.updated"
	case !ok:
		return c, nil, fmt.Errorf("charge: no move from %s to %s", before.Status, c.Status)
	}
	if e.release {
		if err := ledger.ReleaseTx(ctx, tx, m, c.ApplicationID, []ids.Charge{c.ID}); err != nil {
			return c, nil, err
		}
	}
	updateTx(tx, c)
	if err := fee.RecordTx(tx, e.fees); err != nil {
		return c, nil, err
	}
	ledger.PostTx(tx, m, e.postings...)
	if before.Status == Processing && c.Status != Processing && c.Status != Failed {
		token.UsedTx(tx, c.ApplicationID, c.MerchantID, c.Token, keptNetworkID(c), m.At)
	}
	if e.disable != "" {
		if err := token.DisableTx(ctx, tx, m,
			token.Ending{ApplicationID: c.ApplicationID, Token: c.Token, Reason: e.disable,
				Livemode: c.Livemode, Source: source}); err != nil {
			return c, nil, err
		}
	}
	text, err = s.announceTx(tx, m, before, c, event, request, source)
	return c, text, err
}

// announceTx queues the event of a change and returns the JSON of the charge.
func (s *Service) announceTx(tx *pg.Tx, m instant.Moment, before, c Charge, event string, request ids.Request,
	source outbox.Source) (json.RawMessage, error) {
	object, err := outbox.Text(c)
	if err != nil {
		return nil, err
	}
	previous, err := outbox.Changed(before, object)
	if err != nil {
		return nil, err
	}
	return object, outbox.EmitTx(tx, m, outbox.Event{ApplicationID: c.ApplicationID, MerchantID: c.MerchantID,
		Type: event, ObjectID: c.ID.Bytes(), Position: int64(c.Version), Object: object,
		Previous: previous, RequestID: request, Source: source})
}

// keptNetworkID is what later charges of the token refer to: the id of the series' first charge.
func keptNetworkID(c Charge) *string {
	if c.StoredCredential != processor.Initial {
		return nil
	}
	return c.NetworkTransactionID
}
