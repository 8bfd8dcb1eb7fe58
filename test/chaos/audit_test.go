package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/reconcile"
	"svcpay/test/rig"
)

// always is what must be true at every instant, next to the books.
var always = []rig.Audit{
	{What: "charges without one event a version", SQL: `
		SELECT c.id || ' ' || c.status || ' ' || c.version || ' ' || e.n AS wrong FROM charges c,
			LATERAL (SELECT count(*) AS n FROM events e WHERE e.application_id = c.application_id
				AND e.object_id = c.id) e
		WHERE c.application_id = @app AND c.version <> e.n`},
	{What: "refunds without one event a version", SQL: `
		SELECT r.id || ' ' || r.status || ' ' || r.version || ' ' || e.n AS wrong FROM refunds r,
			LATERAL (SELECT count(*) AS n FROM events e WHERE e.application_id = r.application_id
				AND e.object_id = r.id) e
		WHERE r.application_id = @app AND r.version <> e.n`},
	{What: "payouts without one event a version", SQL: `
		SELECT p.id || ' ' || p.status || ' ' || p.version || ' ' || e.n AS wrong FROM payouts p,
			LATERAL (SELECT count(*) AS n FROM events e WHERE e.application_id = p.application_id
				AND e.object_id = p.id) e
		WHERE p.application_id = @app AND p.version <> e.n`},
	{What: "keys with more than one charge", SQL: `
		SELECT idempotency_key AS wrong FROM processor_operations WHERE application_id = @app
			AND kind IN ('authorize', 'debit')
		GROUP BY idempotency_key HAVING count(*) > 1`},
	{What: "events whose numbers have gaps", SQL: `
		SELECT max(sequence) || ' ' || count(sequence) AS wrong FROM events WHERE application_id = @app AND NOT test
		HAVING max(sequence) <> count(sequence)`},
}

// look runs audits; an error is of the database, not of what is in it.
func (r *run) look(ctx context.Context, audits []rig.Audit) error {
	for _, a := range audits {
		wrong, err := a.Look(ctx, r.database.pool, r.site.Application)
		if err != nil {
			return err
		}
		if len(wrong) > 0 {
			r.found.add("%s: %s (%d)", a.What, wrong[0], len(wrong))
		}
	}
	return nil
}

// watch audits every second while everything fails. What cannot be asked now is asked again.
func (r *run) watch(ctx context.Context) {
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if errors.Join(r.watchBooks(ctx), r.watchTransfers(ctx), r.watchGrants(ctx)) == nil &&
			r.look(ctx, slices.Concat(rig.AtEveryInstant(), always, ofDonations)) == nil {
			r.counts.add("audits")
		}
	}
}

// watchBooks compares the processors' books, as they are now, with the calls that were written down before: each was
// asked for nothing but what was written down for it, submissions and look-ups alike.
func (r *run) watchBooks(ctx context.Context) error {
	type asked struct {
		book  []line
		heard map[string]string
	}
	all := map[string]asked{} // first: what is called later is of no interest
	for _, b := range r.bookkeepers() {
		all[b.Name()] = asked{b.lines(), b.references()}
	}
	type call struct {
		Reference string `db:"reference"`
		Processor string `db:"processor"`
	}
	calls, err := pg.All[call](ctx, r.database.pool, `SELECT reference, processor FROM processor_operations
		WHERE application_id = @app
		UNION ALL
		SELECT reference, processor FROM bank_verifications WHERE application_id = @app`,
		pg.Args{"app": r.site.Application})
	if err != nil {
		return err
	}
	writtenFor := map[string]string{}
	for _, c := range calls {
		writtenFor[c.Reference] = c.Processor
	}
	for name, a := range all {
		for reference, kind := range a.heard {
			switch writtenFor[reference] {
			case name:
			case "":
				r.found.add("%s was asked for what is not written down: %s %s", name, kind, reference)
			default:
				r.found.add("%s was asked for a reference of %s: %s %s", name, writtenFor[reference], kind, reference)
			}
		}
		seen := map[string]bool{}
		for _, l := range a.book {
			if seen[l.Reference] {
				r.found.add("%s was asked twice: %s %s", name, l.Kind, l.Reference)
			}
			seen[l.Reference] = true
		}
	}
	return nil
}

