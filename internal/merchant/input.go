package merchant

import (
	"strings"

	"svcpay/internal/check"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/money"
)

// maxName bounds the names of merchants and organizations, in characters.
const maxName = 255

// CreateInput is the body of a merchant's creation. A nil member was not sent.
type CreateInput struct {
	Name                *string           `json:"name"`
	Country             *string           `json:"country"`
	OrganizationID      *int64            `json:"organization_id"`
	Organization        *NewOrganization  `json:"organization"` // in the place of OrganizationID
	Currency            *string           `json:"currency"`
	EIN                 *string           `json:"ein"`
	Nonprofit           *bool             `json:"nonprofit" default:"false"`
	BankProcessor       *string           `json:"bank_processor" default:"p"`
	TimeZone            *string           `json:"time_zone"`
	PayoutSchedule      *string           `json:"payout_schedule" default:"daily"`
	PayoutWeekday       *int              `json:"payout_weekday"`
	PayoutDayOfMonth    *int              `json:"payout_day_of_month"`
	HasWalletA          *bool             `json:"has_wallet_a" default:"false"`
	HasDAFProvider      *bool             `json:"has_daf_provider" default:"false"`
	Domains             []string          `json:"domains" default:"[]"`
	DAFPercentage       *money.Percent    `json:"daf_percentage"`
	MinimumCharge       *money.Amount     `json:"minimum_charge" default:"50"`
	StatementDescriptor *string           `json:"statement_descriptor"`
	ExternalID          *string           `json:"external_id"`
	Metadata            map[string]string `json:"metadata" default:"{}"`
	// Rates are the fees to begin with; nil copies the application's defaults.
	Rates *fee.Rates `json:"-"`
}

// NewOrganization is an organization that is made with its first merchant.
type NewOrganization struct {
	Name *string `json:"name"`
}

// Screen refuses the rates that only people change.
func (CreateInput) Screen(members []string) error { return fee.PortalOnly(members...) }

// ReadOnly lists the members that the service alone sets.
func (CreateInput) ReadOnly() []string { return readOnly }

// Validate returns every mistake that can be seen without looking anything up.
func (in CreateInput) Validate() fault.Fields { return in.validate(true) }

func (in CreateInput) validate(sandbox bool) fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "name", in.Name != nil)
	checkName(&fs, "name", in.Name)
	check.Required(&fs, "country", in.Country != nil)
	in.checkOrganization(&fs)
	check.Currency(&fs, "currency", in.Currency)
	checkCountry(&fs, in.Country, in.Currency)
	CheckEIN(&fs, in.EIN)
	if in.EIN != nil && deref(in.Country) == canada {
		fs.Add("ein", "parameter_invalid", einOfUS)
	}
	check.OneOf(&fs, "bank_processor", in.BankProcessor, processors...)
	checkTimeZone(&fs, in.TimeZone)
	in.merchant(sandbox).checkSchedule(&fs)
	check.Amount(&fs, "minimum_charge", in.MinimumCharge)
	checkDescriptor(&fs, in.StatementDescriptor)
	check.ExternalID(&fs, in.ExternalID)
	check.Metadata(&fs, in.Metadata)
	parseDomains(&fs, in.Domains, sandbox)
	return fs
}

func (in CreateInput) checkOrganization(fs *fault.Fields) {
	switch {
	case in.OrganizationID != nil && *in.OrganizationID < 1:
		fs.Add("organization_id", "parameter_invalid", noOrganization)
	case in.Organization != nil && in.OrganizationID != nil:
		fs.Add("organization", "parameters_exclusive", "Give organization_id or a new organization, not both.")
	case in.Organization != nil:
		check.Required(fs, "organization.name", in.Organization.Name != nil)
		checkName(fs, "organization.name", in.Organization.Name)
	case in.OrganizationID == nil:
		fs.Add("organization", "parameter_missing", "Give organization_id, or a new organization with its name.")
	}
}

