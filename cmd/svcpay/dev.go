package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"svcpay/api"
	"svcpay/examples/shop"
	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/platform/localpg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sandbox/history"
	"svcpay/internal/vault"
)

type devCommand struct {
	Addr        string   `default:"localhost:8080" help:"Loopback address of API, portal and pay origin."`
	ShopAddr    string   `default:"localhost:8081" help:"Loopback address of the demo shop."`
	StateDir    string   `help:"Directory for database, keys and credentials (default: /var/lib/svcpay for root, else ~/.local/state/svcpay)."`
	History     bool     `help:"Fill a new demo with six weeks of payments."`
	Metrics     bool     `help:"Serve metrics on a free loopback port, and print the address."`
	Processor   []string `placeholder:"NAME" help:"Name of an extra sandbox processor, or stripe for a local fake of Stripe, which forgets everything when the demo stops. Repeat for several."`
	DAF         string   `name:"daf" enum:"sandbox,chariot" default:"sandbox" help:"Provider of donor-advised funds: sandbox, or chariot for a local fake of Chariot, which forgets everything when the demo stops."`
	Credentials string   `placeholder:"FILE" help:"Where to write addresses, keys and logins (default: credentials.json in the state directory)."`
}

// Help implements kong.HelpProvider.
func (devCommand) Help() string {
	return "With DATABASE_URL set, that database is used instead of a PostgreSQL of its own. The log goes to dev.log in the state directory."
}

// dev is a development server being put together.
type dev struct {
	world       *world
	stateDir    string
	credentials string
	main, shop  []net.Listener
	admin       []net.Listener // none unless metrics are asked for
	config      config
	history     bool
	stripe      *demoStripe  // nil without --processor stripe
	chariot     *demoChariot // nil without --daf chariot
}

// Run starts everything and serves until a signal comes.
func (d devCommand) Run(w *world) error {
	s := &dev{world: w, stateDir: d.StateDir, credentials: d.Credentials, history: d.History}
	if s.stateDir == "" {
		s.stateDir = localpg.DefaultDir(os.Geteuid() == 0, lookup(w.env, "HOME"))
	}
	if s.credentials == "" {
		s.credentials = filepath.Join(s.stateDir, "credentials.json")
	}
	release, err := claimState(s.stateDir)
	if err != nil {
		return err
	}
	defer release()
	if s.main, err = listenFor("--addr", d.Addr); err != nil {
		return err
	}
	defer closeAll(s.main)
	if s.shop, err = listenFor("--shop-addr", d.ShopAddr); err != nil {
		return err
	}
	defer closeAll(s.shop)
	if d.Metrics {
		if s.admin, err = listenLoopback("127.0.0.1:0"); err != nil {
			return err
		}
		defer closeAll(s.admin)
	}
	set, err := limitsFrom(w.env)
	if err != nil {
		return err
	}
	s.config = config{environment: apikey.Sandbox, databaseURL: lookup(w.env, "DATABASE_URL"), limits: set.limits,
		perAddress: set.perAddress, perPerson: set.perPerson, proxies: set.proxies, webhookLocal: true,
		mails:   mailConfig{inbox: filepath.Join(s.stateDir, "mails")},
		baseURL: "http://" + requested(d.Addr) + portOf(s.main), payURL: "http://pay.localhost" +
			portOf(s.main), domainPort: numberOf(s.shop),
		walletsFile: filepath.Join(s.stateDir, "wallets.pem")}
	if err := s.setProcessors(d.Processor); err != nil {
		return fmt.Errorf("--processor: %w", err)
	}
	if err := s.setFunds(d.DAF); err != nil {
		return fmt.Errorf("--daf: %w", err)
	}
	return s.run()
}

// setProcessors sets up the extra processors of the demo.
func (s *dev) setProcessors(names []string) (err error) {
	extra := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == stripe.Name })
	if len(extra) < len(names) {
		if s.stripe, err = openStripe(); err != nil {
			return err
		}
		s.config.stripeAPI = s.stripe.address()
	}
	if len(extra) == 0 {
		return nil
	}
	return setSandboxProcessors(&s.config, strings.Join(extra, ","))
}

// requested is the host of a loopback address as it was asked for, which is the one that is served: localhost, or one
// of the two addresses that browsers try for it.
func requested(addr string) string {
	switch host, _, _ := net.SplitHostPort(addr); host {
	case "127.0.0.1":
		return host
	case "::1":
		return "[::1]"
	}
	return "localhost"
}

