// Package demo fills a fresh sandbox with two independent applications, each with merchants and keys, and writes down
// how to reach them.
package demo

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
)

// Credentials is everything that a person or a test needs to use the demo.
type Credentials struct {
	BaseURL   string `json:"base_url"`
	PayURL    string `json:"pay_url"`
	PortalURL string `json:"portal_url"`
	ShopURL   string `json:"shop_url"`
	StripeURL string `json:"stripe_url,omitempty"` // base URL of the local fake of Stripe, if the demo has one
	// ChariotURL is the base URL of the local fake of Chariot, if the demo has one.
	ChariotURL string `json:"chariot_url,omitempty"`
	Application
	DAFLogin  Login        `json:"daf_login"`
	BankLogin Login        `json:"bank_login"`
	Other     *Application `json:"other"`
}

// Application is one program's access.
type Application struct {
	AppID          int64  `json:"app_id"`
	OrganizationID int64  `json:"organization_id"`
	SecretKey      string `json:"secret_key"`
	PublicKey      string `json:"public_key"`
	// PublicKeyRestricted may be used on the shop's pages only.
	PublicKeyRestricted string `json:"public_key_restricted"`
	// RestrictedKey reads everything of the merchant US, and writes nothing.
	RestrictedKey string `json:"restricted_key"`
	// WebhookSecret signs the events that the shop receives; "" without a history, whose endpoint it is of.
	WebhookSecret string    `json:"webhook_secret,omitempty"`
	Merchants     Merchants `json:"merchants"`
	// Users are people who sign in to the portal, one per role; the roles of the whole deployment
	// are with the first application.
	Users []User `json:"users"`
}

// Merchants are the demo's accounts of one application.
type Merchants struct {
	US  int64 `json:"us"`   // bank accounts by processor P
	USQ int64 `json:"us_q"` // bank accounts by processor Q
	CA  int64 `json:"ca"`
}

// All returns the ids of all merchants.
func (m Merchants) All() []int64 { return []int64{m.US, m.USQ, m.CA} }

// User is a person of the portal.
type User struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	Role     string `json:"role"`
}

// Login is an account at one of the sandbox's counterparties.
type Login struct {
	Username string `json:"username"`
	Password string `json:"password"`
}

// Maker makes the demo's records.
type Maker struct {
	Identity  *identity.Service
	APIKeys   *apikey.Service
	Merchants *merchant.Service
	Payouts   *payout.Service
	DAF       *daf.Service // of EnsureDAF alone
	// Domains are those, next to the shop's, on whose pages merchants in the US take wallet A.
	Domains []string
	// MinimumCharge is that of its merchants; nil is the usual one.
	MinimumCharge *money.Amount
}

// Ensure returns working credentials: those of before if the database still knows them, else
// those of newly made applications and people. Addresses are the caller's to fill in.
func (m Maker) Ensure(ctx context.Context, before Credentials, shopURL string) (Credentials, error) {
	c, err := m.Businesses(ctx, before, shopURL)
	if err != nil {
		return c, err
	}
	if c.Users, err = m.ensurePeople(ctx, c.Application, riverside); err != nil {
		return c, err
	}
	c.Other.Users, err = m.ensurePeople(ctx, *c.Other, harbor)
	return c, err
}

// Businesses is Ensure without the people, whose passwords take long to hash.
func (m Maker) Businesses(ctx context.Context, before Credentials, shopURL string) (Credentials, error) {
	c, err := m.Applications(ctx, before, shopURL)
	if err != nil {
		return c, err
	}
	return c, errors.Join(m.ensureBanks(ctx, c.Application), m.ensureBanks(ctx, *c.Other))
}

// Knows reports whether the database still knows the applications of before.
func (m Maker) Knows(ctx context.Context, before Credentials) (bool, error) {
	if before.Other == nil {
		return false, nil
	}
	for _, a := range []Application{before.Application, *before.Other} {
		if known, err := m.knows(ctx, a); err != nil || !known {
			return false, err
		}
	}
	return true, nil
}

func (m Maker) knows(ctx context.Context, a Application) (bool, error) {
	_, err := m.APIKeys.Authenticate(ctx, apikey.Credentials{APIKey: a.SecretKey, AppID: fmt.Sprint(a.AppID)})
	if f, ok := fault.As(err); ok && f.Kind == fault.KindUnauthenticated {
		return false, nil
	}
	return err == nil, err
}

// Applications is Businesses without the merchants' bank accounts.
func (m Maker) Applications(ctx context.Context, before Credentials, shopURL string) (Credentials, error) {
	c := before
	var err error
	if c.Application, err = m.ensure(ctx, before.Application, riverside, shopURL); err != nil {
		return c, err
	}
	other := Application{}
	if before.Other != nil {
		other = *before.Other
	}
	if other, err = m.ensure(ctx, other, harbor, shopURL); err != nil {
		return c, err
	}
	c.Other = &other
	c.DAFLogin = Login{Username: "donor@fund.example", Password: "sandbox-donor-advised"}
	c.BankLogin = Login{Username: "good@bank.example", Password: "sandbox-bank"}
	return c, nil
}

