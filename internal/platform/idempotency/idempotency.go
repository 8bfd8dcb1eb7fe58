// Package idempotency makes a request with a key happen once. The edge makes a [Claim] of the request; the use-case
// stores it in its first transaction, with the object that the request is about, and the outcome in its last. A later
// request with the same key gets that outcome.
//
// States: claimed (in progress; the object says where to resume) → accepted (the first caller was told that the outcome
// is not known yet) → done (result or refusal, final).
package idempotency

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// Life is how long a key is remembered.
const Life = 7 * 24 * time.Hour

// Claim is a request that wants to happen once.
type Claim struct {
	ApplicationID int64
	Key           string
	Method        string
	Path          string // canonical
	// Fingerprint digests method, path, version and canonical body, as they were sent.
	Fingerprint [sha256.Size]byte
	// Meaning digests the same with the body's defaults applied: requests with one Meaning are the same request. The
	// zero value is none; the request is then known by its Fingerprint alone.
	Meaning [sha256.Size]byte
	// Params digests each parameter, so that a reused key can name those that differ.
	Params    map[string]string
	RequestID ids.Request
}

// State is how far the work of a key has come.
type State string

// The states.
const (
	Claimed  State = "claimed"
	Accepted State = "accepted"
	Done     State = "done"
)

// Prior is what an earlier request with the same key left.
type Prior struct {
	State     State
	ObjectID  [16]byte
	Outcome   Outcome
	RequestID ids.Request // of the request that made the claim
	CreatedAt time.Time
}

// Outcome is how a request ended: Result is the object's JSON, or Refusal says no.
type Outcome struct {
	Result  json.RawMessage
	Refusal *fault.Error
}

type row struct {
	ApplicationID int64             `db:"application_id"`
	Key           string            `db:"key"`
	Fingerprint   []byte            `db:"fingerprint"`
	Meaning       []byte            `db:"meaning"` // see [bound]; nil: a server of an earlier release wrote the row
	Params        map[string]string `db:"param_hashes"`
	State         State             `db:"state"`
	ObjectID      *[16]byte         `db:"object_id"`
	Result        []byte            `db:"result"`
	Refusal       []byte            `db:"refusal"`
	RequestID     ids.Request       `db:"request_id"`
	CreatedAt     time.Time         `db:"created_at"`
	Method        string            `db:"method"`
	Path          string            `db:"path"`
	ExpiresAt     time.Time         `db:"expires_at"`
}

// Entry pairs a claim with the object that it is about.
type Entry struct {
	Claim    *Claim // nil: the request brought no key
	ObjectID [16]byte
}

// Verdict is the outcome of one entry: claimed now (both nil), there before, or refused.
type Verdict struct {
	Prior *Prior
	Err   error
}

// ClaimTx stores the claims that are new, in the caller's transaction, and returns a verdict per
// entry. Two entries of one call must not share a key.
func ClaimTx(ctx context.Context, tx *pg.Tx, now time.Time, entries []Entry) ([]Verdict, error) {
	b := tx.Batch()
	asked := Ask(b, now, entries)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return asked.VerdictsTx(ctx, tx)
}

// Asked are claims that a batch stores.
type Asked struct {
	entries []Entry
	keyed   []int // places of the entries that have a claim
	answer  *pg.Answer[taken]
}

// Ask is [ClaimTx] in a batch.
func Ask(b *pg.Batch, now time.Time, entries []Entry) Asked {
	a := Asked{entries: entries, answer: new(pg.Answer[taken])}
	for i, e := range entries {
		if e.Claim != nil {
			a.keyed = append(a.keyed, i)
		}
	}
	if len(a.keyed) == 0 {
		return a
	}
	// In one order: two transactions that take the same keys wait for each other, not both for both.
	slices.SortFunc(a.keyed, func(i, j int) int { return compare(entries[i].Claim, entries[j].Claim) })
	rows := make([]pg.Args, len(a.keyed))
	for k, i := range a.keyed {
		rows[k] = insertArgs(entries[i], now)
	}
	a.answer = pg.Ask[taken](b, insertRows, pg.Rows(rows))
	return a
}

// VerdictsTx returns a verdict per entry, after the batch has run in tx.
func (a Asked) VerdictsTx(ctx context.Context, tx *pg.Tx) ([]Verdict, error) {
	out, fresh := make([]Verdict, len(a.entries)), a.answer.Rows()
	known := slices.DeleteFunc(a.keyed, func(i int) bool { return slices.Contains(fresh, a.entries[i].Claim.taken()) })
	return out, priorsTx(ctx, tx, a.entries, known, out)
}

