package daf

import (
	"context"
	"encoding/json"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
)

// changed is a donation whose status a request of the portal changed, with the version that this made and what
// its event says of the donation before.
type changed struct {
	ID       ids.Donation    `db:"donation_id"`
	Version  int             `db:"version"`
	Previous json.RawMessage `db:"previous_attributes"`
}

// Undo takes back what one request of a person made of donations' statuses: each gets the status, the note and the
// metadata that it had before. One that was changed since then stays as it is, refused with object_changed; what
// one is refused does not keep the others. Missing if no request of that id changed a donation that the actor sees.
func (s *Service) Undo(ctx context.Context, actor authz.Actor, request ids.Request) ([]BulkResult, error) {
	if err := s.audit.Allow(ctx, actor, authz.DonationUpdate, audit.Of("daf_donation", "", 0)); err != nil {
		return nil, err
	}
	rows, err := pg.All[changed](ctx, s.deps.Pool, `
		SELECT h.donation_id, h.version, e.previous_attributes
		FROM daf_donation_statuses h
		JOIN events e ON e.application_id = h.application_id AND e.object_id = h.donation_id
			AND e.position = 2 * h.version - 1
		WHERE h.application_id = @application_id AND h.request_id = @request AND h.source = 'portal' AND h.version > 1
			AND (@merchants::bigint[] IS NULL OR h.merchant_id = ANY (@merchants))
		ORDER BY h.donation_id`,
		pg.Args{"application_id": actor.ApplicationID, "request": request, "merchants": actor.Within(nil)})
	if err == nil && len(rows) == 0 {
		err = fault.Missing()
	}
	if err != nil {
		return nil, err
	}
	results := make([]BulkResult, 0, len(rows))
	for _, r := range rows {
		in, err := r.before()
		if err != nil {
			return results, err
		}
		out, err := s.Update(ctx, actor, r.ID.String(), in, nil)
		refused, ok := fault.As(err)
		if err != nil && (!ok || refused.Kind == fault.KindInternal) {
			return results, err
		}
		results = append(results, BulkResult{ID: r.ID.String(), Donation: out.Object, Refused: refused})
	}
	return results, nil
}

// before is the update that makes the donation what it was.
func (r changed) before() (UpdateInput, error) {
	in := UpdateInput{IfVersion: &r.Version}
	var was map[string]json.RawMessage
	if err := json.Unmarshal(r.Previous, &was); err != nil {
		return in, err
	}
	members := map[string]json.Unmarshaler{"status": &in.Status, "note": &in.Note,
		"external_grant_id": &in.ExternalGrantID, "metadata": &in.Metadata}
	for name, member := range members {
		text, told := was[name]
		if !told {
			continue
		}
		if err := member.UnmarshalJSON(text); err != nil {
			return in, err
		}
	}
	return in, nil
}
