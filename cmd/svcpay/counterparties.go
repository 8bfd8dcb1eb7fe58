package main

import (
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/banklink/institution"
	banksandbox "svcpay/internal/banklink/institution/sandbox"
	"svcpay/internal/daf/provider"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/seal"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/unconnected"
	"svcpay/internal/sandbox/kit"
)

// counterparties are whom a deployment works with.
type counterparties struct {
	processors *processor.Registry
	funds      provider.Provider
	banks      institution.Institutions
	sandbox    *sandboxParties // nil in production
}

// sandboxParties are a sandbox's own, with their pages and their test cases.
type sandboxParties struct {
	processors []*sandbox.Processor
	funds      *dafsandbox.Provider
	banks      *banksandbox.Banks
}

// sandboxName is that of the processor that every sandbox has.
const sandboxName = "sandbox"

// partiesOf are the counterparties of a deployment. A sandbox has its own processors, of the extra names too, and next
// to them Stripe in test mode. box opens the credentials of accounts; without it no call to Stripe can be made.
func partiesOf(c config, box *seal.Box, pool *pgxpool.Pool, machine func() time.Time,
	clocks *clock.Clock) counterparties {
	live := c.environment == apikey.Production
	onStripe := stripe.New(stripe.Config{Accounts: accounts.NewKeyring(pool, box), Livemode: live, API: c.stripeAPI,
		Now: machine, Times: stripeTimes})
	if live {
		return counterparties{processors: processor.NewRegistry(unconnected.Directory{}, onStripe),
			funds: unconnected.Funds{}, banks: unconnected.Banks{}}
	}
	timeOf := kit.AccountClock(clocks.Moment)
	s := &sandboxParties{funds: dafsandbox.New(pool, machine, timeOf), banks: banksandbox.New(pool, machine)}
	first := sandbox.New(sandboxName, pool, machine, timeOf)
	directory := network(first)
	s.processors = []*sandbox.Processor{first}
	adapters := []processor.Adapter{directory}
	for _, name := range c.sandboxProcessors {
		p := sandbox.New(name, pool, machine, timeOf)
		s.processors, adapters = append(s.processors, p), append(adapters, network(p))
	}
	adapters = append(adapters, onStripe)
	return counterparties{processors: processor.NewRegistry(directory, adapters...), funds: s.funds, banks: s.banks,
		sandbox: s}
}

// fill gives a sandbox's services what it has next to counterparties.
func (s *sandboxParties) fill(d *assembly.Deps) {
	if s == nil {
		return
	}
	d.TestCase, d.Exempt = assembly.SandboxCase, assembly.SandboxExempt
	d.Donor, d.Authorize = assembly.SandboxDonor, s.funds.AuthorizeAs
	d.NextEvent = assembly.SandboxNext(s.funds, s.processors...)
	d.Happen, d.HappenToGrant = assembly.SandboxHappens(s.processors...), assembly.SandboxGrants(s.funds)
}