// merchant is what the input says, with everything that follows from where the merchant is.
func (in CreateInput) merchant(sandbox bool) Merchant {
	home := countries[deref(in.Country)]
	m := Merchant{
		Name: deref(in.Name), Status: Active, Country: deref(in.Country), Currency: home.currency, EIN: in.EIN,
		Nonprofit:           deref(in.Nonprofit),
		ChosenBankProcessor: processors[0], TimeZone: home.timeZone, PayoutSchedule: Daily,
		PayoutWeekday: in.PayoutWeekday, PayoutDayOfMonth: in.PayoutDayOfMonth, HasWalletA: deref(in.HasWalletA),
		HasDAFProvider: deref(in.HasDAFProvider),
		Domains:        parseDomains(new(fault.Fields), in.Domains, sandbox), MinimumCharge: money.UsualMinCharge,
		StatementDescriptor: deref(in.StatementDescriptor),
		ExternalID:          in.ExternalID, Metadata: pairs(in.Metadata),
	}
	for _, c := range []struct{ given, of *string }{
		{in.BankProcessor, &m.ChosenBankProcessor}, {in.TimeZone, &m.TimeZone},
		{in.PayoutSchedule, (*string)(&m.PayoutSchedule)},
	} {
		if c.given != nil {
			*c.of = *c.given
		}
	}
	if in.MinimumCharge != nil {
		m.MinimumCharge = *in.MinimumCharge
	}
	if m.StatementDescriptor == "" {
		m.StatementDescriptor = descriptorOf(m.Name)
	}
	return m
}

