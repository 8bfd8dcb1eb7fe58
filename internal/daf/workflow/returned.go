package workflow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// Visited finds the way of a visit by its reference: fault.Missing if there is none, or if the donor has chosen a fund
// again since. One that has expired is returned with ErrExpired.
func (s *Service) Visited(ctx context.Context, reference string) (Workflow, error) {
	id, err := ids.ParseOperation(reference)
	if err != nil {
		return Workflow{}, fault.Missing()
	}
	now := s.deps.Now()
	w, err := pg.Find[Workflow](ctx, s.deps.Pool, fromWorkflows+`w.visit_reference = @reference`,
		pg.Args{"reference": id, "now": now})
	return w, expired(w, now, err)
}

// Returned looks at the outcome of the donor's visit of the fund's pages, and why it has none. If he authorized a grant
// or confirmed one at the provider, so is the way. An authorization that is too old is none.
func (s *Service) Returned(ctx context.Context, secret string) (provider.VisitState, provider.VisitReason, error) {
	w, err := s.Get(ctx, secret)
	switch {
	case err != nil:
		return "", "", err
	case w.State == Confirmed:
		return provider.VisitAuthorized, "", nil
	case w.State == Canceled || w.VisitID == "":
		return provider.VisitCanceled, "", nil
	}
	ask, cancel := context.WithTimeout(ctx, provider.CallTimeout)
	defer cancel()
	r, err := s.deps.Provider.VisitResult(ask, w.VisitID)
	if err != nil {
		return "", "", fmt.Errorf("workflow: visit result: %w", err)
	}
	now := s.deps.Now()
	g := grant{amount: r.Amount, donor: merge(w.Donor, r.Donor), at: r.AuthorizedAt,
		confirmed: r.State == provider.VisitConfirmed}
	if g.at.IsZero() {
		g.at = now
	}
	switch {
	case r.State != provider.VisitAuthorized && !g.confirmed:
		return r.State, r.Reason, nil
	case now.Sub(g.at) > idLife:
		return provider.VisitFailed, provider.ReasonExpired, nil
	case !grantable(r.Amount):
		return "", "", fmt.Errorf("workflow: the provider authorized %d, which is no grant", r.Amount)
	}
	if r.FundID != "" && r.FundID != w.FundID {
		f, err := s.Fund(ctx, Workflow{FundID: r.FundID})
		switch {
		case err == nil:
			g.fundID, g.fundName = f.ID, f.Name
		case !errors.Is(err, errFund):
			return "", "", err
		}
	}
	return provider.VisitAuthorized, "", s.authorize(ctx, w, g)
}

// grant is what a donor authorized, or confirmed.
type grant struct {
	amount           money.Amount
	donor            provider.Donor
	fundID, fundName string // "" are those of the way
	at               time.Time
	confirmed        bool // in the visit; the donor makes it himself
}

// authorize issues the id of a way. One that was authorized in the meantime keeps its own.
func (s *Service) authorize(ctx context.Context, w Workflow, g grant) error {
	id := strings.ToLower(rand.Text())
	n, err := pg.Exec(ctx, s.deps.Pool, `
		UPDATE daf_workflows SET state = 'authorized', authorized_amount = @amount, authorized_at = @at,
			expires_at = @until, donor = @donor, fund_id = coalesce(nullif(@fund::text, ''), fund_id),
			fund_name = coalesce(nullif(@fund_name::text, ''), fund_name),
			kind = CASE WHEN @confirmed THEN 'nonintegrated' ELSE kind END,
			workflow_session_id = CASE WHEN kind = 'integrated' AND NOT @confirmed THEN 'ws_' || @id::text END,
			grant_id = CASE WHEN kind = 'nonintegrated' OR @confirmed THEN 'gr_' || @id::text END,
			visit_reference = CASE WHEN NOT @confirmed THEN visit_reference END,
			visit_id = CASE WHEN NOT @confirmed THEN visit_id END,
			visit_address = CASE WHEN NOT @confirmed THEN visit_address END
		WHERE secret_hash = @hash AND state = 'open' AND kind = @kind AND coalesce(visit_id, '') = @visit_id`,
		pg.Args{"hash": w.SecretHash, "amount": g.amount, "at": g.at, "until": g.at.Add(idLife), "donor": g.donor,
			"fund": g.fundID, "fund_name": g.fundName, "confirmed": g.confirmed, "id": id, "kind": w.Kind,
			"visit_id": w.VisitID})
	if err != nil || n == 1 {
		return err
	}
	state, err := pg.Value[State](ctx, s.deps.Pool, `SELECT state FROM daf_workflows WHERE secret_hash = @hash`,
		pg.Args{"hash": w.SecretHash})
	if err == nil && state != Confirmed {
		err = errEnded
	}
	return err
}
