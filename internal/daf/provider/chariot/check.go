package chariot

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
)

// The codes of what can be missing.
const (
	needSecret        = "signing_secret"
	needPages         = "pages_origin"
	needOrganizations = "organizations"
	needFunds         = "dafs"
	needEvents        = "events"
	needGrants        = "grants"
	needDeposits      = "deposits"
)

// askChariot is whom to ask about the rights of a key.
const askChariot = "Ask integrations@givechariot.com to "

// needs are what is missing, by its code.
var needs = map[string]string{
	needSecret: "Events are not verified: the credentials have no signing secret. Create an event subscription at Chariot " +
		"for the webhook address of this deployment, then connect again with the API key and the subscription's signing " +
		"secret.",
	needPages: "Donors cannot visit their fund: there is no host for the pages with Chariot's component. Set " +
		"SVCPAY_DAF_URL, then restart the servers.",
	needOrganizations: "The API key may not read organizations. " + askChariot +
		"enable the organization directory for your account.",
	needFunds:  "The API key may not read funds (DAFs). " + askChariot + "enable DAFpay for your account.",
	needEvents: "The API key may not read events. " + askChariot + "enable events for your account.",
	needGrants: "The API key may not read the grants of a connect. " + askChariot +
		"check that your account still owns the connects of your organizations.",
	needDeposits: "The API key may not read deposits and their donations, so the reconciliation does not compare the money that arrived. " +
		"Everything else works. If organizations receive their money in accounts at Chariot, ask " +
		"integrations@givechariot.com to enable deposits and donations for your account.",
}

// NeedOf implements [provider.Connector].
func (p *Provider) NeedOf(code string) provider.Need {
	return provider.Need{Code: code, Text: needs[code], Optional: code == needDeposits}
}

// sample is the EIN of an organization that Chariot's sandbox and directory have: the American Red Cross.
const sample = "530196605"

// probe is a request that only reads, and what is missing if it is refused.
type probe struct {
	need, path string
	query      url.Values
}

// probes are the requests of a check. Grants can only be read of a connect.
func (p *Provider) probes(ctx context.Context) ([]probe, error) {
	all := []probe{
		{needOrganizations, "/v1/organizations/search", url.Values{"q": {sample}}},
		{needFunds, "/v1/dafs", url.Values{"pageLimit": {"1"}}},
		{needEvents, "/v1/events", url.Values{"limit": {"1"}}},
		{needDeposits, "/v1/deposits", url.Values{"limit": {"1"}}},
		{needDeposits, "/v1/donations", url.Values{"limit": {"1"}}},
	}
	id, err := pg.Value[string](ctx, p.config.Pool, `SELECT connect_id FROM chariot_connects ORDER BY created_at,
		connect_id LIMIT 1`, pg.Args{})
	switch {
	case errors.Is(err, pg.ErrNone):
		return all, nil
	case err != nil:
		return nil, wrapped(err)
	}
	return append(all, probe{needGrants, "/v1/grants", url.Values{"connect_id": {id}, "pageLimit": {"1"}}}), nil
}

// Check implements [provider.Connector]. It only reads. A key that begins with sk_test_ is for sandboxes, and any other
// for production.
func (p *Provider) Check(ctx context.Context, credentials sensitive.Credentials) (missing []string, err error) {
	c := p.config
	c.Credentials = func(context.Context) (sensitive.Credentials, error) { return credentials, nil }
	q := &Provider{config: c, http: p.http}
	k, err := q.keys(ctx)
	if err != nil {
		return nil, errors.Join(provider.ErrCredentials, err)
	}
	probes, err := q.probes(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range probes {
		var answer struct{}
		switch err := q.get(ctx, one.path, one.path, one.query, &answer); statusOf(err) {
		case http.StatusUnauthorized:
			return nil, errors.Join(provider.ErrCredentials, err)
		case http.StatusForbidden, http.StatusNotFound:
			if !slices.Contains(missing, one.need) {
				missing = append(missing, one.need)
			}
		default:
			if err != nil {
				return nil, err
			}
		}
	}
	if len(k.signing) == 0 {
		missing = append(missing, needSecret)
	}
	if p.config.PagesOrigin == "" {
		missing = append(missing, needPages)
	}
	return missing, nil
}

// statusOf is the status of an answer that is an error, 0 for any other error.
func statusOf(err error) int {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e.status
	}
	return 0
}
