package refund_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
)

const good = "4242424242424242"

func ptr[T any](v T) *T { return &v }

// play is what a test has the processor do with a refund.
type play func(ctx context.Context, f processor.FollowUp) (processor.Answer, error)

// scripted is the sandbox processor with refunds that a test plays with. Nil plays nothing.
type scripted struct {
	*sandbox.Processor
	mu     sync.Mutex
	refund play
	// answers are what look-ups of some references are told, whatever is in the book.
	answers map[string]processor.Answer
	late    map[string]processor.FollowUp // arrive when deliver is called
	calls   []processor.FollowUp
}

func (p *scripted) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	p.mu.Lock()
	p.calls = append(p.calls, f)
	next := p.refund
	p.mu.Unlock()
	if next == nil {
		next = p.Processor.Refund
	}
	return next(ctx, f)
}

func (p *scripted) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	p.mu.Lock()
	answer, ok := p.answers[reference]
	p.mu.Unlock()
	if ok {
		return answer, nil
	}
	return p.Processor.Lookup(ctx, account, reference)
}

var errLost = errors.New("the connection was lost")

// decline refuses a refund.
func (p *scripted) decline(_ context.Context, f processor.FollowUp) (processor.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[f.Reference] = processor.Answer{DeclineCode: "generic_decline"}
	return p.answers[f.Reference], nil
}

// lose makes a refund and loses the answer.
func (p *scripted) lose(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	_, err := p.Processor.Refund(ctx, f)
	return processor.Answer{}, errors.Join(err, errLost)
}

// loseDecline refuses a refund and loses the answer.
func (p *scripted) loseDecline(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	_, _ = p.decline(ctx, f)
	return processor.Answer{}, errLost
}

// drop loses the call itself.
func (p *scripted) drop(context.Context, processor.FollowUp) (processor.Answer, error) {
	return processor.Answer{}, errLost
}

// delay times out, and lets the refund arrive when deliver is called.
func (p *scripted) delay(_ context.Context, f processor.FollowUp) (processor.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.late[f.Reference] = f
	return processor.Answer{}, context.DeadlineExceeded
}

func (p *scripted) deliver(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for reference, f := range p.late {
		_, err := p.Processor.Refund(ctx, f)
		errs = append(errs, err)
		delete(p.late, reference)
	}
	return errors.Join(errs...)
}

func newScripted(t *testing.T) (*fixture.World, *scripted) {
	t.Helper()
	p := &scripted{answers: map[string]processor.Answer{}, late: map[string]processor.FollowUp{}}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		p.Processor = inner
		return p
	})
	return w, p
}

func claimOf(w *fixture.World, key string) *idempotency.Claim {
	return &idempotency.Claim{
		ApplicationID: w.App.AppID, Key: key, Method: "POST", Path: "/api/refunds",
		Fingerprint: sha256.Sum256([]byte(key)), Params: map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now()),
	}
}

// charged charges a token, which must give that status.
func charged(t *testing.T, w *fixture.World, token string, amount money.Amount, want charge.Status) charge.Charge {
	t.Helper()
	out, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil)
	if err != nil || out.Object.Status != want {
		t.Fatalf("%+v, %v", out.Object, err)
	}
	return out.Object
}

// captured makes a card charge of that amount, captured.
func captured(t *testing.T, w *fixture.World, amount money.Amount) charge.Charge {
	t.Helper()
	return charged(t, w, w.Token(good), amount, charge.Captured)
}

