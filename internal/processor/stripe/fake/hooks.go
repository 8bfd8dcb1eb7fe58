package fake

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svcpay/internal/sandbox/kit"
)

// hook is a webhook endpoint that was registered by the API. The API never shows whether it is for connected accounts,
// and shows its secret once.
type hook struct {
	object
	secret  string
	connect bool
}

// mostHooks is how many webhook endpoints an account may have.
const mostHooks = 16

// listed are the values of a parameter that is a list.
func listed(form url.Values, name string) (values []string) {
	for key := range form {
		if strings.HasPrefix(key, name+"[") {
			values = append(values, form[key]...)
		}
	}
	slices.Sort(values)
	return values
}

// address returns the URL of a request, and false for one that Stripe could not reach.
func (f *Fake) address(c call) (string, bool) {
	text := c.Form.Get("url")
	u, err := url.Parse(text)
	return text, err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && !f.live)
}

func (f *Fake) addHook(a *Account, c call) (object, *failure) {
	events, connect := listed(c.Form, "enabled_events"), c.Form.Get("connect") == "true"
	to, ok := f.address(c)
	switch {
	case a.NoHooks:
		return nil, &failure{status: http.StatusForbidden, kind: "invalid_request_error", code: "",
			message: "The key may not do this."}
	case !ok:
		return nil, invalid("url_invalid")
	case len(events) == 0:
		return nil, invalid("parameter_missing")
	case connect && a.NoPlatform, len(a.endpoints) >= mostHooks:
		return nil, invalid("")
	}
	h := &hook{object: object{"id": f.id("we"), "object": "webhook_endpoint", "created": f.now.Unix(), "url": to,
		"status": "enabled", "livemode": f.live, "enabled_events": events, "description": c.Form.Get("description"),
		"metadata": metadata(object{}, c.Form)}, secret: "whsec_" + random(), connect: connect}
	a.endpoints = append(a.endpoints, h)
	shown := clone(h.object)
	shown["secret"] = h.secret
	return shown, nil
}

func (f *Fake) hooks(a *Account, c call) (object, *failure) {
	if a.NoHooks {
		return nil, &failure{status: http.StatusForbidden, kind: "invalid_request_error",
			message: "The key may not do this."}
	}
	var all list
	for _, h := range a.endpoints {
		all = append(all, h.object)
	}
	return page(all, c.Form)
}

// ofHook serves a request about a webhook endpoint.
func ofHook(serve func(*Fake, *Account, *hook, call) (object, *failure)) handler {
	return func(f *Fake, a *Account, c call) (object, *failure) {
		for _, h := range a.endpoints {
			if h.object["id"] == c.id {
				return serve(f, a, h, c)
			}
		}
		return nil, missing()
	}
}

func (f *Fake) readHook(_ *Account, h *hook, _ call) (object, *failure) { return h.object, nil }

func (f *Fake) changeHook(_ *Account, h *hook, c call) (object, *failure) {
	if c.Form.Has("url") {
		to, ok := f.address(c)
		if !ok {
			return nil, invalid("url_invalid")
		}
		h.object["url"] = to
	}
	if events := listed(c.Form, "enabled_events"); len(events) > 0 {
		h.object["enabled_events"] = events
	}
	if c.Form.Has("disabled") {
		h.object["status"] = map[bool]string{true: "disabled", false: "enabled"}[c.Form.Get("disabled") == "true"]
	}
	h.object["metadata"] = metadata(h.object["metadata"].(object), c.Form)
	return h.object, nil
}

func (f *Fake) removeHook(a *Account, h *hook, _ call) (object, *failure) {
	a.endpoints = slices.DeleteFunc(a.endpoints, func(other *hook) bool { return other == h })
	return object{"id": h.object["id"], "object": "webhook_endpoint", "deleted": true}, nil
}

// Deliveries are the requests that deliver an event of an account to the registered endpoints, signed now.
func (f *Fake) Deliveries(a *Account, event string) (all []kit.Delivery) {
	defer f.locked()()
	e, to := f.reported(a, event)
	if e == nil {
		return nil
	}
	for _, h := range to.endpoints {
		events := h.object["enabled_events"].([]string)
		if h.connect == (to != a) && h.object["status"] == "enabled" &&
			(slices.Contains(events, "*") || slices.Contains(events, e["type"].(string))) {
			body := encode(e)
			all = append(all, kit.Delivery{URL: h.object["url"].(string),
				Header: signedBy(h.secret, f.now.Unix(), body), Body: body})
		}
	}
	return all
}
