package workflow

import (
	"context"
	"errors"
	"fmt"

	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// maxFunds is how many funds a search shows.
const maxFunds = 50

// maxQuery is how much of a search is looked at, in characters.
const maxQuery = 100

// Funds searches the provider's funds for a way that is open.
func (s *Service) Funds(ctx context.Context, query string) ([]provider.Fund, error) {
	if runes := []rune(query); len(runes) > maxQuery {
		query = string(runes[:maxQuery])
	}
	ctx, cancel := context.WithTimeout(ctx, provider.CallTimeout)
	defer cancel()
	return s.deps.Provider.Funds(ctx, query, maxFunds)
}

// Fund is the fund that a donor chose, with its instructions.
func (s *Service) Fund(ctx context.Context, w Workflow) (provider.Fund, error) {
	ctx, cancel := context.WithTimeout(ctx, provider.CallTimeout)
	defer cancel()
	f, err := s.deps.Provider.Fund(ctx, w.FundID)
	if errors.Is(err, provider.ErrNotFound) {
		err = errFund
	}
	return f, err
}

var (
	errFund   = fault.Invalid("fund_missing", "Choose the fund that your account is with.").On("fund")
	errAmount = fault.Invalid("amount_invalid", "Enter an amount in dollars, such as 125.").On("amount")
)

// unusable refuses a fund that can't be visited now, or not with this amount; nil if it can.
func unusable(f provider.Fund, a money.Amount) *fault.Error {
	why := ""
	switch {
	case f.Integrated && f.Down:
		why = f.Name + " can’t be reached at present. Try again later, or choose another fund."
	case f.Integrated && a < f.Minimum:
		why = "The smallest grant of " + f.Name + " is " + f.Minimum.Dollars() +
			". Go back to raise your gift, or choose another fund."
	default:
		return nil
	}
	return fault.Invalid("fund_unavailable", why).On("fund").Because(unusableFund{f})
}

// unusableFund is the cause of fund_unavailable.
type unusableFund struct{ provider.Fund }

// Error implements error.
func (u unusableFund) Error() string { return "workflow: the fund " + u.ID + " can't be used" }

// Unusable is the fund that fund_unavailable is about: one that is down, or whose minimum is higher than the gift.
func Unusable(err error) (provider.Fund, bool) {
	u, ok := errors.AsType[unusableFund](err)
	return u.Fund, ok
}

// Choose takes the fund that a donor's account is with, which he may choose again. With an integrated one a visit of
// its pages begins, from which the donor comes to the address back; the way returned has the address to go to.
// Faults: fund_missing, fund_unavailable, amount_invalid, daf_session_expired, daf_session_ended.
func (s *Service) Choose(ctx context.Context, secret, fundID, back string) (Workflow, error) {
	w, err := s.open(ctx, secret)
	if err != nil {
		return w, err
	}
	if w.Amount == nil {
		return w, errAmount
	}
	w.FundID = fundID
	f, err := s.Fund(ctx, w)
	if err != nil {
		return w, err
	}
	if refusal := unusable(f, *w.Amount); refusal != nil {
		return w, refusal
	}
	w.Kind, w.FundName, w.VisitID, w.VisitAddress = Nonintegrated, f.Name, "", ""
	var reference ids.Operation // none
	if f.Integrated {
		w.Kind, reference = Integrated, ids.NewOperation(s.deps.Now())
		if w, err = s.visit(ctx, w, reference, back); err != nil {
			return w, err
		}
	}
	return w, ended(pg.Exec(ctx, s.deps.Pool, `
		UPDATE daf_workflows SET kind = @kind, fund_id = @fund_id, fund_name = @fund_name, visit_reference = @reference,
			visit_id = nullif(@visit_id, ''), visit_address = nullif(@visit_address, '')
		WHERE secret_hash = @hash AND state = 'open'`,
		pg.Args{"hash": w.SecretHash, "kind": w.Kind, "fund_id": w.FundID, "fund_name": w.FundName,
			"reference": reference, "visit_id": w.VisitID, "visit_address": w.VisitAddress}))
}

// visit begins a visit. It is no submission: one that is begun and forgotten grants nothing.
func (s *Service) visit(ctx context.Context, w Workflow, reference ids.Operation, back string) (Workflow, error) {
	ctx, cancel := context.WithTimeout(ctx, provider.CallTimeout)
	defer cancel()
	pages, err := s.deps.Provider.Visit(ctx,
		provider.Visit{Reference: reference.String(), Account: processor.MerchantAccount(w.ApplicationID, w.MerchantID),
			ConnectID: w.ConnectID, FundID: w.FundID, Amount: *w.Amount, Donor: w.Donor, Return: back})
	if err != nil {
		return w, fmt.Errorf("workflow: visit: %w", err)
	}
	w.VisitID, w.VisitAddress = pages.VisitID, pages.Address
	return w, nil
}

// Confirm takes a donor's word that he makes the grant on the website of a fund that is not integrated. Again it
// changes nothing.
func (s *Service) Confirm(ctx context.Context, secret string) error {
	w, err := s.Get(ctx, secret)
	switch {
	case err != nil:
		return err
	case w.State == Confirmed:
		return nil
	case w.State != Open:
		return errEnded
	case w.Kind != Nonintegrated:
		return errFund
	}
	return s.authorize(ctx, w, grant{amount: *w.Amount, donor: w.Donor, at: s.deps.Now()})
}

// merge is a donor as he called himself, and as his fund knows him where he said nothing.
func merge(own, fund provider.Donor) provider.Donor {
	for _, t := range texts {
		if at := t.at(&own); *at == "" {
			known := []rune(t.clean(*t.at(&fund)))
			*at = string(known[:min(len(known), t.most)])
		}
	}
	return own
}
