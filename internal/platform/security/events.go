// Package security records security events: the outcomes of authentication (passwords, codes, passkeys, links, API
// keys), denied permissions, exceeded limits, card numbers in texts, card testing, stored payment data that can't be
// decrypted, and violations of the policies of pages.
//
// Similar events of an hour share a row with their count, and a server writes a limited number of rows an hour for each
// kind and application. Beyond this limit, events of a person or key are counted without their addresses, and those of
// unknown accounts without the accounts. Beyond twice the limit, all events are counted without either. So a flood
// can't fill the table, and each event is counted. Rejected requests of an application are also in its audit log.
package security

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/seal"
)

// Kind says what an event is about.
type Kind string

// The kinds.
const (
	SignIn      Kind = "sign_in"      // a password, code or passkey of a person who signs in
	Proof       Kind = "proof"        // the same, of a person who is signed in
	Link        Kind = "link"         // a link that resets a password or accepts an invitation
	APIKey      Kind = "api_key"      // the key of a request to the API
	Permission  Kind = "permission"   // an action that an actor may not do
	Limit       Kind = "limit"        // a request beyond a limit
	Vault       Kind = "vault"        // stored payment data that can't be decrypted
	CardNumber  Kind = "card_number"  // a text that holds what looks like a card number
	CardTesting Kind = "card_testing" // cards or declines beyond their limit
	PagePolicy  Kind = "page_policy"  // a violation of a page's Content-Security-Policy that a browser reported
)

// Succeeded is the outcome of a proof that was right. All other outcomes are the codes of faults, or reasons such as
// account_unknown.
const Succeeded = "succeeded"

// Challenged is the outcome of a request that has to prove work first. It is no rejection.
const Challenged = "challenged"

// Event is one event. Of the actor, the ids, the name of the key and the address are kept.
type Event struct {
	Kind    Kind
	Outcome string
	Actor   authz.Actor
	// Account is the email address or the key that no account has. Only a keyed digest of it is kept.
	Account string
}

// Bounds of what one server keeps.
const (
	rowsAnHour = 100 // of one kind and application, each for accounts that are known and for others
	mostRows   = 20_000
)

// row is what the events of one row have in common.
type row struct {
	hour          int64 // in seconds since 1970
	kind          Kind
	outcome       string
	applicationID int64
	personID      int64
	keyID         ids.Key
	account       [accountSize]byte
	address       netip.Addr
}

// accountSize is how much of an account's digest is kept, in bytes.
const accountSize = 16

// group is a set of rows that share a limit.
type group struct {
	kind          Kind
	applicationID int64
	known         bool
}

// tally is what is added to a row: how many events, from when to when, and the actor of the last.
type tally struct {
	count       int64
	first, last time.Time
	actor       authz.Actor
}

// Log records events. A nil Log records nothing.
type Log struct {
	pool  *pgxpool.Pool
	audit *audit.Log
	mac   *seal.MAC
	now   func() time.Time
	// Observed is called with each event; nil calls nothing.
	Observed func(kind Kind, outcome string)

	mu      sync.Mutex
	hour    int64
	waiting map[row]tally
	seen    map[group]map[row]bool // in this hour
	dropped int64

	writing sync.Mutex
}

// New makes a log. Digests of accounts are computed with mac, and now is the machine's time.
func New(pool *pgxpool.Pool, log *audit.Log, mac *seal.MAC, now func() time.Time) *Log {
	return &Log{pool: pool, audit: log, mac: mac, now: now, waiting: map[row]tally{}}
}

// Origin is where a request comes from.
type Origin struct {
	Address   netip.Addr
	RequestID ids.Request
}

type originKey struct{}

// From returns a context whose events have the origin of their request.
func From(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf is the origin of the request that is worked on; zero if it is not known.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

// completed is an actor with the origin of the request.
func completed(ctx context.Context, a authz.Actor) authz.Actor {
	o := OriginOf(ctx)
	if !a.Address.IsValid() {
		a.Address = o.Address
	}
	if a.RequestID.IsZero() {
		a.RequestID = o.RequestID
	}
	a.Address = a.Address.Unmap().WithZone("")
	return a
}

// Add takes an event. It never waits for the database.
func (l *Log) Add(ctx context.Context, e Event) {
	if l == nil {
		return
	}
	if l.Observed != nil {
		l.Observed(e.Kind, e.Outcome)
	}
	a, now := completed(ctx, e.Actor), l.now()
	r := row{hour: now.Truncate(time.Hour).Unix(), kind: e.Kind, outcome: e.Outcome, applicationID: a.ApplicationID,
		personID: a.PersonID, keyID: a.KeyID, account: l.digest(e.Account), address: a.Address}
	l.mu.Lock()
	defer l.mu.Unlock()
	r = l.bounded(r)
	l.put(r, tally{1, now, now, a})
}

// Outcome adds an event whose outcome is that of an error: nil, or a fault. Other errors are our own failures, and are
// not recorded.
func (l *Log) Outcome(ctx context.Context, kind Kind, a authz.Actor, account string, err error) {
	outcome := Succeeded
	if err != nil {
		f, ok := fault.As(err)
		if !ok || f.Kind == fault.KindInternal || f.Kind == fault.KindUnavailable {
			return
		}
		outcome = f.Code
	}
	l.Add(ctx, Event{Kind: kind, Outcome: outcome, Actor: a, Account: account})
}

// digest is the keyed digest of an account; zero if there is no account.
func (l *Log) digest(account string) (out [accountSize]byte) {
	if account == "" {
		return out
	}
	sum, err := l.mac.Sum(l.mac.Key(), []byte(account))
	if err == nil { // the keyset has its own primary key
		copy(out[:], sum)
	}
	return out
}

// bounded is the row of an event, with fewer details if its group has too many rows in this hour.
func (l *Log) bounded(r row) row {
	if l.hour != r.hour {
		l.hour, l.seen = r.hour, map[group]map[row]bool{}
	}
	g := group{r.kind, r.applicationID, r.personID != 0 || !r.keyID.IsZero()}
	rows := l.seen[g]
	if rows == nil {
		rows = map[row]bool{}
		l.seen[g] = rows
	}
	if !rows[r] && len(rows) >= rowsAnHour {
		if r.account = [accountSize]byte{}; g.known {
			r.address = netip.Addr{}
		}
	}
	if !rows[r] && len(rows) >= 2*rowsAnHour {
		r.personID, r.keyID, r.address = 0, ids.Key{}, netip.Addr{}
	}
	rows[r] = true
	return r
}

// put adds a tally to a waiting row.
func (l *Log) put(r row, t tally) {
	was, waits := l.waiting[r]
	switch {
	case !waits && len(l.waiting) >= mostRows:
		l.dropped += t.count
		return
	case waits && t.last.Before(was.last):
		was.first, was.count = t.first, was.count+t.count
		l.waiting[r] = was
		return
	case waits:
		t.first, t.count = was.first, was.count+t.count
	}
	l.waiting[r] = t
}

// Dropped is how many events of this server were lost so far, while the database did not take them.
func (l *Log) Dropped() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}
