package demo

import (
	"context"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/merchant"
)

// EnsureDAF has the first merchant of each application take donations from donor-advised funds; the others are left
// to be enrolled by anyone who tries that out.
func (m Maker) EnsureDAF(ctx context.Context, c Credentials) error {
	for _, a := range []Application{c.Application, *c.Other} {
		if err := m.ensureDAF(ctx, a); err != nil {
			return fmt.Errorf("demo: DAF Pay of merchant %d: %w", a.Merchants.US, err)
		}
	}
	return nil
}

func (m Maker) ensureDAF(ctx context.Context, a Application) error {
	owner, err := m.Merchants.Find(ctx, a.AppID, a.Merchants.US)
	if err != nil || owner.EIN == nil {
		return err
	}
	if !owner.HasDAFProvider {
		if _, err := m.Merchants.Update(ctx, authz.Actor{Role: authz.RoleSecretKey, ApplicationID: a.AppID}, owner.ID,
			merchant.UpdateInput{HasDAFProvider: patch.Set(true)}, nil); err != nil {
			return err
		}
	}
	if owner.DAFProviderConnectID != nil {
		return nil
	}
	admin := authz.Actor{Role: authz.RoleOrganizationAdmin, ApplicationID: a.AppID, OrganizationID: a.OrganizationID}
	found, err := m.DAF.LookUp(ctx, admin, daf.LookUpInput{MerchantID: owner.ID, EIN: *owner.EIN})
	if err != nil || found.Organization == nil {
		return err
	}
	_, err = m.DAF.Enroll(ctx, admin,
		daf.EnrollInput{MerchantID: owner.ID, EIN: *owner.EIN, Name: found.Organization.Name})
	return err
}
