package workflow

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"slices"

	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/token"
	"svcpay/views/text"
)

// BeginInput asks for the modal. Amount is US cents; nil leaves it to the customer's detail, or to the donor.
type BeginInput struct {
	SessionID string
	Amount    *money.Amount
	// CustomerDetail is the page's own JSON, which fills the form in. Nothing in it stops a donor: what is wrong
	// with it is left out and told in warnings.
	CustomerDetail []byte
	Scheme         string // light or dark; else as the donor's device
	Locale         string // of what the donor reads, as in BCP 47; "" is English
}

// Begun is where a donor's way begins.
type Begun struct {
	Secret   string // anyone who has it goes this way
	Warnings []string
}

// Begin starts a donor's way in a session of a payer's browser, which it counts against. Faults: those of
// [token.Service.UseSession], payment_method_disabled, invalid_price.
func (s *Service) Begin(ctx context.Context, in BeginInput) (Begun, error) {
	use, err := s.deps.Tokens.UseSession(ctx, in.SessionID)
	if err != nil {
		return Begun{}, err
	}
	m, err := s.deps.Merchants.Find(ctx, use.ApplicationID, use.MerchantID)
	if err != nil {
		return Begun{}, err
	}
	if !m.CanProcess.DAF {
		return Begun{}, fault.Refused("payment_method_disabled",
			"This merchant does not take donations from donor-advised funds.")
	}
	if in.Amount != nil && !grantable(*in.Amount) {
		return Begun{}, fault.Invalid("invalid_price",
			"The amount must be in whole dollars, from 1 dollar to 999,999 dollars.").On("amount")
	}
	c, warnings := readCustomer(in.CustomerDetail)
	if in.Amount == nil {
		in.Amount = c.amount
	}
	scheme := Scheme(in.Scheme)
	if !slices.Contains([]Scheme{Light, Dark}, scheme) {
		scheme = System
	}
	secret, err := s.insert(ctx, way{use: use, amount: in.Amount, donor: c.donor, scheme: scheme,
		locale: text.LanguageOf(in.Locale)})
	return Begun{Secret: secret, Warnings: warnings}, err
}

// BeginTest starts a way that no page shows, for a server that tries donations out with its key.
func (s *Service) BeginTest(ctx context.Context, key ids.Key, m merchant.Merchant, amount money.Amount) (secret string,
	err error) {
	use := token.SessionUse{ApplicationID: m.ApplicationID, MerchantID: m.ID, KeyID: key, Hash: make([]byte, 32),
		PageOrigin: "null"}
	return s.insert(ctx, way{use: use, amount: &amount, scheme: System, locale: text.LanguageEnglish})
}

// way is a donor's way as it begins.
type way struct {
	use    token.SessionUse
	amount *money.Amount
	donor  provider.Donor
	scheme Scheme
	locale text.Language
}

func (s *Service) insert(ctx context.Context, w way) (secret string, err error) {
	raw, now := make([]byte, 32), s.deps.Now()
	rand.Read(raw) // never fails (crypto/rand)
	secret = base64.RawURLEncoding.EncodeToString(raw)
	_, err = pg.Exec(ctx, s.deps.Pool, `
		INSERT INTO daf_workflows (secret_hash, application_id, merchant_id, key_id, session_hash, page_origin, amount,
			donor, scheme, locale, created_at, expires_at)
		VALUES (@hash, @application_id, @merchant_id, @key_id, @session, @origin, @amount, @donor, @scheme,
			@locale, @now, @until)`,
		pg.Args{"hash": hashOf(secret), "application_id": w.use.ApplicationID, "merchant_id": w.use.MerchantID,
			"key_id":  w.use.KeyID,
			"session": w.use.Hash, "origin": w.use.PageOrigin, "amount": w.amount, "donor": w.donor, "scheme": w.scheme,
			"locale": w.locale,
			"now":    now, "until": now.Add(wayLife)})
	return secret, err
}

// grantable reports whether a fund can grant that much.
func grantable(a money.Amount) bool {
	return a >= MinAmount && a <= MaxAmount && a%money.Dollar == 0
}
