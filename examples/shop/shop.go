// Package shop is the donation page of a fictional food bank, and the small
// server behind it. It shows how an application uses SvcPay: the page turns a
// card or a bank account into a token with svcpay.js, or has the donor authorize
// a grant from a donor-advised fund; the server charges the token, or records
// the donation, through the public HTTP API with the secret key that only it knows.
//
// It keeps no database. A donation attempt is named by a nonce that the page
// invents; the idempotency key and the charge's external_id are derived from
// it, so the same attempt can be sent, refreshed or asked about any number of
// times and is charged once.
package shop

import (
	"cmp"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Config is what the shop needs to know. SecretKey stays on this server.
type Config struct {
	BaseURL   string // origin of the SvcPay API, without a trailing slash
	PayURL    string // origin that serves svcpay.js and its frames
	DAFURL    string // origin on which donors visit their fund; "" if the library's frames have all pages
	AppID     int64  // sent as X-App-ID
	SecretKey string // sent as X-API-Key
	PublicKey string // given to the page
	// WebhookSecret verifies the events that SvcPay sends; without one the shop receives none.
	WebhookSecret string
	Merchants     []Merchant // who can receive gifts, the first by default; at least one
	Client        *http.Client
	Log           *slog.Logger
}

// Merchant is a SvcPay merchant account that receives gifts.
type Merchant struct {
	ID       int64
	Name     string
	Currency string // lowercase ISO code; usd when empty
	// BankProcessor is who debits bank accounts for it, "p" or "q", as SvcPay's record of the merchant says; p when
	// empty.
	BankProcessor string
	// Appeal is what the page says of it; that of the food bank when it says nothing.
	Appeal Appeal
	// DAFPercentage is what SvcPay keeps of a gift from a donor-advised fund, as agreed with it; 2 when zero.
	DAFPercentage float64
}

type shop struct {
	cfg    Config
	api    *apiClient
	log    *slog.Logger
	assets *assetSet
}

// New returns the shop: its page at "/", its assets, its JSON endpoints
// and the file by which wallet A knows it. It panics without a merchant or with an address that is none,
// because such a shop cannot work at all.
func New(cfg Config) http.Handler { return newShop(cfg).handler() }

func newShop(cfg Config) *shop {
	if len(cfg.Merchants) == 0 {
		panic("shop: no merchant to give to")
	}
	cfg.Merchants = append([]Merchant(nil), cfg.Merchants...)
	for i := range cfg.Merchants {
		m := &cfg.Merchants[i]
		m.Currency, m.BankProcessor = cmp.Or(m.Currency, "usd"), cmp.Or(m.BankProcessor, "p")
		m.DAFPercentage = cmp.Or(m.DAFPercentage, 2)
		if m.Appeal.Headline == "" {
			m.Appeal = FoodBank
		}
	}
	cfg.BaseURL, cfg.PayURL = origin(cfg.BaseURL), origin(cfg.PayURL)
	if cfg.DAFURL != "" {
		cfg.DAFURL = origin(cfg.DAFURL)
	}
	if cfg.Client == nil {
		// Longer than the 30 s that the API allows itself for a charge.
		cfg.Client = &http.Client{Timeout: 35 * time.Second}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &shop{cfg: cfg, api: newAPIClient(cfg), log: cfg.Log, assets: loadAssets()}
}

func (s *shop) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("POST /donations", s.createDonation)
	mux.HandleFunc("GET /donations/{nonce}", s.showDonation)
	mux.HandleFunc("POST /daf-donations", s.createDAFDonation)
	mux.HandleFunc("GET /daf-donations/{nonce}", s.showDAFDonation)
	mux.HandleFunc("POST /webhooks", s.receiveEvent)
	mux.HandleFunc("POST "+failingPath, failEvent)
	mux.HandleFunc("GET "+associationPath, s.association)
	mux.HandleFunc("GET /assets/{version}/{file}", s.assets.serve)

	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeAnswer(w,
			answer{status: http.StatusForbidden, State: stateRefused, Message: "Please give from our own page."})
	}))
	return withHeaders(sameOrigin.Handler(mux))
}

// merchant finds a merchant by id, or the first one for an id of zero.
func (s *shop) merchant(id int64) (Merchant, bool) {
	if id == 0 {
		return s.cfg.Merchants[0], true
	}
	for _, m := range s.cfg.Merchants {
		if m.ID == id {
			return m, true
		}
	}
	return Merchant{}, false
}

// withHeaders sets what every answer carries; the page replaces the policy
// with its own.
func withHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "strict-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func origin(address string) string {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		panic("shop: an address must begin with http:// or https://: " + address)
	}
	return strings.TrimRight(address, "/")
}