// pairs are metadata as they are kept: never nil.
func pairs(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// processors are those that a merchant's payers' bank accounts can go by, the usual one first.
var processors = []string{"p", "q"}

// readOnly are the members of a merchant that only the service sets, anyone who asks.
var readOnly = strings.Fields(`id object version livemode application_id status status_reason payouts_paused_reason
	daf_provider_connect_id can_process created_at updated_at`)

// fixed are those that are set once, when a merchant is made.
var fixed = strings.Fields(`organization organization_id country currency`)

// UpdateInput is the body of an update: what is not sent stays as it is.
type UpdateInput struct {
	Name                patch.Member[string]            `json:"name"`
	EIN                 patch.Member[string]            `json:"ein"`
	Nonprofit           patch.Member[bool]              `json:"nonprofit"`
	BankProcessor       patch.Member[string]            `json:"bank_processor"`
	TimeZone            patch.Member[string]            `json:"time_zone"`
	PayoutSchedule      patch.Member[string]            `json:"payout_schedule"`
	PayoutWeekday       patch.Member[int]               `json:"payout_weekday"`
	PayoutDayOfMonth    patch.Member[int]               `json:"payout_day_of_month"`
	HasWalletA          patch.Member[bool]              `json:"has_wallet_a"`
	HasDAFProvider      patch.Member[bool]              `json:"has_daf_provider"`
	Domains             patch.Member[[]string]          `json:"domains"`
	DAFPercentage       patch.Member[money.Percent]     `json:"daf_percentage"`
	MinimumCharge       patch.Member[money.Amount]      `json:"minimum_charge"`
	StatementDescriptor patch.Member[string]            `json:"statement_descriptor"`
	ExternalID          patch.Member[string]            `json:"external_id"`
	Metadata            patch.Member[map[string]string] `json:"metadata"`
	// IfVersion is the version of which the merchant must still be; nil is any.
	IfVersion *int `json:"-"`
}

// Screen refuses the rates that only people change.
func (UpdateInput) Screen(members []string) error { return fee.PortalOnly(members...) }

// ReadOnly lists the members that an update cannot change.
func (UpdateInput) ReadOnly() []string { return append(fixed[:len(fixed):len(fixed)], readOnly...) }

// Validate returns every mistake that can be seen without looking anything up.
func (in UpdateInput) Validate() fault.Fields { return in.validate(true) }

func (in UpdateInput) validate(sandbox bool) fault.Fields {
	var fs fault.Fields
	in.checkCleared(&fs)
	checkName(&fs, "name", in.Name.Value)
	CheckEIN(&fs, in.EIN.Value)
	check.OneOf(&fs, "bank_processor", in.BankProcessor.Value, processors...)
	checkTimeZone(&fs, in.TimeZone.Value)
	check.OneOf(&fs, "payout_schedule", in.PayoutSchedule.Value, string(Daily), string(Weekly), string(Monthly))
	checkDay(&fs, "payout_weekday", in.PayoutWeekday.Value, 5)
	checkDay(&fs, "payout_day_of_month", in.PayoutDayOfMonth.Value, 31)
	check.Amount(&fs, "minimum_charge", in.MinimumCharge.Value)
	checkDescriptor(&fs, in.StatementDescriptor.Value)
	check.ExternalID(&fs, in.ExternalID.Value)
	check.Metadata(&fs, deref(in.Metadata.Value))
	parseDomains(&fs, deref(in.Domains.Value), sandbox)
	return fs
}

// checkCleared refuses null for the members that always have a value.
func (in UpdateInput) checkCleared(fs *fault.Fields) {
	for _, c := range []struct {
		param string
		null  bool
	}{
		{"name", null(in.Name)}, {"nonprofit", null(in.Nonprofit)}, {"bank_processor", null(in.BankProcessor)},
		{"time_zone", null(in.TimeZone)},
		{"payout_schedule", null(in.PayoutSchedule)}, {"has_wallet_a", null(in.HasWalletA)},
		{"has_daf_provider", null(in.HasDAFProvider)},
		{"daf_percentage", null(in.DAFPercentage)}, {"statement_descriptor", null(in.StatementDescriptor)},
		{"minimum_charge", null(in.MinimumCharge)},
	} {
		if c.null {
			fs.Add(c.param, "parameter_invalid", "This cannot be null: leave it out to leave it as it is.")
		}
	}
}

func null[T any](m patch.Member[T]) bool { return m.Given && m.Value == nil }

// on is the merchant with the update carried out.
func (in UpdateInput) on(m Merchant, sandbox bool) Merchant {
	if s := in.PayoutSchedule.Value; s != nil && Schedule(*s) != m.PayoutSchedule { // the days of another schedule
		m.PayoutSchedule, m.PayoutWeekday, m.PayoutDayOfMonth = Schedule(*s), nil, nil
	}
	keep(&m.Name, in.Name)
	keep(&m.Nonprofit, in.Nonprofit)
	keep(&m.ChosenBankProcessor, in.BankProcessor)
	keep(&m.TimeZone, in.TimeZone)
	keep(&m.HasWalletA, in.HasWalletA)
	keep(&m.HasDAFProvider, in.HasDAFProvider)
	keep(&m.DAFPercentage, in.DAFPercentage)
	keep(&m.MinimumCharge, in.MinimumCharge)
	keep(&m.StatementDescriptor, in.StatementDescriptor)
	m.EIN, m.ExternalID = in.EIN.On(m.EIN), in.ExternalID.On(m.ExternalID)
	m.PayoutWeekday, m.PayoutDayOfMonth = in.PayoutWeekday.On(m.PayoutWeekday),
		in.PayoutDayOfMonth.On(m.PayoutDayOfMonth)
	if in.Domains.Given {
		m.Domains = parseDomains(new(fault.Fields), deref(in.Domains.Value), sandbox)
	}
	if in.Metadata.Given {
		m.Metadata = pairs(deref(in.Metadata.Value))
	}
	return m
}

// keep changes a member that cannot be cleared.
func keep[T any](of *T, c patch.Member[T]) {
	if c.Value != nil {
		*of = *c.Value
	}
}

func checkName(fs *fault.Fields, param string, name *string) {
	if name != nil && strings.TrimSpace(*name) == "" {
		name = new(string)
	}
	check.Text(fs, param, name, 1, maxName)
}
