package apikey

import (
	"slices"

	"svcpay/internal/check"
)

// Pages are those that may use a public key to pay one merchant, and who may embed them.
type Pages struct {
	AllowedOrigins  []string `db:"allowed_origins"`  // of the key, with wildcards
	MerchantDomains bool     `db:"merchant_domains"` // pages of the merchant's domains may use the key, too
	Domains         []string `db:"domains"`          // of the merchant
	AnyAncestor     bool     `db:"any_ancestor"`     // pages of any site may embed those pages
}

// Bounded reports whether the key says which pages may use it. If it does not, any page may in the sandbox, and none in
// production.
func (p Pages) Bounded() bool { return len(p.AllowedOrigins) > 0 || p.MerchantDomains }

// Origins are those of all pages, as [check.MatchesOrigin] takes them.
func (p Pages) Origins() []string {
	out := slices.Clone(p.AllowedOrigins)
	if p.MerchantDomains {
		for _, domain := range p.Domains {
			out = append(out, check.OriginOfDomain(domain))
		}
	}
	return out
}

// Allow reports whether a page of an origin may use the key.
func (p Pages) Allow(origin string, livemode bool) bool {
	if !p.Bounded() {
		return !livemode
	}
	return slices.ContainsFunc(p.Origins(), func(allowed string) bool { return check.MatchesOrigin(allowed, origin) })
}
