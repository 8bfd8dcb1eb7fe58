package portal

import (
	"bytes"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/erasure"
	"svcpay/internal/event"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	receipts "svcpay/internal/receipt"
	"svcpay/internal/refund"
	"svcpay/internal/report/export"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sensitive"
	"svcpay/internal/upload"
	"svcpay/internal/webhook"
	"svcpay/views/text"
)

// Whatever the policy lets people change is written down when they change it. The history has some of it happen; a
// permission that is added later fails here until something is done with it.
func TestEveryChangeOfPeopleIsWrittenDown(t *testing.T) {
	t.Parallel()
	w := lived(t)
	for _, of := range [][]func() error{w.administers(), w.asksOfMerchants(), w.asksOfMoney()} {
		for i, change := range of {
			if err := change(); err != nil {
				t.Errorf("change %d: %v", i, err)
			}
		}
	}
	// Content is read, and only commands use the other; package main tests those.
	other := []authz.Permission{authz.ContentRead, authz.DeploymentManage}
	for name := range text.English.Permissions {
		needed := authz.Permission(name)
		if strings.HasSuffix(name, ":read") || len(w.desk.Holders(needed)) == 0 || slices.Contains(other, needed) {
			continue
		}
		n, err := pg.Value[int64](t.Context(), w.Pool, `
			SELECT count(*) FROM audit_entries WHERE permission = @p AND outcome = 'done' AND actor_kind = @kind
				AND role = ANY (@roles)`,
			pg.Args{"p": needed, "kind": audit.Person, "roles": w.desk.Holders(needed)})
		if err != nil || n == 0 {
			t.Errorf("nobody who used %s is in the audit log (%v)", needed, err)
		}
	}
}

// administers are changes by those who run the service or an application.
func (w *world) administers() []func() error {
	t, ctx := w.t, w.t.Context()
	system, app := w.Person(authz.RoleSystemAdmin), w.Person(authz.RoleApplicationAdmin)
	system.PersonID = w.invent("kim.vale@example.org", "Kim Vale",
		identity.Grant{Role: string(system.Role), Scope: string(system.Granted.Scope)})
	return []func() error{
		func() error { _, err := w.World.APIKeys.AddApplication(ctx, system, "Parish Pay", nil); return err },
		func() error {
			_, err := w.World.Identity.Invite(ctx, system,
				identity.NewInvitation{Email: "new@example.org", Role: authz.RoleSupportStaff, Domain: authz.System()})
			return err
		},
		func() error {
			_, session, _ := strings.Cut(w.as(authz.RoleSystemAdmin), "=")
			_, err := w.World.Identity.StartView(ctx, system, session,
				identity.NewView{Role: authz.RoleApplicationAdmin, Domain: app.Granted, Reason: "Ticket 1"})
			return err
		},
		func() error {
			_, err := w.Merchants.InstallAssociation(ctx, system, []byte(`{"pspId":"1"}`), nil)
			return err
		},
		func() error {
			service, f := onChariot(t, w.World)
			_, err := service.Connect(ctx, system, sensitive.NewCredentials(f.Key))
			return err
		},
		func() error {
			card := w.Card("4242424242424242")
			card.Billing.Email = "forget@example.org"
			if _, err := w.Tokens.CreateCard(ctx, w.Session(), "to be forgotten", card); err != nil {
				return err
			}
			there := system
			there.ApplicationID = w.App.AppID
			_, err := erasure.New(erasure.Deps{Pool: w.Pool, Check: w.Gate, Clock: w.Clocks}).Payer(ctx, there,
				card.Billing.Email)
			return err
		},
		func() error {
			_, err := w.Fees.ScheduleServiceRates(ctx, system, w.App.AppID,
				fee.Change{Rates: demo.Rates(), Reason: "As agreed"})
			return err
		},
		func() error { _, err := w.Fees.SetDefaults(ctx, app, 0, demo.Rates()); return err },
		func() error {
			_, err := w.CardRules.Set(ctx, app, w.App.Merchants.US,
				rule.Proposed(rule.Settings{CVCMismatch: true}), nil)
			return err
		},
		func() error {
			_, err := w.World.APIKeys.Create(ctx, app, apikey.CreateInput{Kind: apikey.Secret, Name: "Second server"})
			return err
		},
		func() error {
			resource, format := "charges", "csv"
			_, err := w.Exports.Create(ctx, app, export.Input{Resource: &resource, Format: &format}, nil)
			return err
		},
		func() error {
			of := one(t, func(e event.Event) string { return e.ID.String() })(w.Events.List(ctx, app,
				event.ListInput{Page: page.Input[int64]{Limit: 1}}))
			to := one(t, func(e webhook.Endpoint) string { return e.ID.String() })(w.Webhooks.List(ctx, app,
				webhook.ListInput{Page: page.Input[ids.Endpoint]{Limit: 1}}))
			_, err := w.Webhooks.Redeliver(ctx, app, of, webhook.RedeliverInput{EndpointID: &to}, nil)
			return err
		},
	}
}

