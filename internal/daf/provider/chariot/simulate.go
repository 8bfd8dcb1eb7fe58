package chariot

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

// Simulate has Chariot's sandbox complete or cancel the grant of a reference now. Its events report it next. A grant
// that the account does not have is fault.Missing; one that has ended, simulation_not_possible.
func (p *Provider) Simulate(ctx context.Context, account, reference string, kind provider.EventKind) error {
	id, err := pg.Value[string](ctx, p.config.Pool, `
		SELECT g.grant_id FROM chariot_grants g JOIN chariot_visits v ON v.id = g.visit_id
		WHERE g.reference = @reference AND v.account = @account AND g.grant_id IS NOT NULL`,
		pg.Args{"reference": reference, "account": account})
	if errors.Is(err, pg.ErrNone) {
		return fault.Missing()
	}
	if err != nil {
		return wrapped(err)
	}
	what := map[provider.EventKind]string{provider.GrantCompleted: "/complete", provider.GrantCanceled: "/cancel"}[kind]
	var answer struct{}
	_, err = p.call(ctx, http.MethodPost, "/v1/simulations/grants/:id"+what,
		"/v1/simulations/grants/"+url.PathEscape(id)+what, nil, &answer)
	switch {
	case statusOf(err)/100 == 2:
		return nil
	case hasStatus(err, http.StatusBadRequest, http.StatusConflict, http.StatusPreconditionFailed):
		return fault.New(fault.KindConflict, "simulation_not_possible", "The grant was completed or canceled already.")
	}
	return err
}
