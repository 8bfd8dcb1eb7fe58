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
)

// What a page reports is text of the donor's browser: the forms of a workflow session, of a fund's id and of a reason.
var (
	sessionForm = regexp.MustCompile(`^[A-Za-z0-9_-]{8,100}$`)
	fundForm    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)
	reasonForm  = regexp.MustCompile(`^[A-Z0-9_]{1,60}$`)
)

// The refusals of what a page reports, in words for donors.
var (
	errUnreadable = fault.Invalid("daf_visit_unreadable",
		"The answer of your fund’s pages cannot be read. Nothing was given. Please try again.")
	errOver = fault.New(fault.KindConflict, "daf_visit_over", "This visit is already over.")
	errUsed = fault.New(fault.KindConflict, "daf_session_used",
		"This authorization belongs to another gift and can’t be used again. Please authorize this gift.")
	errTooOld = fault.New(fault.KindConflict, "daf_authorization_expired",
		"An authorization is good for 15 minutes, and this one is older. Nothing was given. Please authorize again.")
)

// Success is what the component reported after the donor authorized. Nothing in it is proven.
type Success struct {
	Session string // the workflow session
	Amount  money.Amount
	FundID  string        // "" is the visit's
	Age     time.Duration // how long ago the component reported it, by the browser's clock
}

func (s Success) readable() bool {
	return sessionForm.MatchString(s.Session) && (s.FundID == "" || fundForm.MatchString(s.FundID)) && s.Age >= 0 &&
		s.Amount >= money.Dollar && s.Amount <= money.MaxCharge && s.Amount%money.Dollar == 0
}

// Succeeded records what the component reported after the donor authorized. The donor may have changed the amount, and
// chosen another fund. Faults: daf_visit_unreadable; daf_authorization_expired if Chariot no longer takes the session's
// grant; daf_session_used for a session of another visit; daf_visit_over. After the first three, the visit is still
// open.
func (p *Provider) Succeeded(ctx context.Context, visitID string, s Success) error {
	switch {
	case !s.readable():
		return errUnreadable
	case s.Age > captureLife:
		return errTooOld
	}
	now := p.config.Now()
	n, err := pg.Exec(ctx, p.config.Pool, `
		UPDATE chariot_visits SET state = 'authorized', session = @session, amount = @amount, authorized_at = @at,
			fund_id = coalesce(nullif(@fund::text, ''), fund_id)
		WHERE id = @id AND state = 'open' AND created_at > @after
			AND NOT EXISTS (SELECT FROM chariot_confirmations WHERE session = @session)`,
		pg.Args{"id": visitID, "session": s.Session, "amount": s.Amount, "fund": s.FundID, "at": now.Add(-s.Age),
			"after": now.Add(-visitLife)})
	switch {
	case pg.Violated(err) == "chariot_visits_session_key":
		return errUsed
	case err != nil || n > 0:
		return wrapped(err)
	}
	v, err := p.find(ctx, p.config.Pool, visitID)
	switch {
	case errors.Is(err, provider.ErrNotFound):
		return fault.Missing()
	case err != nil:
		return err
	case v.State == provider.VisitOpen:
		return errUsed
	case v.State != provider.VisitAuthorized || *v.Session != s.Session || v.Amount != s.Amount:
		return errOver
	}
	return nil
}

// The reasons of exits that are more than the name of an obstacle. tookTooLong is ours.
const (
	donorConfirmed = "UNINTEGRATED_GRANT_CONFIRMED"
	tookTooLong    = "VISIT_EXPIRED"
)

