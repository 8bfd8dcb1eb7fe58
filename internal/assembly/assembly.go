// Package assembly connects the services to each other, to the counterparties' events and to the sweeps, in the same
// way for the program and for tests.
package assembly

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/banklink"
	"svcpay/internal/banklink/institution"
	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/connection"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/dispute"
	"svcpay/internal/event"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/inbound"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/notify"
	"svcpay/internal/operation"
	"svcpay/internal/payout"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/inbox"
	"svcpay/internal/platform/mail"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/safehttp"
	"svcpay/internal/platform/seal"
	"svcpay/internal/platform/security"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/receipt"
	"svcpay/internal/reconcile"
	"svcpay/internal/refund"
	"svcpay/internal/report/export"
	"svcpay/internal/report/search"
	"svcpay/internal/report/statement"
	"svcpay/internal/report/timeline"
	"svcpay/internal/report/totals"
	"svcpay/internal/requestlog"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
	"svcpay/internal/upload"
	"svcpay/internal/vault"
	"svcpay/internal/webhook"
)

// Deps are what a deployment is made of. Now is the time of its machine.
type Deps struct {
	Pool       *pgxpool.Pool
	Vault      *vault.Vault
	Clock      *clock.Clock
	Processors *processor.Registry
	DAF        provider.Provider
	// DAFConnector is DAF, if it is a provider that the deployment connects to; else nil.
	DAFConnector provider.Connector
	// Banks let payers show their accounts by signing in.
	Banks       institution.Institutions
	Check       authz.Checker
	Environment apikey.Environment
	Now         func() time.Time
	// Secrets seals what the service must know again, and no one else.
	Secrets *seal.Box
	// Mail sends mails; nil for a deployment that sends none. Their links lead to the portal at BaseURL, as
	// scheme://host.
	Mail    mail.Sender
	BaseURL string
	// Webhooks says what else than public hosts a sandbox's webhooks may reach; production's reach nothing else.
	Webhooks safehttp.Policy
	// Wallets open what payers' wallets send; those of a deployment that has none open nothing.
	Wallets token.Wallets
	// TestCase finds a sandbox's test case by its name; nil where there are none.
	TestCase func(name string) (token.TestCase, bool)
	// Exempt tells a sandbox's test cards; nil where there are none.
	Exempt func(number sensitive.PAN) bool
	// Challenged tells the sandbox's test card that has to prove work; nil where there is none.
	Challenged func(number sensitive.PAN) bool
	// WatchCards has a sandbox watch for card testing, as production does.
	WatchCards bool
	// EasierProofs is how many bits proofs of work need less in a sandbox.
	EasierProofs int
	// Happen has something happen at a sandbox's counterparty; nil in production.
	Happen func(ctx context.Context, h simulate.Happening) error
	// HappenToGrant has something happen at a sandbox's provider of donor-advised funds; nil in production.
	HappenToGrant func(ctx context.Context, h simulate.GrantHappening) error
	// Donor finds a sandbox's donor by the name of the test case, and Authorize has one authorize a grant; nil in
	// production.
	Donor     func(name string) (simulate.DonorCase, bool)
	Authorize func(ctx context.Context, visitID, username string) error
	// NextEvent is the earliest time of an application, later than the given one, at which a sandbox's
	// counterparties have something to tell; nil where no one can know.
	NextEvent NextEvent
	// LocalPort is where websites of names under localhost are found in a sandbox.
	LocalPort int
	// FeeDefaults are what new applications begin with as the fees of their merchants; nil for none.
	FeeDefaults *fee.Rates
}

// siteTimeout bounds how long one website is asked for a file, while someone waits.
const siteTimeout = 6 * time.Second

