package merchant

import (
	"context"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// noOrganization is the one answer for an organization_id that is unknown or another application's.
const noOrganization = "Your application has no such organization."

// Create makes an active merchant, of an organization that is there or of a new one, with its first fee
// schedule, in effect at once. Its first payout runs on the next day of its payout schedule. The faults:
// the mistakes of the input; daf_not_eligible; external_id_taken, which names the merchant that has it.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput,
	claim *idempotency.Claim) (out idempotency.Result[Merchant], err error) {
	if err := s.audit.AllowAll(ctx, actor, in.rights(), audit.Of("merchant", "", 0)); err != nil {
		return out, err
	}
	if err := in.validate(s.sandbox()).Err(); err != nil {
		return out, err
	}
	m := in.merchant(s.sandbox())
	m.ApplicationID = actor.ApplicationID
	if err := m.checkDAF(); err != nil {
		return out, err
	}
	now, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return out, err
	}
	if m.ID, err = newID(ctx, s.deps.Pool); err != nil {
		return out, err
	}
	if m.StatementDescriptor == "" { // nothing of the name can be printed
		m.StatementDescriptor = fmt.Sprint("MERCHANT ", m.ID)
	}
	next, err := m.NextPayout(now.At)
	if err != nil {
		return out, err
	}
	m.NextPayoutAt, m.CreatedAt = instant.Of(next), instant.Of(now.At)
	out, err = idempotency.Once(ctx, s.deps.Pool, claim, now.Machine, ObjectID(m.ID),
		func(tx *pg.Tx) (Merchant, error) {
			return s.createTx(ctx, tx, now, actor, m, in)
		})
	return out, s.told(ctx, err, actor.ApplicationID, in.ExternalID)
}

// rights are the permissions that a creation takes: for what needs one of its own, that too.
func (in CreateInput) rights() []authz.Permission {
	return append([]authz.Permission{authz.MerchantCreate},
		rightsOf(in.HasWalletA != nil || in.HasDAFProvider != nil, in.Domains != nil, in.DAFPercentage != nil)...)
}

// rightsOf are the permissions that single members take.
func rightsOf(features, domains, fees bool) (out []authz.Permission) {
	if features {
		out = append(out, authz.MerchantFeatures)
	}
	if domains {
		out = append(out, authz.MerchantDomains)
	}
	if fees {
		out = append(out, authz.FeeWriteDAF)
	}
	return out
}

// Eligible reports whether the merchant can ever accept donations from donor-advised funds.
func (m Merchant) Eligible() bool { return m.Country == us && m.Nonprofit }

// ErrNotEligible refuses donations for who cannot accept them.
var ErrNotEligible = fault.Refused("daf_not_eligible", "Only US nonprofits can accept DAF donations.")

// checkDAF refuses the switch for who is not eligible.
func (m Merchant) checkDAF() error {
	if m.HasDAFProvider && !m.Eligible() {
		return ErrNotEligible.On("has_daf_provider")
	}
	return nil
}

func (s *Service) createTx(ctx context.Context, tx *pg.Tx, now instant.Moment, actor authz.Actor, m Merchant,
	in CreateInput) (Merchant, error) {
	var err error
	if m.OrganizationID, err = organizationTx(ctx, tx, now, actor, in); err != nil {
		return m, err
	}
	rates, known, err := in.ratesTx(ctx, tx, actor.ApplicationID)
	if err != nil {
		return m, err
	}
	if err := insertTx(ctx, tx, m); err != nil {
		return m, err
	}
	fee.CreateTx(tx, m.ApplicationID, m.ID, rates, now.At, now.At)
	if err := tx.Flush(ctx); err != nil { // the merchant reports one of its fees
		return m, err
	}
	created, err := s.LockTx(ctx, tx, m.ApplicationID, m.ID)
	if err != nil {
		return created, err
	}
	if !known {
		created.Warnings = []Warning{noFeeDefaults()}
	}
	if err := emitTx(tx, now, "merchant.created", created, nil, causeOf(actor)); err != nil {
		return created, err
	}
	return created, s.audit.DoneTx(tx, actor, authz.MerchantCreate, on(created.ID), nil, created)
}

// organizationTx makes the organization of the input, or finds it among the application's.
func organizationTx(ctx context.Context, tx *pg.Tx, now instant.Moment, actor authz.Actor,
	in CreateInput) (int64, error) {
	if in.Organization != nil {
		return identity.CreateOrganizationTx(ctx, tx, actor.ApplicationID, *in.Organization.Name, now.At)
	}
	known, err := identity.HasOrganization(ctx, tx, actor.ApplicationID, *in.OrganizationID)
	if err == nil && !known {
		var fs fault.Fields
		fs.Add("organization_id", "parameter_invalid", noOrganization)
		err = fs.Err()
	}
	return *in.OrganizationID, err
}

// ratesTx are the fees that the merchant begins with, and whether they were given or are the application's defaults.
func (in CreateInput) ratesTx(ctx context.Context, tx *pg.Tx, applicationID int64) (rates fee.Rates, known bool,
	err error) {
	if in.Rates != nil {
		return *in.Rates, true, nil
	}
	rates, known, err = fee.DefaultsTx(ctx, tx, applicationID)
	if in.DAFPercentage != nil {
		rates.DAFPercentage = *in.DAFPercentage
	}
	return rates, known, err
}

// causeOf is someone who calls.
func causeOf(actor authz.Actor) Cause {
	return Cause{RequestID: actor.RequestID, Source: outbox.SourceOf(actor)}
}
