package stripe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// A platform has two webhook endpoints at one address: one for its own events, and one for those of its connected
// accounts. Stripe's answers don't say which an endpoint is, so our metadata does. Stripe shows a signing secret only
// when it creates the endpoint.

// endpointScope is the metadata of an endpoint that we registered: the events that it is for.
const endpointScope = "svcpay_scope"

// The scopes.
const (
	ownEvents       = "account"
	connectedEvents = "connected_accounts"
)

// eventsIn are the event types of a scope's endpoint.
func eventsIn(scope string) []string { return feedTypes(scope == connectedEvents) }

// registers reports whether the webhook endpoints of an account with these keys are registered by us. A connected
// account has none: its events come through its platform's.
func (k keys) registers() bool { return k.platform == "" && len(k.webhooks) == len(k.endpoints) }

// Register implements [processor.Registrar]. The endpoint for connected accounts is left out if Stripe refuses it:
// accounts that are no platform don't need it.
func (a *Adapter) Register(ctx context.Context, account processor.Account, credentials sensitive.Credentials,
	address string) (sensitive.Credentials, error) {
	k, ok := a.keysOf(credentials)
	if !ok || !k.registers() {
		return credentials, nil
	}
	c := a.client(k.secret)
	found, err := endpointsAt(ctx, c, address)
	if err != nil {
		return credentials, err
	}
	kept := map[string]string{}
	for _, scope := range []string{ownEvents, connectedEvents} {
		e := k.registered(found, scope)
		if e != nil {
			kept[e.ID] = k.endpoints[e.ID]
			err = errors.Join(err, correct(ctx, c, e))
			continue
		}
		made, createErr := c.V1WebhookEndpoints.Create(ctx, endpointParams(address, scope))
		_, refused := final(createErr)
		switch {
		case createErr == nil && made.ID != "" && made.Secret != "":
			kept[made.ID] = made.Secret
		case !refused || scope == ownEvents:
			err = errors.Join(err, problem("create webhook_endpoint", createErr))
		}
	}
	return withEndpoints(credentials, kept), err
}

// Carry implements [processor.Registrar].
func (a *Adapter) Carry(earlier, credentials sensitive.Credentials) sensitive.Credentials {
	had, ok := a.keysOf(earlier)
	if k, valid := a.keysOf(credentials); !ok || !valid || k.platform != "" || len(k.webhooks) > 0 {
		return credentials
	}
	return withEndpoints(credentials, had.endpoints)
}

// registered returns the endpoint of a scope whose secret we have; nil if there is none.
func (k keys) registered(found []*sdk.WebhookEndpoint, scope string) *sdk.WebhookEndpoint {
	for _, e := range found {
		if k.endpoints[e.ID] != "" && e.Metadata[endpointScope] == scope {
			return e
		}
	}
	return nil
}

// withEndpoints is credentials with the secrets of these endpoints instead of the earlier ones. They come first: people
// recognize credentials by their end.
func withEndpoints(credentials sensitive.Credentials, secrets map[string]string) sensitive.Credentials {
	var words []string
	for _, id := range slices.Sorted(maps.Keys(secrets)) {
		words = append(words, id+":"+secrets[id])
	}
	for _, word := range strings.Fields(credentials.Reveal()) {
		if !strings.HasPrefix(word, "we_") {
			words = append(words, word)
		}
	}
	return sensitive.NewCredentials(strings.Join(words, "\n"))
}

func endpointParams(address, scope string) *sdk.WebhookEndpointCreateParams {
	return &sdk.WebhookEndpointCreateParams{URL: sdk.String(address), Connect: sdk.Bool(scope == connectedEvents),
		EnabledEvents: sdk.StringSlice(eventsIn(scope)), Description: sdk.String("SvcPay"),
		Metadata: map[string]string{endpointScope: scope}}
}

// correct enables one of our endpoints and its events, if someone has changed it.
func correct(ctx context.Context, c *sdk.Client, e *sdk.WebhookEndpoint) error {
	scope := e.Metadata[endpointScope]
	if e.Status == endpointEnabled && complete(eventsIn(scope), e.EnabledEvents) {
		return nil
	}
	_, err := c.V1WebhookEndpoints.Update(ctx, e.ID, &sdk.WebhookEndpointUpdateParams{Disabled: sdk.Bool(false),
		EnabledEvents: sdk.StringSlice(eventsIn(scope))})
	if err != nil {
		return problem("update webhook_endpoint", err)
	}
	return nil
}