// reconcile has the product compare the books of all processors with its own, as it does an hour later.
func (r *run) reconcile(ctx context.Context) error {
	for _, s := range reconcile.Of(r.database.pool, r.registry(), later) {
		if _, err := s.RunNow(ctx); err != nil {
			return err
		}
		open, err := s.Open(ctx)
		if err != nil {
			return err
		}
		for _, d := range open {
			r.found.add("reconciliation with %s: %s of %s", s.Name(), d.Kind, d.Reference)
		}
	}
	for _, b := range r.bookkeepers() {
		read, err := pg.Value[int](ctx, r.database.pool, `SELECT count(*)::int FROM reconciliation_lines
			WHERE processor = @processor`, pg.Args{"processor": b.Name()})
		if err != nil {
			return err
		}
		if lines := b.reconciled(); read != lines {
			r.found.add("reconciliation with %s has read %d of %d lines", b.Name(), read, lines)
		}
	}
	return nil
}

// audit compares everything with everything, when nothing is in progress any more.
func (r *run) audit() {
	ctx := context.Background()
	r.repeatAll()
	for _, b := range r.bookkeepers() {
		if err := r.copyBook(b); err != nil {
			r.found.add("the book of %s cannot be copied: %v", b.Name(), err)
		}
	}
	all := slices.Concat(rig.AtEveryInstant(), always, ofDonations, rig.WhenQuiet(), rig.OfDeliveries(),
		rig.OfBook(processor.AccountPrefix(r.site.Application)), rig.OfBook(stripeExternal))
	if err := errors.Join(r.watchBooks(ctx), r.look(ctx, all), r.reconcile(ctx)); err != nil {
		r.found.add("the audits could not be run: %v", err)
	}
	r.auditBanks(ctx)
	r.auditBalance(ctx)
	r.auditDonations(ctx)
	r.auditHistory(ctx)
	r.auditEvents(ctx)
	r.auditRefunds()
	r.auditRules()
	for _, line := range r.database.complaints() {
		r.found.add("PostgreSQL says: %s", line)
	}
	if text, err := os.ReadFile(r.servers[0].log.Name()); err != nil || strings.Contains(string(text), "panic") {
		r.found.add("the server panicked, or its log is gone: %v", err)
	}
}

// auditBalance compares Stripe's balance transactions with the ledger, to the cent: those of each payment, and all.
func (r *run) auditBalance(ctx context.Context) {
	type payment struct {
		Reference string       `db:"reference"`
		Net       money.Amount `db:"net"`
	}
	ours, err := pg.All[payment](ctx, r.database.pool, `
		SELECT c.processor_reference AS reference,
			coalesce(sum(CASE WHEN e.debit = 'processor_receivable' THEN e.amount ELSE -e.amount END), 0)::bigint AS net
		FROM charges c LEFT JOIN ledger_entries e ON e.application_id = c.application_id AND e.charge_id = c.id
			AND 'processor_receivable' IN (e.debit, e.credit)
		WHERE c.application_id = @app AND c.processor_name = @processor
		GROUP BY 1
		UNION ALL
		SELECT p.processor_reference,
			coalesce(sum(CASE WHEN e.debit = 'processor_receivable' THEN e.amount ELSE -e.amount END), 0)::bigint
		FROM payouts p LEFT JOIN ledger_entries e ON e.application_id = p.application_id AND e.source_id = p.id
			AND 'processor_receivable' IN (e.debit, e.credit)
		WHERE p.application_id = @app AND p.processor_name = @processor
		GROUP BY 1`, pg.Args{"app": r.site.Application, "processor": stripe.Name})
	if err != nil {
		r.found.add("the ledger cannot be read: %v", err)
	}
	theirs, fees, n := r.stripe.balance()
	net, total := money.Amount(0), money.Amount(0)
	for _, amount := range theirs {
		total += amount
	}
	r.atStripe = fmt.Sprintf(
		"%d balance transactions of %d payments and payouts at Stripe add up to %d cents, less fees of %d", n,
		len(theirs), total, fees)
	for _, p := range ours {
		if p.Net != theirs[p.Reference] {
			r.found.add("the ledger has %d cents of %s, and Stripe's balance %d", p.Net, p.Reference,
				theirs[p.Reference])
		}
		net += p.Net
	}
	if net != total {
		r.found.add("the ledger has %d cents at Stripe, and Stripe's balance %d", net, total)
	}
	posted, err := pg.Value[money.Amount](ctx, r.database.pool, `
		SELECT coalesce(sum(CASE WHEN debit = 'processor_fees' THEN amount ELSE -amount END), 0)::bigint
		FROM application_entries WHERE processor = @processor`, pg.Args{"processor": stripe.Name})
	if err != nil || posted != fees {
		r.found.add("the ledger has %d cents of Stripe's fees, and Stripe charged %d: %v", posted, fees, err)
	}
}

