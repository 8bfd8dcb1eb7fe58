package chariot

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// PagesPath is where our pages with Chariot's component are, below the origin of the pages.
const PagesPath = "/daf/visits/"

// Times of a visit: how long a donor may take, and how long what a donor entered is kept.
const (
	visitLife = time.Hour
	keepFor   = 24 * time.Hour
)

// visit is a row.
type visit struct {
	ID            string              `db:"id"`
	Reference     string              `db:"reference"`
	Account       string              `db:"account"`
	ConnectID     string              `db:"connect_id"`
	FundID        string              `db:"fund_id"`
	Amount        money.Amount        `db:"amount"`
	Donor         provider.Donor      `db:"donor"`
	ReturnAddress string              `db:"return_address"`
	State         provider.VisitState `db:"state"`
	ExitReason    string              `db:"exit_reason"`
	Session       *string             `db:"session"`
	AuthorizedAt  *time.Time          `db:"authorized_at"`
	CreatedAt     time.Time           `db:"created_at"`
}

const visitColumns = `id, reference, account, connect_id, fund_id, amount, donor, return_address, state, exit_reason,
	session, authorized_at, created_at`

// The mistakes of a visit that is asked for.
var (
	errNotIntegrated = errors.New("chariot: Chariot can't send grants of this fund")
	errNotWhole      = errors.New("chariot: grants are of whole dollars")
	errTooSmall      = errors.New("chariot: the fund has a higher minimum")
	errNoAccount     = errors.New("chariot: there is no such account")
	errNoPages       = errors.New("chariot: the pages of visits have no origin; set SVCPAY_DAF_URL")
)

// Visit implements [provider.Provider].
func (p *Provider) Visit(ctx context.Context, v provider.Visit) (provider.Pages, error) {
	f, err := p.Fund(ctx, v.FundID)
	switch {
	case err != nil:
		return provider.Pages{}, err
	case p.config.PagesOrigin == "":
		return provider.Pages{}, errNoPages
	case !f.Integrated:
		return provider.Pages{}, errNotIntegrated
	case v.Amount < money.Dollar || v.Amount%money.Dollar != 0:
		return provider.Pages{}, errNotWhole
	case v.Amount < f.Minimum:
		return provider.Pages{}, errTooSmall
	}
	if _, ok := processor.MerchantOf(v.Account); !ok {
		return provider.Pages{}, errNoAccount
	}
	id, err := pg.Value[string](ctx, p.config.Pool, `
		INSERT INTO chariot_visits AS v (id, reference, account, connect_id, fund_id, amount, donor, return_address,
			state, created_at)
		SELECT @id, @reference, @account, connect_id, @fund_id, @amount, @donor, @return, 'open', @now
			FROM chariot_connects WHERE connect_id = @connect_id
		ON CONFLICT (reference) DO UPDATE SET reference = v.reference RETURNING id`,
		pg.Args{"id": newVisitID(), "reference": v.Reference, "account": v.Account, "connect_id": v.ConnectID,
			"fund_id": v.FundID, "amount": v.Amount, "donor": v.Donor, "return": v.Return, "now": p.config.Now()})
	if err = pg.Or(err, provider.ErrNotFound); err != nil {
		return provider.Pages{}, wrapped(err)
	}
	return provider.Pages{VisitID: id, Address: p.config.PagesOrigin + PagesPath + id}, nil
}

// find reads a visit, or returns [provider.ErrNotFound].
func (p *Provider) find(ctx context.Context, q pg.Querier, id string) (visit, error) {
	v, err := pg.One[visit](ctx, q, `SELECT `+visitColumns+` FROM chariot_visits WHERE id = @id`, pg.Args{"id": id})
	if errors.Is(err, pg.ErrNone) {
		return v, provider.ErrNotFound
	}
	if v.State == provider.VisitOpen && p.config.Now().Sub(v.CreatedAt) > visitLife {
		v.State, v.ExitReason = provider.VisitFailed, tookTooLong
	}
	return v, wrapped(err)
}

// Look is what the page of a visit passes to Chariot's component.
type Look struct {
	Reference string // for the metadata of the session
	ConnectID string
	FundID    string
	Amount    money.Amount
	Donor     provider.Donor
	State     provider.VisitState
	Return    string // where the donor goes when the visit is over
}

// Look shows a visit; fault.Missing if there is none.
func (p *Provider) Look(ctx context.Context, visitID string) (Look, error) {
	v, err := p.find(ctx, p.config.Pool, visitID)
	if errors.Is(err, provider.ErrNotFound) {
		err = fault.Missing()
	}
	return Look{v.Reference, v.ConnectID, v.FundID, v.Amount, v.Donor, v.State, v.ReturnAddress}, err
}

// Purge deletes a batch of old visits that led to no grant, empties the donor of the others, and returns how many those
// were.
func (p *Provider) Purge(ctx context.Context) (int64, error) {
	args := pg.Args{"before": p.config.Now().Add(-keepFor), "batch": pg.PurgeBatch}
	deleted, err := pg.Exec(ctx, p.config.Pool, `
		DELETE FROM chariot_visits WHERE id IN (
			SELECT v.id FROM chariot_visits v WHERE v.created_at <= @before
				AND NOT EXISTS (SELECT FROM chariot_grants g WHERE g.visit_id = v.id) LIMIT @batch)`, args)
	if err != nil {
		return 0, wrapped(err)
	}
	emptied, err := pg.Exec(ctx, p.config.Pool, `
		UPDATE chariot_visits SET donor = '{}' WHERE id IN (
			SELECT id FROM chariot_visits WHERE created_at <= @before AND donor <> '{}' LIMIT @batch)`, args)
	return deleted + emptied, wrapped(err)
}
