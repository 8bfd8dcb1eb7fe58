package browser

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"svcpay/internal/merchant"
	"svcpay/internal/token"
)

// WalletsSetup is what pages need to open the wallets' sheets. A wallet that is nil is not set up: no merchant takes
// it.
type WalletsSetup struct {
	A *WalletASetup
	B *WalletBSetup
}

// WalletASetup is what pages need of wallet A.
type WalletASetup struct {
	// Script defines ApplePaySession where a browser has none of its own; "" for none.
	Script string `json:"script"`
}

// WalletBSetup is what pages need of wallet B.
type WalletBSetup struct {
	Script      string `json:"script"`
	Environment string `json:"environment"` // TEST or PRODUCTION
	Gateway     string `json:"gateway"`     // the id that wallet B's provider knows the service by as a gateway
	MerchantID  string `json:"merchant_id"` // of anyone who runs the service, at wallet B's provider; "" in a sandbox
}

// walletsAnswer is the setup for a merchant.
type walletsAnswer struct {
	A *WalletASetup  `json:"a,omitempty"`
	B *walletBAnswer `json:"b,omitempty"`
}

type walletBAnswer struct {
	WalletBSetup
	GatewayMerchantID string `json:"gateway_merchant_id"`
}

// methods are those of a merchant for which there is a setup.
func (s WalletsSetup) methods(m merchant.Merchant) merchant.Methods {
	out := m.CanProcess
	out.WalletA = out.WalletA && s.A != nil
	out.WalletB = out.WalletB && s.B != nil
	return out
}

// of is what a merchant's pages are told.
func (s WalletsSetup) of(m merchant.Merchant) walletsAnswer {
	out := walletsAnswer{A: s.A}
	if s.B != nil {
		out.B = &walletBAnswer{*s.B, token.BoundTo(m.ID)}
	}
	return out
}

type walletARequest struct {
	Session       string `json:"session"`
	ValidationURL string `json:"validation_url"`
	DisplayName   string `json:"display_name"`
}

type walletAAnswer struct {
	MerchantSession rawJSON `json:"merchant_session"`
}

// rawJSON is written as it is.
type rawJSON jsontext.Value

// MarshalJSON implements json.Marshaler.
func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }

// openWalletA answers a sheet of wallet A that wants to know whose page it is on.
func (cl *client) openWalletA(c echo.Context) (int, any, error) {
	var in walletARequest
	if err := decode(c.Request(), &in); err != nil {
		return 0, nil, err
	}
	out, err := cl.Tokens.OpenWalletA(c.Request().Context(), in.Session,
		token.MerchantSessionInput{ValidationURL: in.ValidationURL, DisplayName: in.DisplayName})
	return http.StatusOK, walletAAnswer{rawJSON(out)}, err
}
