package chariot

import (
	"context"
	"errors"
	"net/url"
	"strconv"

	"svcpay/internal/daf/provider"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// confirmation is a donor's word to Chariot that he makes a grant himself. Amount and FundID are what Chariot has.
type confirmation struct {
	Session string        `db:"session"`
	GrantID *string       `db:"grant_id"` // nil: Chariot did not have it yet
	Amount  *money.Amount `db:"amount"`
	FundID  *string       `db:"fund_id"`
}

// confirmed is a confirmation that Chariot has.
type confirmed struct {
	Amount money.Amount
	FundID string // "" if Chariot names none
}

// maxConfirmationPages is how far a session is looked for among Chariot's confirmations.
const maxConfirmationPages = 20

// unintegrated is one of Chariot's unintegrated grants.
type unintegrated struct {
	ID      string       `json:"id"`
	Session string       `json:"workflowSessionId"`
	FundID  string       `json:"fundId"`
	Amount  money.Amount `json:"amount"`
}

// confirmation finds the confirmation of a visit, once Chariot has it; else [provider.ErrNotFound]. One that was found
// is kept.
func (p *Provider) confirmation(ctx context.Context, v visit) (confirmed, error) {
	c, err := pg.One[confirmation](ctx, p.config.Pool, `
		SELECT session, grant_id, amount, fund_id FROM chariot_confirmations WHERE visit_id = @id`,
		pg.Args{"id": v.ID})
	switch {
	case errors.Is(err, pg.ErrNone):
		return confirmed{}, provider.ErrNotFound
	case err != nil:
		return confirmed{}, wrapped(err)
	case c.GrantID != nil:
		return confirmed{*c.Amount, *c.FundID}, nil
	}
	found, err := p.unintegratedOf(ctx, v.ConnectID, c.Session)
	if err != nil {
		return confirmed{}, err
	}
	out := confirmed{Amount: v.Amount}
	if found.Amount >= money.Dollar && found.Amount <= money.MaxCharge && found.Amount%money.Dollar == 0 {
		out.Amount = found.Amount
	}
	if fundForm.MatchString(found.FundID) {
		out.FundID = found.FundID
	}
	_, err = pg.Exec(ctx, p.config.Pool, `
		UPDATE chariot_confirmations SET grant_id = @grant, amount = @amount, fund_id = @fund WHERE visit_id = @id`,
		pg.Args{"id": v.ID, "grant": found.ID, "amount": out.Amount, "fund": out.FundID})
	return out, wrapped(err)
}

// unintegratedOf looks for a session among the unintegrated grants of a connect.
func (p *Provider) unintegratedOf(ctx context.Context, connectID, session string) (unintegrated, error) {
	query := url.Values{"connect_id": {connectID}, "pageLimit": {strconv.Itoa(pageSize)}}
	for range maxConfirmationPages {
		var page list[unintegrated]
		if err := p.get(ctx, "/v1/unintegrated_grants", "/v1/unintegrated_grants", query, &page); err != nil {
			return unintegrated{}, err
		}
		for _, g := range page.Results {
			if g.Session == session && g.ID != "" {
				return g, nil
			}
		}
		if page.Next == "" {
			break
		}
		query.Set("pageToken", page.Next)
	}
	return unintegrated{}, provider.ErrNotFound
}
