// Package merchant keeps merchant accounts: names, accepted payment methods, websites, status, and payout schedule.
//
// Invariants: a status changes only as [Moves] lists; each version of a merchant has one event; a change holds the
// merchant's row with a lock that still lets other rows refer to it; a verification belongs to a domain that the
// merchant has.
package merchant

import (
	"cmp"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/safehttp"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
)

// Merchant is an account that is paid: the record, the API's object and the event's data.object. It
// belongs to one organization of one application.
type Merchant struct {
	ID             int64          `db:"id" json:"id"`
	Object         string         `db:"-" json:"object"`
	Version        int            `db:"version" json:"version"`
	Livemode       bool           `db:"-" json:"livemode"`
	ApplicationID  int64          `db:"application_id" json:"application_id"`
	OrganizationID int64          `db:"organization_id" json:"-"`
	Organization   Organization   `db:"organization" json:"organization"`
	Name           string         `db:"name" json:"name"`
	Status         Status         `db:"status" json:"status"`
	StatusReason   *string        `db:"status_reason" json:"status_reason"`
	Country        string         `db:"country" json:"country"` // ISO 3166-1 alpha-2
	Currency       money.Currency `db:"currency" json:"currency"`
	EIN            *string        `db:"ein" json:"ein"` // as NN-NNNNNNN
	Nonprofit      bool           `db:"nonprofit" json:"nonprofit"`
	// p or q: that of its account for bank debits, else the chosen one
	BankProcessor       string   `db:"-" json:"bank_processor"`
	ChosenBankProcessor string   `db:"bank_processor" json:"-"`
	TimeZone            string   `db:"time_zone" json:"time_zone"` // IANA name
	PayoutSchedule      Schedule `db:"payout_schedule" json:"payout_schedule"`
	// 1 is Monday, 5 Friday; weekly only
	PayoutWeekday *int `db:"payout_weekday" json:"payout_weekday"`
	// 1 to 31, the last day of shorter months; monthly only
	PayoutDayOfMonth    *int         `db:"payout_day_of_month" json:"payout_day_of_month"`
	PayoutsPausedReason *PauseReason `db:"payouts_paused_reason" json:"payouts_paused_reason"`
	HasWalletA          bool         `db:"has_wallet_a" json:"has_wallet_a"`
	HasDAFProvider      bool         `db:"has_daf_provider" json:"has_daf_provider"`
	// filled by the enrollment in DAF Pay
	DAFProviderConnectID *string           `db:"daf_provider_connect_id" json:"daf_provider_connect_id"`
	Domains              []string          `db:"domains" json:"domains"`
	CanProcess           Methods           `db:"-" json:"can_process"`
	DAFPercentage        money.Percent     `db:"daf_percentage" json:"daf_percentage"` // of the fee schedule in effect
	MinimumCharge        money.Amount      `db:"minimum_charge" json:"minimum_charge"` // smaller charges are refused
	StatementDescriptor  string            `db:"statement_descriptor" json:"statement_descriptor"`
	ExternalID           *string           `db:"external_id" json:"external_id"`
	Metadata             map[string]string `db:"metadata" json:"metadata"`
	NextPayoutAt         instant.Time      `db:"next_payout_at" json:"-"`
	CreatedAt            instant.Time      `db:"created_at" json:"created_at"`
	UpdatedAt            instant.Time      `db:"updated_at" json:"updated_at"`
	// Routes are the processor accounts of its payments.
	Routes accounts.Routes `db:"routes" json:"-"`
	// Reached are the methods that they serve.
	Reached map[processor.Method]bool `db:"-" json:"-"`
	// Warnings are in the answer to the creation and in merchant.created only.
	Warnings []Warning `db:"-" json:"warnings,omitzero"`
}

// Warning is something that its creator should know of a merchant that was created.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Action  string `json:"action"` // what to do
}

// NoFeeDefaults is the code of the warning that the application has no defaults for fees.
const NoFeeDefaults = "fee_defaults_missing"

// WarningCodes lists the codes of warnings.
func WarningCodes() []string { return []string{NoFeeDefaults} }

func noFeeDefaults() Warning {
	return Warning{NoFeeDefaults, "Your application has no fee defaults. This merchant pays no fees for its charges.",
		"Set the fee defaults under Fees in the portal, then the fees of this merchant on its own page."}
}

// Organization is the customer that a merchant belongs to.
type Organization struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Methods says which kinds of payment a merchant accepts.
type Methods struct {
	CC      bool `json:"cc"`
	ACH     bool `json:"ach"`
	ACSS    bool `json:"acss"`
	WalletA bool `json:"wallet_a"`
	WalletB bool `json:"wallet_b"`
	DAF     bool `json:"daf"`
}

// Deps are what the service works with.
type Deps struct {
	Pool     *pgxpool.Pool
	Check    authz.Checker
	Livemode bool
	Clock    *clock.Clock
	Fees     *fee.Service
	// Processors have the adapters that its payments can go to.
	Processors *processor.Registry
	// Sites fetches files from merchants' websites.
	Sites *safehttp.Client
	// LocalPort is where the websites under localhost that a sandbox's merchants have are found.
	LocalPort int
}

// Service holds the use-cases of merchants.
type Service struct {
	deps      Deps
	audit     *audit.Log
	verifying *verifying
}

// New makes the service.
func New(d Deps) *Service {
	return &Service{deps: d, audit: audit.New(d.Pool, d.Check, d.Clock.Machine),
		verifying: &verifying{busy: make(map[int64]bool)}}
}

// Deps returns the service's dependencies. Tests change some and make another service.
func (s *Service) Deps() Deps { return s.deps }

// on is a merchant as the audit log names it.
func on(id int64) audit.Subject { return audit.Of("merchant", strconv.FormatInt(id, 10), id) }

func (s *Service) sandbox() bool { return !s.deps.Livemode }

// derive fills the members that follow from others.
func (s *Service) derive(m Merchant) Merchant {
	m.Object = "merchant"
	m.Livemode = !s.sandbox()
	m.Reached = make(map[processor.Method]bool)
	for _, method := range processor.Methods() {
		_, m.Reached[method] = m.Routes.Choose(s.deps.Processors,
			accounts.Want{ApplicationID: m.ApplicationID, MerchantID: m.ID,
				Method: method, Currency: m.Currency}, nil)
	}
	m.CanProcess = m.methods()
	m.BankProcessor = cmp.Or(s.boundBankProcessor(m), m.ChosenBankProcessor)
	return m
}

// boundBankProcessor is the bank processor that the account for a merchant's bank debits has, "" if the merchant
// chooses.
func (s *Service) boundBankProcessor(m Merchant) string {
	w := accounts.Want{ApplicationID: m.ApplicationID, MerchantID: m.ID, Method: processor.MethodACH,
		Currency: m.Currency}
	if m.Country == canada {
		w.Method = processor.MethodACSS
	}
	account, ok := m.Routes.Choose(s.deps.Processors, w, nil)
	if !ok {
		return ""
	}
	return s.deps.Processors.Terms(account.Adapter).BankProcessor
}

// ErrNotAssociated is the one answer for a merchant_id that is unknown or another application's.
var ErrNotAssociated = fault.New(fault.KindForbidden, "merchant_not_associated",
	"This merchant is not associated with your application.").On("merchant_id")
