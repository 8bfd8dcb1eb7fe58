package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/seal"
)

// start is what the first entry of a chain follows from.
var start [sha256.Size]byte

// after is the hash of a content that follows another hash; the database computes the same.
func after(hash, content []byte) []byte {
	sum := sha256.Sum256(append(bytes.Clone(hash), content...))
	return sum[:]
}

// Flaw says what is wrong with a chain.
type Flaw string

// The flaws. Of a chain with one, nothing after it is proven.
const (
	Altered Flaw = "altered" // an entry's content or hash is not what it was, or it is in another's place
	Missing Flaw = "missing" // an entry is not there
	CutOff  Flaw = "cut_off" // the last entries are not there, or there are more than were written
	// Rewritten is a chain whose hash at a position is not the one that was exported.
	Rewritten Flaw = "rewritten"
)

// Chain is the state of one chain.
type Chain struct {
	ApplicationID int64 // 0: the deployment's own
	Entries       int64 // that were looked at and are in order
	// Head is the hash of the last entry in hexadecimal digits: anyone who keeps it can tell later that
	// nothing before was rewritten. "" of a chain without entries.
	Head string
	// Flaw is the first that was found, "" for none, and Position where.
	Flaw     Flaw
	Position int64
	ID       ids.AuditEntry // of the entry there, if there is one
	Plain    int64          // entries whose hash has no key
}

// end is how far a chain has come.
type end struct {
	Position int64  `db:"position"`
	Hash     []byte `db:"hash"`
	Last     int64  `db:"last"` // the last entry that is there
}

// Chains lists the applications that have a chain, 0 for the deployment's own.
func (l *Log) Chains(ctx context.Context) ([]int64, error) {
	return pg.Column[int64](ctx, l.pool, `SELECT application_id FROM audit_chains ORDER BY 1`, pg.Args{})
}

// ChainOf inspects the chain of the actor's application; of the deployment itself for who works in it
// without having chosen one. What was found in the last minute is told again.
func (l *Log) ChainOf(ctx context.Context, a authz.Actor) (Chain, error) {
	if err := l.Check(a, authz.AuditRead); err != nil {
		return Chain{}, err
	}
	// One at a time, and none that was looked at just now: anyone who asks again and again has it computed once a
	// minute.
	l.looking.Lock()
	defer l.looking.Unlock()
	if kept, ok := l.looked[a.ApplicationID]; ok && l.now().Sub(kept.at) < inspectAgain {
		return kept.Chain, nil
	}
	c, err := l.Inspect(ctx, a.ApplicationID)
	if err == nil {
		l.looked[a.ApplicationID] = looked{c, l.now()}
	}
	return c, err
}

// inspectAgain is how long what a look at a chain found is told again.
const inspectAgain = time.Minute

type looked struct {
	Chain
	at time.Time
}

// inspectAtOnce is how many entries are read at a time.
const inspectAtOnce = 1000

// Inspect computes a chain again from its first entry on. Entries may be added in the meantime.
func (l *Log) Inspect(ctx context.Context, applicationID int64) (Chain, error) {
	return l.inspect(ctx, applicationID, Head{}, nil)
}

// InspectWith is Inspect, and compares the chain with heads that were exported.
func (l *Log) InspectWith(ctx context.Context, applicationID int64, heads Heads) (Chain, error) {
	return l.inspect(ctx, applicationID, Head{}, heads[applicationID])
}

// inspect computes a chain again from one of its heads on, and compares it with others.
func (l *Log) inspect(ctx context.Context, applicationID int64, from Head, heads map[int64][]byte) (Chain, error) {
	out := Chain{ApplicationID: applicationID, Entries: from.Position}
	to, err := l.endOf(ctx, applicationID)
	if errors.Is(err, pg.ErrNone) {
		to, err = end{}, nil
	}
	if err != nil {
		return out, err
	}
	hash := start[:]
	if from.Position > 0 {
		hash = from.Hash
	}
	for out.Entries < to.Position {
		entries, err := pg.All[Entry](ctx, l.pool, `
			SELECT `+columns+` FROM audit_entries
			WHERE application_id = @application_id AND position > @done AND position <= @last
				ORDER BY position LIMIT @limit`,
			pg.Args{"application_id": applicationID, "done": out.Entries, "last": to.Position, "limit": inspectAtOnce})
		if err != nil {
			return out, err
		}
		for _, e := range entries {
			if hash, err = l.step(&out, e, hash); err != nil || out.Flaw != "" {
				return out, err
			}
			if want, ok := heads[e.Position]; ok && !bytes.Equal(hash, want) {
				out.Flaw, out.Position, out.ID = Rewritten, e.Position, e.ID
				return out, nil
			}
		}
		if len(entries) == 0 {
			break
		}
	}
	last := int64(0)
	for position := range heads {
		last = max(last, position)
	}
	if out.Entries != to.Position || to.Last != to.Position || out.Entries < last ||
		to.Position > 0 && !bytes.Equal(hash, to.Hash) {
		out.Flaw, out.Position = CutOff, out.Entries+1
	}
	if to.Position > 0 {
		out.Head = hex.EncodeToString(hash)
	}
	return out, nil
}

// step looks at the next entry of a chain, which should follow a hash, and returns its own.
func (l *Log) step(c *Chain, e Entry, hash []byte) ([]byte, error) {
	if c.Position = c.Entries + 1; e.Position != c.Position {
		c.Flaw = Missing
		return hash, nil
	}
	want, err := l.hashOf(e, hash)
	if err != nil && !errors.Is(err, seal.ErrNoKey) { // an unknown key is that of an altered entry
		return hash, err
	}
	if e.MACKey == nil {
		c.Plain++
	}
	if !bytes.Equal(want, e.Hash) {
		c.Flaw, c.ID = Altered, e.ID
		return hash, nil
	}
	c.Entries, c.Position = e.Position, 0
	return e.Hash, nil
}
