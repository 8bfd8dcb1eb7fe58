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
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/processor/unconnected"
	"svcpay/internal/sandbox/kit"
)

// counterparties are whom a deployment works with.
type counterparties struct {
	processor processor.Processor
	funds     provider.Provider
	banks     institution.Institutions
	sandbox   *sandboxParties // nil in production
}

// sandboxParties are a sandbox's own, with their pages and their test cases.
type sandboxParties struct {
	network *sandbox.Processor
	funds   *dafsandbox.Provider
	banks   *banksandbox.Banks
}

// partiesOf are the counterparties of an environment. No adapter of a real processor is there yet, so
// production has no one: it declines what it is asked to pay.
func partiesOf(e apikey.Environment, pool *pgxpool.Pool, machine func() time.Time, clocks *clock.Clock) counterparties {
	if e == apikey.Production {
		return counterparties{processor: unconnected.Processor{}, funds: unconnected.Funds{}, banks: unconnected.Banks{}}
	}
	s := &sandboxParties{
		network: sandbox.New(pool, machine, kit.AccountClock(clocks.Moment)),
		funds:   dafsandbox.New(pool, machine, kit.AccountClock(clocks.Moment)),
		banks:   banksandbox.New(pool, machine),
	}
	return counterparties{processor: s.network, funds: s.funds, banks: s.banks, sandbox: s}
}

// fill gives a sandbox's services what it has next to counterparties.
func (s *sandboxParties) fill(d *assembly.Deps) {
	if s == nil {
		return
	}
	d.TestCase, d.Exempt = assembly.SandboxCase, assembly.SandboxExempt
	d.Donor, d.Authorize = assembly.SandboxDonor, s.funds.AuthorizeAs
	d.NextEvent, d.Happen, d.HappenToGrant = assembly.SandboxNext(s.network, s.funds), assembly.SandboxHappens(s.network), assembly.SandboxGrants(s.funds)
}
