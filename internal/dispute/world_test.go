package dispute_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
)

// How a bank treats an answer to a dispute.
const (
	takes   = "takes"
	refuses = "refuses"
	objects = "objects" // it rejects the evidence
	mute    = "mute"    // it takes the answer, but its own is lost
	deaf    = "deaf"    // the answer is lost
)

// bank is the sandbox processor with a dispute desk that a test plays with.
type bank struct {
	processor.Processor
	mu      sync.Mutex
	manner  string
	during  func() // runs while an answer is on its way
	after   func() // runs when the bank has it, before we hear
	got     []processor.Response
	answers map[string]processor.Answer
}

var errLine = errors.New("the line is dead")

func (b *bank) Respond(_ context.Context, r processor.Response) (processor.Answer, error) {
	b.mu.Lock()
	manner, during := b.manner, b.during
	b.mu.Unlock()
	if during != nil {
		during()
	}
	if manner == deaf {
		return processor.Answer{}, errLine
	}
	a := processor.Answer{Approved: manner != refuses && manner != objects}
	if manner == objects {
		a.DeclineCode = processor.EvidenceRefused
	}
	b.mu.Lock()
	b.got = append(b.got, r)
	b.answers[r.Reference] = a
	after := b.after
	b.mu.Unlock()
	if after != nil {
		after()
	}
	if manner == mute {
		return processor.Answer{}, errLine
	}
	return a, nil
}

func (b *bank) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	b.mu.Lock()
	a, ok := b.answers[reference]
	b.mu.Unlock()
	if ok {
		return a, nil
	}
	return b.Processor.Lookup(ctx, account, reference)
}

func (b *bank) behave(manner string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.manner = manner
}

type world struct {
	*fixture.World
	t     testing.TB
	bank  *bank
	token string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	b := &bank{manner: takes, answers: map[string]processor.Answer{}}
	w := &world{t: t, bank: b}
	w.World = fixture.NewWith(t, func(p *sandbox.Processor) processor.Processor {
		b.Processor = p
		return b
	})
	w.token = w.Token("4242424242424242")
	return w
}