// listenFor listens on the address that a flag gave, and names the flag if that fails.
func listenFor(flag, addr string) ([]net.Listener, error) {
	listeners, err := listenLoopback(addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: stop it, or choose another %s", addr, flag)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return listeners, nil
}

func (s *dev) run() error {
	logFile, err := os.OpenFile(filepath.Join(s.stateDir, "dev.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer logFile.Close()
	log := newLog(logFile)
	slog.SetDefault(log)
	stop, err := s.database()
	if err != nil {
		return err
	}
	defer stop()
	keys, err := vault.CreateKeyFile(filepath.Join(s.stateDir, "vault-keys.json"))
	if err != nil {
		return err
	}
	a, err := newApp(s.world.ctx, s.config, keys, log)
	if err != nil {
		return err
	}
	defer a.close()
	if err := s.config.checkVital(s.world.ctx, a.pool); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(s.world.ctx)
	defer cancel()
	if s.stripe != nil {
		s.stripe.start(ctx)
	}
	if s.chariot != nil {
		if err := s.startChariot(ctx, a); err != nil {
			return err
		}
	}
	c, err := s.demoData(a)
	if err != nil {
		return err
	}
	if s.stripe != nil {
		c.StripeURL = s.stripe.address()
		if err := s.stripe.connect(s.world.ctx, a, operator(s.world.env, c.AppID), c.Application); err != nil {
			return err
		}
	}
	if s.chariot != nil {
		c.ChariotURL = s.chariot.address()
	}
	return s.serve(a, c, log)
}

func (s *dev) demoData(a *app) (demo.Credentials, error) {
	before, err := demo.Read(s.credentials)
	if err != nil {
		return before, err
	}
	shopURL := "http://shop.localhost" + portOf(s.shop)
	s.say("Looking for the demo's applications, merchants and people")
	known, err := demo.Maker{Identity: a.Identity, APIKeys: a.APIKeys}.Knows(s.world.ctx, before)
	if err == nil && s.history && !known {
		before, err = s.withHistory(a, before, shopURL)
	}
	if err != nil {
		return before, err
	}
	c, err := ensureDemo(s.world.ctx, a.Services, before, shopURL)
	if err == nil {
		err = ensureAssociation(s.world.ctx, s.world.env, a.Merchants)
	}
	if err != nil {
		return c, err
	}
	c.BaseURL, c.PayURL, c.PortalURL, c.ShopURL = s.config.baseURL, s.config.payURL, s.config.baseURL+"/portal", shopURL
	return c, nil
}

// docsHost is where the documentation is, which has every field of the library at work: wallet A on registered domains
// alone.
const docsHost = "localhost"

func ensureDemo(ctx context.Context, services *assembly.Services, before demo.Credentials,
	shopURL string) (demo.Credentials, error) {
	maker := demo.Maker{Identity: services.Identity, APIKeys: services.APIKeys, Merchants: services.Merchants,
		Payouts: services.Payouts, DAF: services.DAF,
		Domains: []string{docsHost}}
	c, err := maker.Ensure(ctx, before, shopURL)
	if err == nil {
		err = maker.EnsureDAF(ctx, c)
	}
	return c, err
}

// withHistory lets the demo have a past, unless the database has payments of another demo, whose credentials were lost.
func (s *dev) withHistory(a *app, before demo.Credentials, shopURL string) (demo.Credentials, error) {
	fits, err := history.Fits(s.world.ctx, a.pool)
	if err != nil || !fits {
		if err == nil {
			s.say("The database has payments already: the demo begins without history")
		}
		return before, err
	}
	return s.live(a, before, shopURL)
}

// live makes the demo as it would have been made some weeks ago, and has it live until now.
func (s *dev) live(a *app, before demo.Credentials, shopURL string) (demo.Credentials, error) {
	s.say("Having six weeks of payments happen")
	past := &movedClock{now: machineTime().AddDate(0, 0, -history.Days)}
	services, parties := a.wire(past.Now, func(string, string, *processor.Answer, error) {})
	c, err := ensureDemo(s.world.ctx, services, before, shopURL)
	if err != nil {
		return c, err
	}
	return history.Maker{Services: services, Funds: parties.sandbox.funds, Clock: past, Demo: c,
		Origin: shopURL}.Make(s.world.ctx, machineTime())
}

// serve runs service and shop until the signal; the credentials are written when both answer.
func (s *dev) serve(a *app, c demo.Credentials, log *slog.Logger) error {
	ctx, cancel := context.WithCancel(s.world.ctx)
	defer cancel()
	front := shop.New(shop.Config{BaseURL: c.BaseURL, PayURL: c.PayURL, DAFURL: a.Workflows.PagesOrigin(),
		AppID: c.AppID, SecretKey: c.SecretKey, PublicKey: c.PublicKey, WebhookSecret: c.WebhookSecret,
		Merchants: shopMerchants(c.Merchants), Log: log})
	a.gallery = api.Gallery{PublicKey: c.PublicKey,
		Merchants: map[string]int64{"us": c.Merchants.US, "us_q": c.Merchants.USQ, "ca": c.Merchants.CA}}
	defer a.serveAdmin(ctx, s.admin)()
	errs := make(chan error, 2)
	go func() { errs <- serveUntil(ctx, newServer(front), s.shop...) }()
	ready := make(chan struct{})
	go func() { errs <- a.serve(ctx, func() { close(ready) }, s.main...) }()
	select {
	case err := <-errs:
		return err
	case <-ready:
	}
	if err := demo.Write(s.credentials, c); err != nil {
		return err
	}
	s.announce(c)
	err := <-errs
	cancel() // if one of the two fails, the other must not go on alone
	return errors.Join(err, <-errs)
}

// shopMerchants are who the demo shop gives to: between them they take every type of payment.
func shopMerchants(m demo.Merchants) []shop.Merchant {
	return []shop.Merchant{
		{ID: m.US, Name: "Riverside Food Bank", BankProcessor: "p", Appeal: shop.FoodBank},
		{ID: m.USQ, Name: "Riverside Animal Shelter", BankProcessor: "q", Appeal: shop.Shelter},
		{ID: m.CA, Name: "Riverside Winter Relief", Currency: "cad", Appeal: shop.WinterRelief},
	}
}

// hastened serves a fake's API, and POST /demo/hasten?by=DURATION, which makes everything due within that time happen
// now.
func hastened(api interface {
	http.Handler
	Hasten(by time.Duration)
}, example string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", api)
	mux.HandleFunc("POST /demo/hasten", func(w http.ResponseWriter, r *http.Request) {
		by, err := time.ParseDuration(r.FormValue("by"))
		if err != nil || by < 0 {
			http.Error(w, "by must be a duration, such as "+example, http.StatusBadRequest)
			return
		}
		api.Hasten(by)
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

func (s *dev) say(format string, args ...any) { fmt.Fprintf(s.world.stdout, format+"\n", args...) }

func (s *dev) announce(c demo.Credentials) {
	s.say("\nSvcPay is running (sandbox).\n")
	s.say("  Demo shop    %s", c.ShopURL)
	s.say("  Portal       %s", c.PortalURL)
	s.say("  Mails        %s/_inbox", c.PortalURL)
	s.say("  API          %s/api", c.BaseURL)
	s.say("  Library      %s/3.2/svcpay.js\n", c.PayURL)
	if s.admin != nil {
		s.say("  Metrics      http://%s/metrics\n", s.admin[0].Addr())
	}
	s.say("  X-App-ID     %d", c.AppID)
	s.say("  X-API-Key    %s", c.SecretKey)
	s.say("  Public key   %s", c.PublicKey)
	s.say("  Merchants    %d (US), %d (US, processor Q), %d (Canada)\n", c.Merchants.US, c.Merchants.USQ,
		c.Merchants.CA)
	for _, u := range c.Users {
		s.say("  %-20s %-30s %s", u.Role, u.Email, u.Password)
	}
	s.say("\n  All of this as JSON: %s", s.credentials)
	s.say("  Log: %s", filepath.Join(s.stateDir, "dev.log"))
	if s.stripe != nil {
		s.say("  Cards are charged on a local fake of Stripe: use Stripe's test cards. To skip its waiting times, for example 96 hours:")
		s.say("  curl -X POST '%s/demo/hasten?by=96h'", c.StripeURL)
	}
	s.announceFunds(c)
	s.say("  Card 4242 4242 4242 4242 with any future date and any code is approved. Ctrl-C stops everything.")
}
