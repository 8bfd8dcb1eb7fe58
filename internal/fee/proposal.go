package fee

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/money"
)

// Proposal is what someone considers to change of a merchant's rates. A nil rate stays as it is.
type Proposal struct {
	AuthorizationFee        *money.Amount               `json:"authorization_fee"`
	CaptureFee              *money.Amount               `json:"capture_fee"`
	AmexSurchargePercentage *money.Percent              `json:"amex_surcharge_percentage"`
	ACHTransferFlatFee      *money.Amount               `json:"ach_transfer_flat_fee"`
	ACHTransferPercentage   *money.Percent              `json:"ach_transfer_percentage"`
	ACHTransferFailedFee    *money.Amount               `json:"ach_transfer_failed_fee"`
	ACHReturnFee            *money.Amount               `json:"ach_return_fee"`
	ChargebackFee           *money.Amount               `json:"chargeback_fee"`
	RetrievalFee            *money.Amount               `json:"retrieval_fee"`
	PlatformFlatFee         patch.Member[money.Amount]  `json:"platform_flat_fee"`
	PlatformPercentage      patch.Member[money.Percent] `json:"platform_percentage"`
	DAFPercentage           *money.Percent              `json:"daf_percentage"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (p Proposal) Validate() fault.Fields { return p.On(Rates{}).Validate() }

// On is the rates with the proposal carried out.
func (p Proposal) On(r Rates) Rates {
	for _, c := range []struct{ to, from *money.Amount }{
		{&r.AuthorizationFee, p.AuthorizationFee}, {&r.CaptureFee, p.CaptureFee},
		{&r.ACHTransferFlatFee, p.ACHTransferFlatFee},
		{&r.ACHTransferFailedFee, p.ACHTransferFailedFee}, {&r.ACHReturnFee, p.ACHReturnFee},
		{&r.ChargebackFee, p.ChargebackFee}, {&r.RetrievalFee, p.RetrievalFee},
	} {
		if c.from != nil {
			*c.to = *c.from
		}
	}
	for _, c := range []struct{ to, from *money.Percent }{
		{&r.AmexSurchargePercentage, p.AmexSurchargePercentage}, {&r.ACHTransferPercentage, p.ACHTransferPercentage},
		{&r.DAFPercentage, p.DAFPercentage},
	} {
		if c.from != nil {
			*c.to = *c.from
		}
	}
	r.PlatformFlatFee, r.PlatformPercentage = p.PlatformFlatFee.On(r.PlatformFlatFee),
		p.PlatformPercentage.On(r.PlatformPercentage)
	return r
}

// PreviewChange is [Service.Preview] of the rates in effect with a proposal carried out.
func (s *Service) PreviewChange(ctx context.Context, actor authz.Actor, merchantID int64, p Proposal) (Preview, error) {
	if err := s.deps.Check.Check(actor, authz.FeeRead); err != nil {
		return Preview{}, err
	}
	if err := p.Validate().Err(); err != nil {
		return Preview{}, err
	}
	now, err := s.Current(ctx, actor, merchantID)
	if err != nil {
		return Preview{}, err
	}
	return s.Preview(ctx, actor, merchantID, p.On(now.Rates))
}
