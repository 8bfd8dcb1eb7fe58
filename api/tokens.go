package api

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
)

func (a *API) tokenRoutes() []route {
	return []route{
		{http.MethodGet, "/api/tokens", "", authz.TokenRead, grows, lists(tokenList, a.Tokens.List, a.merchantOf())},
		{http.MethodGet, "/api/tokens/:id", "", authz.TokenRead, constant, get(a.Tokens.Get, a.merchantOf())},
		{http.MethodPut, "/api/tokens/:id", "", authz.TokenUpdate, constant, versioned(handleID(a.Tokens.Update))},
		{http.MethodDelete, "/api/tokens/:id", "", authz.TokenDelete, constant, versioned(erase(a.Tokens.Delete))},
		{http.MethodPost, "/api/tokens/:id/verify", "", authz.TokenVerify, constant, handleID(a.Tokens.Verify)},
		{http.MethodPost, "/api/sandbox/tokens", "", authz.TokenCreateTest, constant, sandboxOnly(creates("/api/tokens", a.Tokens.CreateTest))},
		{http.MethodGet, "/api/sandbox/tokens/:id/deposits", "", authz.TokenCreateTest, constant, sandboxOnly(get(a.Tokens.TestDeposits))},
	}
}

func tokenList(q *query) token.ListInput {
	return token.ListInput{
		Page: pageOf(q, ids.ParseToken), Created: q.times("created_at"), Statuses: q.words("status", token.Statuses()),
		Kinds: q.words("kind", token.Kinds()), Brands: q.words("brand", sensitive.BrandNames()),
		Merchants: q.integers("merchant_id"), Last4: q.last4(), Email: q.email(),
	}
}

// tokenCodes are those of tokens alone; others they share with charges.
var tokenCodes = []code{
	{Name: "payment_method_disabled", Kind: fault.KindRefused, Param: "wallet",
		Meaning: "The merchant does not take payments of this wallet, or none of its processor accounts can verify bank accounts entered by hand.",
		Remedy:  "Set has_wallet_a of the merchant for wallet A. Wallet B needs a merchant that takes cards.",
		Message: "This merchant does not accept this wallet."},
	{Name: "network_not_supported", Kind: fault.KindRefused,
		Meaning: "The wallet cannot be charged through the card's network at this merchant.",
		Remedy:  "Choose a card of another network. Wallet A takes American Express, Discover, Mastercard and Visa in the US.",
		Message: "Cards of this network cannot be charged through this wallet."},
	{Name: "verification_failed", Kind: fault.KindRefused, Kept: true, Param: "amounts",
		Meaning: "The amounts are not those of the two deposits, or the code is not that of the one deposit, or the account had ten wrong answers within 30 days, whichever of its tokens they were about, or the deposits came back. remaining tells how many tries are left; after the last the token is disabled.",
		Remedy:  "Ask the account's holder what the statement shows: two amounts, or one deposit with a code. In the sandbox the amounts are 32 and 45.",
		Message: "These are not the amounts of the deposits. If the statement shows one deposit with a code, send the code.",
		Members: []string{"remaining"}},
}
