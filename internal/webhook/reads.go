package webhook

import (
	"context"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
)

// reads refuses to have events of some types sent for an actor who may not read the objects that they contain: the
// receiver reads them. The fault names the parameter, the first permission that is missing, and all kinds of objects
// that the actor may not read.
func (s *Service) reads(actor authz.Actor, param string, types []string) error {
	var denied error
	var kinds []string
	for _, kind := range event.Kinds(types) {
		err := authz.Reads(s.deps.Check, actor, kind)
		if err != nil && denied == nil {
			denied = err
		}
		if err != nil {
			kinds = append(kinds, kind)
		}
	}
	f, ok := fault.As(denied)
	if !ok {
		return denied
	}
	slices.Sort(kinds)
	f = f.On(param)
	f.Message = "The events contain objects that you don't have permission to read: " + strings.Join(kinds, ", ") + "."
	return f
}

// readsPendingTx refuses a new URL to an actor who may not read all that waits to be sent to an endpoint. That can be
// more than its filters cover: they may have changed since, and some of it was redelivered.
func (s *Service) readsPendingTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, e Endpoint) error {
	if s.reads(actor, "url", event.Names()) == nil {
		return nil
	}
	types, err := pg.Value[[]string](ctx, tx, `
		SELECT coalesce(array_agg(DISTINCT d.event_type), '{}') FROM webhook_due w
		JOIN webhook_deliveries d ON d.application_id = w.application_id AND d.id = w.delivery_id
		WHERE w.application_id = @application_id AND w.endpoint_id = @endpoint`,
		pg.Args{"application_id": e.ApplicationID, "endpoint": e.ID})
	if err != nil {
		return err
	}
	return s.reads(actor, "url", types)
}

// refused records that someone was refused events that they may not read; err is returned as it is.
func (s *Service) refused(ctx context.Context, actor authz.Actor, p authz.Permission, of audit.Subject,
	err error) error {
	if fault.HasCode(err, "permission_denied") {
		return s.audit.Refuse(ctx, actor, p, of, err)
	}
	return err
}
