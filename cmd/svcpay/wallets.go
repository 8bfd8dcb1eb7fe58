package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"svcpay/api/browser"
	"svcpay/internal/assembly"
	"svcpay/internal/platform/safehttp"
	"svcpay/internal/token"
	"svcpay/internal/wallet/credentials"
	"svcpay/internal/wallet/sandbox"
)

// payersWallets is all that the service knows of payers' wallets.
type payersWallets struct {
	open  token.Wallets
	pages browser.WalletsSetup
	// certificates are those of the deployment and of the providers' roots, whose time ends.
	certificates []credentials.Certificate
	// issuer is the sandbox's counterpart of the wallets' providers; nil without one.
	issuer  *sandbox.Issuer
	gateway *sandbox.Gateway
	// rootKeys are wallet B's; those at an address are watched.
	rootKeys *credentials.RootKeys
}

// close ends the sandbox's provider.
func (w payersWallets) close() {
	if w.gateway != nil {
		_ = w.gateway.Close() // nothing is left to be done with it
	}
}

// wallets are those of the settings, or of a sandbox's file; without either there are none.
func (c config) wallets() (payersWallets, error) {
	if c.walletsFile != "" {
		return c.sandboxWallets()
	}
	w := payersWallets{}
	if err := c.walletA.read(&w); err != nil {
		return payersWallets{}, err
	}
	return w, c.walletB.read(&w)
}

// sandboxWallets are those whose providers this program plays.
func (c config) sandboxWallets() (payersWallets, error) {
	issuer, err := sandbox.File(c.walletsFile, machineTime())
	if err != nil {
		return payersWallets{}, fmt.Errorf("SVCPAY_WALLETS_FILE: %w", err)
	}
	gateway, err := issuer.OpenGateway(machineTime)
	if err != nil {
		return payersWallets{}, fmt.Errorf("the sandbox's wallet A: %w", err)
	}
	return payersWallets{
		open: token.Wallets{A: issuer.A(), B: issuer.B(), SessionsA: gateway.Sessions(),
			Seal: assembly.SandboxSeal(issuer, machineTime)}, issuer: issuer, gateway: gateway,
		pages: browser.WalletsSetup{
			A: &browser.WalletASetup{Script: c.payURL + browser.SandboxScriptA},
			B: &browser.WalletBSetup{Script: c.payURL + browser.SandboxScriptB, Environment: "TEST",
				Gateway: sandbox.GatewayID},
		}}, nil
}

// read opens wallet A's files.
func (s walletASettings) read(w *payersWallets) error {
	if s.merchantID == "" {
		return nil
	}
	identity, own, err := credentials.Identity(s.identityFile, s.merchantID, machineTime())
	if err != nil {
		return fmt.Errorf("SVCPAY_WALLET_A_IDENTITY_FILE: %w", err)
	}
	keys, processing, err := credentials.ProcessingKeys(s.processingFile, s.merchantID, machineTime())
	if err != nil {
		return fmt.Errorf("SVCPAY_WALLET_A_PROCESSING_FILE: %w", err)
	}
	roots, known, err := credentials.Roots(s.rootFile, machineTime())
	if err != nil {
		return fmt.Errorf("SVCPAY_WALLET_A_ROOT_FILE: %w", err)
	}
	w.certificates = append(append(append(w.certificates, own), processing...), known...)
	a, sessions := &w.open.A, &w.open.SessionsA
	a.MerchantIdentifier, a.Keys, a.Roots = s.merchantID, keys, roots
	sessions.MerchantIdentifier, sessions.Hosts = s.merchantID, oneOf(s.hosts)
	sessions.Client = safehttp.New(safehttp.Policy{Certificates: []tls.Certificate{identity}})
	w.open.DisplayNameA = s.displayName
	w.pages.A = &browser.WalletASetup{Script: s.script}
	return nil
}

// oneOf matches the hosts and no other.
func oneOf(hosts []string) *regexp.Regexp {
	quoted := make([]string, len(hosts))
	for i, h := range hosts {
		quoted[i] = regexp.QuoteMeta(h)
	}
	return regexp.MustCompile("^(?:" + strings.Join(quoted, "|") + ")$")
}

// read opens wallet B's files. Root keys at an address come later: the provider's silence must not keep a server from
// starting.
func (s walletBSettings) read(w *payersWallets) error {
	if s.merchantID == "" {
		return nil
	}
	keys, err := credentials.EncryptionKeys(s.keyFile)
	if err != nil {
		return fmt.Errorf("SVCPAY_WALLET_B_KEY_FILE: %w", err)
	}
	w.rootKeys = &credentials.RootKeys{}
	if strings.HasPrefix(s.rootKeys, "/") {
		if err := w.rootKeys.ReadFile(s.rootKeys, machineTime()); err != nil {
			return fmt.Errorf("SVCPAY_WALLET_B_ROOT_KEYS: %w", err)
		}
	}
	b := &w.open.B
	b.Recipient, b.Keys, b.Roots = "gateway:"+s.gatewayID, keys, w.rootKeys.Now
	w.pages.B = &browser.WalletBSetup{Script: s.script, Environment: s.environment, Gateway: s.gatewayID,
		MerchantID: s.merchantID}
	return nil
}

// watchRootKeys reads wallet B's root keys at their address again and again, until the function that it returns is
// called.
func (a *app) watchRootKeys(ctx context.Context) (stop func()) {
	address := a.config.walletB.rootKeys
	if a.wallets.rootKeys == nil || strings.HasPrefix(address, "/") {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		a.wallets.rootKeys.Watch(ctx, safehttp.New(safehttp.Policy{}), address, machineTime, a.log)
	})
	return func() {
		cancel()
		watcher.Wait()
	}
}