// charged makes a captured charge of the first application's US merchant.
func (w *world) charged(amount money.Amount) charge.Charge {
	w.t.Helper()
	out, err := w.Charges.Create(context.Background(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &w.token}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Object
}

// chargeNow reads a charge.
func (w *world) chargeNow(id ids.Charge) charge.Charge {
	w.t.Helper()
	c, err := w.Charges.Find(context.Background(), w.App.AppID, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// notices numbers the processor's events and disputes.
var notices atomic.Int64

// noticed is an event about a charge, of a dispute that is new by its name.
func (w *world) noticed(c charge.Charge, amount money.Amount) processor.Event {
	n := notices.Add(1)
	return processor.Event{Adapter: "sandbox", ID: fmt.Sprintf("ev_%d", n),
		Account:   processor.MerchantAccount(c.ApplicationID, c.MerchantID),
		Reference: c.Processor.Reference, At: w.Clock.Now(), Dispute: &processor.DisputeNotice{
			ID: fmt.Sprintf("case-%d", n), Reason: "fraudulent", Amount: amount, Currency: c.Currency,
			RespondBy: w.Clock.Now().Add(7 * 24 * time.Hour)}}
}

// retrieval is the event with the notice of a retrieval.
func retrieval(ev processor.Event) processor.Event {
	n := *ev.Dispute
	n.Retrieval, n.Reason = true, "product_unrecognized"
	ev.Dispute = &n
	return ev
}

// hear hands an event to the service as inbound does.
func (w *world) hear(kind processor.EventKind, ev processor.Event) error {
	ev.Kind = kind
	handle := map[processor.EventKind]func(context.Context, processor.Event) error{
		processor.DisputeOpened: w.Disputes.Open, processor.DisputeEscalated: w.Disputes.Escalate,
		processor.DisputeWon: w.Disputes.Won, processor.DisputeLost: w.Disputes.Lost,
		processor.DisputeClosed: w.Disputes.Closed,
	}[kind]
	return handle(context.Background(), ev)
}

func (w *world) heard(kind processor.EventKind, ev processor.Event) dispute.Dispute {
	w.t.Helper()
	if err := w.hear(kind, ev); err != nil {
		w.t.Fatal(err)
	}
	return w.of(ev)
}

// of reads the dispute that an event is about.
func (w *world) of(ev processor.Event) dispute.Dispute {
	w.t.Helper()
	id, err := pg.Value[ids.Dispute](context.Background(), w.Pool, `SELECT id FROM disputes
		WHERE processor_dispute = @id`, pg.Args{"id": ev.Dispute.ID})
	if err != nil {
		w.t.Fatal(err)
	}
	d, err := w.Disputes.Get(context.Background(), w.Actor(), id.String())
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// opened is a chargeback over a whole new charge.
func (w *world) opened(amount money.Amount) (dispute.Dispute, processor.Event) {
	w.t.Helper()
	ev := w.noticed(w.charged(amount), amount)
	return w.heard(processor.DisputeOpened, ev), ev
}

// asked is a retrieval about a whole new charge.
func (w *world) asked(amount money.Amount) (dispute.Dispute, processor.Event) {
	w.t.Helper()
	ev := w.noticed(w.charged(amount), amount)
	return w.heard(processor.DisputeOpened, retrieval(ev)), ev
}

func words(text string) dispute.EvidenceInput {
	return dispute.EvidenceInput{Evidence: map[string]string{"uncategorized_text": text}}
}

func (w *world) claim(key string) *idempotency.Claim {
	return &idempotency.Claim{ApplicationID: w.App.AppID, Key: key, Method: "POST", Path: "/api/disputes",
		Fingerprint: sha256.Sum256([]byte(key)),
		Params:      map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now())}
}

// sweep closes what is overdue, in every application.
func (w *world) sweep() int {
	w.t.Helper()
	views, err := w.Clocks.Views(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	total := 0
	for _, v := range views {
		n, err := w.Disputes.CloseOverdue(context.Background(), v)
		if err != nil {
			w.t.Fatal(err)
		}
		total += n
	}
	return total
}

// balances are the merchant's accounts as people see them: what the merchant is owed is positive.
func (w *world) balances() map[ledger.Account]money.Amount {
	w.t.Helper()
	rows, err := ledger.Balances(context.Background(), w.Pool, w.App.AppID, w.App.Merchants.US)
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[ledger.Account]money.Amount{}
	for _, r := range rows {
		out[r.Account] = -r.Balance
	}
	return out
}

// moved is how balances differ, without those that do not.
func moved(before, after map[ledger.Account]money.Amount) map[ledger.Account]money.Amount {
	out := map[ledger.Account]money.Amount{}
	for a, n := range after {
		if d := n - before[a]; d != 0 {
			out[a] = d
		}
	}
	return out
}

func code(err error) string {
	if err == nil {
		return ""
	}
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

func jsonOf(t interface{ Fatal(...any) }, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (w *world) count(from string) int {
	w.t.Helper()
	n, err := pg.Value[int](context.Background(), w.Pool, `SELECT count(*)::int FROM `+from, pg.Args{})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

const (
	posted = `(SELECT coalesce(sum(amount), 0) FROM ledger_entries l WHERE l.application_id = d.application_id
		AND l.source_id = d.id AND l.`
	told = `(SELECT count(*) FROM events e WHERE e.application_id = o.application_id AND e.object_id = o.id
		AND e.position`
	perEvent = ` o WHERE o.version <> ` + told + ` <= o.version) OR 0 <> ` + told + ` > o.version)`
)

// audits select what must not be there.
var audits = map[string]string{
	"dispute without one event a version": `disputes` + perEvent,
	"charge without one event a version":  `charges` + perEvent,
	"last event that is not the record": `disputes d JOIN events e ON e.application_id = d.application_id
		AND e.object_id = d.id AND e.position = d.version
		WHERE e.object->>'status' <> d.status OR e.object->>'kind' <> d.kind
			OR (e.object->>'amount')::bigint <> d.amount`,
	"chargeback that is not booked": `disputes d
		WHERE ` + posted + `kind = 'chargeback') <> CASE d.kind WHEN 'chargeback' THEN d.amount ELSE 0 END`,
	"outcome that is not booked": `disputes d
		WHERE ` + posted + `kind = 'chargeback_won') <> CASE d.status WHEN 'won' THEN d.amount ELSE 0 END
		OR ` + posted + `kind = 'chargeback_lost') <> CASE WHEN d.status IN ('lost', 'accepted') THEN d.amount
			-- what was lost before it was won
			ELSE ` + posted + `kind = 'chargeback_won' AND debit = 'processor_receivable') END`,
	"reserve that is not the open chargebacks'": `(SELECT 1 WHERE coalesce((SELECT -sum(balance) FROM ledger_balances
		WHERE account = 'merchant_reserved'), 0)
		<> coalesce((SELECT sum(amount) FROM disputes WHERE kind = 'chargeback'
			AND status IN ('needs_response', 'under_review')), 0)) x`,
	"disputed amount that is not what is left of the contested": `charges c WHERE c.amount_disputed <>
		greatest(0, least(c.amount_contested, c.amount_captured - c.amount_refunded - c.amount_refund_pending))`,
	"contested amount that is not the disputes'": `charges c WHERE c.amount_contested <>
		coalesce((SELECT sum(disputed) FROM disputes d WHERE d.application_id = c.application_id
			AND d.charge_id = c.id), 0)`,
	"charge that does not say what it lost": `charges c WHERE (c.amount_lost, c.dispute_fee_total) <> (SELECT
		coalesce(sum(amount) FILTER (WHERE status IN ('lost', 'accepted')), 0), coalesce(sum(fee_total), 0)
		FROM disputes d WHERE d.application_id = c.application_id AND d.charge_id = c.id)`,
	"charge whose last event says another net than the books": `charges c JOIN events e ON e.object_id = c.id
		AND e.position = c.version
		WHERE (e.object->>'net_after_reversals')::bigint <>
			(SELECT sum(amount * ((credit LIKE 'merchant\_%')::int - (debit LIKE 'merchant\_%')::int))
		FROM ledger_entries l WHERE l.application_id = c.application_id AND l.charge_id = c.id)`,
	"more gone than captured": `charges c WHERE c.amount_refunded + c.amount_refund_pending + c.amount_disputed >
		c.amount_captured`,
	"fees that are not booked": `disputes d WHERE d.fee_total <> ` + posted + `credit = 'application_fees')`,
	"fees that are not recorded": `disputes d WHERE d.fee_total <> (SELECT coalesce(sum(total), 0) FROM fee_events f
		WHERE f.application_id = d.application_id AND f.source_id = d.id)`,
	"operation out of step": `disputes d FULL JOIN (SELECT id, state FROM processor_operations WHERE kind = 'respond') o
		ON o.id = d.operation_id
		WHERE (o.id IS NOT NULL AND o.state = 'open') <> (d.operation_id IS NOT NULL)`,
	"books off balance": `(SELECT FROM ledger_balances GROUP BY application_id, currency HAVING sum(balance) <> 0) off`,
}

func (w *world) audit(t interface{ Errorf(string, ...any) }) {
	w.t.Helper()
	var all []string
	for what, from := range audits {
		all = append(all, `SELECT '`+strings.ReplaceAll(what, "'", "''")+`' AS what, count(*)::int AS count FROM `+from)
	}
	rows, err := pg.All[struct {
		What  string `db:"what"`
		Count int    `db:"count"`
	}](context.Background(), w.Pool, strings.Join(all, " UNION ALL "), pg.Args{})
	if err != nil || len(rows) != len(audits) {
		w.t.Fatal(err)
	}
	for _, r := range rows {
		if r.Count > 0 {
			t.Errorf("audit: %d × %s", r.Count, r.What)
		}
	}
}

// turnsUp lets an answer arrive after all.
func (b *bank) turnsUp(reference string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[reference] = processor.Answer{Approved: true}
}

// lastReference is our reference of the last answer to a dispute.
func (w *world) lastReference() string {
	w.t.Helper()
	reference, err := pg.Value[string](context.Background(), w.Pool,
		`SELECT reference FROM processor_operations WHERE kind = 'respond' ORDER BY created_at DESC, id DESC LIMIT 1`,
		pg.Args{})
	if err != nil {
		w.t.Fatal(err)
	}
	return reference
}
