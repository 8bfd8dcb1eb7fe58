package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/banklink/institution"
	banksandbox "svcpay/internal/banklink/institution/sandbox"
	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/connection"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/seal"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/unconnected"
	"svcpay/internal/sandbox/kit"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/vault"
)

// counterparties are whom a deployment works with.
type counterparties struct {
	processors *processor.Registry
	funds      provider.Provider
	chariot    *chariot.Provider // funds, if it is Chariot; else nil
	banks      institution.Institutions
	sandbox    *sandboxParties // nil in production
}

// sandboxParties are a sandbox's own, with their pages and their test cases.
type sandboxParties struct {
	processors []*sandbox.Processor
	funds      *dafsandbox.Provider // nil if the deployment uses another provider
	banks      *banksandbox.Banks
}

// sandboxName is that of the processor that every sandbox has.
const sandboxName = "sandbox"

// partiesOf are the counterparties of a deployment. A sandbox has its own processors, of the extra names too, and next
// to them Stripe in test mode. Its provider of donor-advised funds is its own or, by its settings, Chariot in test
// mode. box opens the credentials of accounts; without it no call to Stripe or Chariot can be made.
func partiesOf(c config, box *seal.Box, pool *pgxpool.Pool, machine func() time.Time,
	clocks *clock.Clock) counterparties {
	live := c.environment == apikey.Production
	onStripe := stripe.New(stripe.Config{Accounts: accounts.NewKeyring(pool, box), Livemode: live, API: c.stripeAPI,
		Now: machine, Times: stripeTimes})
	var out counterparties
	if c.onChariot() {
		out.chariot = chariot.New(chariot.Config{Pool: pool, Livemode: live, API: c.daf.chariotAPI,
			PagesOrigin: c.daf.url, Now: machine, Times: chariotTimes,
			Credentials: connection.NewKeyring(pool, box).Credentials(chariot.Name)})
		out.funds = out.chariot
	}
	if live {
		out.processors, out.banks = processor.NewRegistry(unconnected.Directory{}, onStripe), unconnected.Banks{}
		return out
	}
	timeOf := kit.AccountClock(clocks.Moment)
	s := &sandboxParties{banks: banksandbox.New(pool, machine)}
	if out.funds == nil {
		s.funds = dafsandbox.New(pool, machine, timeOf)
		out.funds = s.funds
	}
	first := sandbox.New(sandboxName, pool, machine, timeOf)
	directory := network(first)
	s.processors = []*sandbox.Processor{first}
	adapters := []processor.Adapter{directory}
	for _, name := range c.sandboxProcessors {
		p := sandbox.New(name, pool, machine, timeOf)
		s.processors, adapters = append(s.processors, p), append(adapters, network(p))
	}
	adapters = append(adapters, onStripe)
	out.processors, out.banks, out.sandbox = processor.NewRegistry(directory, adapters...), s.banks, s
	return out
}

// connector is the provider of donor-advised funds as one that the deployment connects to; nil if it needs no
// connection.
func (p counterparties) connector() provider.Connector {
	if p.chariot == nil {
		return nil
	}
	return p.chariot
}

// fill gives a sandbox's services what it has next to counterparties. Test donors are at its own provider alone; a
// grant at Chariot is completed or canceled by Chariot's own simulations.
func (p counterparties) fill(d *assembly.Deps) {
	s := p.sandbox
	if s == nil {
		return
	}
	d.TestCase, d.Exempt = assembly.SandboxCase, assembly.SandboxExempt
	d.Challenged = assembly.SandboxChallenged
	d.Happen = assembly.SandboxHappens(s.processors...)
	d.NextEvent = assembly.SandboxNext(s.funds, s.processors...)
	if s.funds == nil {
		d.Donor, d.HappenToGrant = assembly.NoSandboxDonor, p.simulateGrant
		return
	}
	d.Donor, d.Authorize = assembly.SandboxDonor, s.funds.AuthorizeAs
	d.HappenToGrant = assembly.SandboxGrants(s.funds)
}

func (p counterparties) simulateGrant(ctx context.Context, h simulate.GrantHappening) error {
	return p.chariot.Simulate(ctx, h.Account, h.Reference, h.Kind)
}

// connection is the service of the deployment's connection to its provider of donor-advised funds.
func (c config) connection(pool *pgxpool.Pool, box *seal.Box, rules authz.Checker) *connection.Service {
	parties := partiesOf(c, box, pool, machineTime, clock.New(pool, machineTime))
	return connection.New(connection.Deps{Pool: pool, Check: rules, Now: machineTime, Box: box,
		Provider: parties.connector()})
}

// counterpartySettings are the settings of a command that calls counterparties, and what opens their credentials; nil
// if the environment names no key file.
func counterpartySettings(w *world) (config, *seal.Box, error) {
	names := []string{sandboxProcessorsSetting, stripeAPISetting, dafProviderSetting, dafURLSetting, chariotAPISetting}
	if lookup(w.env, keyFileSetting) == "" {
		c, err := databaseConfigFrom(w.env, names...)
		return c, nil, err
	}
	c, err := databaseConfigFrom(w.env, append(names, keyFileSetting)...)
	if err != nil {
		return c, nil, err
	}
	keys, err := vault.ReadKeyFile(c.vaultKeyFile)
	if err != nil {
		return c, nil, err
	}
	return c, keys.Secrets, nil
}
