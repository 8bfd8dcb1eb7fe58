package trigger

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"svcpay/api/client"
)

// host is a name of this machine. A sandbox that sends webhooks to its own machine takes names, and no addresses.
const host = "svcpay-trigger.localhost"

// pausedEndpoint makes an endpoint here that says that it is gone, and sends it a test: it is paused then.
func pausedEndpoint(ctx context.Context, r *run) error {
	_, err := r.gone(ctx)
	return err
}

// recoveredEndpoint has an endpoint paused, and then take a test.
func recoveredEndpoint(ctx context.Context, r *run) error {
	back, err := r.gone(ctx)
	if err != nil {
		return err
	}
	paused := func(e *client.WebhookEndpoint) bool { return e.Status == client.WebhookEndpointStatusPaused }
	wait, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if _, err := client.Until(wait, func(ctx context.Context) (*client.WebhookEndpoint, error) {
		return r.API.WebhookEndpoints.Get(ctx, r.id)
	}, paused); err != nil {
		return fmt.Errorf("%s was not paused: %w", r.id, err)
	}
	back.Store(true)
	if _, err := r.API.WebhookEndpoints.Enable(ctx, r.id); err != nil {
		return err
	}
	_, err = r.API.WebhookEndpoints.Test(ctx, r.id, client.TestWebhookEndpoint{})
	return err
}

// gone makes an endpoint of a receiver here, which is gone until it is told that it is back, and sends it a test. Both
// end with the order.
func (r *run) gone(ctx context.Context) (back *atomic.Bool, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	back = new(atomic.Bool)
	server := &http.Server{ReadHeaderTimeout: time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if !back.Load() {
				w.WriteHeader(http.StatusGone)
			}
		})}
	go func() { _ = server.Serve(listener) }() // until it is closed
	r.after = append(r.after, func(context.Context) error { return server.Close() })
	body := client.CreateWebhookEndpoint{URL: fmt.Sprintf("http://%s:%d/", host, listener.Addr().(*net.TCPAddr).Port),
		Events: []string{"ping"}, Description: client.Set(madeBy)}
	e, err := r.API.WebhookEndpoints.Create(ctx, body)
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.StatusCode == http.StatusBadRequest {
		return nil,
			fmt.Errorf("%s needs an endpoint on this machine, which this deployment refuses: make one elsewhere that answers 410, and send it a test", r.Type)
	}
	if err != nil {
		return nil, err
	}
	r.id = e.ID
	r.after = append(r.after, func(ctx context.Context) error {
		_, err := r.API.WebhookEndpoints.Delete(ctx, e.ID)
		return err
	})
	_, err = r.API.WebhookEndpoints.Test(ctx, e.ID, client.TestWebhookEndpoint{})
	return back, err
}
