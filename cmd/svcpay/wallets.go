package main

import (
	"fmt"

	"svcpay/internal/token"
	"svcpay/internal/wallet/sandbox"
)

// wallets are those of the sandbox; without a file there are none.
func (c config) wallets() (token.Wallets, error) {
	if c.walletsFile == "" {
		return token.Wallets{}, nil
	}
	issuer, err := sandbox.File(c.walletsFile, machineTime())
	if err != nil {
		return token.Wallets{}, fmt.Errorf("SVCPAY_WALLETS_FILE: %w", err)
	}
	return token.Wallets{A: issuer.A(), B: issuer.B()}, nil
}
