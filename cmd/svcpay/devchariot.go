package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sensitive"
)

// demoChariot is the demo's local fake of Chariot, in test mode. It forgets everything when the program ends.
type demoChariot struct {
	*fake.Fake
	listeners []net.Listener
}

// openChariot makes the fake, with the organizations of the demo's merchants, and opens its listeners.
func openChariot() (*demoChariot, error) {
	listeners, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := fake.New(machineTime())
	f.Continue(int(machineTime().UnixMilli() / 100 % 100_000_000))
	for _, o := range []struct{ ein, name, domain string }{
		{"931234567", "Riverside Animal Shelter Inc", "riverside.example"},
		{"597654321", "Harbor Food Bank Inc", "harbor.example"},
		{"362468135", "Harbor Animal Shelter Inc", "harbor.example"},
	} {
		f.Add(fake.Organization{ID: "org_" + o.ein, EIN: o.ein, Name: o.name, City: "Salem", State: "OR", Subsection: 3,
			Eligible: true, Pub78: true, Domain: o.domain})
	}
	return &demoChariot{f, listeners}, nil
}

// address is the base URL of the API.
func (c *demoChariot) address() string { return "http://" + c.listeners[0].Addr().String() }

// setFunds sets up the provider of donor-advised funds of the demo.
func (s *dev) setFunds(name string) (err error) {
	if name != chariot.Name {
		return nil
	}
	if s.history {
		return errors.New("the six weeks of --history have gifts of the sandbox's provider; use one of the two")
	}
	if s.chariot, err = openChariot(); err == nil {
		s.config.daf = dafSettings{provider: name, url: "http://giving.localhost" + portOf(s.main),
			chariotAPI: s.chariot.address()}
	}
	return err
}

// start serves the API, advances the fake's clock and delivers its webhooks, until ctx ends.
func (c *demoChariot) start(ctx context.Context, hooks string) {
	go func() { _ = serveUntil(ctx, newServer(hastened(c.Fake, "120h")), c.listeners...) }()
	go c.Run(ctx, hooks+"/hooks/daf/"+chariot.Name)
}

// errOtherFunds is of a demo that used the other provider before.
var errOtherFunds = errors.New(
	"--daf: merchants of this demo are enrolled at another provider; start a new demo with " +
		"another --state-dir")

// startChariot starts the fake, gives it back the connects of earlier runs, and connects the demo to it.
func (s *dev) startChariot(ctx context.Context, a *app) error {
	type connect struct {
		ID  string `db:"connect_id"`
		EIN string `db:"ein"`
	}
	earlier, err := pg.All[connect](ctx, a.pool, `SELECT connect_id, ein FROM chariot_connects`, pg.Args{})
	if err != nil {
		return err
	}
	for _, one := range earlier {
		s.chariot.Reopen(one.ID, strings.ReplaceAll(one.EIN, "-", ""))
	}
	foreign, err := pg.Value[bool](ctx, a.pool, `SELECT EXISTS (SELECT FROM daf_enrollments
		WHERE state IN ('processing', 'enrolled') AND provider <> @name)`, pg.Args{"name": chariot.Name})
	if err != nil {
		return err
	}
	if foreign {
		return errOtherFunds
	}
	s.chariot.start(ctx, s.config.baseURL)
	keys := sensitive.NewCredentials(s.chariot.Key + " " + s.chariot.Secret)
	if _, err := a.DAFConnection.Connect(ctx, operator(s.world.env, 0), keys); err != nil {
		return fmt.Errorf("connecting Chariot: %w", err)
	}
	return nil
}

// announceFunds prints how gifts of donor-advised funds are made.
func (s *dev) announceFunds(c demo.Credentials) {
	if s.chariot == nil {
		s.say("  Donors sign in at any integrated fund with %s and %s; others are listed there.", c.DAFLogin.Username,
			c.DAFLogin.Password)
		return
	}
	s.say("  Gifts of donor-advised funds go to a local fake of Chariot. Donors sign in with %s and %s.", fake.Username,
		fake.Password)
	s.say("  To complete the grants that are on their way:")
	s.say("  curl -X POST '%s/demo/hasten?by=120h'", c.ChariotURL)
}