// exits are the reasons for which the component is left: whether it was the donor's choice, and what they mean. After
// any other, the fund could not go on.
var exits = map[string]struct {
	left   bool
	reason provider.VisitReason
}{
	"USER_EXIT":                      {left: true},
	"UNINTEGRATED_DAF":               {true, provider.ReasonNotIntegrated},
	"UNINTEGRATED_DAF_NOT_SUPPORTED": {true, provider.ReasonNotIntegrated},
	donorConfirmed:                   {true, provider.ReasonUnconfirmed},
	"CREDENTIALS_ERROR":              {reason: provider.ReasonSignIn},
	"TFA_ERROR":                      {reason: provider.ReasonSignIn},
	"INSTITUTION_DOWN_ERROR":         {reason: provider.ReasonFundDown},
	"NO_CHARITABLE_ACCOUNTS":         {reason: provider.ReasonNoAccount},
	"CID_NOT_FOUND":                  {reason: provider.ReasonOrganization},
	"INELIGIBLE_ORGANIZATION":        {reason: provider.ReasonOrganization},
	"SERVICE_DEACTIVATED":            {reason: provider.ReasonOrganization},
	"SESSION_NOT_FOUND":              {reason: provider.ReasonExpired},
	"RECURRING_NOT_SUPPORTED":        {reason: provider.ReasonMonthly},
	tookTooLong:                      {reason: provider.ReasonExpired},
}

// Exit is what the component reported when it was left without an authorization.
type Exit struct {
	Reason  string // in Chariot's words
	Session string // the workflow session; "" if there was none
}

// Exited records that the component was left without an authorization, and why. A visit that is over stays as it is. A
// donor who confirmed that he makes the grant himself is believed once Chariot has that confirmation. Faults:
// daf_visit_unreadable; daf_session_used for a confirmation of another visit.
func (p *Provider) Exited(ctx context.Context, visitID string, e Exit) error {
	if !reasonForm.MatchString(e.Reason) || e.Session != "" && !sessionForm.MatchString(e.Session) {
		return errUnreadable
	}
	state := provider.VisitFailed
	if exits[e.Reason].left {
		state = provider.VisitCanceled
	}
	err := pg.InTx(ctx, p.config.Pool, func(tx *pg.Tx) error {
		n, err := tx.Exec(ctx, `
			UPDATE chariot_visits SET state = @state, exit_reason = @reason WHERE id = @id AND state = 'open'`,
			pg.Args{"id": visitID, "state": state, "reason": e.Reason})
		if err != nil || n == 0 || e.Reason != donorConfirmed || e.Session == "" {
			return err
		}
		n, err = tx.Exec(ctx, `
			INSERT INTO chariot_confirmations (visit_id, session, created_at)
			SELECT @id, @session, @now WHERE NOT EXISTS (SELECT FROM chariot_visits WHERE session = @session)`,
			pg.Args{"id": visitID, "session": e.Session, "now": p.config.Now()})
		return pg.Hit(n, err, errUsed)
	})
	if pg.Violated(err) == "chariot_confirmations_session_key" {
		return errUsed
	}
	if _, refused := fault.As(err); refused {
		return err
	}
	return wrapped(err)
}

// VisitResult implements [provider.Provider]. It has what the donor's browser reported.
func (p *Provider) VisitResult(ctx context.Context, visitID string) (provider.VisitResult, error) {
	v, err := p.find(ctx, p.config.Pool, visitID)
	if err != nil {
		return provider.VisitResult{}, err
	}
	r := provider.VisitResult{State: v.State, Reason: exits[v.ExitReason].reason, Amount: v.Amount, Donor: v.Donor,
		FundID: v.FundID}
	if v.AuthorizedAt != nil {
		r.AuthorizedAt = *v.AuthorizedAt
	}
	if v.ExitReason != donorConfirmed {
		return r, nil
	}
	c, err := p.confirmation(ctx, v)
	switch {
	case errors.Is(err, provider.ErrNotFound):
		return r, nil
	case err != nil:
		return provider.VisitResult{}, err
	}
	r.State, r.Reason, r.Amount = provider.VisitConfirmed, "", c.Amount
	if c.FundID != "" {
		r.FundID = c.FundID
	}
	return r, nil
}
