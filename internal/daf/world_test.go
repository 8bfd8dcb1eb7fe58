package daf_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// window is how long after its submission a grant may turn up at the scripted provider.
const window = time.Minute

var errLost = errors.New("the connection was lost")

// scripted is a provider that does what a test says. It keeps its own book.
type scripted struct {
	provider.Provider
	mu      sync.Mutex
	grant   func(ctx context.Context, g provider.Grant) (provider.Answer, error) // nil: approve
	lookup  func() error                                                         // an error of every look-up; nil: none
	answers map[string]provider.Answer
	calls   []provider.Grant
}

func (p *scripted) Name() string                { return "scripted" }
func (p *scripted) SettleWindow() time.Duration { return window }

func (p *scripted) Grant(ctx context.Context, g provider.Grant) (provider.Answer, error) {
	p.mu.Lock()
	p.calls = append(p.calls, g)
	grant := p.grant
	p.mu.Unlock()
	if grant == nil {
		grant = p.approve
	}
	return grant(ctx, g)
}

func (p *scripted) Lookup(_ context.Context, reference string) (provider.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lookup != nil {
		return provider.Answer{}, p.lookup()
	}
	a, ok := p.answers[reference]
	if !ok {
		return a, provider.ErrNotFound
	}
	return a, nil
}

// answer writes an answer into the provider's book.
func (p *scripted) answer(reference string, a provider.Answer) provider.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.Approved {
		a.TrackingID = trackingOf(reference)
	}
	p.answers[reference] = a
	return a
}

// trackingOf is the tracking id that the scripted provider gives a grant.
func trackingOf(reference string) string { return strings.ToUpper(reference[len(reference)-10:]) }

func (p *scripted) approve(_ context.Context, g provider.Grant) (provider.Answer, error) {
	return p.answer(g.Reference, provider.Answer{Approved: true}), nil
}

func (p *scripted) decline(code string) func(context.Context, provider.Grant) (provider.Answer, error) {
	return func(_ context.Context, g provider.Grant) (provider.Answer, error) {
		return p.answer(g.Reference, provider.Answer{DeclineCode: code}), nil
	}
}

// lose takes the grant, or declines it with a code, but its answer does not arrive.
func (p *scripted) lose(code string) func(context.Context, provider.Grant) (provider.Answer, error) {
	return func(_ context.Context, g provider.Grant) (provider.Answer, error) {
		p.answer(g.Reference, provider.Answer{Approved: code == "", DeclineCode: code})
		return provider.Answer{}, errLost
	}
}

// drop never gets the grant.
func drop(context.Context, provider.Grant) (provider.Answer, error) {
	return provider.Answer{}, errLost
}

// world is a fixture's world with a provider of its own.
type world struct {
	*fixture.World
	p *scripted
}

// newWorld makes a world whose first application's US merchant takes donations.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: fixture.New(t), p: &scripted{answers: map[string]provider.Answer{}}}
	w.Grants = operation.NewResolver(w.Pool, operation.Provider(w.p), w.Clock.Now)
	deps := w.DAF.Deps()
	deps.Provider, deps.Grants = w.p, w.Grants
	w.DAF = daf.New(deps)
	w.TakesDAF(w.App.Merchants.US)
	return w
}

func (w *world) sql(statement string, args pg.Args) {
	w.T.Helper()
	if n, err := pg.Exec(w.T.Context(), w.Pool, statement, args); err != nil || n == 0 {
		w.T.Fatalf("%d rows, %v", n, err)
	}
}

// input is the request for what a donor has just authorized.
func (w *world) input(kind daf.Kind, amount money.Amount) daf.CreateInput {
	w.T.Helper()
	id := w.Authorized(w.App, w.App.Merchants.US, kind, amount)
	in := daf.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount,
		User: &daf.UserInput{FirstName: ptr("Dana"), LastName: ptr(""), Email: ptr("dana@example.org")}}
	if kind == daf.Integrated {
		in.WorkflowSessionID = &id
	} else {
		in.GrantID = &id
	}
	return in
}

// make makes a donation, which must succeed.
func (w *world) make(kind daf.Kind, amount money.Amount) daf.Donation {
	w.T.Helper()
	return w.create(w.input(kind, amount), nil).Object
}

func (w *world) create(in daf.CreateInput, claim *idempotency.Claim) daf.Result {
	w.T.Helper()
	out, err := w.DAF.Create(w.T.Context(), w.Actor(), in, claim)
	if err != nil {
		w.T.Fatal(err)
	}
	return out
}

func (w *world) get(id ids.Donation) daf.Donation {
	w.T.Helper()
	d, err := w.DAF.Get(w.T.Context(), w.Actor(), id.String())
	if err != nil {
		w.T.Fatal(err)
	}
	return d
}