// story is what one of the demo's applications is called.
type story struct {
	application string
	short       string // begins the names of organization and merchants
	host        string // of its people's email addresses
	people      []persona
	eins        [2]string // of its merchants in the US
}

var (
	riverside = story{"Riverside Giving", "Riverside", "riverside.example", append(deployment, staff...),
		[2]string{"04-3567500", "93-1234567"}}
	harbor = story{"Harbor Donations", "Harbor", "harbor.example", staff, [2]string{"59-7654321", "36-2468135"}}
)

func (m Maker) ensure(ctx context.Context, a Application, s story, shopURL string) (Application, error) {
	if known, err := m.knows(ctx, a); err != nil || known {
		return a, err
	}
	return m.make(ctx, s, shopURL)
}

func (m Maker) make(ctx context.Context, s story, shopURL string) (a Application, err error) {
	if a.AppID, err = m.APIKeys.CreateApplication(ctx, s.application); err != nil {
		return a, err
	}
	server := authz.Actor{Role: authz.RoleSecretKey, ApplicationID: a.AppID}
	for _, acc := range accountsOf(s, &a.Merchants, append([]string{hostOf(shopURL)}, m.Domains...)) {
		in := acc.in
		in.Rates, in.MinimumCharge = new(Rates()), m.MinimumCharge
		if a.OrganizationID == 0 {
			in.Organization = &merchant.NewOrganization{Name: new(s.short + " Community Trust")}
		} else {
			in.OrganizationID = &a.OrganizationID
		}
		out, err := m.Merchants.Create(ctx, server, in, nil)
		if err != nil {
			return a, fmt.Errorf("demo: merchant %s: %w", *in.Name, err)
		}
		*acc.id, a.OrganizationID = out.Object.ID, out.Object.Organization.ID
	}
	return a, m.keys(ctx, &a, shopURL)
}

// account is one merchant of the demo.
type account struct {
	id *int64
	in merchant.CreateInput
}

// accountsOf are the merchants of a story. Those in the US take wallet A on pages of the domains.
func accountsOf(s story, ids *Merchants, domains []string) []account {
	of := func(id *int64, name, country, processor, descriptor string) account {
		name, descriptor = s.short+" "+name, strings.ToUpper(s.short+" "+descriptor)
		return account{
			id, merchant.CreateInput{Name: &name, Country: &country, BankProcessor: &processor,
				StatementDescriptor: &descriptor}}
	}
	food := of(&ids.US, "Food Bank", "US", "p", "Food")
	shelter := of(&ids.USQ, "Animal Shelter", "US", "q", "Shelter")
	relief := of(&ids.CA, "Winter Relief", "CA", "p", "Relief")
	for i, ein := range s.eins {
		in := &[]*account{&food, &shelter}[i].in
		in.HasWalletA, in.Domains, in.Nonprofit, in.EIN = new(true), domains, new(true), &ein
	}
	return []account{food, shelter, relief}
}

// hostOf is the host name in a page's origin.
func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// administrator is who sets up one of the demo's applications.
func administrator(applicationID int64) authz.Actor {
	return authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: applicationID}
}

func readingRights() []authz.Right {
	return slices.DeleteFunc(authz.Rights(), func(r authz.Right) bool { return !strings.HasSuffix(string(r), ":read") })
}

func (m Maker) keys(ctx context.Context, a *Application, shopURL string) error {
	keys := []struct {
		text *string
		in   apikey.CreateInput
	}{
		{&a.SecretKey, apikey.CreateInput{Kind: apikey.Secret, Name: "Demo server"}},
		{&a.PublicKey, apikey.CreateInput{Kind: apikey.Public, Name: "Demo pages"}},
		{&a.PublicKeyRestricted, apikey.CreateInput{Kind: apikey.Public, Name: "Demo shop only", AllowedOrigins: []string{shopURL}}},
		{&a.RestrictedKey, apikey.CreateInput{Kind: apikey.Restricted, Name: "Demo reports", Rights: readingRights(), Merchants: []int64{a.Merchants.US}}},
	}
	for _, k := range keys {
		made, err := m.APIKeys.Create(ctx, administrator(a.AppID), k.in)
		if err != nil {
			return err
		}
		*k.text = made.Text
	}
	return nil
}

// Rates are the demo's fees; an AMEX charge of 100.00 costs 1.85 with them.
func Rates() fee.Rates {
	return fee.Rates{AuthorizationFee: 10, CaptureFee: 20, AmexSurchargePercentage: 500,
		ACHTransferFlatFee: 25, ACHTransferPercentage: 800, ACHTransferFailedFee: 400, ACHReturnFee: 500,
		ChargebackFee: 1500, RetrievalFee: 500, PlatformFlatFee: new(money.Amount(5)),
		PlatformPercentage: new(money.Percent(1000)), DAFPercentage: 2000}
}
