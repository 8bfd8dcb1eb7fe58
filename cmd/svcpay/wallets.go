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
	issuer *sandbox.Issuer
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
	return payersWallets{open: token.Wallets{A: issuer.A(), B: issuer.B()}, issuer: issuer,
		pages: browser.WalletsSetup{
			B: &browser.WalletBSetup{Script: c.payURL + browser.SandboxScriptB, Environment: "TEST", Gateway: sandbox.Gateway},
		}}, nil
}
