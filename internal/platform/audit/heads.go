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
var ErrHead = errors.New("audit: a line has no head that this deployment signed")

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
// Lines of the log about something else are skipped. It returns [ErrHead] for a line that is not signed by a key of the
// deployment, or that contradicts another one, and [ErrNoKey] without a key.
func (l *Log) ReadHeads(r io.Reader) (Heads, error) {
	if l.mac == nil {
		return nil, ErrNoKey
	}
	out, lines := Heads{}, bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(text, "{") {
			var logged struct{ Head string }
			if err := json.Unmarshal([]byte(text), &logged); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, ErrHead)
			}
			text = logged.Head
		}
		if text == "" {
			continue
		}
		h, err := l.readLine(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		of := out[h.ApplicationID]
		if of == nil {
			of = map[int64][]byte{}
			out[h.ApplicationID] = of
		}
		if other, ok := of[h.Position]; ok && !hmac.Equal(other, h.Hash) {
			return nil, fmt.Errorf("line %d contradicts another one: %w", n, ErrHead)
		}
		of[h.Position] = h.Hash
	}
	return out, lines.Err()
}

// Applications lists those with a chain or with an exported head.
func (l *Log) Applications(ctx context.Context, heads Heads) ([]int64, error) {
	all, err := l.Chains(ctx)
	all = slices.AppendSeq(all, maps.Keys(heads))
	slices.Sort(all)
	return slices.Compact(all), err
}

// ExportHeads returns a signed line for each chain with entries that are newer than its last head from this log. It
// inspects these entries, and all of a chain once a day. It returns the broken chains, too; they have no line.
func (l *Log) ExportHeads(ctx context.Context) (lines []string, broken []Chain, err error) {
	if l.mac == nil {
		return nil, nil, ErrNoKey
	}
	l.exporting.Lock()
	defer l.exporting.Unlock()
	now := l.now()
	if now.Sub(l.wholeAt) >= inspectWhole {
		l.exported, l.wholeAt = map[int64]Head{}, now
	}
	ids, err := l.Chains(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		from := l.exported[id]
		chain, err := l.inspect(ctx, id, from, nil)
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
	return lines, broken, nil
}

// inspectWhole is how often the chains are inspected from their first entries on.
const inspectWhole = 24 * time.Hour

// endOf returns the end of an application's chain; [pg.ErrNone] if it has no chain.
func (l *Log) endOf(ctx context.Context, applicationID int64) (end, error) {
	return pg.One[end](ctx, l.pool, selectEnds+` WHERE c.application_id = @application_id`,
		pg.Args{"application_id": applicationID})
}
