package api

import (
	"context"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/webhook"
)

const endpointsPath = "/api/webhook_endpoints"

func (a *API) webhookRoutes() []route {
	const one, replay = endpointsPath + "/:id", "/api/webhook_replays/:id"
	return []route{
		{http.MethodPost, endpointsPath, "", authz.WebhookManage, constant, handle(a.createEndpoint)},
		{http.MethodGet, endpointsPath, "", authz.WebhookRead, constant, lists(endpointList, a.Webhooks.List)},
		{http.MethodGet, one, "", authz.WebhookRead, constant, get(a.Webhooks.Get)},
		{http.MethodPut, one, "", authz.WebhookManage, constant, versioned(handleID(a.updateEndpoint))},
		{http.MethodDelete, one, "", authz.WebhookManage, constant, versioned(erase(a.deleteEndpoint))},
		{http.MethodPost, one + "/rotate_secret", "", authz.WebhookManage, constant, act(a.rotateSecret)},
		{http.MethodPost, one + "/enable", "", authz.WebhookManage, constant, act(a.enableEndpoint)},
		{http.MethodPost, one + "/disable", "", authz.WebhookManage, constant, act(a.disableEndpoint)},
		{http.MethodPost, one + "/test", "", authz.WebhookManage, constant, act(a.testEndpoint)},
		{http.MethodPost, one + "/replay", "", authz.WebhookManage, constant, handleID(a.startReplay)},
		{http.MethodGet, one + "/deliveries", "", authz.WebhookRead, grows, listsOf(deliveryList, a.Webhooks.Deliveries)},
		{http.MethodGet, "/api/webhook_replays", "", authz.WebhookRead, grows, lists(replayList, a.Webhooks.ListReplays)},
		{http.MethodGet, replay, "", authz.WebhookRead, constant, get(a.Webhooks.GetReplay)},
		{http.MethodPost, replay + "/cancel", "", authz.WebhookManage, constant, act(a.cancelReplay)},
	}
}

func (a *API) createEndpoint(ctx context.Context, req *request, in webhook.CreateInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Webhooks.Create(ctx, req.actor, in, claim)
	return made(http.StatusCreated, endpointsPath, out), err
}

func (a *API) updateEndpoint(ctx context.Context, req *request, id string, in webhook.UpdateInput,
	claim *idempotency.Claim) (reply, error) {
	in.IfVersion = req.ifVersion
	out, err := a.Webhooks.Update(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) deleteEndpoint(ctx context.Context, req *request, id string, claim *idempotency.Claim) (reply, error) {
	out, err := a.Webhooks.Delete(ctx, req.actor, id, webhook.DeleteInput{IfVersion: req.ifVersion}, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) rotateSecret(ctx context.Context, req *request, id string, in webhook.RotateInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Webhooks.Rotate(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) enableEndpoint(ctx context.Context, req *request, id string, _ nothing,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Webhooks.Enable(ctx, req.actor, id, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) disableEndpoint(ctx context.Context, req *request, id string, _ nothing,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Webhooks.Disable(ctx, req.actor, id, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) testEndpoint(ctx context.Context, req *request, id string, in webhook.TestInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Webhooks.Test(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) startReplay(ctx context.Context, req *request, id string, in webhook.ReplayInput,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Webhooks.StartReplay(ctx, req.actor, id, in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) cancelReplay(ctx context.Context, req *request, id string, _ nothing,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.Webhooks.CancelReplay(ctx, req.actor, id, claim)
	return made(http.StatusOK, "", out), err
}

func endpointList(q *query) webhook.ListInput {
	return webhook.ListInput{Page: pageOf(q, ids.ParseEndpoint), Statuses: q.words("status", webhook.Statuses())}
}

func deliveryList(q *query) webhook.DeliveryInput {
	in := webhook.DeliveryInput{Page: pageOf(q, ids.ParseDelivery), Created: q.times("created_at"),
		Statuses: q.words("status", webhook.DeliveryStatuses()), EventID: idIn(q, "event_id", ids.ParseEvent)}
	if filters := q.eventTypes("type"); filters != nil {
		in.Types = event.Covered(filters)
	}
	return in
}

func replayList(q *query) webhook.ReplayListInput {
	return webhook.ReplayListInput{Page: pageOf(q, ids.ParseReplay), Created: q.times("created_at"),
		Statuses: q.words("status", webhook.ReplayStatuses()), EndpointID: idIn(q, "endpoint_id", ids.ParseEndpoint)}
}

var webhookCodes = []code{
	{
		Name: "webhook_endpoint_not_enabled", Kind: fault.KindConflict,
		Meaning: "The endpoint is disabled, or paused because it failed for too long. status tells which.",
		Remedy:  "Enable it, then try again.",
		Message: "Nothing is sent to an endpoint that is disabled. Enable it.",
		Members: []string{"status"},
	},
	{
		Name: "webhook_endpoints_exhausted", Kind: fault.KindRefused,
		Meaning: "The application has as many webhook endpoints as it can have.",
		Remedy:  "Delete an endpoint that you do not need, or let one of them take more kinds of events.",
		Message: "An application has at most 50 endpoints. Delete one.",
	},
}
