package main

import (
	"fmt"

	"svcpay/api/browser"
	"svcpay/internal/token"
	"svcpay/internal/wallet/sandbox"
)

// payersWallets is all that the service knows of payers' wallets.
type payersWallets struct {
	open  token.Wallets
	pages browser.WalletsSetup
	// issuer is the sandbox's counterpart of the wallets' providers; nil without one.
	issuer  *sandbox.Issuer
	gateway *sandbox.Gateway
}

// close ends the sandbox's provider.
func (w payersWallets) close() {
	if w.gateway != nil {
		_ = w.gateway.Close() // nothing is left to be done with it
	}
}

// wallets are those of the sandbox; without a file there are none.
func (c config) wallets() (payersWallets, error) {
	if c.walletsFile == "" {
		return payersWallets{}, nil
	}
	issuer, err := sandbox.File(c.walletsFile, machineTime())
	if err != nil {
		return payersWallets{}, fmt.Errorf("SVCPAY_WALLETS_FILE: %w", err)
	}
	gateway, err := issuer.OpenGateway(machineTime)
	if err != nil {
		return payersWallets{}, fmt.Errorf("the sandbox's wallet A: %w", err)
	}
	return payersWallets{open: token.Wallets{A: issuer.A(), B: issuer.B(), SessionsA: gateway.Sessions()}, issuer: issuer, gateway: gateway,
		pages: browser.WalletsSetup{
			A: &browser.WalletASetup{Script: c.payURL + browser.SandboxScriptA},
			B: &browser.WalletBSetup{Script: c.payURL + browser.SandboxScriptB, Environment: "TEST", Gateway: sandbox.GatewayID},
		}}, nil
}