// Services are all use-cases of a deployment.
type Services struct {
	Livemode   bool // false in a sandbox
	Clocks     *clock.Clock
	Operations *operation.Resolver
	Inbound    *inbound.Service
	Inboxes    *inbox.Service // of the inboxes that Inbound fills
	Identity   *identity.Service
	APIKeys    *apikey.Service
	Merchants  *merchant.Service
	// Accounts are those at processors.
	Accounts  *accounts.Service
	Fees      *fee.Service
	CardRules *rule.Service
	Tokens    *token.Service
	Ledger    *ledger.Service
	Charges   *charge.Service
	Refunds   *refund.Service
	Uploads   *upload.Service
	Disputes  *dispute.Service
	Payouts   *payout.Service
	DAF       *daf.Service
	Workflows *workflow.Service
	Links     *banklink.Service
	// DAFConnection is the deployment's account at its provider of donor-advised funds.
	DAFConnection *connection.Service
	// Grants finds out the outcome of grants without an answer.
	Grants     *operation.ResolverOf[provider.Answer]
	Exports    *export.Service
	Search     *search.Service
	Statements *statement.Service
	Timelines  *timeline.Service
	Totals     *totals.Service
	Reconcile  reconcile.Services
	// ReconcileGrants compares the provider's book with our donations.
	ReconcileGrants *reconcile.Grants
	Events          *event.Service
	Webhooks        *webhook.Service
	Audit           *audit.Log
	Security        *security.Log
	Mail            *mail.Service
	Receipts        *receipt.Service
	// RequestLogs takes entries, and writes them once it is started.
	RequestLogs *requestlog.Service
	// Simulate is nil in production.
	Simulate *simulate.Service

	nextEvent NextEvent
}

// New puts the services together.
func New(d Deps) *Services {
	live := d.Environment == apikey.Production
	if live {
		d = d.withoutSandbox()
	}
	d.Check = audit.Keyed(d.Check, d.Vault.MAC(vault.AuditMAC))
	fees := fee.New(fee.Deps{Pool: d.Pool, Check: d.Check, Clock: d.Clock, Livemode: live})
	s := &Services{Livemode: live, Clocks: d.Clock, nextEvent: d.NextEvent, Fees: fees,
		Operations: operation.NewResolver(d.Pool, operation.Processors(d.Processors), d.Now),
		Grants:     operation.NewResolver(d.Pool, operation.Provider(d.DAF), d.Now),
		Inbound:    inbound.New(d.Pool, d.Processors, d.DAF, d.Now),
		Audit:      audit.New(d.Pool, d.Check, d.Now),
		Mail:       mail.New(mail.Deps{Pool: d.Pool, Box: d.Secrets, Sender: d.Mail, Now: d.Now}),
		Identity:   identity.New(d.Pool, d.Now, d.Check),
		APIKeys:    apikey.New(d.Pool, d.Environment, d.Now, d.Check),
		Merchants: merchant.New(merchant.Deps{Pool: d.Pool, Check: d.Check, Livemode: live, Clock: d.Clock, Fees: fees,
			Processors: d.Processors,
			Sites:      safehttp.New(safehttp.Policy{Local: d.Webhooks.Local, Timeout: siteTimeout}),
			LocalPort:  d.LocalPort}),
		Ledger:  ledger.New(ledger.Deps{Pool: d.Pool, Check: d.Check, Livemode: live, Clock: d.Clock, Now: d.Now}),
		Uploads: upload.New(upload.Deps{Pool: d.Pool, Check: d.Check, Livemode: live, Clock: d.Clock}),
		Events:  event.New(event.Deps{Pool: d.Pool, Check: d.Check, Livemode: live, Clock: d.Clock}),
	}
	s.CardRules = rule.New(rule.Deps{Pool: d.Pool, Check: d.Check, Clock: d.Clock, Livemode: live})
	s.Security = security.New(d.Pool, s.Audit, d.Vault.MAC("security events"), d.Now)
	s.Identity.RecordIn(s.Security)
	s.APIKeys.RecordIn(s.Security)
	s.Inboxes = inbox.New(d.Pool, d.Check, d.Now)
	s.Accounts = accounts.New(accounts.Deps{Pool: d.Pool, Check: d.Check, Clock: d.Clock, Livemode: live,
		Processors: d.Processors, Box: d.Secrets, BaseURL: d.BaseURL})
	s.DAFConnection = connection.New(connection.Deps{Pool: d.Pool, Check: d.Check, Now: d.Now, Box: d.Secrets,
		Provider: d.DAFConnector})
	s.Tokens = token.New(s.tokenDeps(d))
	s.Workflows = workflow.New(workflow.Deps{Pool: d.Pool, Tokens: s.Tokens, Merchants: s.Merchants, Provider: d.DAF,
		Now: d.Now})
	s.Links = banklink.New(banklink.Deps{Pool: d.Pool, Tokens: s.Tokens, Merchants: s.Merchants, Institutions: d.Banks,
		Box: d.Secrets, Clock: d.Clock, Now: d.Now})
	s.flows(d)
	s.reports(d)
	s.Receipts = receipt.New(receipt.Deps{Pool: d.Pool, Charges: s.Charges, Merchants: s.Merchants, Mail: s.Mail,
		Check: d.Check, Clock: d.Clock, Livemode: live})
	s.RequestLogs = requestlog.New(requestlog.Deps{Pool: d.Pool, Check: d.Check, Livemode: live, Now: d.Now})
	s.ReconcileGrants = reconcile.NewGrants(reconcile.GrantDeps{Pool: d.Pool, Provider: d.DAF, Now: d.Now})
	s.Reconcile = reconcile.Of(d.Pool, d.Processors, d.Now)
	s.Webhooks = webhook.New(webhook.Deps{Pool: d.Pool, Check: d.Check, Events: s.Events, Box: d.Secrets,
		Client: safehttp.New(d.Webhooks), Livemode: live, Clock: d.Clock, Now: d.Now})
	s.Identity.SealWith(d.Secrets)
	s.listen(d.FeeDefaults)
	s.sendMails(d.BaseURL)
	if d.Happen != nil {
		s.Simulate = simulate.New(simulate.Deps{Pool: d.Pool, Check: d.Check, Clock: d.Clock, Inbound: s.Inbound,
			Charges: s.Charges,
			Refunds: s.Refunds, Disputes: s.Disputes, Payouts: s.Payouts, Donations: s.DAF, Sweeps: s.Sweeps(),
			Happen: d.Happen, HappenToGrant: d.HappenToGrant,
			Merchants: s.Merchants, Workflows: s.Workflows, Cases: SandboxCases(), Donor: d.Donor,
			Authorize: d.Authorize})
	}
	return s
}

