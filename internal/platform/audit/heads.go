package audit

import (
	"bufio"
	"context"
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"svcpay/internal/platform/pg"
)

// Head is the end of a chain at a time.
type Head struct {
	At            time.Time
	ApplicationID int64
	Position      int64
	Hash          []byte
}

// text is the signed part of a line.
func (h Head) text() string {
	return fmt.Sprintf("%s %d %d %x", h.At.UTC().Format(time.RFC3339), h.ApplicationID, h.Position, h.Hash)
}

// ErrHead is returned for a line that is not a head, or is not signed with a key of the deployment.
var ErrHead = errors.New("audit: a line is not a head signed by this deployment")

// line is a head with the key and the signature.
func (l *Log) line(h Head) (string, error) {
	key := l.mac.Key()
	sum, err := l.mac.Sum(key, []byte("head "+h.text()))
	return fmt.Sprintf("%s %d %x", h.text(), key, sum), err
}

// readLine reads a line as [Log.line] wrote it.
func (l *Log) readLine(text string) (h Head, err error) {
	var at, hash, sum string
	var key uint32
	if _, err := fmt.Sscanf(text, "%s %d %d %s %d %s", &at, &h.ApplicationID, &h.Position, &hash, &key,
		&sum); err != nil {
		return h, ErrHead
	}
	var failed [3]error
	var given []byte
	h.At, failed[0] = time.Parse(time.RFC3339, at)
	h.Hash, failed[1] = hex.DecodeString(hash)
	given, failed[2] = hex.DecodeString(sum)
	want, err := l.mac.Sum(key, []byte("head "+h.text()))
	if errors.Join(append(failed[:], err)...) != nil || !hmac.Equal(given, want) {
		return h, ErrHead
	}
	return h, nil
}

// Heads are exported heads, by application and position.
type Heads map[int64]map[int64][]byte

// ReadHeads reads lines as [Log.ExportHeads] makes them, alone or as the member head of a line of the server's log.
// Lines of the log about something else are skipped. Next to the heads of the other lines, it returns an [ErrHead] for
// each line that is not signed by a key of the deployment, or that contradicts an earlier one. Without a key it returns
// [ErrNoKey].
func (l *Log) ReadHeads(r io.Reader) (Heads, error) {
	if l.mac == nil {
		return nil, ErrNoKey
	}
	out, lines := Heads{}, bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var bad []error
	for n := 1; lines.Scan(); n++ {
		h, err := l.readLogged(strings.TrimSpace(lines.Text()))
		if err == nil && h.Position > 0 {
			err = out.add(h)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("line %d: %w", n, err))
		}
	}
	return out, errors.Join(append(bad, lines.Err())...)
}

// maxLine is the length of the longest line that is read, in bytes. Lines of a log can be long.
const maxLine = 16 << 20

// readLogged reads a head, alone or in a line of the log; the zero head if the line is about something else.
func (l *Log) readLogged(text string) (Head, error) {
	if strings.HasPrefix(text, "{") {
		var logged struct{ Head string }
		if err := json.Unmarshal([]byte(text), &logged); err != nil {
			return Head{}, ErrHead
		}
		text = logged.Head
	}
	if text == "" {
		return Head{}, nil
	}
	return l.readLine(text)
}

func (all Heads) add(h Head) error {
	of := all[h.ApplicationID]
	if of == nil {
		of = map[int64][]byte{}
		all[h.ApplicationID] = of
	}
	if other, ok := of[h.Position]; ok && !hmac.Equal(other, h.Hash) {
		return fmt.Errorf("contradicts another line: %w", ErrHead)
	}
	of[h.Position] = h.Hash
	return nil
}

// Applications lists those with a chain or with an exported head.
func (l *Log) Applications(ctx context.Context, heads Heads) ([]int64, error) {
	all, err := l.Chains(ctx)
	all = slices.AppendSeq(all, maps.Keys(heads))
	slices.Sort(all)
	return slices.Compact(all), err
}

// ExportHeads returns a signed line for each chain with entries that are newer than its last head from this log. It
// inspects these entries, and all of a chain once a day. Both are compared with the last head from this log, so a chain
// that was rewritten, cut off or removed since then is broken. It returns the broken chains, too; they have no line.
func (l *Log) ExportHeads(ctx context.Context) (lines []string, broken []Chain, err error) {
	if l.mac == nil {
		return nil, nil, ErrNoKey
	}
	l.exporting.Lock()
	defer l.exporting.Unlock()
	now := l.now()
	whole := now.Sub(l.wholeAt) >= inspectWhole
	last := Heads{}
	if l.exported == nil {
		l.exported = map[int64]Head{}
	}
	for id, h := range l.exported {
		last[id] = map[int64][]byte{h.Position: h.Hash}
	}
	ids, err := l.Applications(ctx, last)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		from := l.exported[id]
		since := from
		if whole {
			since = Head{}
		}
		chain, err := l.inspect(ctx, id, since, last[id])
		if err != nil {
			return lines, broken, err
		}
		if chain.Flaw != "" {
			broken = append(broken, chain)
			continue
		}
		if chain.Entries == from.Position {
			continue
		}
		next := Head{At: now, ApplicationID: id, Position: chain.Entries}
		if next.Hash, err = hex.DecodeString(chain.Head); err != nil {
			return lines, broken, err
		}
		line, err := l.line(next)
		if err != nil {
			return lines, broken, err
		}
		l.exported[id] = next
		lines = append(lines, line)
	}
	if whole {
		l.wholeAt = now
	}
	return lines, broken, nil
}

// inspectWhole is how often the chains are inspected from their first entries on.
const inspectWhole = 24 * time.Hour

// endOf returns the end of an application's chain; [pg.ErrNone] if it has no chain.
func (l *Log) endOf(ctx context.Context, applicationID int64) (end, error) {
	return pg.One[end](ctx, l.pool, `
		SELECT c.position, c.hash, coalesce((SELECT max(e.position) FROM audit_entries e
			WHERE e.application_id = c.application_id), 0) AS last
		FROM audit_chains c WHERE c.application_id = @application_id`, pg.Args{"application_id": applicationID})
}
