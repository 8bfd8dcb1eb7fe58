package sandbox

import (
	"context"
	"errors"

	"svcpay/internal/daf/provider"
)

// Case is a donor who authorizes, or a fund where no one signs in, as test tools name them.
type Case struct {
	Name     string
	Username string // "" of a fund that is not integrated
	FundID   string
	Effect   string
}

// Cases lists the donors who authorize a grant.
func Cases() []Case {
	const integrated = "fund_evergreen"
	out := []Case{
		{Name: "daf_nonintegrated", FundID: "fund_juniper",
			Effect: "the donor gives on the fund's own website; the donation begins as `unknown`"}}
	for _, c := range []struct{ name, username string }{
		{"daf_completed", Donor}, {"daf_declined", "declined@fund.example"}, {"daf_timeout", "timeout@fund.example"},
		{"daf_canceled", "canceled@fund.example"},
	} {
		p, _ := personaOf(c.username)
		out = append(out, Case{Name: c.name, Username: c.username, FundID: integrated, Effect: p.What})
	}
	return out
}

// AuthorizeAs leads a donor through the pages of a visit to the authorization of the amount that it began with.
func (p *Provider) AuthorizeAs(ctx context.Context, visitID, username string) error {
	if err := p.SignIn(ctx, visitID, username, Password); err != nil {
		return err
	}
	look, err := p.Look(ctx, visitID)
	if err == nil && look.Step == ChooseAccount {
		if err = p.Choose(ctx, visitID, look.Accounts[0].Key); err == nil {
			look, err = p.Look(ctx, visitID)
		}
	}
	switch {
	case err != nil:
		return err
	case look.State != provider.VisitOpen || look.Step != Review:
		return errors.New("sandbox daf: this donor does not authorize")
	}
	return p.Authorize(ctx, visitID, look.Amount.Decimal())
}