// only is the one donation that there is.
func (w *world) only() daf.Donation {
	w.T.Helper()
	id, err := pg.Value[ids.Donation](w.T.Context(), w.Pool, `SELECT id FROM daf_donations`, pg.Args{})
	if err != nil {
		w.T.Fatal(err)
	}
	return w.get(id)
}

// set gives a donation a status by hand.
func (w *world) set(id ids.Donation, to daf.Status) (daf.Donation, error) {
	out, err := w.DAF.Update(w.T.Context(), w.Actor(), id.String(), status(to), nil)
	return out.Object, err
}

// resolve has the resolver ask about what is due after a while.
func (w *world) resolve(after time.Duration, want int) {
	w.T.Helper()
	w.Clock.Advance(after)
	if n, err := w.Grants.Resolve(w.T.Context()); err != nil || n != want {
		w.T.Errorf("asked about %d, %v; want %d", n, err, want)
	}
}

func (w *world) claim(key string) *idempotency.Claim {
	return &idempotency.Claim{ApplicationID: w.App.AppID, Key: key, Method: "POST", Path: "/api/dafDonations",
		Fingerprint: sha256.Sum256([]byte(key)), Params: map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now())}
}

// told lists the types of the events of a donation, in their order.
func (w *world) told(id ids.Donation) (out []string) {
	w.T.Helper()
	rows, err := pg.All[struct{ Type string }](w.T.Context(), w.Pool, `SELECT type FROM events WHERE object_id = @id
		ORDER BY serial`, pg.Args{"id": id.Bytes()})
	if err != nil {
		w.T.Fatal(err)
	}
	for _, r := range rows {
		out = append(out, r.Type)
	}
	return out
}

func (w *world) count(from string) int {
	w.T.Helper()
	n, err := pg.Value[int](w.T.Context(), w.Pool, `SELECT count(*)::int FROM `+from, pg.Args{})
	if err != nil {
		w.T.Fatal(err)
	}
	return n
}

// audits select what must not be there, at any instant.
var audits = map[string]string{
	"donation without its events": `daf_donations d WHERE d.version + (
			SELECT count(*) FROM daf_donation_statuses h WHERE h.donation_id = d.id AND h.version > 1
				AND h.status IN ('completed', 'canceled'))
		<> (SELECT count(*) FROM events e WHERE e.object_id = d.id)`,
	"donation whose status is not the history's last": `daf_donations d WHERE d.status <> (
			SELECT h.status FROM daf_donation_statuses h WHERE h.donation_id = d.id ORDER BY h.version DESC LIMIT 1)`,
	"history that repeats a status": `(SELECT status, lag(status) OVER (PARTITION BY donation_id
		ORDER BY version) AS before
			FROM daf_donation_statuses) h WHERE status = before`,
	"donation whose fees are not in the books exactly while it is completed": `daf_donations d WHERE
		CASE WHEN d.status = 'completed' THEN d.fee_total ELSE 0 END <> (
			SELECT coalesce(sum(CASE WHEN l.kind LIKE '%\_reversed' THEN -l.amount ELSE l.amount END), 0)
				FROM ledger_entries l WHERE l.source_id = d.id)`,
	"donation that its authorization does not know": `daf_donations d WHERE NOT EXISTS (SELECT FROM daf_workflows w
		WHERE w.donation_id = d.id)`,
	"authorization of a donation that is not there": `daf_workflows w WHERE w.donation_id IS NOT NULL AND NOT EXISTS (
			SELECT FROM daf_donations d WHERE d.id = w.donation_id)`,
	"integrated donation without an operation": `daf_donations d LEFT JOIN processor_operations o ON o.subject_id = d.id
		WHERE (d.kind = 'integrated') <> (o.id IS NOT NULL)`,
	"key out of step": `daf_donations d JOIN idempotency_keys k ON k.application_id = d.application_id
		AND k.object_id = d.id
		JOIN processor_operations o ON o.subject_id = d.id WHERE (o.state = 'open') = (k.state = 'done')`,
	"balance of a merchant": `ledger_balances WHERE account LIKE 'merchant\_%' AND balance <> 0`,
}

// audit looks for what must not be there.
func (w *world) audit() {
	w.T.Helper()
	for what, from := range audits {
		if n := w.count(from); n > 0 {
			w.T.Errorf("audit: %d × %s", n, what)
		}
	}
}

func status(to daf.Status) daf.UpdateInput {
	var in daf.UpdateInput
	in.Status.Given, in.Status.Value = true, ptr(string(to))
	return in
}

func ptr[T any](v T) *T { return &v }

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