// endpointEnabled is the status of an endpoint that gets events.
const endpointEnabled = "enabled"

// complete reports whether an endpoint with these event types gets all that are wanted.
func complete(wanted, enabled []string) bool {
	if slices.Contains(enabled, "*") {
		return true
	}
	return !slices.ContainsFunc(wanted, func(t string) bool { return !slices.Contains(enabled, t) })
}

// endpointsAt are the webhook endpoints at an address.
func endpointsAt(ctx context.Context, c *sdk.Client, address string) (found []*sdk.WebhookEndpoint, _ error) {
	p := &sdk.WebhookEndpointListParams{}
	p.Limit = sdk.Int64(pageSize)
	for e, err := range c.V1WebhookEndpoints.List(ctx, p).All(ctx) {
		switch {
		case isForbidden(err):
			return nil, fmt.Errorf("%w: %w", errForbidden, problem("list webhook_endpoints", err))
		case err != nil:
			return nil, problem("list webhook_endpoints", err)
		case e.URL == address:
			found = append(found, e)
		}
	}
	return found, nil
}

// Prune implements [processor.Registrar]. What arrives through the endpoints that it deletes can't be verified.
func (a *Adapter) Prune(ctx context.Context, _ processor.Account, credentials sensitive.Credentials,
	address string) error {
	k, ok := a.keysOf(credentials)
	if !ok || !k.registers() || len(k.endpoints) == 0 {
		return nil
	}
	c := a.client(k.secret)
	found, err := endpointsAt(ctx, c, address)
	for _, e := range found {
		if k.endpoints[e.ID] != "" {
			continue
		}
		if _, deleteErr := c.V1WebhookEndpoints.Delete(ctx, e.ID, nil); deleteErr != nil && !isMissing(deleteErr) {
			err = errors.Join(err, problem("delete webhook_endpoint", deleteErr))
		}
	}
	return err
}

// Endpoints implements [processor.Registrar]. Of endpoints that a person added it can't tell which are for connected
// accounts. So these together must have all events.
func (a *Adapter) Endpoints(ctx context.Context, account processor.Account, credentials sensitive.Credentials,
	address string) (lacks []processor.Lack, _ error) {
	k, ok := a.keysOf(credentials)
	if !ok || k.platform != "" {
		return nil, nil
	}
	found, err := endpointsAt(ctx, a.client(k.secret), address)
	switch {
	case errors.Is(err, errForbidden):
		return []processor.Lack{lack("webhook_key")}, nil
	case err != nil:
		return nil, err
	case k.registers():
		found = slices.DeleteFunc(found, func(e *sdk.WebhookEndpoint) bool { return k.endpoints[e.ID] == "" })
	}
	platform, err := a.isPlatform(ctx, account)
	if err != nil {
		return nil, err
	}
	for _, scope := range []string{ownEvents, connectedEvents} {
		if scope == connectedEvents && !platform {
			continue
		}
		if code := endpointLack(found, scope, k.registers()); code != "" {
			lacks = append(lacks, lack(code))
		}
	}
	return lacks, nil
}

// endpointLack returns the code of what the endpoint of a scope lacks; "" if nothing. An endpoint that we did not
// register may be of any scope.
func endpointLack(found []*sdk.WebhookEndpoint, scope string, ours bool) string {
	var enabled []string
	n, disabled := 0, 0
	for _, e := range found {
		switch {
		case ours && e.Metadata[endpointScope] != scope:
			continue
		case e.Status != endpointEnabled:
			disabled++
		default:
			enabled = append(enabled, e.EnabledEvents...)
		}
		n++
	}
	switch {
	case n == 0 && !ours:
		return "webhook_url"
	case n == 0 && scope == connectedEvents:
		return "connect_webhook"
	case n == 0:
		return "webhook_missing"
	case complete(eventsIn(scope), enabled):
		return ""
	case disabled > 0:
		return "webhook_disabled"
	}
	return "webhook_incomplete"
}

// isPlatform reports whether we pay out to an account from this one.
func (a *Adapter) isPlatform(ctx context.Context, account processor.Account) (bool, error) {
	all, err := a.config.Accounts.Connected(ctx, Name)
	if err != nil {
		return false, fmt.Errorf("stripe: %w", err)
	}
	for _, one := range all {
		if ours, err := a.paidBy(ctx, account, one); err != nil || ours {
			return ours, err
		}
	}
	return false, nil
}
