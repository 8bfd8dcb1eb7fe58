package token

import (
	"cmp"
	"context"
	"errors"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"svcpay/internal/platform/pg"
)

// MerchantSessionInput is what wallet A's sheet waits for.
type MerchantSessionInput struct {
	// ValidationURL is the address that the sheet has given.
	ValidationURL string
	// DisplayName is the store's in the sheet; "" is the deployment's or the merchant's name. At most 64 characters are
	// kept.
	DisplayName string
}

const (
	maxDisplayName = 64
	// sessionSheets is how often a page's sheet is opened: each has us call the provider, whom anybody could have us
	// flood.
	sessionSheets = 20
)

// OpenWalletA asks wallet A's provider for a merchant session for the page of a payer's session, which is not an
// attempt at a token. Twenty are for a session. Faults: not_ready, rate_limited, payment_method_disabled,
// wallet_domain_not_registered, invalid_token_data of another address, internal_error.
func (s *Service) OpenWalletA(ctx context.Context, sessionID string, in MerchantSessionInput) (jsontext.Value, error) {
	session, err := s.openSheet(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	m, err := s.deps.Merchants.Find(ctx, session.ApplicationID, session.MerchantID)
	if err != nil {
		return nil, err
	}
	if err := walletAllowed(m, session.PageOrigin, WalletA); err != nil {
		return nil, err
	}
	page, err := url.Parse(session.PageOrigin)
	if err != nil {
		return nil, errDomain
	}
	name := []rune(cmp.Or(in.DisplayName, s.deps.Wallets.DisplayNameA, m.Name))
	return s.deps.Wallets.SessionsA.Open(ctx, in.ValidationURL, page.Hostname(),
		string(name[:min(len(name), maxDisplayName)]))
}

// openSheet counts a sheet of a session; what the session may still try is left alone. One that has ended: not_ready;
// more than a payer opens: rate_limited.
func (s *Service) openSheet(ctx context.Context, id string) (SessionUse, error) {
	type use struct {
		SessionUse
		Sheets int `db:"merchant_sessions"`
	}
	row, err := pg.One[use](ctx, s.deps.Pool, `
		UPDATE client_sessions s SET merchant_sessions = s.merchant_sessions + 1`+ofSession+`, s.merchant_sessions`,
		pg.Args{"hash": hashSession(id), "now": s.deps.Now()})
	switch {
	case errors.Is(err, pg.ErrNone):
		return row.SessionUse, errEnded
	case err == nil && row.Sheets > sessionSheets:
		err = errTooMany.After(sessionLife)
	}
	return row.SessionUse, err
}
