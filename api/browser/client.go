// Package browser serves svcpay.js and its frames, and responds to the controller frame under /client.
package browser

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"svcpay/internal/banklink"
	"svcpay/internal/check"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
)

// ClientConfig is what the endpoints under /client work with.
type ClientConfig struct {
	Tokens    *token.Service
	Workflows *workflow.Service
	Links     *banklink.Service
	// Versions are those of the library whose frames may open a session, as [Versions] lists them.
	Versions []string
	// Wallets are what pages need to open the wallets' sheets.
	Wallets WalletsSetup
	Limit   *Limit
	Log     *slog.Logger
	Now     func() time.Time
}

// client answers the controller frame. Its endpoints are for the pay origin's own frames: no CORS,
// no cookies, same-origin requests only.
type client struct {
	ClientConfig
}

// RegisterClient adds the endpoints under /client to r.
func RegisterClient(r Router, c ClientConfig) {
	cl := &client{c}
	r.Add(http.MethodPost, "/client/session", cl.answer(cl.openSession))
	r.Add(http.MethodPost, "/client/tokens", cl.answer(cl.createToken))
	r.Add(http.MethodPost, "/client/wallet-a/session", cl.answer(cl.openWalletA))
	r.Add(http.MethodPost, "/client/daf", cl.answer(cl.beginDAF))
	r.Add(http.MethodPost, "/client/bank", cl.answer(cl.beginLink))
}

type sessionRequest struct {
	PublicKey       string     `json:"public_key"`
	MerchantID      merchantID `json:"merchant_id"`
	PageOrigin      string     `json:"page_origin"`
	AncestorOrigins []string   `json:"ancestor_origins"`
	Version         string     `json:"version"`
}

type sessionAnswer struct {
	Session   string           `json:"session"`
	ExpiresAt instant.Time     `json:"expires_at"`
	Livemode  bool             `json:"livemode"`
	Merchant  sessionMerchant  `json:"merchant"`
	Methods   merchant.Methods `json:"methods"`
	Wallets   walletsAnswer    `json:"wallets"`
	// Mandate is what the payer of a bank account must agree to; null where none is debited.
	Mandate *sessionMandate `json:"mandate"`
	// Without are the countries whose payers may leave a card's postal code empty, with "" if a payer may of whom the
	// page gives no country.
	Without []string `json:"without"`
}

type sessionMerchant struct {
	ID            int64  `json:"id"`
	Name          string `json:"name"`
	Country       string `json:"country"`
	Currency      string `json:"currency"`
	BankProcessor string `json:"bank_processor"`
}

func (cl *client) openSession(c echo.Context) (int, any, error) {
	var in sessionRequest
	if err := decode(c.Request(), &in); err != nil {
		return 0, nil, err
	}
	if !slices.Contains(cl.Versions, in.Version) {
		return 0, nil, badRequest("version", "This version of the library is not offered here. Reload the page.")
	}
	s, err := cl.Tokens.OpenSession(c.Request().Context(), token.SessionInput{PublicKey: in.PublicKey,
		MerchantID: int64(in.MerchantID), PageOrigin: in.PageOrigin, AncestorOrigins: in.AncestorOrigins})
	if err != nil {
		return 0, nil, err
	}
	m := s.Merchant
	return http.StatusOK, sessionAnswer{Session: s.ID, ExpiresAt: instant.Of(s.ExpiresAt), Livemode: s.Livemode,
		Merchant: sessionMerchant{ID: m.ID, Name: m.Name, Country: m.Country, Currency: string(m.Currency),
			BankProcessor: m.BankProcessor},
		Methods: cl.Wallets.methods(m), Wallets: cl.Wallets.of(m), Mandate: mandateOf(m),
		Without: withoutPostalCode(c.Request(), m.Country)}, nil
}

func withoutPostalCode(r *http.Request, country string) []string {
	countries := check.WithoutPostalCode()
	if check.MayLackPostalCode(r.Header.Get("Accept-Language"), country) {
		countries = append(countries, "")
	}
	return countries
}

type tokenRequest struct {
	Session string      `json:"session"`
	Type    string      `json:"type"`
	Card    cardRequest `json:"card"`
	// Payload is what a wallet gave to the page, as it is.
	Payload jsontext.Value `json:"payload"`
	Bank    bankRequest    `json:"bank_account"`
	Mandate bankMandate    `json:"mandate"`
	Country string         `json:"country"` // of a bank account
	// Authorization is what the modal for bank accounts notified of a payer who authorized debits there.
	Authorization string        `json:"authorization"`
	Billing       token.Billing `json:"billing"`
	// Proof is the solution of a challenge that an earlier answer had.
	Proof token.Proof `json:"proof"`
}

type cardRequest struct {
	Number   string `json:"number"`
	ExpMonth int    `json:"exp_month"`
	ExpYear  int    `json:"exp_year"`
	CVC      string `json:"cvc"`
	// EntryMode is "swiped" for a card whose stripe was read, else "".
	EntryMode string `json:"entry_mode"`
}

func (cl *client) createToken(c echo.Context) (int, any, error) {
	key := c.Request().Header.Get("Idempotency-Key")
	if key == "" || len(key) > maxRetryKey {
		return 0, nil, badRequest("Idempotency-Key",
			"A request for a token needs an Idempotency-Key of at most 255 characters.")
	}
	var in tokenRequest
	if err := decode(c.Request(), &in); err != nil {
		return 0, nil, err
	}
	if in.Type == "walletA" || in.Type == "walletB" {
		kind := map[string]token.Kind{"walletA": token.WalletA, "walletB": token.WalletB}[in.Type]
		out, err := cl.Tokens.CreateWallet(c.Request().Context(), in.Session, key,
			token.WalletInput{Kind: kind, Payload: in.Payload, Billing: in.Billing})
		return http.StatusCreated, out, err
	}
	if in.Card.EntryMode != "" && in.Card.EntryMode != token.Swiped {
		return 0, nil, badRequest("card.entry_mode", "A card is typed, or swiped.")
	}
	if in.Type == "bank_authorization" {
		out, err := cl.redeemLink(c, key, in)
		return http.StatusCreated, out, err
	}
	if in.Type == "bank" {
		out, err := cl.Tokens.CreateBank(c.Request().Context(), in.Session, key, bankInput(c, in))
		return http.StatusCreated, out, err
	}
	if in.Type != "card" {
		return 0, nil, badRequest("type", "Cards, wallets and bank accounts are tokenized here, nothing else.")
	}
	out, err := cl.Tokens.CreateCard(c.Request().Context(), in.Session, key, token.CardInput{
		Number: sensitive.NewPAN(in.Card.Number), CVC: sensitive.NewCVC(in.Card.CVC),
		ExpMonth: in.Card.ExpMonth, ExpYear: in.Card.ExpYear, Swiped: in.Card.EntryMode == token.Swiped,
		Billing: in.Billing, Proof: in.Proof})
	return http.StatusCreated, out, err
}