// insertRows takes keys; an expired row of the same key makes room, unless its work is still in progress.
const insertRows = `
	INSERT INTO idempotency_keys AS k (application_id, key, method, path, fingerprint, meaning, param_hashes, state,
		object_id, request_id, created_at, expires_at)
	SELECT c.application_id, c.key, c.method, c.path, c.fingerprint, c.meaning, c.params, 'claimed', c.object_id,
		c.request_id, c.now, c.until
	FROM unnest(@rows::new_claim[]) AS c
	ON CONFLICT (application_id, key) DO UPDATE SET
		method = excluded.method, path = excluded.path, fingerprint = excluded.fingerprint, meaning = excluded.meaning,
		param_hashes = excluded.param_hashes, state = 'claimed', object_id = excluded.object_id,
		result = NULL, refusal = NULL, request_id = excluded.request_id,
		created_at = excluded.created_at, expires_at = excluded.expires_at
	WHERE k.expires_at <= excluded.created_at AND k.state = 'done'
	RETURNING application_id, key`

// taken names a key that was taken.
type taken struct {
	ApplicationID int64  `db:"application_id"`
	Key           string `db:"key"`
}

func (c *Claim) taken() taken { return taken{c.ApplicationID, c.Key} }

func compare(a, b *Claim) int {
	return cmp.Or(cmp.Compare(a.ApplicationID, b.ApplicationID), cmp.Compare(a.Key, b.Key))
}

func insertArgs(e Entry, now time.Time) pg.Args {
	c := e.Claim
	return pg.Args{"application_id": c.ApplicationID, "key": c.Key, "method": c.Method, "path": c.Path,
		"fingerprint": c.Fingerprint[:], "meaning": c.bound(c.Fingerprint[:]), "params": c.Params,
		"object_id":  e.ObjectID,
		"request_id": c.RequestID, "now": now, "until": now.Add(Life)}
}

const selectRows = `
	SELECT application_id, key, fingerprint, meaning, param_hashes, state, object_id, result, refusal, request_id,
		created_at, method, path, expires_at
	FROM idempotency_keys WHERE `

// find returns what is stored under a key; pg.ErrNone if nothing is.
func find(ctx context.Context, q pg.Querier, applicationID int64, key string) (row, error) {
	return pg.One[row](ctx, q, selectRows+`application_id = @application_id AND key = @key`,
		pg.Args{"application_id": applicationID, "key": key})
}

// priorsTx gives the entries at some places what earlier requests left of their keys.
func priorsTx(ctx context.Context, q pg.Querier, entries []Entry, places []int, out []Verdict) error {
	if len(places) == 0 {
		return nil
	}
	applications, keys := make([]int64, len(places)), make([]string, len(places))
	for k, i := range places {
		applications[k], keys[k] = entries[i].Claim.ApplicationID, entries[i].Claim.Key
	}
	rows, err := pg.All[row](ctx, q, selectRows+`(application_id, key) IN (SELECT *
		FROM unnest(@applications::bigint[], @keys::text[]))`,
		pg.Args{"applications": applications, "keys": keys})
	if err != nil {
		return err
	}
	for _, i := range places {
		c := entries[i].Claim
		at := slices.IndexFunc(rows, func(r row) bool { return r.ApplicationID == c.ApplicationID && r.Key == c.Key })
		if at < 0 { // its transaction released the key a moment ago
			out[i].Err = InUse()
		} else if out[i], err = verdict(rows[at], c); err != nil {
			return err
		}
	}
	return nil
}

// verdict compares a request with the one that took its key.
func verdict(r row, c *Claim) (Verdict, error) {
	meaning := c.bound(r.Fingerprint)
	same := meaning != nil && bytes.Equal(r.Meaning, meaning)
	if !same && !bytes.Equal(r.Fingerprint, c.Fingerprint[:]) {
		return Verdict{Err: reused(c.Params, r.Params)}, nil
	}
	p, err := r.prior()
	return Verdict{Prior: p}, err
}

// bound is the claim's Meaning as it is stored with the fingerprint of a row; nil for none. A server of an earlier
// release that takes an expired key writes the fingerprint and leaves the meaning of the request before, which then
// agrees with no claim.
func (c *Claim) bound(fingerprint []byte) []byte {
	if c.Meaning == [sha256.Size]byte{} {
		return nil
	}
	sum := sha256.Sum256(append(slices.Clone(fingerprint), c.Meaning[:]...))
	return sum[:]
}

