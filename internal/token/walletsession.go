package token

import (
	"cmp"
	"context"
	"errors"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"svcpay/internal/fault"
	"svcpay/internal/pg"
)

// MerchantSessionInput is what wallet A's sheet waits for.
type MerchantSessionInput struct {
	// ValidationURL is the address that the sheet has given.
	ValidationURL string
	// DisplayName is the store's in the sheet; "" is the deployment's or the merchant's name. At most 64 characters are kept.
	DisplayName string
}

const maxDisplayName = 64

// OpenWalletA asks wallet A's provider for a merchant session for the page of a payer's session, which is not an attempt at a token.
// Faults: not_ready, payment_method_disabled, wallet_domain_not_registered, invalid_token_data of another address, internal_error.
func (s *Service) OpenWalletA(ctx context.Context, sessionID string, in MerchantSessionInput) (jsontext.Value, error) {
	session, err := s.sessionOf(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	m, err := s.Merchants.Find(ctx, session.ApplicationID, session.MerchantID)
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
	name := []rune(cmp.Or(in.DisplayName, s.Wallets.DisplayNameA, m.Name))
	return s.Wallets.SessionsA.Open(ctx, in.ValidationURL, page.Hostname(), string(name[:min(len(name), maxDisplayName)]))
}

// sessionOf finds a session without an attempt being counted.
func (s *Service) sessionOf(ctx context.Context, id string) (SessionUse, error) {
	row, err := pg.One[SessionUse](ctx, s.Pool, `
		SELECT s.id_hash, s.application_id, s.merchant_id, s.key_id, s.page_origin, s.attempts
		FROM client_sessions s JOIN api_keys k ON k.id = s.key_id
		WHERE s.id_hash = @hash AND s.expires_at > @now AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > @now)`,
		pg.Args{"hash": hashSession(id), "now": s.Now()})
	if errors.Is(err, pg.ErrNone) {
		return row, fault.New(fault.KindUnauthenticated, "not_ready", "This payment session has ended. Reload the page.")
	}
	return row, err
}
