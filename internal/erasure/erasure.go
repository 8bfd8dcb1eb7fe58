// Package erasure removes a payer's personal data from every record, event, stored response and log of an application.
// Charges, fees, ledger and references to processors and funds keep their ids, amounts and times.
package erasure

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/token"
)

// Deps are what the service works with.
type Deps struct {
	Pool  *pgxpool.Pool
	Check authz.Checker
	Clock *clock.Clock
	// Livemode is true in production; events carry it.
	Livemode bool
}

// Service holds the use-case of erasures.
type Service struct {
	deps  Deps
	audit *audit.Log
}

// New makes the service.
func New(d Deps) *Service { return &Service{d, audit.New(d.Pool, d.Check, d.Clock.Machine)} }

// Erased names what a payer was taken out of. It is what the audit log keeps: never who it was.
type Erased struct {
	Tokens    []ids.Token    `json:"tokens"`
	Charges   []ids.Charge   `json:"charges"`
	Donations []ids.Donation `json:"donations"`
}

// Objects counts them.
func (e Erased) Objects() int { return len(e.Tokens) + len(e.Charges) + len(e.Donations) }

// ErrUnderWay refuses an erasure while the outcome of something of the payer's is open: what comes back would bring
// them back.
var ErrUnderWay = fault.New(fault.KindConflict, "payer_busy",
	"A payment, a dispute or an export of this payer is in progress. Erase the payer when it is over.")

// Payer forgets everybody in the actor's application who gave this address, in whatever case and form: their payment
// methods are deleted and shredded, and their names, addresses, what was written about them and what they were told
// leave every record. All of it happens or nothing does. No one left to forget is no fault. Faults: permission_denied;
// parameter_invalid; payer_busy.
func (s *Service) Payer(ctx context.Context, actor authz.Actor, address string) (Erased, error) {
	about := audit.Of("payer", "", 0)
	if err := s.audit.Allow(ctx, actor, authz.PayerErase, about); err != nil {
		return Erased{}, err
	}
	if address = mailbox.Normal(address); !mailbox.Valid(address) {
		return Erased{}, fault.Invalid("parameter_invalid", "Enter a full email address.").On("email")
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Erased{}, err
	}
	var out Erased
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		p, err := findTx(ctx, tx, actor.ApplicationID, address)
		if err != nil {
			return err
		}
		if p.busy {
			return ErrUnderWay
		}
		out = p.Erased
		for _, id := range p.Tokens {
			if err := token.DeleteTx(ctx, tx, m,
				token.Ending{ApplicationID: actor.ApplicationID, Token: id, Livemode: s.deps.Livemode,
					Source: outbox.SourceOf(actor), RequestID: actor.RequestID}); err != nil {
				return err
			}
		}
		if err := tx.Flush(ctx); err != nil { // the events of that are erased, too
			return err
		}
		if err := p.findKeysTx(ctx, tx, keyBatch); err != nil {
			return err
		}
		if err := p.findTrialsTx(ctx, tx); err != nil {
			return err
		}
		if err := p.eraseTx(ctx, tx, m.Machine); err != nil {
			return err
		}
		if p.Objects() == 0 {
			return nil
		}
		return s.audit.DoneTx(tx, actor, authz.PayerErase, about, nil, out)
	})
	return out, err
}

// objects are the ids of all that there are events and answers of.
func (p payer) objects() [][16]byte {
	out := slices.Clone(p.others)
	for _, id := range p.Tokens {
		out = append(out, id.Bytes())
	}
	for _, id := range p.Charges {
		out = append(out, id.Bytes())
	}
	for _, id := range p.Donations {
		out = append(out, id.Bytes())
	}
	return out
}
