package api

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/webhook"
)

const endpointsPath = "/api/webhook_endpoints"

func (a *API) webhookRoutes() []route {
	const one, replay = endpointsPath + "/:id", "/api/webhook_replays/:id"
	return []route{
		{http.MethodPost, endpointsPath, "", authz.WebhookManage, constant, creates(endpointsPath, a.Webhooks.Create)},
		{http.MethodGet, endpointsPath, "", authz.WebhookRead, constant, lists(endpointList, a.Webhooks.List)},
		{http.MethodGet, one, "", authz.WebhookRead, constant, get(a.Webhooks.Get)},
		{http.MethodPut, one, "", authz.WebhookManage, constant, versioned(handleID(a.Webhooks.Update))},
		{http.MethodDelete, one, "", authz.WebhookManage, constant, versioned(erase(a.Webhooks.Delete))},
		{http.MethodPost, one + "/rotate_secret", "", authz.WebhookManage, constant, act(a.Webhooks.Rotate)},
		{http.MethodPost, one + "/enable", "", authz.WebhookManage, constant, act(bare(a.Webhooks.Enable))},
		{http.MethodPost, one + "/disable", "", authz.WebhookManage, constant, act(bare(a.Webhooks.Disable))},
		{http.MethodPost, one + "/test", "", authz.WebhookManage, constant, act(a.Webhooks.Test)},
		{http.MethodPost, one + "/replay", "", authz.WebhookManage, constant, handleID(a.Webhooks.StartReplay)},
		{http.MethodGet, one + "/deliveries", "", authz.WebhookRead, grows, listsOf(deliveryList, a.Webhooks.Deliveries)},
		{http.MethodGet, "/api/webhook_replays", "", authz.WebhookRead, grows, lists(replayList, a.Webhooks.ListReplays)},
		{http.MethodGet, replay, "", authz.WebhookRead, constant, get(a.Webhooks.GetReplay)},
		{http.MethodPost, replay + "/cancel", "", authz.WebhookManage, constant, act(bare(a.Webhooks.CancelReplay))},
	}
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
	{Name: "webhook_endpoint_not_enabled", Kind: fault.KindConflict, Members: []string{"status"},
		Meaning: "The endpoint is disabled, or paused because it failed for too long. status tells which.",
		Remedy:  "Enable it, then try again.",
		Message: "Nothing is sent to an endpoint that is disabled. Enable it."},
	{Name: "webhook_endpoints_exhausted", Kind: fault.KindRefused,
		Meaning: "The application has as many webhook endpoints as it can have.",
		Remedy:  "Delete an endpoint that you do not need, or let one of them take more kinds of events.",
		Message: "An application has at most 50 endpoints. Delete one."},
}
