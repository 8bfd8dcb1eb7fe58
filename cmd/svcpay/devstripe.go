package main

import (
	"context"
	"fmt"
	"net"

	"svcpay/internal/authz"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sensitive"
)

// demoStripe is the demo's local fake of Stripe, in test mode. It forgets everything when the program ends.
type demoStripe struct {
	*fake.Fake
	platform  *fake.Account
	listeners []net.Listener
}

// The platform's account at the fake, and its key.
const (
	demoPlatform = "acct_demo"
	demoKey      = "sk_test_demo"
)

// openStripe makes the fake and opens its listeners.
func openStripe() (*demoStripe, error) {
	listeners, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := fake.New(machineTime(), false)
	return &demoStripe{Fake: f, platform: f.Open(demoPlatform, demoKey, ""), listeners: listeners}, nil
}

// address is the base URL of the API.
func (s *demoStripe) address() string { return "http://" + s.listeners[0].Addr().String() }

// start serves the API, advances the fake's clock and delivers its webhooks, until ctx ends.
func (s *demoStripe) start(ctx context.Context) {
	go func() { _ = serveUntil(ctx, newServer(hastened(s.Fake, "96h")), s.listeners...) }()
	go s.Run(ctx, nil)
}

// connect makes the demo's application charge cards at the platform's account, and pays each of its merchants out to a
// separate connected account. Of accounts that are already connected, it only registers the webhook endpoints again,
// which the fake has forgotten.
func (s *demoStripe) connect(ctx context.Context, a *app, admin authz.Actor, c demo.Application) error {
	if err := s.ensure(ctx, a, admin,
		accounts.ConnectInput{Processor: stripe.Name, External: demoPlatform,
			Credentials: sensitive.NewCredentials(demoKey),
			Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard},
				Priority: 1}}); err != nil {
		return err
	}
	for _, id := range c.Merchants.All() {
		bank, err := a.Payouts.BankAccountOf(ctx, admin, id)
		if err != nil {
			return fmt.Errorf("the bank account of merchant %d: %w", id, err)
		}
		at := s.OpenConnected(s.platform, fmt.Sprintf("%s_merchant_%d", demoPlatform, id))
		routing := demo.Routing(bank.Currency)
		s.AddBank(at, string(bank.Currency), routing, demo.PaidNumber)
		if err := s.ensure(ctx, a, admin,
			accounts.ConnectInput{MerchantID: &id, Processor: stripe.Name, External: at.ID,
				Credentials: sensitive.NewCredentials(demoKey + " " + demoPlatform), Serving: accounts.Serving{
					Methods:    []processor.Method{processor.MethodPayout},
					Currencies: []money.Currency{bank.Currency}, Priority: 1}}); err != nil {
			return err
		}
	}
	return s.reopen(ctx, a, c.Merchants.All())
}

// reopen opens the connected accounts that were created in the portal, which the fake has forgotten.
func (s *demoStripe) reopen(ctx context.Context, a *app, merchants []int64) error {
	known := map[string]bool{demoPlatform: true}
	for _, id := range merchants {
		known[fmt.Sprintf("%s_merchant_%d", demoPlatform, id)] = true
	}
	all, err := accounts.NewKeyring(a.pool, nil).Connected(ctx, stripe.Name)
	for _, at := range all {
		if !known[at.External] {
			s.OpenConnected(s.platform, at.External)
		}
	}
	return err
}

// ensure connects an account unless it is already connected.
func (s *demoStripe) ensure(ctx context.Context, a *app, admin authz.Actor, in accounts.ConnectInput) error {
	connected, err := a.Accounts.List(ctx, admin, in.MerchantID)
	if err != nil {
		return err
	}
	for _, one := range connected {
		if one.Processor == in.Processor && one.External == in.External {
			if _, err := a.Accounts.Test(ctx, admin, one.ID.String()); err != nil {
				return fmt.Errorf("testing %s: %w", in.External, err)
			}
			return nil
		}
	}
	if _, err := a.Accounts.Connect(ctx, admin, in); err != nil {
		return fmt.Errorf("connecting %s: %w", in.External, err)
	}
	return nil
}
