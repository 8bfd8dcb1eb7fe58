// Package text is the message catalog: every text that people read in the portal, in each language, and how a language
// writes amounts, numbers and times. Templates and handlers contain no texts.
//
// A screen's texts are a struct with one variable of it per language, together in one file. A text with a value in it,
// or with a plural, is a function, so the compiler checks its arguments.
package text

import (
	"context"
	"time"
)

// Catalogue is everything that the portal says in one language.
type Catalogue struct {
	Language  string // as in BCP 47
	Format    Format
	Parts     Parts
	Layout    Layout
	Nav       Nav
	Shortcuts Shortcuts
	Login     Login
	Home      Home
	Failures  Failures
	Session   Session
	Roles     map[string]string // names of the roles

	Places      Places
	Rights      Rights
	Permissions map[string]string // what each lets people do, after "the right to"
	Team        Team
	Invite      Invite
	Policy      Policy
	Audit       Audit
	Search      Search
	System      System
	Inbound     Inbound
	Association Association
	DAFProvider DAFProvider
	ViewAs      ViewAs
	Mails       Mails
	Notices     Notices
	Inbox       Inbox
	Donations   Donations

	Merchant          Merchant
	Merchants         Merchants
	Developers        Developers
	Keys              Keys
	Charges           Charges
	Disputes          Disputes
	Wallets           Wallets
	Enrollment        Enrollment
	Charge            Charge
	Acts              Acts
	Refunds           Refunds
	SecondStep        SecondStep
	Reset             Reset
	Proof             Proof
	Settings          Settings
	Webhooks          Webhooks
	Events            Events
	Logs              Logs
	Dashboard         Dashboard
	Payouts           Payouts
	MerchantPayouts   MerchantPayouts
	Balances          Balances
	MerchantFees      MerchantFees
	FeePages          FeePages
	MerchantLog       MerchantLog
	Processing        Processing
	ConnectedAccounts ConnectedAccounts
	ProcessorFees     ProcessorFees
	CardRules         CardRules
	Start             Start
	Receipt           Receipt
	Mistakes          Mistakes
}

// English is what everybody reads so far.
var English = &Catalogue{
	Language:    "en",
	Format:      formatEnglish,
	Parts:       partsEnglish,
	Layout:      layoutEnglish,
	Nav:         navEnglish,
	Shortcuts:   shortcutsEnglish,
	Login:       loginEnglish,
	Home:        homeEnglish,
	Failures:    failuresEnglish,
	Session:     sessionEnglish,
	Roles:       rolesEnglish,
	Places:      placesEnglish,
	Rights:      rightsEnglish,
	Permissions: permissionsEnglish,
	Team:        teamEnglish,
	Invite:      inviteEnglish,
	Policy:      policyEnglish,
	Audit:       auditEnglish,
	Search:      searchEnglish,
	System:      systemEnglish,
	Inbound:     inboundEnglish,
	Association: associationEnglish,
	DAFProvider: dafProviderEnglish,
	ViewAs:      viewAsEnglish,
	Mails:       mailsEnglish,
	Notices:     noticesEnglish,
	MerchantLog: merchantLogEnglish,
	Processing:  processingEnglish, ConnectedAccounts: connectedAccountsEnglish,
	ProcessorFees:   processorFeesEnglish,
	CardRules:       cardRulesEnglish,
	Inbox:           inboxEnglish,
	Donations:       donationsEnglish,
	Merchant:        merchantEnglish,
	Merchants:       merchantsEnglish,
	Developers:      developersEnglish,
	Keys:            keysEnglish,
	Charges:         chargesEnglish,
	Disputes:        disputesEnglish,
	Wallets:         walletsEnglish,
	Enrollment:      enrollmentEnglish,
	Charge:          chargeEnglish,
	Acts:            actsEnglish,
	Refunds:         refundsEnglish,
	SecondStep:      secondStepEnglish,
	Reset:           resetEnglish,
	Proof:           proofEnglish,
	Settings:        settingsEnglish,
	Webhooks:        webhooksEnglish,
	Events:          eventsEnglish,
	Logs:            logsEnglish,
	Dashboard:       dashboardEnglish,
	Payouts:         payoutsEnglish,
	MerchantPayouts: merchantPayoutsEnglish,
	Balances:        balancesEnglish,
	MerchantFees:    merchantFeesEnglish,
	FeePages:        feePagesEnglish,
	Start:           startEnglish,
	Receipt:         receiptEnglish,
	Mistakes:        mistakesEnglish,
}

// Languages lists all catalogues, the one for everybody else first.
func Languages() []*Catalogue { return []*Catalogue{English} }

// Viewer is anyone who reads a page: the language, and the time zone of what is not a day as such.
type Viewer struct {
	Text *Catalogue
	Zone *time.Location
}

type viewerKey struct{}

// With returns a context in which templates speak to a viewer.
func With(ctx context.Context, v Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, v)
}

// To returns the viewer of a context: by default one who reads English, in UTC.
func To(ctx context.Context) Viewer {
	v, _ := ctx.Value(viewerKey{}).(Viewer)
	if v.Text == nil {
		v.Text = English
	}
	if v.Zone == nil {
		v.Zone = time.UTC
	}
	return v
}

// Of returns the catalogue of a context's viewer.
func Of(ctx context.Context) *Catalogue { return To(ctx).Text }
