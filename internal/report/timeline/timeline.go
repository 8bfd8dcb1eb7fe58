// Package timeline shows what happened to a charge or a donation, and to what belongs to it, in order.
package timeline

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Deps are what the service works with.
type Deps struct {
	Pool      *pgxpool.Pool
	Charges   *charge.Service
	Donations *daf.Service
	Check     authz.Checker
	Livemode  bool
}

// Service reads timelines.
type Service struct{ deps Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Entry is one line of a charge's timeline: an event of the charge, or of a refund, a dispute or a
// payout of it, or a call to its processor; or of a donation's: an event of it or a call to its provider.
// Members that make no sense for a line are nil.
type Entry struct {
	ID       ids.Happening `db:"id" json:"id"`
	Object   string        `db:"-" json:"object"`
	Livemode bool          `db:"-" json:"livemode"`
	// Type is that of the event, or call.authorize and the like.
	Type       string        `db:"type" json:"type"`
	EventID    *ids.Event    `db:"event_id" json:"event_id"`
	ChargeID   *ids.Charge   `db:"charge_id" json:"charge_id"`
	RefundID   *ids.Refund   `db:"refund_id" json:"refund_id"`
	DisputeID  *ids.Dispute  `db:"dispute_id" json:"dispute_id"`
	PayoutID   *ids.Payout   `db:"payout_id" json:"payout_id"`
	DonationID *ids.Donation `db:"donation_id" json:"donation_id"`
	Version    *int          `db:"version" json:"version"` // of the object, by the event
	// of the object after the event; of a call: how far it has come by now
	Status   string         `db:"status" json:"status"`
	Amount   money.Amount   `db:"amount" json:"amount"` // of the object or the call, minor units of Currency
	Currency money.Currency `db:"currency" json:"currency"`
	Changed  []string       `db:"changed" json:"changed"` // members of the object that the event changed
	Failure  *string        `db:"failure" json:"failure"` // why, if the object has failed: a code
	// Processor and Reference, which is ours, say where a call went; the rest is nil but of calls too.
	Processor *string `db:"processor" json:"processor"`
	Reference *string `db:"reference" json:"reference"`
	// ProcessorID is the processor's own id of what the call made, ProcessorCode its own code of a decline, and
	// AuthorizationCode the code that the card's issuer gave.
	ProcessorID       *string       `db:"processor_id" json:"processor_id"`
	ProcessorCode     *string       `db:"processor_code" json:"processor_code"`
	AuthorizationCode *string       `db:"authorization_code" json:"authorization_code"`
	IdempotencyKey    *string       `db:"idempotency_key" json:"idempotency_key"` // of the request that wanted it
	FinishedAt        *instant.Time `db:"finished_at" json:"finished_at"`
	Source            string        `db:"source" json:"source"` // api, portal or job
	RequestID         *ids.Request  `db:"request_id" json:"request_id"`
	CreatedAt         instant.Time  `db:"created_at" json:"created_at"`
}

// OfCharge returns one page of what happened to a charge of the actor's application. Entries of the charge's refunds,
// disputes and payouts are left out if the actor may not read those.
func (s *Service) OfCharge(ctx context.Context, actor authz.Actor, id string,
	in page.Input[ids.Happening]) (page.Of[Entry], error) {
	c, err := s.deps.Charges.Get(ctx, actor, id)
	if err != nil {
		return page.Of[Entry]{}, err
	}
	kinds, err := authz.Readable(s.deps.Check, actor, []string{"charge", "refund", "dispute", "payout"})
	if err != nil {
		return page.Of[Entry]{}, err
	}
	return s.read(ctx, actor, in, pg.Args{"charge": c.ID, "donation": nil, "kinds": kinds})
}

// OfDonation returns one page of what happened to a donation of the actor's application.
func (s *Service) OfDonation(ctx context.Context, actor authz.Actor, id string,
	in page.Input[ids.Happening]) (page.Of[Entry], error) {
	d, err := s.deps.Donations.Get(ctx, actor, id)
	if err != nil {
		return page.Of[Entry]{}, err
	}
	return s.read(ctx, actor, in, pg.Args{"charge": nil, "donation": d.ID, "kinds": []string{"daf_donation"}})
}

// read reads a page of what happened to one object and to what belongs to it.
func (s *Service) read(ctx context.Context, actor authz.Actor, in page.Input[ids.Happening],
	args pg.Args) (page.Of[Entry], error) {
	keys := authz.Reads(s.deps.Check, actor, "idempotency_key") == nil
	args["application_id"] = actor.ApplicationID
	return pg.Page(ctx, s.deps.Pool, in, selectTimeline, args, func(h Entry) Entry {
		h.Object, h.Livemode = "timeline_entry", s.deps.Livemode
		if !keys {
			h.IdempotencyKey = nil
		}
		return h
	})
}

// selectTimeline orders by an id that is put together: the time of the event's or call's own, the event's
// position and whether it is a call, and the end of its own. So what happened in one millisecond is in
// its order too: a call after the object was made for which it was, and before what it led to.
//
// Events have the application's time. Calls are kept by the machine's, which only a sandbox's application can be ahead
// of: they are shown by the application's time, too.
const selectTimeline = `
	SELECT id, type, event_id, @charge::uuid AS charge_id, refund_id, dispute_id, payout_id,
		@donation::uuid AS donation_id, version, status, amount, currency, changed,
		failure, processor, reference, processor_id, processor_code, authorization_code, idempotency_key, finished_at,
			source, request_id, created_at
	FROM (
		WITH about AS (
			SELECT 'charge' AS kind, @charge::uuid AS id
			UNION ALL SELECT 'daf_donation', @donation::uuid
			UNION ALL SELECT 'refund', id FROM refunds WHERE application_id = @application_id AND charge_id = @charge
			UNION ALL SELECT 'dispute', id FROM disputes WHERE application_id = @application_id AND charge_id = @charge
			UNION ALL SELECT DISTINCT 'payout', p.payout_id FROM ledger_entries l
				JOIN payout_entries p ON p.application_id = l.application_id AND p.entry_id = l.id
				WHERE l.application_id = @application_id AND l.charge_id = @charge)
		SELECT (left(replace(e.id::text, '-', ''), 12) || lpad(to_hex(least(e.position, 268435455)), 7, '0') || '0'
				|| right(replace(e.id::text, '-', ''), 12))::uuid AS id,
			e.type, e.id AS event_id,
			CASE about.kind WHEN 'refund' THEN about.id END AS refund_id,
			CASE about.kind WHEN 'dispute' THEN about.id END AS dispute_id,
			CASE about.kind WHEN 'payout' THEN about.id END AS payout_id,
			(e.object->>'version')::int AS version, e.object->>'status' AS status,
				(e.object->>'amount')::bigint AS amount,
			e.object->>'currency' AS currency,
			ARRAY(SELECT name FROM json_object_keys(e.previous_attributes::json) name
				WHERE name NOT IN ('version', 'updated_at') ORDER BY name) AS changed,
			coalesce(e.object->'failure'->>'decline_code', e.object->'failure'->>'code',
				e.object->>'return_code') AS failure,
			NULL AS processor, NULL AS reference, NULL AS processor_id, NULL AS processor_code,
				NULL AS authorization_code, NULL AS idempotency_key, NULL::timestamptz AS finished_at, e.source,
					e.request_id, e.created_at
		FROM about JOIN events e ON e.application_id = @application_id AND e.object_id = about.id
			AND about.kind = ANY (@kinds::text[])
		UNION ALL
		SELECT (left(replace(o.id::text, '-', ''), 12) || '0000001' || '1' || right(replace(o.id::text, '-',
			''), 12))::uuid, 'call.' || o.kind, NULL,
			CASE about.kind WHEN 'refund' THEN about.id END, CASE about.kind WHEN 'dispute' THEN about.id END,
			CASE about.kind WHEN 'payout' THEN about.id END,
			NULL, o.state, o.amount, o.currency, '{}'::text[], NULL,
			o.processor, o.reference, o.external_id, o.raw_code, o.authorization_code, o.idempotency_key,
				application_time(@application_id, o.finished_at),
			o.source, o.request_id, application_time(@application_id, o.created_at)
		FROM about JOIN processor_operations o ON o.application_id = @application_id AND o.subject_id = about.id
			AND about.kind = ANY (@kinds)) happenings
	WHERE true`
