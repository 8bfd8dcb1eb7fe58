package api

import (
	"math"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
)

func (a *API) balanceRoutes() []route {
	return []route{
		{http.MethodGet, "/api/balance", "", authz.BalanceRead, constant, getBy(oneMerchant, a.Ledger.Balance)},
		{http.MethodGet, "/api/balance_entries", "", authz.BalanceRead, grows, lists(entryList, a.Ledger.List)},
	}
}

// oneMerchant reads the merchant_id that a question is about.
func oneMerchant(q *query) int64 {
	return q.needed("merchant_id", math.MaxInt64, "A positive integer.")
}

func entryList(q *query) ledger.ListInput {
	return ledger.ListInput{
		Page: pageOf(q, ids.ParseEntry), Created: q.times("created_at"), Merchants: q.integers("merchant_id"),
		Kinds: q.words("kind", ledger.MerchantKinds()), Accounts: q.words("account", ledger.AccountNames()),
		Source: idIn(q, "source", ledger.ParseSource), Charge: idIn(q, "charge_id", ids.ParseCharge),
	}
}
