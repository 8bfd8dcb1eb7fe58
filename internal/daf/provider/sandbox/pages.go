package sandbox

import (
	"context"
	"strings"

	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/kit"
)

// Look is what a page of a visit shows. It is made for people who pretend to be donors.
type Look struct {
	ID           string
	Step         Step
	State        provider.VisitState
	Fund         string
	Organization string
	Amount       money.Amount
	Donor        provider.Donor
	Accounts     []Account // of anyone who signed in
	Chosen       Account   // zero: none yet
	// Return is where the donor goes when it is over.
	Return string
}

// The refusals of the pages, each on the input that it is about.
var (
	errLogin = fault.Invalid("login_wrong", "Email address and password do not match. Check both and try again.").On(
		"password")
	errCode    = fault.Invalid("code_wrong", "This is not the code that we sent. Try again.").On("code")
	errAccount = fault.Invalid("account_missing", "Choose one of your accounts.").On("account")
	errAmount  = fault.Invalid("amount_wrong", "Enter an amount in whole dollars, such as 125.").On("amount")
	errBalance = fault.Invalid("balance_too_low",
		"This account does not hold that much. Lower the amount or go back to another account.").On("amount")
	errPassed = fault.New(fault.KindConflict, "step_passed", "This page is out of date.")
)

// Look shows a visit; fault.Missing if there is none.
func (p *Provider) Look(ctx context.Context, visitID string) (Look, error) {
	if err := p.end(ctx, visitID); err != nil {
		return Look{}, err
	}
	v, err := pg.Find[visit](ctx, p.pool, `SELECT `+visitColumns+` FROM sandbox_daf_visits
		WHERE id = @id`, pg.Args{"id": visitID})
	if err != nil {
		return Look{}, err
	}
	fund, err := p.Fund(ctx, v.FundID)
	if err != nil {
		return Look{}, err
	}
	organization, err := p.enrolled(ctx, v.ConnectID)
	if err != nil {
		return Look{}, err
	}
	chosen, _ := v.persona().account(v.FundAccount)
	return Look{ID: v.ID, Step: v.Step, State: v.State, Fund: fund.Name, Organization: organization, Amount: v.Amount,
		Donor:    v.Donor,
		Accounts: v.persona().Accounts, Chosen: chosen, Return: v.ReturnAddress}, nil
}

// end fails a visit that takes too long.
func (p *Provider) end(ctx context.Context, visitID string) error {
	_, err := pg.Exec(ctx, p.pool, `
		UPDATE sandbox_daf_visits SET state = 'failed', step = 'over' WHERE id = @id AND state = 'open'
			AND created_at <= @before`,
		pg.Args{"id": visitID, "before": p.machine().Add(-visitLife)})
	return err
}

// SignIn takes a donor's username and password. A donor who is locked out, too many wrong passwords, and a fund
// that takes too long each end the visit without a grant.
func (p *Provider) SignIn(ctx context.Context, visitID, username, password string) error {
	v, err := p.change(ctx, visitID, SignIn, func(v visit) (visit, *fault.Error) {
		who, known := personaOf(username)
		switch {
		case !known || password != Password:
			return v.tried(), errLogin
		case who.locked || v.FundID == SlowFund:
			return v.over(provider.VisitFailed), nil
		}
		v.Username, v.Tries = who.Username, 0
		if v.Step = SecondFactor; !who.secondFactor {
			v = v.signedIn()
		}
		return v, nil
	})
	if err == nil && v.FundID == SlowFund {
		return kit.Hang(ctx)
	}
	return err
}

// Code takes the second factor.
func (p *Provider) Code(ctx context.Context, visitID, code string) error {
	_, err := p.change(ctx, visitID, SecondFactor, func(v visit) (visit, *fault.Error) {
		if strings.Join(strings.Fields(code), "") != Code {
			return v.tried(), errCode
		}
		v.Tries = 0
		return v.signedIn(), nil
	})
	return err
}

