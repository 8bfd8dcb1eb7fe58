package accounts

import (
	"cmp"
	"slices"

	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// Route is what routing has to know of an account.
type Route struct {
	MerchantID *int64               `json:"merchant_id"` // nil: the application's default
	Processor  string               `json:"processor"`
	External   string               `json:"external_account"`
	Methods    []processor.Method   `json:"methods"`
	Currencies []money.Currency     `json:"currencies"` // empty: all
	Priority   int                  `json:"priority"`
	Status     Status               `json:"status"`
	Onboarding processor.Onboarding `json:"onboarding"`
	// Failover is the application's setting: new payments pass over an account whose processor is down.
	Failover bool `json:"failover"`
	// Platform is the external account to which this one is connected, and CardPayments the status of its capability to
	// have cards charged on its behalf, as its counterparty last reported both; nil if it reported none.
	Platform     *string `json:"platform"`
	CardPayments *string `json:"card_payments"`
}

// takes reports whether new payments can go there.
func (r Route) takes() bool {
	return r.Status == Active && r.Onboarding != processor.OnboardingRestricted
}

// serves reports whether the account was connected for a method and a currency, active or not.
func (r Route) serves(method processor.Method, currency money.Currency) bool {
	return slices.Contains(r.Methods, method) && (len(r.Currencies) == 0 || slices.Contains(r.Currencies, currency))
}

// order sorts a merchant's own accounts before its application's, and these by priority.
func order(a, b Route) int {
	if own := a.MerchantID != nil; own != (b.MerchantID != nil) {
		if own {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.Priority, b.Priority)
}

// Routes are the accounts of one merchant: its own, and its application's defaults, the oldest first.
type Routes []Route

// Column reads the [Routes] of merchants m, as routes.
const Column = `(SELECT coalesce(jsonb_agg(jsonb_build_object('merchant_id', a.merchant_id, 'processor', a.processor,
			'external_account', a.external_account, 'methods', a.methods, 'currencies', a.currencies,
				'priority', a.priority,
			'status', a.status, 'onboarding', a.onboarding, 'failover', app.processor_failover,
			'platform', a.report->>'platform', 'card_payments', a.report->'capabilities'->>'card_payments')
				ORDER BY a.id), '[]')
		FROM processor_accounts a JOIN applications app ON app.id = a.application_id
		WHERE a.application_id = m.application_id AND (a.merchant_id = m.id OR a.merchant_id IS NULL)) AS routes`

// Want is a new payment that needs an account.
type Want struct {
	ApplicationID, MerchantID int64
	Method                    processor.Method
	Currency                  money.Currency
}

// Choose returns the account at which a new payment is made: the merchant's own, else its application's default, by
// priority. Accounts that are disabled or restricted, and those of adapters that the deployment does not have, are
// passed over. But money never goes to the application's account because a merchant's own, which serves the method and
// the currency, is out of use; nor to a sandbox's own account once any was connected for them. False: there is no
// account.
//
// Where the application has failover on, an account of an adapter for which down returns true is passed over as well,
// if there is another of the same owner. Without another, the payment is made there as if it was not down. Nil: none is
// down. Payouts never fail over: the money to pay out is where it was collected. down is asked about one account after
// the other until it returns false.
func (rs Routes) Choose(r *processor.Registry, w Want, down func(adapter string) bool) (processor.Account, bool) {
	own, connected := false, false
	var passed processor.Account // the first account that was passed over because its adapter is down
	for _, route := range slices.SortedStableFunc(slices.Values(rs), order) {
		if !route.serves(w.Method, w.Currency) {
			continue
		}
		if route.MerchantID == nil && own {
			break
		}
		own, connected = route.MerchantID != nil, true
		if !route.takes() || !slices.Contains(r.Methods(route.Processor), w.Method) {
			continue
		}
		account := processor.Account{Adapter: route.Processor, External: route.External}
		if down == nil || !route.Failover || w.Method == processor.MethodPayout || !down(route.Processor) {
			return account, true
		}
		if passed == (processor.Account{}) {
			passed = account
		}
	}
	if connected {
		return passed, passed != processor.Account{}
	}
	return r.Unconnected(w.ApplicationID, w.MerchantID)
}

// OnBehalfOf returns the external ID of the merchant's own account on whose behalf a card is charged at that account;
// "" if the merchant has none that is active, connected to that account and capable of it.
func (rs Routes) OnBehalfOf(at processor.Account) string {
	for _, r := range rs {
		if r.MerchantID != nil && r.Status == Active && r.Processor == at.Adapter &&
			r.Platform != nil && *r.Platform == at.External &&
			r.CardPayments != nil && *r.CardPayments == processor.CapabilityActive {
			return r.External
		}
	}
	return ""
}

// NotConfigured refuses a payment for which [Routes.Choose] found no account.
func NotConfigured(w Want) error {
	return fault.Refused("processing_not_configured",
		"This merchant can't accept this payment method: no active processor account serves it.").
		On("merchant_id").With("method", string(w.Method))
}