// flows makes the services that move money.
func (s *Services) flows(d Deps) {
	s.Charges = charge.New(charge.Deps{Pool: d.Pool, Vault: d.Vault, Processors: d.Processors, Operations: s.Operations,
		Check: d.Check, Livemode: s.Livemode, Clock: d.Clock})
	s.Refunds = refund.New(refund.Deps{Pool: d.Pool, Charges: s.Charges, Processors: d.Processors,
		Operations: s.Operations, Check: d.Check, Livemode: s.Livemode, Clock: d.Clock})
	s.Disputes = dispute.New(dispute.Deps{Pool: d.Pool, Processors: d.Processors, Operations: s.Operations,
		Check: d.Check, Livemode: s.Livemode, Clock: d.Clock, Charges: s.Charges, Refunds: s.Refunds})
	s.Payouts = payout.New(payout.Deps{Pool: d.Pool, Merchants: s.Merchants, Tokens: s.Tokens, Processors: d.Processors,
		Operations: s.Operations, Check: d.Check, Livemode: s.Livemode, Clock: d.Clock,
		HoldAfterChange: payout.HoldAfterChange(d.Environment)})
	s.DAF = daf.New(daf.Deps{Pool: d.Pool, Merchants: s.Merchants, Workflows: s.Workflows, Provider: d.DAF,
		Grants: s.Grants, Contact: DAFContact(s.Identity),
		Check: d.Check, Livemode: s.Livemode, Clock: d.Clock})
}