// Choose takes the account that the grant is to come from.
func (p *Provider) Choose(ctx context.Context, visitID, account string) error {
	_, err := p.change(ctx, visitID, ChooseAccount, func(v visit) (visit, *fault.Error) {
		if _, ok := v.persona().account(account); !ok {
			return v, errAccount
		}
		v.FundAccount, v.Step = account, Review
		return v, nil
	})
	return err
}

// Back goes from the review back to the accounts.
func (p *Provider) Back(ctx context.Context, visitID string) error {
	_, err := p.change(ctx, visitID, Review, func(v visit) (visit, *fault.Error) {
		v.Step = ChooseAccount
		return v, nil
	})
	return err
}

// Authorize takes the donor's word for the grant, of the amount that he wrote last.
func (p *Provider) Authorize(ctx context.Context, visitID, amount string) error {
	_, err := p.change(ctx, visitID, Review, func(v visit) (visit, *fault.Error) {
		a, err := money.ParseDecimal(amount)
		from, _ := v.persona().account(v.FundAccount)
		switch {
		case err != nil || a < money.Dollar:
			return v, errAmount
		case a%money.Dollar != 0:
			return v, fault.Invalid("amount_wrong", "Funds grant whole dollars only. The nearest is "+
				a.NearestDollar().Dollars()+".").On("amount")
		case a > from.Balance:
			return v, errBalance
		}
		v.Amount = a
		return v.over(provider.VisitAuthorized), nil
	})
	return err
}

// Leave ends a visit without a grant. One that is over stays as it is.
func (p *Provider) Leave(ctx context.Context, visitID string) error {
	_, err := pg.Exec(ctx, p.pool, `UPDATE sandbox_daf_visits SET state = 'canceled', step = 'over'
		WHERE id = @id AND state = 'open'`, pg.Args{"id": visitID})
	return err
}

// tried counts a wrong password or code; too many end the visit.
func (v visit) tried() visit {
	if v.Tries++; v.Tries >= maxTries {
		return v.over(provider.VisitFailed)
	}
	return v
}

func (v visit) over(s provider.VisitState) visit {
	v.State, v.Step = s, Over
	return v
}

// signedIn goes on to the accounts, or past them if there is nothing to choose.
func (v visit) signedIn() visit {
	v.Step = ChooseAccount
	if have := v.persona().Accounts; len(have) == 1 {
		v.FundAccount, v.Step = have[0].Key, Review
	}
	return v
}

// change moves a visit that is at a step, or writes down that it was tried in vain. A visit that is elsewhere
// stays as it is: errPassed.
func (p *Provider) change(ctx context.Context, visitID string, at Step,
	move func(visit) (visit, *fault.Error)) (after visit, err error) {
	if err := p.end(ctx, visitID); err != nil {
		return after, err
	}
	var refusal *fault.Error
	err = pg.InTx(ctx, p.pool, func(tx *pg.Tx) error {
		before, err := pg.One[visit](ctx, tx, `SELECT `+visitColumns+` FROM sandbox_daf_visits
			WHERE id = @id FOR UPDATE`, pg.Args{"id": visitID})
		if err = pg.Or(err, fault.Missing()); err != nil {
			return err
		}
		if before.Step != at {
			return errPassed
		}
		if after, refusal = move(before); after.Step == Over {
			refusal = nil // the page that follows says it
		}
		tx.Later(`
			UPDATE sandbox_daf_visits
				SET state = @state, step = @step, username = @username, fund_account = @fund_account, tries = @tries,
				amount = @amount
			WHERE id = @id`,
			pg.Args{"id": visitID, "state": after.State, "step": after.Step, "username": after.Username,
				"fund_account": after.FundAccount, "tries": after.Tries, "amount": after.Amount})
		return nil
	})
	if err == nil && refusal != nil {
		err = refusal
	}
	return after, err
}

// Purge forgets a batch of visits that are long over, with what the donors typed, and says how many those were.
func (p *Provider) Purge(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, p.pool, `
		DELETE FROM sandbox_daf_visits WHERE id IN (SELECT id FROM sandbox_daf_visits WHERE created_at <= @before
			LIMIT @batch)`,
		pg.Args{"before": p.machine().Add(-24 * visitLife), "batch": pg.PurgeBatch})
}
