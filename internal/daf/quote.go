package daf

import (
	"context"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
)

// The names of the two fees of an integrated donation.
const (
	serviceFee  = "daf_percentage"
	providerFee = "daf_provider_percentage"
)

const (
	// ProviderPercentage is what the provider keeps of an integrated donation. No one adjusts it.
	ProviderPercentage money.Percent = 2900

	// WholeDollar is the step of donations in minor units, and the least one: grants are whole dollars.
	WholeDollar money.Amount = 100
	// MaxDonation is the largest donation in minor units.
	MaxDonation = money.MaxCharge / WholeDollar * WholeDollar
)

// Cover returns the smallest donation of whole dollars that leaves at least goal, 1 minor unit or more,
// when a fee of each rate is taken of it, each rounded half up on its own. It reports whether there is one
// up to [MaxDonation].
func Cover(goal money.Amount, rates ...money.Percent) (money.Amount, bool) {
	left := money.PercentMax
	for _, r := range rates {
		left -= r
	}
	if left <= 0 || goal > MaxDonation {
		return 0, false
	}
	// The search begins at the last whole dollar that the exact rates leave too little of, or just enough.
	// Rounding returns less than half a minor unit a fee, which matters to rates above 99 %.
	low := max(goal-money.Amount(len(rates)), 0) * money.Amount(money.PercentMax) / money.Amount(left)
	for a := max(low/WholeDollar*WholeDollar, WholeDollar); a <= MaxDonation; a += WholeDollar {
		kept := a
		for _, r := range rates {
			kept -= r.Of(a)
		}
		if kept >= goal {
			return a, true
		}
	}
	return 0, false
}

// Covered says which fees a donor gives more for.
type Covered string

// What can be covered.
const (
	CoverService Covered = "service" // the service's percentage
	CoverAll     Covered = "all"     // the provider's, too
)

// CoveredNames lists both.
func CoveredNames() []string { return []string{string(CoverService), string(CoverAll)} }

// QuoteInput asks what to give so that the goal is left.
type QuoteInput struct {
	MerchantID int64
	Goal       money.Amount // minor units
	Cover      Covered
}

// Quote is what a donor gives who covers fees, by the merchant's rates of this moment. Fees are those
// that are covered, and Net, which reaches the goal, is what they leave; a nonintegrated donation has none.
type Quote struct {
	Object     string         `json:"object"`
	Livemode   bool           `json:"livemode"`
	MerchantID int64          `json:"merchant_id"`
	Goal       money.Amount   `json:"goal"`
	Cover      Covered        `json:"cover"`
	Currency   money.Currency `json:"currency"`
	Amount     money.Amount   `json:"amount"` // whole dollars
	Fees       []QuoteFee     `json:"fees"`
	FeeTotal   money.Amount   `json:"fee_total"`
	Net        money.Amount   `json:"net"`
}

// QuoteFee is one fee of a quote, rounded on its own.
type QuoteFee struct {
	Fee    string        `json:"fee"`
	Basis  money.Amount  `json:"basis"`
	Rate   money.Percent `json:"rate"`
	Amount money.Amount  `json:"amount"`
}

// Quote computes the smallest donation that leaves a goal. The faults: merchant_not_associated;
// daf_not_eligible for a merchant that cannot take donations at all; amount_too_large when no donation
// is large enough.
func (s *Service) Quote(ctx context.Context, actor authz.Actor, in QuoteInput) (Quote, error) {
	if err := s.deps.Check.Check(actor, authz.FeeRead); err != nil {
		return Quote{}, err
	}
	var fs fault.Fields
	check.Amount(&fs, "amount", &in.Goal)
	cover := string(in.Cover)
	check.OneOf(&fs, "cover", &cover, CoveredNames()...)
	if err := fs.Err(); err != nil {
		return Quote{}, err
	}
	m, err := s.deps.Merchants.Find(ctx, actor.ApplicationID, in.MerchantID)
	if m, err = authz.Seen(actor, m, m.ID, err); fault.HasCode(err, "resource_missing") {
		return Quote{}, merchant.ErrNotAssociated
	}
	if err != nil {
		return Quote{}, err
	}
	if !m.Eligible() {
		return Quote{}, merchant.ErrNotEligible.On("merchant_id")
	}
	q := Quote{Object: "daf_quote", Livemode: m.Livemode, MerchantID: m.ID, Goal: in.Goal, Cover: in.Cover,
		Currency: money.USD, Fees: []QuoteFee{}}
	return q, q.compute(m.DAFPercentage)
}

// compute finds the amount that covers the goal, and what its fees are.
func (q *Quote) compute(service money.Percent) error {
	names, rates := []string{serviceFee, providerFee}, []money.Percent{service, ProviderPercentage}
	if q.Cover == CoverService {
		rates = rates[:1]
	}
	var ok bool
	if q.Amount, ok = Cover(q.Goal, rates...); !ok {
		return fault.Invalid("amount_too_large",
			fmt.Sprintf("No donation of at most %d leaves so much.", MaxDonation)).On("amount")
	}
	for i, r := range rates {
		if a := r.Of(q.Amount); a > 0 {
			q.Fees = append(q.Fees, QuoteFee{Fee: names[i], Basis: q.Amount, Rate: r, Amount: a})
			q.FeeTotal += a
		}
	}
	q.Net = q.Amount - q.FeeTotal
	return nil
}
