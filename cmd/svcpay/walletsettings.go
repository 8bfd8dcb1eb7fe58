package main

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"svcpay/internal/apikey"
)

// walletASettings are what wallet A's provider knows the deployment by; the zero value is a deployment without it.
type walletASettings struct {
	merchantID     string
	identityFile   string
	processingFile string
	rootFile       string
	hosts          []string // of the provider
	script         string   // for browsers without a wallet of their own; "" for none
	displayName    string   // in sheets of pages that name no store; "" is the merchant's
}

// walletBSettings are what wallet B's provider knows the deployment by; the zero value is a deployment without it.
type walletBSettings struct {
	merchantID  string
	gatewayID   string
	keyFile     string
	script      string
	rootKeys    string // address or file
	environment string // TEST or PRODUCTION
}

// walletSettings are those of wallets that are no sandbox's.
func walletSettings() []setting {
	text := func(to func(*config) *string) func(*config, string) error {
		return func(c *config, v string) error { *to(c) = v; return nil }
	}
	page := func(to func(*config) *string) func(*config, string) error {
		return func(c *config, v string) (err error) { *to(c), err = pageAddress(v); return err }
	}
	return []setting{
		{"SVCPAY_WALLET_A_MERCHANT_ID",
			"merchant identifier that wallet A's provider gave you, e.g. merchant.org.example.pay; the five settings that follow go with it", "", false,
			text(func(c *config) *string { return &c.walletA.merchantID })},
		{"SVCPAY_WALLET_A_IDENTITY_FILE",
			"PEM file with the merchant identity certificate and its private key, mode 0600", "", false,
			text(func(c *config) *string { return &c.walletA.identityFile })},
		{"SVCPAY_WALLET_A_PROCESSING_FILE",
			"PEM file with the payment processing certificates and their private keys, the present and the former, mode 0600", "", false,
			text(func(c *config) *string { return &c.walletA.processingFile })},
		{"SVCPAY_WALLET_A_ROOT_FILE", "PEM file with the provider's root certificates", "", false,
			text(func(c *config) *string { return &c.walletA.rootFile })},
		{"SVCPAY_WALLET_A_HOSTS", "the provider's hosts that may be asked for merchant sessions, separated by commas", "", false, setWalletHosts},
		{"SVCPAY_WALLET_A_SCRIPT",
			"https address of the provider's script, for browsers without wallet A; if empty, they do not show it",
			"", false, page(func(c *config) *string { return &c.walletA.script })},
		{"SVCPAY_WALLET_A_DISPLAY_NAME", "name in wallet A's sheet on pages that set none; default: the merchant's name", "", false, setDisplayName},
		{"SVCPAY_WALLET_B_MERCHANT_ID",
			"merchant id that wallet B's provider gave you; the five settings that follow go with it", "", false,
			text(func(c *config) *string { return &c.walletB.merchantID })},
		{"SVCPAY_WALLET_B_GATEWAY_ID", "your gateway id at the provider", "", false,
			text(func(c *config) *string { return &c.walletB.gatewayID })},
		{"SVCPAY_WALLET_B_KEY_FILE",
			"PEM file with the private keys that payments are sealed for, the present and the former, mode 0600",
			"", false, text(func(c *config) *string { return &c.walletB.keyFile })},
		{"SVCPAY_WALLET_B_SCRIPT", "https address of the provider's script", "", false,
			page(func(c *config) *string { return &c.walletB.script })},
		{"SVCPAY_WALLET_B_ROOT_KEYS", "https address of the provider's root signing keys, read every hour, or a file with them", "", false, setRootKeys},
		{"SVCPAY_WALLET_B_ENVIRONMENT", "the provider's environment, TEST or PRODUCTION", "", false, setWalletEnvironment},
	}
}

// checkWallets says what is half given, and what is not for the environment.
func (c *config) checkWallets(given map[string]string) (errs []error) {
	optional := []string{"SVCPAY_WALLET_A_SCRIPT", "SVCPAY_WALLET_A_DISPLAY_NAME"}
	for _, wallet := range []struct{ name, prefix string }{{"wallet A", "SVCPAY_WALLET_A_"},
		{"wallet B", "SVCPAY_WALLET_B_"}} {
		var missing []string
		some := false
		for _, s := range walletSettings() {
			switch ok := given[s.name] != ""; {
			case !strings.HasPrefix(s.name, wallet.prefix):
			case ok:
				some = true
			case !slices.Contains(optional, s.name):
				missing = append(missing, s.name)
			}
		}
		for _, name := range missing {
			if some {
				errs = append(errs, fmt.Errorf("%s is not set: %s needs it in addition to its other settings", name,
					wallet.name))
			}
		}
	}
	live := c.environment == apikey.Production
	sandboxScript := func(script string) bool {
		u, err := url.Parse(script)
		return script != "" && (err != nil || strings.HasPrefix(u.Path, "/sandbox/"))
	}
	const loadsProviders = "this is a sandbox's script; production loads the provider's"
	return append(errs, mistakes(
		mistake{c.walletsFile != "" && live, "SVCPAY_WALLETS_FILE", "it holds a sandbox's wallets; " +
			"those of production are SVCPAY_WALLET_A_… and SVCPAY_WALLET_B_…"},
		mistake{c.walletsFile != "" && !live && (c.walletA.merchantID != "" || c.walletB.merchantID != ""),
			"SVCPAY_WALLETS_FILE", "wallets are the sandbox's own or the providers', not both"},
		mistake{live && c.walletB.environment == "TEST", "SVCPAY_WALLET_B_ENVIRONMENT",
			"TEST moves no money; production needs PRODUCTION"},
		mistake{live && sandboxScript(c.walletA.script), "SVCPAY_WALLET_A_SCRIPT", loadsProviders},
		mistake{live && sandboxScript(c.walletB.script), "SVCPAY_WALLET_B_SCRIPT", loadsProviders},
	)...)
}

// pageAddress reads the address of something that pages load.
func pageAddress(v string) (string, error) {
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return "", errors.New("not an address such as https://wallet.example.org/script.js")
	}
	return v, nil
}

// dnsName is a host of the internet.
var dnsName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*$`)

func setWalletHosts(c *config, v string) error {
	for host := range strings.SplitSeq(v, ",") {
		if host = strings.TrimSpace(host); !dnsName.MatchString(host) {
			return errors.New("not names of hosts such as gateway.example.org, separated by commas")
		}
		c.walletA.hosts = append(c.walletA.hosts, host)
	}
	return nil
}

func setDisplayName(c *config, v string) error {
	if len([]rune(v)) > 64 {
		return errors.New("longer than the 64 characters that a sheet shows")
	}
	c.walletA.displayName = v
	return nil
}

func setRootKeys(c *config, v string) error {
	if !strings.HasPrefix(v, "/") {
		if _, err := pageAddress(v); err != nil {
			return errors.New("neither an https address nor a file's path from / on")
		}
	}
	c.walletB.rootKeys = v
	return nil
}

func setWalletEnvironment(c *config, v string) (err error) {
	c.walletB.environment, err = choice(v, "TEST", "PRODUCTION")
	return err
}
