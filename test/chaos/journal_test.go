package chaos

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/test/rig"
)

// request is something that a client wants once: it has one key, whatever becomes of its tries.
type request struct {
	Client int            `json:"client"`
	Key    string         `json:"key"`
	Kind   string         `json:"kind"` // charge, refund, capture or void
	Path   string         `json:"path"`
	Body   map[string]any `json:"body"`

	object   string      // that answers named
	final    *rig.Answer // nil while there is none
	called   time.Time   // first
	answered time.Time   // finally
}

// kept reports whether the key holds the outcome, so that it is told again. A refusal that wrote nothing
// gives the key back.
func (q *request) kept() bool {
	return q.final != nil && (q.final.Status < 300 || q.final.Status == 402 || q.final.Status == 502)
}

// amount is what was asked for.
func (q *request) amount() int { n, _ := q.Body["amount"].(int); return n }

// journal is where clients write down what they want before they ask for it.
type journal struct {
	mu     sync.Mutex
	file   *os.File
	list   []*request
	giveUp atomic.Bool // the run is over, whatever was not answered
}

func (j *journal) open(t *testing.T) {
	t.Helper()
	var err error
	if j.file, err = os.Create(filepath.Join(t.TempDir(), "journal.jsonl")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.file.Close() })
}

// write notes a request before it is sent for the first time.
func (j *journal) write(q *request) error {
	text, err := json.Marshal(q)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.list = append(j.list, q)
	_, err = j.file.Write(append(text, '\n'))
	return err
}

func (j *journal) entries() []*request {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.list)
}