// reports makes the services that read several flows.
func (s *Services) reports(d Deps) {
	s.Exports = export.New(export.Deps{Pool: d.Pool, Merchants: s.Merchants, Tokens: s.Tokens, Charges: s.Charges,
		Refunds:  s.Refunds,
		Disputes: s.Disputes, Payouts: s.Payouts, Donations: s.DAF, Ledger: s.Ledger, Check: d.Check, Now: d.Now,
		Livemode: s.Livemode})
	s.Search = search.New(search.Deps{Pool: d.Pool, Merchants: s.Merchants, Tokens: s.Tokens, Charges: s.Charges,
		Refunds: s.Refunds, Disputes: s.Disputes, Payouts: s.Payouts, Donations: s.DAF, Check: d.Check})
	s.Statements = statement.New(statement.Deps{Pool: d.Pool, Merchants: s.Merchants, Payouts: s.Payouts,
		Check: d.Check, Clock: d.Clock})
	s.Timelines = timeline.New(timeline.Deps{Pool: d.Pool, Charges: s.Charges, Donations: s.DAF, Check: d.Check,
		Livemode: s.Livemode})
	s.Totals = totals.New(totals.Deps{Pool: d.Pool, Check: d.Check, Clock: d.Clock, Livemode: s.Livemode})
}

// withoutSandbox removes everything that only a sandbox may have, whatever the deployment was given.
func (d Deps) withoutSandbox() Deps {
	d.TestCase, d.Exempt, d.Challenged, d.NextEvent, d.Happen, d.HappenToGrant = nil, nil, nil, nil, nil, nil
	d.Donor, d.Authorize, d.Wallets.Seal = nil, nil, nil
	d.Webhooks.Local, d.EasierProofs = false, 0
	return d
}

// tokenDeps watches for card testing in production: in a sandbox, cards are declined on purpose.
func (s *Services) tokenDeps(d Deps) token.Deps {
	live := d.Environment == apikey.Production
	deps := token.Deps{Pool: d.Pool, Keys: s.APIKeys, Merchants: s.Merchants, Vault: d.Vault, Directory: d.Processors,
		Processors: d.Processors, Check: d.Check, Livemode: live, Clock: d.Clock, Now: d.Now, TestCase: d.TestCase,
		TestCases: simulate.CasesFor(SandboxCases(), "tokens"), Exempt: d.Exempt, Challenged: d.Challenged,
		EasierProofs: d.EasierProofs, Wallets: d.Wallets, Mail: s.Mail, Security: s.Security}
	if live || d.WatchCards {
		deps.Firsts = func(ctx context.Context, of token.Group) (token.Firsts, error) {
			return s.Charges.Firsts(ctx, of)
		}
	}
	return deps
}

// sendMails has the services write mails to people, with links to the portal at baseURL.
func (s *Services) sendMails(baseURL string) {
	if !s.Mail.On() {
		return
	}
	n := notify.New(s.Mail, s.Identity, baseURL)
	s.Identity.SendInvitations(n.InvitationTx)
	s.Identity.WriteLetters(n)
	s.APIKeys.SendMails(n.KeyChangedTx)
	s.Refunds.WriteLetters(n)
	s.Disputes.WriteLetters(n)
	s.Payouts.WriteLetters(n)
	s.Webhooks.WriteLetters(n)
	s.Fees.WriteLetters(n)
	s.Tokens.WriteLetters(n)
}

// listen connects what the counterparties tell with the flows that it concerns, and services with those that they do
// not import.
func (s *Services) listen(feeDefaults *fee.Rates) {
	s.Fees.ShowOn(s.Merchants)
	if feeDefaults != nil {
		s.APIKeys.BeginWith(func(tx *pg.Tx, applicationID int64, now time.Time) {
			fee.BeginTx(tx, applicationID, *feeDefaults, now)
		})
	}
	s.Inbound.ToCharges(s.Charges)
	s.Inbound.ToRefunds(s.Refunds)
	s.Inbound.ToDisputes(s.Disputes)
	s.Inbound.ToPayouts(s.Payouts)
	s.Inbound.ToTokens(s.Tokens)
	s.Inbound.ToAccounts(s.Accounts)
	s.Inbound.ToDonations(s.DAF)
}