func (r row) prior() (*Prior, error) {
	p := &Prior{State: r.State, RequestID: r.RequestID, CreatedAt: r.CreatedAt, Outcome: Outcome{Result: r.Result}}
	if r.ObjectID != nil {
		p.ObjectID = *r.ObjectID
	}
	if r.Refusal == nil {
		return p, nil
	}
	p.Outcome.Refusal = new(fault.Error)
	return p, json.Unmarshal(r.Refusal, p.Outcome.Refusal)
}

// Foresee is the verdict that [ClaimTx] would give, without claiming anything: the zero one when the key is free.
func Foresee(ctx context.Context, pool *pgxpool.Pool, c *Claim) (Verdict, error) {
	r, err := find(ctx, pool, c.ApplicationID, c.Key)
	if errors.Is(err, pg.ErrNone) {
		return Verdict{}, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	return verdict(r, c)
}

// Find returns what is stored under the claim's key, without claiming it: nil when nothing is.
func Find(ctx context.Context, pool *pgxpool.Pool, c *Claim) (*Prior, error) {
	r, err := find(ctx, pool, c.ApplicationID, c.Key)
	if errors.Is(err, pg.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return r.prior()
}

// InUse is the fault for a key whose first request is still in progress.
func InUse() error {
	return fault.New(fault.KindConflict, "idempotency_key_in_use",
		"A request with this idempotency key is still in progress.").After(time.Second)
}

// reused names the parameters by which a request differs from the one that took the key.
func reused(mine, theirs map[string]string) error {
	var differ []string
	for name, digest := range mine {
		if theirs[name] != digest {
			differ = append(differ, name)
		}
	}
	for name := range theirs {
		if _, ok := mine[name]; !ok {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	differ = append([]string{}, differ...) // an array also when only path or method differ
	return fault.Refused("idempotency_key_reused",
		"This idempotency key was used for a different request.").With("differing_parameters", differ)
}

// ReleaseTx gives a key back whose request was refused before it wrote anything.
func ReleaseTx(tx *pg.Tx, c *Claim) {
	if c == nil {
		return
	}
	tx.Later(`DELETE FROM idempotency_keys WHERE application_id = @application_id AND key = @key AND state = 'claimed'`,
		pg.Args{"application_id": c.ApplicationID, "key": c.Key})
}

// Held names a key and the object that it was claimed for. A key that was forgotten and claimed
// again is another one, which an outcome that comes so late must not touch.
type Held struct {
	ApplicationID int64
	Key           string
	ObjectID      [16]byte
}

// AcceptTx notes that the caller was told to wait.
func AcceptTx(tx *pg.Tx, h Held) {
	tx.Later(`
		UPDATE idempotency_keys SET state = 'accepted'
		WHERE application_id = @application_id AND key = @key AND object_id = @object_id AND state = 'claimed'`,
		pg.Args{"application_id": h.ApplicationID, "key": h.Key, "object_id": h.ObjectID})
}

// FinishTx stores the outcome for good.
func FinishTx(tx *pg.Tx, h Held, o Outcome) error {
	var refusal []byte
	if o.Refusal != nil {
		var err error
		if refusal, err = json.Marshal(o.Refusal); err != nil {
			return err
		}
	}
	tx.Row(h, `
		UPDATE idempotency_keys k SET state = 'done', result = d.result, refusal = d.refusal
		FROM unnest(@rows::key_outcome[]) AS d
		WHERE k.application_id = d.application_id AND k.key = d.key AND k.object_id = d.object_id
			AND k.state <> 'done'`,
		pg.Args{"application_id": h.ApplicationID, "key": h.Key, "object_id": h.ObjectID,
			"result": []byte(o.Result), "refusal": refusal})
	return nil
}

// Purge forgets a batch of the finished keys whose life is over and says how many those were.
func Purge(ctx context.Context, pool *pgxpool.Pool, now time.Time) (int64, error) {
	return pg.Exec(ctx, pool, `
		DELETE FROM idempotency_keys WHERE (application_id, key) IN (
			SELECT application_id, key FROM idempotency_keys WHERE expires_at <= @now AND state = 'done' LIMIT @batch)`,
		pg.Args{"now": now, "batch": pg.PurgeBatch})
}
