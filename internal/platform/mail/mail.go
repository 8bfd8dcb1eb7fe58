// Package mail sends mails. A mail is stored by the transaction that it reports and sent after the commit, at least
// once: a rollback sends nothing, and a server that dies loses nothing.
//
// The content is sealed in the database, because it may have links that grant access, and is deleted once the mail has
// been sent. A sandbox that sends nothing keeps it, for its inbox.
package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
	"svcpay/internal/platform/seal"
)

// Kind says what a mail is about. People choose by it which mails they want.
type Kind string

// Message is one mail to one address.
type Message struct {
	Kind    Kind     `json:"kind"`
	To      string   `json:"to"` // an address
	Subject string   `json:"subject"`
	Lines   []string `json:"lines"` // paragraphs of plain text
	Link    Link     `json:"link"`  // what to do about it; the zero Link is none
	Note    string   `json:"note"`  // why someone gets this mail, in small
	Files   []File   `json:"files,omitempty"`
}

// Link is an address with the words that lead there.
type Link struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// File is sent along with a mail.
type File struct {
	Name    string `json:"name"`
	Type    string `json:"type"` // as in MIME
	Content []byte `json:"content"`
}

// Letter is a message on its way.
type Letter struct {
	Message
	ID        ids.Mail
	CreatedAt time.Time
}

// Sender passes letters on. It may be given the same one again.
type Sender interface {
	Send(ctx context.Context, l Letter) error
	// Keeps says that letters go nowhere, and are kept to be looked at.
	Keeps() bool
}

// Deps are what the service works with.
type Deps struct {
	Pool   *pgxpool.Pool
	Box    *seal.Box
	Sender Sender // nil: this deployment sends no mails
	Now    func() time.Time
}

// Service is the way of mails out of this deployment.
type Service struct{ deps Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// On reports whether mails are sent at all: where they are not, people pass links on themselves.
func (s *Service) On() bool { return s.deps.Sender != nil }

// Keeps says that mails go nowhere, and can be read in the inbox.
func (s *Service) Keeps() bool { return s.On() && s.deps.Sender.Keeps() }

// PutTx puts mails on their way, with the caller's transaction. Where no mails are sent it does nothing.
func (s *Service) PutTx(tx *pg.Tx, messages ...Message) error {
	if !s.On() {
		return nil
	}
	now := instant.Of(s.deps.Now())
	for _, m := range messages {
		id := ids.NewMail(now.Time)
		text, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("mail: %s: %w", m.Kind, err)
		}
		sealed, err := s.deps.Box.Seal(text, purpose(id))
		if err != nil {
			return err
		}
		tx.Later(`INSERT INTO mails (id, kind, content, due_at, created_at) VALUES (@id, @kind, @content, @now, @now)`,
			pg.Args{"id": id, "kind": m.Kind, "content": sealed, "now": now})
	}
	return nil
}

// mostAnHour is how many mails of a kind go out about the same within an hour: a deployment's mails are no one's means
// to flood a box.
const mostAnHour = 5

// PutSomeTx is [Service.PutTx] of a mail that anybody can have sent, and have sent again; false if an application had
// too many of its kind sent about the same within the hour. Hours are the machine's: no application's clock moves them.
func (s *Service) PutSomeTx(ctx context.Context, tx *pg.Tx, applicationID int64, about []byte,
	m Message) (bool, error) {
	if !s.On() {
		return true, nil
	}
	bound, now := ratelimit.Bound{What: "mail_" + string(m.Kind), Most: mostAnHour, Within: time.Hour}, s.deps.Now()
	left, err := bound.LockTx(ctx, tx, applicationID, about, now)
	if err != nil || left == 0 {
		return false, err
	}
	bound.CountTx(tx, applicationID, about, now)
	return true, s.PutTx(tx, m)
}

// Put is [Service.PutTx] in a transaction of its own.
func (s *Service) Put(ctx context.Context, messages ...Message) error {
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error { return s.PutTx(tx, messages...) })
}

// purpose is what a letter's content is sealed for.
func purpose(id ids.Mail) string { return "mail:" + id.String() }

// letterRow is a letter as it is kept.
type letterRow struct {
	ID        ids.Mail     `db:"id"`
	Content   []byte       `db:"content"`
	Attempts  int          `db:"attempts"`
	CreatedAt instant.Time `db:"created_at"`
}

func (s *Service) open(r letterRow) (Letter, error) {
	l := Letter{ID: r.ID, CreatedAt: r.CreatedAt.Time}
	text, err := s.deps.Box.Open(r.Content, purpose(r.ID))
	if err == nil {
		err = json.Unmarshal(text, &l.Message)
	}
	if err != nil {
		return l, fmt.Errorf("mail: %s: %w", r.ID, err)
	}
	return l, nil
}

// mostKept is how many letters an inbox shows.
const mostKept = 50

// Inbox lists the newest letters of a deployment that keeps them, else none.
func (s *Service) Inbox(ctx context.Context) ([]Letter, error) {
	if !s.Keeps() {
		return nil, nil
	}
	rows, err := pg.All[letterRow](ctx, s.deps.Pool, `
		SELECT id, content, attempts, created_at FROM mails WHERE content IS NOT NULL
			ORDER BY id DESC LIMIT @most`, pg.Args{"most": mostKept})
	if err != nil {
		return nil, err
	}
	out := make([]Letter, 0, len(rows))
	for _, r := range rows {
		l, err := s.open(r)
		if errors.Is(err, seal.ErrSealed) { // of other keys
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}
