package chariot

import (
	"context"
	"errors"
	"regexp"
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
	id, err := pg.Value[string](
		ctx,
		p.config.Pool,
		`
		INSERT INTO chariot_visits AS v (id, reference, account, connect_id, fund_id, amount, donor, return_address,
			state, created_at)
		SELECT @id, @reference, @account, connect_id, @fund_id, @amount, @donor, @return, 'open', @now
			FROM chariot_connects WHERE connect_id = @connect_id
		ON CONFLICT (reference) DO UPDATE SET reference = v.reference RETURNING id`,
		pg.Args{
			"id":         newVisitID(),
			"reference":  v.Reference,
			"account":    v.Account,
			"connect_id": v.ConnectID,
			"fund_id":    v.FundID,
			"amount":     v.Amount,
			"donor":      v.Donor,
			"return":     v.Return,
			"now":        p.config.Now(),
		},
	)
	if errors.Is(err, pg.ErrNone) {
		err = provider.ErrNotFound
	}
	if err != nil {
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
		v.State = provider.VisitFailed
	}
	return v, wrapped(err)
}

// VisitResult implements [provider.Provider]. It has what the donor's browser reported.
func (p *Provider) VisitResult(ctx context.Context, visitID string) (provider.VisitResult, error) {
	v, err := p.find(ctx, p.config.Pool, visitID)
	return provider.VisitResult{State: v.State, Amount: v.Amount, Donor: v.Donor}, err
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

// sessionForm is what the id of a workflow session may look like, and reasonForm the reason of an exit.
var (
	sessionForm = regexp.MustCompile(`^[A-Za-z0-9_-]{8,100}$`)
	reasonForm  = regexp.MustCompile(`^[A-Z0-9_]{1,60}$`)
)

// The refusals of what a page reports.
var (
	errUnreadable = fault.Invalid("daf_visit_unreadable", "This is not what the provider's component reports.")
	errOver       = fault.New(fault.KindConflict, "daf_visit_over", "This visit is already over.")
)

// Succeeded records what the component reported after the donor authorized: a workflow session, and the amount. Neither
// is proven. A session of another visit is refused.
func (p *Provider) Succeeded(ctx context.Context, visitID, session string, amount money.Amount) error {
	if !sessionForm.MatchString(session) || amount < money.Dollar || amount > money.MaxCharge ||
		amount%money.Dollar != 0 {
		return errUnreadable
	}
	n, err := pg.Exec(
		ctx,
		p.config.Pool,
		`
		UPDATE chariot_visits SET state = 'authorized', session = @session, amount = @amount, authorized_at = @now
		WHERE id = @id AND state = 'open' AND created_at > @after`,
		pg.Args{
			"id":      visitID,
			"session": session,
			"amount":  amount,
			"now":     p.config.Now(),
			"after":   p.config.Now().Add(-visitLife),
		},
	)
	switch {
	case pg.Violated(err) == "chariot_visits_session_key":
		return errOver
	case err != nil || n > 0:
		return wrapped(err)
	}
	v, err := p.Look(ctx, visitID)
	if err == nil && (v.State != provider.VisitAuthorized || v.Amount != amount) {
		err = errOver
	}
	return err
}

// donorLeft are the reasons of an exit that was the donor's choice. After any other the fund could not go on.
var donorLeft = map[string]bool{"USER_EXIT": true, "UNINTEGRATED_DAF": true, "UNINTEGRATED_GRANT_CONFIRMED": true}

// Exited records that the component was left without an authorization, and why. A visit that is over stays as it is.
func (p *Provider) Exited(ctx context.Context, visitID, reason string) error {
	if !reasonForm.MatchString(reason) {
		return errUnreadable
	}
	state := provider.VisitFailed
	if donorLeft[reason] {
		state = provider.VisitCanceled
	}
	_, err := pg.Exec(
		ctx,
		p.config.Pool,
		`UPDATE chariot_visits SET state = @state, exit_reason = @reason WHERE id = @id AND state = 'open'`,
		pg.Args{"id": visitID, "state": state, "reason": reason},
	)
	return wrapped(err)
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
