package browser

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/wallet/sandbox"
	"svcpay/views/sheet"
)

// Where the sandbox's wallets are, below the pay origin.
const (
	sandboxWalletA = "/sandbox/wallet-a"
	sandboxWalletB = "/sandbox/wallet-b"

	// SandboxScriptB is the script that defines the sandbox's wallet B.
	SandboxScriptB = sandboxWalletB + "/pay.js"
	// SandboxScriptA is the script that defines ApplePaySession for the sandbox's wallet A.
	SandboxScriptA = sandboxWalletA + "/session.js"
)

// SandboxWalletsConfig is what the sandbox's wallets work with.
type SandboxWalletsConfig struct {
	Issuer *sandbox.Issuer
	Static fs.FS
	Now    func() time.Time
}

// wallets are the sandbox's: their scripts, their sheets, and the issuer behind those. They are a counterparty's: they
// have only what a page sends to a wallet, and none of our data.
type wallets struct{ SandboxWalletsConfig }

// RegisterSandboxWallets adds the sandbox's wallets to the pay origin. An error means that the front end's build is
// damaged.
func RegisterSandboxWallets(r Router, c SandboxWalletsConfig) error {
	if _, err := fs.Stat(c.Static, "wallets"); err != nil {
		return nil // before the front end is built the library is not there, either
	}
	tree, err := fs.Sub(c.Static, "wallets")
	if err != nil {
		return err
	}
	for route, name := range map[string]string{
		SandboxScriptA: "session.js", SandboxScriptB: "pay.js", sandboxWalletB +
			"/sheet.js": "sheet.js", sandboxWalletB + "/sheet.css": "sheet.css",
	} {
		f, err := loadFile(tree, name)
		if err != nil {
			return err
		}
		r.Add(http.MethodGet, route, f.serve)
	}
	w := &wallets{c}
	r.Add(http.MethodGet, sandboxWalletB+"/sheet", w.sheet("B"))
	r.Add(http.MethodPost, sandboxWalletB+"/authorize", w.authorize(w.sealB))
	r.Add(http.MethodGet, sandboxWalletA+"/sheet", w.sheet("A"))
	r.Add(http.MethodPost, sandboxWalletA+"/authorize", w.authorize(w.sealA))
	return nil
}

// sheet shows a wallet's sheet for what the address says that is paid.
func (w *wallets) sheet(name string) echo.HandlerFunc {
	return func(c echo.Context) error {
		modalHeaders(c.Response().Header(), anyOrigin, "")
		at := "/sandbox/wallet-" + strings.ToLower(name)
		s := sheet.Sheet{Wallet: name, Style: sandboxWalletB + "/sheet.css", Script: sandboxWalletB + "/sheet.js",
			Store: c.QueryParam("store"), Label: c.QueryParam("label"),
			Amount: priced(c.QueryParam("amount"), c.QueryParam("currency"))}
		taken := strings.Split(c.QueryParam("networks"), ",")
		for _, p := range sandbox.People() {
			s.People = append(s.People,
				sheet.Person{Key: p.Key, Name: p.Name, Card: networkNames[p.Network] + " ••" + p.Last4(), What: p.What,
					Off: at == sandboxWalletA && !takes(taken, p.NetworkOfA()) || at == sandboxWalletB &&
						!takes(taken, p.Network)})
		}
		return show(c, http.StatusOK, sheet.Page(s))
	}
}

var networkNames = map[string]string{"AMEX": "American Express", "DISCOVER": "Discover", "JCB": "JCB",
	"MASTERCARD": "Mastercard", "VISA": "Visa"}

// takes reports whether a network is among those that a page takes, of which wallet A's have no fixed case.
func takes(networks []string, name string) bool {
	return slices.ContainsFunc(networks, func(n string) bool { return strings.EqualFold(n, name) })
}

// priced is an amount with its sign of currency.
func priced(amount, currency string) string {
	a, err := money.ParseDecimal(amount)
	if err != nil {
		return amount
	}
	return map[string]string{"USD": "$", "CAD": "CA$"}[currency] + a.Decimal()
}

// authorization is what a sheet asks the issuer for.
type authorization struct {
	Person     string `json:"person"`
	Store      string `json:"store"`
	Label      string `json:"label"`
	Amount     string `json:"amount"`
	Currency   string `json:"currency"`
	Networks   string `json:"networks"`
	Bound      string `json:"bound"`
	PageOrigin string `json:"page_origin"`
	// MerchantSession is what the page's server got of wallet A's provider.
	MerchantSession jsontext.Value `json:"merchant_session"`
}

