package charge_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
)

const good = "4242424242424242"

// scripted is the sandbox processor with calls that a test plays with. Nil plays nothing.
type scripted struct {
	*sandbox.Processor
	mu        sync.Mutex
	authorize func(ctx context.Context, a processor.Authorization) (processor.Answer, error)
	lookup    func(ctx context.Context, account processor.Account, reference string) (processor.Answer, error)
	capture   func(ctx context.Context, f processor.FollowUp) (processor.Answer, error)
	calls     []processor.Authorization
}

func (p *scripted) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	if p.capture != nil {
		return p.capture(ctx, f)
	}
	return p.Processor.Capture(ctx, f)
}

func (p *scripted) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	p.mu.Lock()
	p.calls = append(p.calls, a)
	play := p.authorize
	p.mu.Unlock()
	if play == nil {
		play = p.Processor.Authorize
	}
	return play(ctx, a)
}

func (p *scripted) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	if p.lookup != nil {
		return p.lookup(ctx, account, reference)
	}
	return p.Processor.Lookup(ctx, account, reference)
}

// lose submits and loses the answer.
func (p *scripted) lose(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	if _, err := p.Processor.Authorize(ctx, a); err != nil {
		return processor.Answer{}, err
	}
	return processor.Answer{}, fmt.Errorf("the connection was lost")
}

// refuse loses the submission itself.
func (p *scripted) refuse(context.Context, processor.Authorization) (processor.Answer, error) {
	return processor.Answer{}, fmt.Errorf("the connection was refused")
}

func newScripted(t *testing.T) (*fixture.World, *scripted) {
	t.Helper()
	p := &scripted{}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		p.Processor = inner
		return p
	})
	return w, p
}

func claimOf(w *fixture.World, key string) *idempotency.Claim {
	return &idempotency.Claim{
		ApplicationID: w.App.AppID, Key: key, Method: "POST", Path: "/api/charges",
		Fingerprint: sha256.Sum256([]byte(key)), Params: map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now()),
	}
}

func create(t *testing.T, w *fixture.World, in charge.CreateInput, claim *idempotency.Claim) charge.Result {
	t.Helper()
	out, err := w.Charges.Create(t.Context(), w.Actor(), in, claim)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func get(t *testing.T, w *fixture.World, id ids.Charge) charge.Charge {
	t.Helper()
	c, err := w.Charges.Get(t.Context(), w.Actor(), id.String())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func resolve(t *testing.T, w *fixture.World, want int) {
	t.Helper()
	if n, err := w.Operations.Resolve(t.Context()); err != nil || n != want {
		t.Errorf("asked about %d, %v; want %d", n, err, want)
	}
}

func code(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func count(t *testing.T, w *fixture.World, from string, args pg.Args) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM `+from, args)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// audits select what must not be there.
var audits = map[string]string{
	"charge without one event a version": `charges c WHERE c.version <> (SELECT count(*) FROM events e
		WHERE e.object_id = c.id AND e.position <= c.version)
		OR EXISTS (SELECT FROM events e WHERE e.object_id = c.id AND e.position > c.version)`,
	"charge whose capture is not posted": `charges c WHERE c.amount_captured <> coalesce((SELECT sum(CASE kind
		WHEN 'debit_reversed' THEN -amount ELSE amount END) FROM ledger_entries l
			WHERE l.source_id = c.id AND l.kind IN ('capture', 'debit', 'debit_reversed')
				AND l.business_key NOT LIKE '%:release'), 0)`,
	"charge whose fees are not posted": `charges c WHERE c.fee_total <> coalesce((SELECT sum(amount)
		FROM ledger_entries l WHERE l.source_id = c.id AND l.credit = 'application_fees'), 0)`,
	"charge whose fees are not recorded": `charges c WHERE c.fee_total <> coalesce((SELECT sum(total) FROM fee_events f
		WHERE f.source_id = c.id), 0)`,
	"operation out of step": `charges c JOIN processor_operations o ON o.charge_id = c.id
		AND o.kind IN ('authorize', 'debit') WHERE (c.status = 'processing') <> (o.state = 'open')`,
	"charge without one submission": `charges c WHERE 1 <> (SELECT count(*) FROM processor_operations o
		WHERE o.charge_id = c.id AND o.kind IN ('authorize', 'debit'))
		AND NOT (coalesce(c.failure->>'code', '') = 'blocked_by_rule' AND NOT EXISTS (
			SELECT FROM processor_operations o WHERE o.charge_id = c.id))`,
	"key out of step": `processor_operations o
		JOIN idempotency_keys k ON k.application_id = o.application_id AND k.object_id = o.subject_id
			AND k.key = o.idempotency_key WHERE (o.state = 'open') = (k.state = 'done')`,
	"reference submitted twice": `(SELECT FROM sandbox_processor_book
		GROUP BY reference HAVING count(*) > 1) twice`,
	"approval without a charge": `sandbox_processor_book b LEFT JOIN charges c ON c.processor_reference = b.reference
		WHERE b.kind IN ('authorize', 'debit') AND (b.answer->>'approved')::boolean AND c.status IS DISTINCT
			FROM 'processing' AND c.amount_authorized IS DISTINCT FROM b.amount
			AND NOT EXISTS (SELECT FROM sandbox_processor_book v WHERE v.original = b.reference AND v.kind = 'void'
				AND v.approved)`,
	"charge whose last event says another net than the books": `charges c JOIN events e ON e.object_id = c.id
		AND e.position = c.version
		WHERE (e.object->>'net_after_reversals')::bigint <>
			coalesce((SELECT sum(amount * ((credit LIKE 'merchant\_%')::int - (debit LIKE 'merchant\_%')::int))
		FROM ledger_entries l WHERE l.application_id = c.application_id AND l.charge_id = c.id), 0)`,
	"books off balance": `(SELECT FROM ledger_balances GROUP BY application_id, currency HAVING sum(balance) <> 0) off`,
}

func audit(t *testing.T, w *fixture.World) {
	t.Helper()
	for what, from := range audits {
		if n := count(t, w, from, pg.Args{}); n > 0 {
			t.Errorf("audit: %d × %s", n, what)
		}
	}
}

// heard is what the processor reports a charge.
func heard(c charge.Charge, returnCode string) processor.Event {
	return processor.Event{Adapter: "sandbox", Account: processor.MerchantAccount(c.ApplicationID, c.MerchantID),
		Reference: c.Processor.Reference, ReturnCode: returnCode}
}

func execute(t *testing.T, w *fixture.World, sql string) {
	t.Helper()
	if _, err := pg.Exec(t.Context(), w.Pool, sql, pg.Args{}); err != nil {
		t.Fatal(err)
	}
}