func chargeOf(t *testing.T, w *fixture.World, id ids.Charge) charge.Charge {
	t.Helper()
	c, err := w.Charges.Get(t.Context(), w.Actor(), id.String())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// of is the input that refunds an amount of a charge; 0: all that is left.
func of(c charge.Charge, amount money.Amount) refund.CreateInput {
	in := refund.CreateInput{ChargeID: ptr(c.ID.String())}
	if amount != 0 {
		in.Amount = &amount
	}
	return in
}

func create(t *testing.T, w *fixture.World, in refund.CreateInput, claim *idempotency.Claim) refund.Result {
	t.Helper()
	out, err := w.Refunds.Create(t.Context(), w.Actor(), in, claim)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func get(t *testing.T, w *fixture.World, id ids.Refund) refund.Refund {
	t.Helper()
	r, err := w.Refunds.Get(t.Context(), w.Actor(), id.String())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func resolve(t *testing.T, w *fixture.World, want int) {
	t.Helper()
	if n, err := w.Operations.Resolve(t.Context()); err != nil || n != want {
		t.Errorf("asked about %d, %v; want %d", n, err, want)
	}
}

func moment(t *testing.T, w *fixture.World) instant.Moment {
	t.Helper()
	m, err := w.Clocks.Moment(t.Context(), w.App.AppID)
	if err != nil {
		t.Fatal(err)
	}
	return m
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
	n, err := pg.Value[int](w.T.Context(), w.Pool, `SELECT count(*)::int FROM `+from, args)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// audits select what must not be there, at any instant.
var audits = map[string]string{
	"refund without one event a version": `refunds r WHERE r.version <> (SELECT count(*) FROM events e
		WHERE e.object_id = r.id AND e.position <= r.version)
		OR EXISTS (SELECT FROM events e WHERE e.object_id = r.id AND e.position > r.version)`,
	"charge without one event a version": `charges c WHERE c.version <> (SELECT count(*) FROM events e
		WHERE e.object_id = c.id AND e.position <= c.version)
		OR EXISTS (SELECT FROM events e WHERE e.object_id = c.id AND e.position > c.version)`,
	"charge whose reservations are not its pending refunds": `charges c WHERE c.status NOT IN ('failed', 'voided')
		AND c.amount_refund_pending <> (SELECT coalesce(sum(amount), 0) FROM refunds r WHERE r.charge_id = c.id
			AND r.status = 'pending')`,
	"charge whose refunded amount is not that of its refunds": `charges c
		WHERE c.amount_refunded <> (SELECT coalesce(sum(amount), 0) FROM refunds r
			WHERE r.charge_id = c.id AND r.status = 'succeeded')`,
	"charge that gave back more than it took": `charges c WHERE c.status NOT IN ('failed', 'voided')
		AND c.amount_captured < (SELECT coalesce(sum(amount), 0) FROM refunds r
			WHERE r.charge_id = c.id AND r.status IN ('pending', 'succeeded'))`,
	"refund that is not posted exactly when it succeeded": `refunds r WHERE (r.succeeded_at IS NOT NULL) <> EXISTS
		(SELECT FROM ledger_entries l
		WHERE l.business_key LIKE 're\_%:refund' AND l.source_id = r.id AND l.amount = r.amount
			AND l.charge_id = r.charge_id)`,
	"refund that failed later and is not posted so": `refunds r WHERE (r.status = 'failed'
		AND r.succeeded_at IS NOT NULL) <> EXISTS (SELECT FROM ledger_entries l
		WHERE l.business_key LIKE 're\_%:refund\_failed' AND l.source_id = r.id
			AND l.amount = r.amount AND l.charge_id = r.charge_id AND l.debit = 'processor_receivable')`,
	"refund that is sent without an operation, or not sent with one": `refunds r LEFT JOIN processor_operations o
		ON o.subject_id = r.id
		WHERE CASE WHEN r.pending_reason IS NOT NULL OR r.status = 'canceled' THEN o.id IS NOT NULL
			ELSE (r.status = 'pending') IS DISTINCT FROM (o.state = 'open') END`,
	"key out of step": `refunds r JOIN idempotency_keys k ON k.application_id = r.application_id AND k.object_id = r.id
		WHERE r.status <> 'pending' AND k.state <> 'done'`,
	"settled charge with money that is still pending": `charges c WHERE c.status IN ('settled', 'returned') AND 0 <> (
		SELECT coalesce(sum(CASE 'merchant_pending' WHEN l.debit THEN l.amount WHEN l.credit THEN -l.amount
			ELSE 0 END), 0)
		FROM ledger_entries l WHERE l.charge_id = c.id)`,
	"reference submitted twice": `(SELECT FROM sandbox_processor_book WHERE kind <> 'refund_failed'
		GROUP BY reference HAVING count(*) > 1) twice`,
	"money given back without a refund": `sandbox_processor_book b LEFT
		JOIN refunds r ON r.processor_reference = b.reference
		WHERE b.kind = 'refund' AND (r.status IS NULL OR r.amount <> b.amount
			OR r.status NOT IN ('pending', 'succeeded') AND NOT (r.status = 'failed' AND r.succeeded_at IS NOT NULL))`,
	"books off balance": `(SELECT FROM ledger_balances GROUP BY application_id, currency HAVING sum(balance) <> 0) off`,
}

// wrongs lists what is there and must not be.
func wrongs(w *fixture.World) ([]string, error) {
	var parts []string
	for what, from := range audits {
		parts = append(parts, fmt.Sprintf(`SELECT count(*) || ' × %s' FROM %s HAVING count(*) > 0`, what, from))
	}
	type row struct{ Text string }
	rows, err := pg.All[row](w.T.Context(), w.Pool, `SELECT text
		FROM (`+strings.Join(parts, ` UNION ALL `)+`) wrong (text)`, pg.Args{})
	var out []string
	for _, r := range rows {
		out = append(out, r.Text)
	}
	return out, err
}

func audit(t *testing.T, w *fixture.World) {
	t.Helper()
	found, err := wrongs(w)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range found {
		t.Errorf("audit: %s", wrong)
	}
}

// testWorld is a world with its processor and one charge.
type testWorld struct {
	*fixture.World
	p      *scripted
	charge charge.Charge
}

// told is what the processor reports a charge.
func told(c charge.Charge, returnCode string) processor.Event {
	return processor.Event{Adapter: "sandbox", Account: processor.MerchantAccount(c.ApplicationID, c.MerchantID),
		Reference: c.Processor.Reference, ReturnCode: returnCode}
}