var errSheet = fault.Invalid("invalid_token_data", "The wallet does not know what to pay. Close it and start again.")

// sale reads what is paid, and by whom.
func (a authorization) sale() (sandbox.Person, sandbox.Sale, error) {
	p, known := sandbox.PersonOf(a.Person)
	amount, err := money.ParseDecimal(a.Amount)
	currency, spoken := money.ParseCurrency(strings.ToLower(a.Currency))
	if !known || err != nil || !spoken || amount < 0 || a.Bound == "" {
		return p, sandbox.Sale{}, errSheet
	}
	return p, sandbox.Sale{Amount: amount, Currency: currency, Bound: a.Bound}, nil
}

// authorize makes a handler that answers a sheet with what its page is given.
func (w *wallets) authorize(seal func(authorization) (any, error)) echo.HandlerFunc {
	crossOrigin := http.NewCrossOriginProtection()
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set(echo.HeaderCacheControl, "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if crossOrigin.Check(c.Request()) != nil {
			return echo.ErrForbidden
		}
		var in authorization
		if err := decode(c.Request(), &in); err != nil {
			return walletProblem(c, err)
		}
		out, err := seal(in)
		if err != nil {
			return walletProblem(c, err)
		}
		return c.JSON(http.StatusOK, out)
	}
}

// walletProblem tells a sheet what its payer may read.
func walletProblem(c echo.Context, err error) error {
	f, ok := fault.As(err)
	if !ok {
		return err
	}
	return c.JSON(http.StatusBadRequest, map[string]string{"error": f.Message})
}

// object is a JSON object of a wallet's.
type object map[string]any

// sealB is the PaymentData that wallet B gives to the page.
func (w *wallets) sealB(in authorization) (any, error) {
	p, sale, err := in.sale()
	if err != nil {
		return nil, err
	}
	payload, err := w.Issuer.SealB(p.Card(w.Now()), sale, w.Now())
	if err != nil {
		return nil, err
	}
	info := object{"cardNetwork": p.Network, "cardDetails": p.Last4()}
	out := object{"apiVersion": 2, "apiVersionMinor": 0, "paymentMethodData": object{"type": "CARD", "info": info,
		"description":      networkNames[p.Network] + " •••• " + p.Last4(),
		"tokenizationData": object{"type": "PAYMENT_GATEWAY", "token": string(payload)}}}
	if k := p.Contact; k.First != "" {
		out["email"] = k.Email
		info["billingAddress"] = object{"name": p.Name, "address1": k.Street, "address2": k.Suite, "address3": "",
			"locality":           k.City,
			"administrativeArea": k.State, "postalCode": k.Zip, "countryCode": k.Country, "sortingCode": ""}
	}
	return out, nil
}

// sealA is the ApplePayPayment that wallet A gives to the page.
func (w *wallets) sealA(in authorization) (any, error) {
	page, err := url.Parse(in.PageOrigin)
	if err != nil || w.Issuer.CheckSession(in.MerchantSession, page.Hostname(), w.Now()) != nil {
		return nil, errSession
	}
	bound, err := base64.StdEncoding.DecodeString(in.Bound)
	if err != nil {
		return nil, errSheet
	}
	in.Bound = string(bound)
	p, sale, err := in.sale()
	if err != nil {
		return nil, err
	}
	payload, err := w.Issuer.SealA(p.Card(w.Now()), sale)
	if err != nil {
		return nil, err
	}
	out := object{"token": json.RawMessage(payload)}
	if k := p.Contact; k.First != "" {
		out["shippingContact"] = object{"emailAddress": k.Email}
		out["billingContact"] = object{"givenName": k.First, "familyName": k.Last,
			"addressLines": lines(k.Street, k.Suite), "locality": k.City,
			"administrativeArea": k.State, "postalCode": k.Zip, "countryCode": k.Country}
	}
	return out, nil
}

var errSession = fault.Invalid("invalid_token_data", "The wallet does not know this website.")

// lines are those of an address that are not empty.
func lines(all ...string) []string {
	return slices.DeleteFunc(all, func(line string) bool { return line == "" })
}
