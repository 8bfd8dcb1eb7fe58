package mail_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/mail"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/seal"
	"svcpay/internal/testing/pgtest"
)

// post is a mail service whose server the test plays.
type post struct {
	*mail.Service
	t     *testing.T
	pool  *pgxpool.Pool
	now   time.Time
	mu    sync.Mutex
	sent  []mail.Letter
	down  error
	hangs time.Duration // for so long before it is down
	tries int
	keeps bool
}

func (p *post) Keeps() bool { return p.keeps }

func (p *post) Send(_ context.Context, l mail.Letter) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tries++
	p.now = p.now.Add(p.hangs)
	if p.down == nil {
		p.sent = append(p.sent, l)
	}
	return p.down
}

func newPost(t *testing.T) *post {
	t.Helper()
	h, err := seal.NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	box, err := seal.New(h)
	if err != nil {
		t.Fatal(err)
	}
	p := &post{t: t, pool: pgtest.New(t), now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	p.Service = mail.New(mail.Deps{Pool: p.pool, Box: box, Sender: p, Now: func() time.Time { return p.now }})
	return p
}

var hello = mail.Message{Kind: "invitation", To: "dana@example.org", Subject: "Come in — «now»",
	Lines: []string{"Dana, <b>come</b> in.", "It is late."},
	Link:  mail.Link{Label: "Accept", URL: "https://pay.example/portal/invite/secret-of-the-link"},
	Note:  "Because you asked.",
	Files: []mail.File{{Name: "receipt.pdf", Type: "application/pdf", Content: []byte("%PDF-")}}}

func (p *post) put(m mail.Message) {
	p.t.Helper()
	if err := p.Put(p.t.Context(), m); err != nil {
		p.t.Fatal(err)
	}
}

func (p *post) deliver() int {
	p.t.Helper()
	n, err := p.Deliver(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// kept says how many letters still have their content, and whether the database shows it.
func (p *post) kept() int64 {
	p.t.Helper()
	n, err := pg.Value[int64](p.t.Context(), p.pool, `SELECT count(*) FROM mails WHERE content IS NOT NULL`, pg.Args{})
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func TestAMailLeavesWithItsTransaction(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	gone := errors.New("rolled back")
	err := pg.InTx(t.Context(), p.pool, func(tx *pg.Tx) error {
		return errors.Join(p.PutTx(tx, hello), gone)
	})
	if !errors.Is(err, gone) || p.deliver() != 0 {
		t.Fatalf("a mail of what was rolled back is on its way: %v", err)
	}
	p.put(hello)
	clear, err := pg.Value[int64](t.Context(), p.pool, `SELECT count(*) FROM mails
		WHERE position(convert_to(@text, 'UTF8') IN content) > 0`, pg.Args{"text": "secret-of-the-link"})
	if err != nil || clear != 0 {
		t.Errorf("the database shows what a mail says: %v", err)
	}
	if p.deliver() != 1 || p.deliver() != 0 || len(p.sent) != 1 {
		t.Fatalf("sent %v", p.sent)
	}
	l := p.sent[0]
	if l.To != hello.To || l.Subject != hello.Subject || l.Link != hello.Link || len(l.Lines) != 2 ||
		string(l.Files[0].Content) != "%PDF-" || !l.CreatedAt.Equal(p.now) {
		t.Errorf("sent %+v", l)
	}
	if p.kept() != 0 {
		t.Error("what a mail said outlives its sending")
	}
}

func TestAMailThatIsNotTakenIsTriedAgain(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.down = errors.New("451 later, dana@example.org")
	p.put(hello)
	attempts := p.deliver()
	for range 100 {
		p.now = p.now.Add(15 * time.Minute)
		attempts += p.deliver()
	}
	if attempts != 8 || p.kept() != 0 {
		t.Errorf("%d attempts, %d kept", attempts, p.kept())
	}
	p.put(hello)
	p.deliver()
	p.down = nil
	if p.deliver() != 0 {
		t.Error("it does not wait")
	}
	p.now = p.now.Add(time.Minute)
	if p.deliver() != 1 || len(p.sent) != 1 {
		t.Error("it is lost")
	}
}

// A run that a mail server keeps waiting tries what it has time for. The other letters have all their attempts left,
// and wait for nothing.
func TestAMailServerThatHangsUsesUpWhatIsTried(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.now, p.down, p.hangs = time.Now(), errors.New("no answer"), 20*time.Second
	for range 10 {
		p.put(hello)
	}
	run, cancel := context.WithDeadline(t.Context(), p.now.Add(time.Minute))
	defer cancel()
	n, err := p.Deliver(run)
	if err != nil || n != 2 || p.tries != 2 {
		t.Errorf("%d letters of %d tries, %v", n, p.tries, err)
	}
	used, err := pg.Value[int](t.Context(), p.pool, `SELECT sum(attempts)::int FROM mails`, pg.Args{})
	if err != nil || used != p.tries {
		t.Errorf("%d attempts are used up, %v", used, err)
	}
	if n, err := p.Deliver(run); err != nil || n != 0 {
		t.Errorf("%d letters that there is no time for, %v", n, err)
	}
	p.down, p.hangs = nil, 0
	if n := p.deliver(); n != 8 {
		t.Errorf("%d letters are due", n)
	}
}

func TestALeaseEndsWithItsBinary(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.put(hello)
	dying, cancel := context.WithCancel(t.Context())
	p.down = errors.New("cut off")
	cancel()
	if _, err := p.Deliver(dying); err == nil {
		t.Fatal("a binary that died delivers")
	}
	if _, err := pg.Exec(t.Context(), p.pool, `UPDATE mails SET attempts = 1, due_at = @lease`,
		pg.Args{"lease": p.now.Add(2 * time.Minute)}); err != nil {
		t.Fatal(err)
	}
	p.down = nil
	if p.deliver() != 0 {
		t.Error("two binaries send one mail")
	}
	p.now = p.now.Add(2 * time.Minute)
	if p.deliver() != 1 || len(p.sent) != 1 {
		t.Error("nobody sends the mail of a binary that died")
	}
}

func TestWhatIsKeptIsInTheInboxForAWeek(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.keeps = true
	p.put(hello)
	second := hello
	second.Subject = "Later"
	p.now = p.now.Add(time.Second)
	p.put(second)
	p.deliver()
	letters, err := p.Inbox(t.Context())
	if err != nil || len(letters) != 2 || letters[0].Subject != "Later" || letters[1].Link != hello.Link {
		t.Fatalf("%+v, %v", letters, err)
	}
	if n, err := p.Purge(t.Context()); err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
	p.now = p.now.Add(8 * 24 * time.Hour)
	if n, err := p.Purge(t.Context()); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	p.keeps = false
	p.put(hello)
	if letters, err := p.Inbox(t.Context()); err != nil || letters != nil {
		t.Errorf("a deployment that sends mails shows them: %v, %v", letters, err)
	}
}

func TestNothingIsSentWhereNothingIsSetUp(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	s := mail.New(mail.Deps{Pool: p.pool, Now: func() time.Time { return p.now }})
	if err := s.Put(t.Context(), hello); err != nil || s.On() || s.Keeps() {
		t.Errorf("%v", err)
	}
	if n, err := s.Deliver(t.Context()); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

func TestFilesHaveWhatWouldBeSent(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mails")
	l := mail.Letter{Message: hello, CreatedAt: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	for range 2 { // the same letter is the same file
		if err := (mail.Files{Dir: dir}).Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, "20261121-090000-*.eml"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"To: <dana@example.org>", "Auto-Submitted: auto-generated", "text/plain", "text/html",
		"&lt;b&gt;come&lt;/b&gt;", "receipt.pdf"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if plain := hello.Plain(); !strings.Contains(plain,
		"Dana, <b>come</b> in.\n\nIt is late.\n\nAccept:\nhttps://pay.example/portal/invite/secret-of-the-link\n\n--\nBecause") {
		t.Errorf("%q", plain)
	}
}
