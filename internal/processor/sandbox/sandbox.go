// Package sandbox is the test-mode processor: its outcomes are determined by card and bank account numbers, and its
// book and feed survive a restart. It sees only what the port passes to it and shares no transaction with the service.
//
// A deployment may have several under different names. They share tables and numbers, but each has its own payments,
// book and feed.
//
// It has two clocks. Returns, disputes, payouts and expiries follow the clock of their account, which a sandbox
// application can advance; lost responses and windows follow the machine's.
package sandbox

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/ids"
	"svcpay/internal/processor"
	"svcpay/internal/sandbox/kit"
	"svcpay/internal/sensitive"
)

// Processor is the sandbox's processor.
type Processor struct {
	name    string
	pool    *pgxpool.Pool
	machine func() time.Time
	timeOf  kit.AccountTime
	cases   tables

	notifier *kit.Notifier
}

var _ processor.Processor = (*Processor)(nil)

// New makes the processor of that name over the tables of this package. machine is the machine's time.
func New(name string, pool *pgxpool.Pool, machine func() time.Time, accountTime kit.AccountTime) *Processor {
	p := &Processor{name: name, pool: pool, machine: machine, timeOf: accountTime, cases: newTables()}
	p.notifier = kit.NewNotifier(machine, p.signingKey)
	return p
}

// Name implements processor.Processor.
func (p *Processor) Name() string { return p.name }

// AccountOf implements processor.Processor.
func (p *Processor) AccountOf(applicationID, merchantID int64) string {
	return processor.MerchantAccount(applicationID, merchantID)
}

// RestrictedAccount ends the external ids of accounts that this processor does not let take payments.
const RestrictedAccount = "-restricted"

// Check implements processor.Processor: an account is any text that names an application, and all credentials are good
// for it.
func (p *Processor) Check(ctx context.Context, account processor.Account,
	_ sensitive.Credentials) (processor.Onboarding, error) {
	if _, ok := processor.ApplicationOf(account.External); !ok {
		return "", processor.ErrNoAccount
	}
	if _, err := p.timeOf(ctx, account.External); err != nil {
		return "", err
	}
	if strings.HasSuffix(account.External, RestrictedAccount) {
		return processor.OnboardingRestricted, nil
	}
	return processor.OnboardingComplete, nil
}

// SettleWindow implements processor.Processor.
func (p *Processor) SettleWindow() time.Duration { return kit.SettleWindow }

// Terms implements processor.Processor. Times are those of the account.
func (p *Processor) Terms() processor.Terms { return terms }

var terms = processor.StandardTerms()

// Profile implements processor.Processor: every sandbox card is a US credit card.
func (p *Processor) Profile(context.Context, string) (processor.Profile, error) {
	return processor.Profile{Funding: "credit", Country: "US"}, nil
}

// BankName implements processor.Processor: it knows the sandbox's own banks.
func (p *Processor) BankName(_ context.Context, scheme processor.Scheme, routing string) (string, error) {
	return bankNames[scheme][routing], nil
}

// visibleAt is when the outcome of a call that is made now can be looked up.
func (p *Processor) visibleAt(lost bool) time.Time {
	if lost {
		return p.machine().Add(kit.LateBy)
	}
	return p.machine()
}

// tell answers a call whose line is written, or loses the answer.
func tell(ctx context.Context, answer processor.Answer, lost bool) (processor.Answer, error) {
	if lost {
		return processor.Answer{}, kit.Hang(ctx)
	}
	return answer, nil
}

// externalID gives the id by which this processor calls what it approved.
func externalID(now time.Time) string { return "sp_" + unique(now) }

// unique gives 15 characters that no other call gets, as the networks' transaction ids have.
func unique(now time.Time) string {
	text := ids.NewOperation(now).String()
	return text[len(text)-15:]
}
