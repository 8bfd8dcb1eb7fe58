// Package receipt sends receipts to payers, in the name of the merchant: a mail with a PDF file, on request, a few
// times an hour at most of a charge, to an address and by a person.
package receipt

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	letters "svcpay/internal/platform/mail"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
	"svcpay/views/text"
)

// Kind is the kind of the mails.
const Kind letters.Kind = "receipt"

// Receipt is what a payer is notified of a charge.
type Receipt struct {
	Charge   charge.Charge
	Merchant merchant.Merchant
	Livemode bool
	zone     *time.Location
}

// Sent is a receipt that went to someone.
type Sent struct {
	Email     string       `db:"email" json:"email"`
	SentBy    string       `db:"sent_by" json:"sent_by"`
	CreatedAt instant.Time `db:"created_at" json:"created_at"` // by the application's time
}

// Deps are what the service works with.
type Deps struct {
	Pool      *pgxpool.Pool
	Charges   *charge.Service
	Merchants *merchant.Service
	Mail      *letters.Service
	Check     authz.Checker
	Clock     *clock.Clock
	Livemode  bool
}

// Service holds the use-cases of receipts.
type Service struct {
	deps  Deps
	audit *audit.Log
}

// New makes the service.
func New(d Deps) *Service { return &Service{d, audit.New(d.Pool, d.Check, d.Clock.Machine)} }

// Mails reports whether receipts can be sent at all.
func (s *Service) Mails() bool { return s.deps.Mail.On() }

// ErrNone refuses a receipt of a charge that took nothing.
var ErrNone = fault.New(fault.KindConflict, "receipt_impossible", "No payment was captured, so there is no receipt.")

// Of reads what a charge's receipt says. Faults: resource_missing; receipt_impossible.
func (s *Service) Of(ctx context.Context, actor authz.Actor, id string) (Receipt, error) {
	c, err := s.deps.Charges.Get(ctx, actor, id)
	if err != nil {
		return Receipt{}, err
	}
	if c.AmountCaptured == 0 || c.Status == charge.Returned {
		return Receipt{}, ErrNone
	}
	m, err := s.deps.Merchants.Find(ctx, actor.ApplicationID, c.MerchantID)
	if err != nil {
		return Receipt{}, err
	}
	zone, err := calendar.Zone(m.TimeZone)
	return Receipt{Charge: c, Merchant: m, Livemode: s.deps.Livemode, zone: zone}, err
}

// Day is the day of the payment, where the merchant is.
func (r Receipt) Day() time.Time {
	at := r.Charge.CreatedAt
	if r.Charge.CapturedAt != nil {
		at = *r.Charge.CapturedAt
	}
	return at.In(r.zone)
}

// SendInput says which receipt goes where.
type SendInput struct {
	ChargeID string
	Email    string
}

// Validate returns every mistake that can be seen without looking anything up.
func (in SendInput) Validate() fault.Fields {
	var fs fault.Fields
	switch {
	case !mailbox.Valid(in.Email), !strings.Contains(in.Email, "."):
		fs.Add("email", "parameter_invalid", "Enter a full email address.")
	case !mailbox.Deliverable(in.Email):
		fs.Add("email", "parameter_invalid", mailbox.Undeliverable)
	}
	return fs
}

// Send puts a receipt on its way. claim makes a form send one, however often it is sent. Faults: permission_denied;
// the mistakes of the input; resource_missing; receipt_impossible; mail_unavailable; too_many_attempts.
func (s *Service) Send(ctx context.Context, actor authz.Actor, in SendInput,
	claim *idempotency.Claim) (idempotency.Result[Sent], error) {
	none := idempotency.Result[Sent]{}
	if err := s.audit.Allow(ctx, actor, authz.ReceiptSend, audit.Of("charge", in.ChargeID, 0)); err != nil {
		return none, err
	}
	in.Email = mailbox.Normal(in.Email)
	if err := in.Validate().Err(); err != nil {
		return none, err
	}
	r, err := s.Of(ctx, actor, in.ChargeID)
	if err != nil {
		return none, err
	}
	if !s.deps.Mail.On() {
		return none, fault.Refused("mail_unavailable",
			"Email is not set up. Send the payer the PDF instead.")
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return none, err
	}
	message, err := s.message(r, in.Email)
	if err != nil {
		return none, err
	}
	return idempotency.Once(ctx, s.deps.Pool, claim, m.Machine, r.Charge.ID.Bytes(), func(tx *pg.Tx) (Sent, error) {
		if err := countTx(ctx, tx, actor, in.Email, m.Machine); err != nil {
			return Sent{}, err
		}
		about := r.Charge.ID.Bytes()
		sent, err := s.deps.Mail.PutSomeTx(ctx, tx, r.Charge.ApplicationID, about[:], message)
		if err != nil {
			return Sent{}, err
		}
		if !sent {
			return Sent{}, fault.New(fault.KindLimited, "too_many_attempts",
				"This receipt was sent too many times in the last hour. Try again later.").After(time.Hour)
		}
		out := Sent{Email: in.Email, SentBy: actor.PersonName, CreatedAt: instant.Of(m.At)}
		tx.Later(`INSERT INTO receipts (application_id, merchant_id, charge_id, email, sent_by, request_id, created_at)
			VALUES (@application_id, @merchant_id, @charge_id, @email, @sent_by, @request_id, @now)`,
			pg.Args{"application_id": r.Charge.ApplicationID, "merchant_id": r.Charge.MerchantID,
				"charge_id": r.Charge.ID, "email": out.Email,
				"sent_by": out.SentBy, "request_id": actor.RequestID, "now": out.CreatedAt})
		return out, s.audit.DoneTx(tx, actor, authz.ReceiptSend,
			audit.Of("charge", r.Charge.ID.String(), r.Charge.MerchantID), nil, struct{}{})
	})
}

// message is the mail, with the file.
func (s *Service) message(r Receipt, to string) (letters.Message, error) {
	var file bytes.Buffer
	if err := r.PDF(&file); err != nil {
		return letters.Message{}, err
	}
	w := text.English.Receipt
	out := letters.Message{Kind: Kind, To: to, Subject: w.Subject(r.Merchant.Name),
		Lines: []string{w.Thanks(r.Merchant.Name, r.total())},
		Note:  w.Note(r.Merchant.Name, r.Merchant.StatementDescriptor),
		Files: []letters.File{{Name: w.File(r.Charge.ID.String()), Type: "application/pdf", Content: file.Bytes()}}}
	for _, fact := range r.facts() {
		out.Lines = append(out.Lines, fact[0]+": "+fact[1])
	}
	out.Lines = append(out.Lines, w.Attached)
	return out, nil
}

// SentOf lists the receipts that were sent of a charge, the latest first.
func (s *Service) SentOf(ctx context.Context, actor authz.Actor, id ids.Charge) ([]Sent, error) {
	if err := s.deps.Charges.Reach(ctx, actor, id); err != nil {
		return nil, err
	}
	if err := s.deps.Check.Check(actor, authz.ChargeRead); err != nil {
		return nil, err
	}
	return pg.All[Sent](ctx, s.deps.Pool, `SELECT email, sent_by, created_at FROM receipts
		WHERE application_id = @application_id AND charge_id = @charge ORDER BY id DESC LIMIT 20`,
		pg.Args{"application_id": actor.ApplicationID, "charge": id})
}