// record is a charge or a refund as it is kept.
type record struct {
	Key    *string `db:"key"`
	ID     string  `db:"id"`
	Amount int     `db:"amount"`
	Status string  `db:"status"`
}

// auditHistory compares what clients were told with what is there: each key has one record, and there is
// no other.
func (r *run) auditHistory(ctx context.Context) {
	kept := map[string]record{}
	for kind, sql := range map[string]string{
		"authorize": `SELECT o.idempotency_key AS key, o.reference AS id, c.amount, c.status FROM charges c
			JOIN processor_operations o ON o.application_id = c.application_id AND o.charge_id = c.id
				AND o.kind IN ('authorize', 'debit') WHERE c.application_id = @app`,
		"refund": `SELECT o.idempotency_key AS key, o.reference AS id, f.amount, f.status FROM refunds f
			JOIN processor_operations o ON o.application_id = f.application_id AND o.subject_id = f.id
				AND o.kind = 'refund' WHERE f.application_id = @app`,
	} {
		all, err := pg.All[record](ctx, r.database.pool, sql, pg.Args{"app": r.site.Application})
		if err != nil {
			r.found.add("%s: %v", kind, err)
			return
		}
		for _, k := range all {
			if k.Key == nil {
				r.found.add("%s %s has no key", kind, k.ID)
				continue
			}
			kept[*k.Key] = k
		}
	}
	for _, q := range r.journal.entries() {
		k, there := kept[q.Key]
		delete(kept, q.Key)
		switch {
		case q.final == nil:
			if q.Kind == "charge" || q.Kind == "refund" || there {
				r.found.add("%s %s was never answered", q.Kind, q.Key)
			}
		case q.Kind != "charge" && q.Kind != "refund":
		case there != q.kept():
			r.found.add("%s %s was answered %s, and is there: %v", q.Kind, q.Key, q.final, there)
		case there && (k.ID != q.object || k.Amount != q.amount() || !agrees(q, k.Status)):
			r.found.add("%s %s was answered %s, and is %+v", q.Kind, q.Key, q.final, k)
		}
	}
	for key, k := range kept {
		r.found.add("nobody asked for %s with the key %s", k.ID, key)
	}
}

// agrees reports whether a record may have come to a status after a client was told the answer.
func agrees(q *request, status string) bool {
	told := q.final.Text("status")
	switch {
	case q.final.Status >= 300:
		return status == "failed"
	case told == "authorized":
		return slices.Contains([]string{"authorized", "captured", "settled", "voided"}, status)
	case told == "pending": // a debit
		return slices.Contains([]string{"pending", "settled", "failed", "returned"}, status)
	case told == "captured":
		return slices.Contains([]string{"captured", "settled"}, status)
	}
	return told == status
}

// auditEvents compares the events with those that the sink got.
func (r *run) auditEvents(ctx context.Context) {
	type event struct {
		ID ids.Event `db:"id"`
	}
	all, err := pg.All[event](ctx, r.database.pool, `
		SELECT id FROM events WHERE application_id = @app AND (type LIKE 'charge.%' OR type LIKE 'refund.%')`,
		pg.Args{"app": r.site.Application})
	if err != nil || len(all) == 0 {
		r.found.add("%d events: %v", len(all), err)
	}
	for _, e := range all {
		if _, ok := r.sink.Arrival(e.ID.String()); !ok {
			r.found.add("%s never arrived", e.ID)
		}
	}
}