// asksOfMerchants are changes of merchants.
func (w *world) asksOfMerchants() []func() error {
	ctx, m := w.t.Context(), w.App.Merchants
	system, app, organization := w.Person(authz.RoleSystemAdmin), w.Person(authz.RoleApplicationAdmin),
		w.Person(authz.RoleOrganizationAdmin)
	update := func(a authz.Actor, id int64, in merchant.UpdateInput) error {
		_, err := w.Merchants.Update(ctx, a, id, in, nil)
		return err
	}
	return []func() error{
		func() error {
			name, country := "Riverside Library", "US"
			_, err := w.Merchants.Create(ctx, app,
				merchant.CreateInput{Name: &name, Country: &country, OrganizationID: &w.App.OrganizationID}, nil)
			return err
		},
		func() error {
			return update(organization, m.US, merchant.UpdateInput{Name: patch.Set("Riverside Food Bank, Inc.")})
		},
		func() error {
			return update(organization, m.US, merchant.UpdateInput{Domains: patch.Set([]string{"give.localhost"})})
		},
		func() error {
			_, err := w.Merchants.VerifyDomains(ctx, organization, m.US, merchant.VerifyInput{}, nil)
			return err
		},
		func() error {
			return update(system, m.USQ, merchant.UpdateInput{HasDAFProvider: patch.Set(true)})
		},
		func() error {
			_, err := w.DAF.Enroll(ctx, organization, w.enrollment(organization, m.USQ))
			return err
		},
		func() error {
			_, err := w.Accounts.Connect(ctx, app, w.sandboxAccount(&m.US, "own-77", "cc"))
			return err
		},
		func() error {
			_, err := w.Fees.SetDAFPercentage(ctx, app, m.US, fee.DAFChange{Percent: 2500}, nil)
			return err
		},
		func() error {
			_, err := w.Merchants.SetStatus(ctx, system,
				merchant.StatusInput{MerchantID: m.CA, Status: merchant.Suspended, Reason: "Asked for"})
			return err
		},
	}
}

// enrollment is what someone confirms to enroll a merchant in DAF Pay.
func (w *world) enrollment(a authz.Actor, merchantID int64) daf.EnrollInput {
	w.t.Helper()
	m, err := w.Merchants.Get(w.t.Context(), a, merchantID)
	if err != nil {
		w.t.Fatal(err)
	}
	found, err := w.DAF.LookUp(w.t.Context(), a, daf.LookUpInput{MerchantID: merchantID, EIN: *m.EIN})
	if err != nil || found.Organization == nil {
		w.t.Fatalf("%+v, %v", found, err)
	}
	return daf.EnrollInput{MerchantID: merchantID, EIN: *m.EIN, Name: found.Organization.Name}
}

// asksOfMoney are changes of payments.
func (w *world) asksOfMoney() []func() error {
	t, ctx := w.t, w.t.Context()
	app, organization := w.Person(authz.RoleApplicationAdmin), w.Person(authz.RoleOrganizationAdmin)
	return []func() error{
		func() error {
			held := charge.ListInput{Page: page.Input[ids.Charge]{Limit: 1}, Statuses: []string{"authorized"}}
			id := one(t, func(c charge.Charge) string { return c.ID.String() })(w.Charges.List(ctx, app, held))
			_, err := w.Charges.Capture(ctx, app, id, charge.CaptureInput{}, nil)
			return err
		},
		func() error {
			waiting := refund.ListInput{Page: page.Input[ids.Refund]{Limit: 1}, Statuses: []string{"pending"}}
			id := one(t, func(r refund.Refund) string { return r.ID.String() })(w.Refunds.List(ctx, app, waiting))
			_, err := w.Refunds.Cancel(ctx, organization, id, nil)
			return err
		},
		func() error {
			settled := charge.ListInput{Page: page.Input[ids.Charge]{Limit: 1}, Statuses: []string{"settled"}}
			id := one(t, func(c charge.Charge) string { return c.ID.String() })(w.Charges.List(ctx, app, settled))
			_, err := w.Receipts.Send(ctx, organization, receipts.SendInput{ChargeID: id, Email: "dana@example.org"},
				nil)
			return err
		},
		func() error {
			var content bytes.Buffer
			if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
				return err
			}
			_, err := w.Uploads.Create(ctx, organization,
				upload.CreateInput{Name: "receipt.png", ContentType: "image/png", Content: content.Bytes()}, nil)
			return err
		},
	}
}
