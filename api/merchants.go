package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
)

func (a *API) merchantRoutes() []route {
	return []route{
		{http.MethodPost, "/api/merchants", "/merchants", authz.MerchantCreate, constant, creates("/api/merchants", a.Merchants.Create)},
		{http.MethodGet, "/api/merchants", "/merchants", authz.MerchantRead, grows, lists(merchantList, a.Merchants.List)},
		{http.MethodGet, "/api/merchants/:id", "/merchants/:id", authz.MerchantRead, constant, get(a.Merchants.Get)},
		{http.MethodPut, "/api/merchants/:id", "/merchants/:id", authz.MerchantUpdate, constant, versioned(handleID(a.Merchants.Update))},
		{http.MethodGet, "/api/merchants/:id/processing", "", authz.ProcessingRead, constant, get(a.Accounts.Processing)},
		{http.MethodGet, "/api/organizations", "", authz.MerchantRead, grows, lists(organizationList, a.Merchants.Organizations)},
		{http.MethodGet, "/api/merchants/:id/domains", "", authz.DomainRead, constant, get(a.merchantDomains)},
		{http.MethodPost, "/api/merchants/:id/domains/verify", "", authz.DomainVerify, constant, withBody(body{optional: true}, a.verifyDomains)},
		{http.MethodGet, "/api/files/wallet-a-domain", "/files/wallet-a-domain", "", constant, public(a.associationFile())},
	}
}

func merchantList(q *query) merchant.ListInput {
	return merchant.ListInput{
		Page: pageOf(q, parseInteger), Created: q.times("created_at"), Statuses: q.words("status",
			merchant.StatusNames()),
		Organizations: q.integers("organization_id"), Countries: q.words("country", merchant.Countries()),
		Currencies: q.words("currency", money.CurrencyNames()), ExternalID: q.text("external_id", check.MaxExternalID),
		HasWalletA: q.flag("has_wallet_a"), HasDAFProvider: q.flag("has_daf_provider"), Metadata: q.pairs("metadata"),
	}
}

func organizationList(q *query) merchant.CustomerListInput {
	return merchant.CustomerListInput{Page: pageOf(q, parseInteger), Created: q.times("created_at")}
}

// parseInteger reads a cursor that is an integer.
func parseInteger(text string) (int64, error) {
	n := positive(text)
	if n == 0 {
		return 0, fault.Missing()
	}
	return n, nil
}

// domainsOf is the list of what is known of a merchant's domains: all of it, as there are few.
func domainsOf(id string, domains any) list {
	return list{Object: "list", Data: domains, URL: "/api/merchants/" + id + "/domains"}
}

func (a *API) merchantDomains(ctx context.Context, actor authz.Actor, id int64) (list, error) {
	domains, err := a.Merchants.Domains(ctx, actor, id)
	return domainsOf(strconv.FormatInt(id, 10), domains), err
}

func (a *API) verifyDomains(c echo.Context, req *request, in merchant.VerifyInput,
	claim *idempotency.Claim) (reply, error) {
	id := pathID(c)
	out, err := a.Merchants.VerifyDomains(c.Request().Context(), req.actor, positive(id), in, claim)
	r := made(http.StatusOK, "", out)
	if r.raw != nil { // the domains as they were told first
		r.object, r.raw = json.RawMessage(r.raw), nil
	}
	if r.refusal == nil {
		r.object = domainsOf(id, r.object)
	}
	return r, err
}

// associationFile makes the handler of the file that websites host which show wallet A.
func (a *API) associationFile() handler {
	return handler{produces: []string{"text/plain"}, run: func(c echo.Context, req *request) (reply, error) {
		file, err := a.Merchants.Association(c.Request().Context())
		return reply{raw: []byte(file.Content), media: "text/plain; charset=utf-8"}, err
	}}
}

// merchantCodes are those of merchants.
var merchantCodes = []code{
	{Name: "country_invalid", Kind: fault.KindInvalid, Field: true, Param: "country",
		Meaning: "There are no merchants in this country.",
		Remedy:  "Send US or CA in capital letters.",
		Message: "Allowed values: US, CA. Use capital letters."},
	{Name: "domain_invalid", Kind: fault.KindInvalid, Field: true, Param: "domain",
		Meaning: "A domain is not a bare host name: it has a scheme, a port, a path or a wildcard, is an IP address or a public suffix such as co.uk, mixes the letters of several scripts, or is no name at all.",
		Remedy:  "Send the name alone, such as give.example.org. List each subdomain.",
		Message: "Leave the scheme out. A domain is a bare host name such as give.example.org."},
	{Name: "daf_not_eligible", Kind: fault.KindRefused, Param: "has_daf_provider",
		Meaning: "The merchant is not in the US, or no nonprofit organization.",
		Remedy:  "Send nonprofit with has_daf_provider if the merchant is one.",
		Message: "Only US nonprofits can accept DAF donations."},
	{Name: "association_file_missing", Kind: fault.KindRefused,
		Meaning: "The file that websites with wallet A must host is not installed yet.",
		Remedy:  "Ask a system administrator to install it.",
		Message: "There is no association file yet that a website could host."},
}
