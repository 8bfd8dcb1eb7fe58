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
	MerchantID *int64             `json:"merchant_id"` // nil: the application's default
	Processor  string             `json:"processor"`
	External   string             `json:"external_account"`
	Methods    []processor.Method `json:"methods"`
	Currencies []money.Currency   `json:"currencies"` // empty: all
	Priority   int                `json:"priority"`
	Status     Status             `json:"status"`
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
			'external_account', a.external_account, 'methods', a.methods, 'currencies', a.currencies, 'priority', a.priority,
			'status', a.status) ORDER BY a.id), '[]')
		FROM processor_accounts a
		WHERE a.application_id = m.application_id AND (a.merchant_id = m.id OR a.merchant_id IS NULL)) AS routes`

// Want is a new payment that needs an account.
type Want struct {
	ApplicationID, MerchantID int64
	Method                    processor.Method
	Currency                  money.Currency
}

// Choose returns the account at which a new payment is made: the merchant's own before its application's default, and these by priority.
// Accounts that are disabled, and those of adapters that the deployment does not have, are passed over. If none was ever connected for the
// method and the currency, a sandbox's own account serves. False: there is none.
func (rs Routes) Choose(r *processor.Registry, w Want) (processor.Account, bool) {
	connected := false
	for _, route := range slices.SortedStableFunc(slices.Values(rs), order) {
		if !route.serves(w.Method, w.Currency) {
			continue
		}
		connected = true
		if route.Status == Active && slices.Contains(r.Methods(route.Processor), w.Method) {
			return processor.Account{Adapter: route.Processor, External: route.External}, true
		}
	}
	if connected {
		return processor.Account{}, false
	}
	return r.Unconnected(w.ApplicationID, w.MerchantID)
}

// NotConfigured refuses a payment for which [Routes.Choose] found no account.
func NotConfigured(w Want) error {
	return fault.Refused("processing_not_configured",
		"This merchant can't take this payment method yet: no processor account is connected for it.").
		On("merchant_id").With("method", string(w.Method))
}
