package sandbox

import (
	"context"
	"errors"

	"svcpay/internal/daf/provider"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// Step is what a visit's pages ask for next.
type Step string

// The steps.
const (
	SignIn        Step = "sign_in"
	SecondFactor  Step = "code"
	ChooseAccount Step = "account"
	Review        Step = "review"
	Over          Step = "over" // back to anyone who sent the donor
)

// PagesPath is where the pages of visits are, below the host of the deployment.
const PagesPath = "/sandbox/daf/visits/"

// visit is a row.
type visit struct {
	ID            string              `db:"id"`
	Account       string              `db:"account"`
	ConnectID     string              `db:"connect_id"`
	FundID        string              `db:"fund_id"`
	Amount        money.Amount        `db:"amount"`
	Donor         provider.Donor      `db:"donor"`
	ReturnAddress string              `db:"return_address"`
	State         provider.VisitState `db:"state"`
	Step          Step                `db:"step"`
	Username      string              `db:"username"`
	FundAccount   string              `db:"fund_account"`
	Tries         int                 `db:"tries"`
}

const visitColumns = `id, account, connect_id, fund_id, amount, donor, return_address, state, step, username, fund_account, tries`

// persona is who signed in; no one yet in the first step.
func (v visit) persona() Persona {
	p, _ := personaOf(v.Username)
	return p
}

// Visit implements provider.Provider.
func (p *Provider) Visit(ctx context.Context, v provider.Visit) (provider.Pages, error) {
	fund, err := p.Fund(ctx, v.FundID)
	switch {
	case err != nil:
		return provider.Pages{}, err
	case !fund.Integrated:
		return provider.Pages{}, errors.New("sandbox daf: this fund has no pages")
	case v.Amount < money.Dollar || v.Amount%money.Dollar != 0:
		return provider.Pages{}, errors.New("sandbox daf: grants are of whole dollars")
	}
	if _, err := p.timeOf(ctx, v.Account); err != nil {
		return provider.Pages{}, wrapped(err)
	}
	if _, err := p.enrolled(ctx, v.ConnectID); err != nil {
		return provider.Pages{}, wrapped(err)
	}
	id, err := pg.Value[string](ctx, p.pool, `
		INSERT INTO sandbox_daf_visits AS v (id, reference, account, connect_id, fund_id, amount, donor, return_address,
			state, step, created_at)
		VALUES (@id, @reference, @account, @connect_id, @fund_id, @amount, @donor, @return, 'open', 'sign_in', @now)
		ON CONFLICT (reference) DO UPDATE SET reference = v.reference RETURNING id`,
		pg.Args{"id": newVisitID(), "reference": v.Reference, "account": v.Account, "connect_id": v.ConnectID,
			"fund_id": v.FundID, "amount": v.Amount, "donor": v.Donor, "return": v.Return, "now": p.machine()})
	if err != nil {
		return provider.Pages{}, wrapped(err)
	}
	return provider.Pages{VisitID: id, Address: PagesPath + id}, nil
}

// VisitResult implements provider.Provider. The donor is the one of the fund's account, with what he wrote
// before he came.
func (p *Provider) VisitResult(ctx context.Context, visitID string) (provider.VisitResult, error) {
	v, err := pg.One[visit](ctx, p.pool, `SELECT `+visitColumns+` FROM sandbox_daf_visits
		WHERE id = @id`, pg.Args{"id": visitID})
	if errors.Is(err, pg.ErrNone) {
		return provider.VisitResult{}, provider.ErrNotFound
	}
	if err != nil {
		return provider.VisitResult{}, wrapped(err)
	}
	out := provider.VisitResult{State: v.State, Amount: v.Amount, Donor: v.Donor}
	if v.State == provider.VisitAuthorized {
		who := v.persona()
		out.Donor.FirstName, out.Donor.LastName, out.Donor.Email = who.First, who.Last, who.Username
	}
	return out, nil
}
