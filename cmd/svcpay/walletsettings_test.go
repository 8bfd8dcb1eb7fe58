package main

import (
	"slices"
	"strings"
	"testing"

	"svcpay/internal/apikey"
)

// walletEnv are settings of both wallets, whose files are not looked at when they are read.
func walletEnv() []string {
	return []string{
		"SVCPAY_WALLET_A_MERCHANT_ID=merchant.org.example.pay", "SVCPAY_WALLET_A_IDENTITY_FILE=/identity.pem",
		"SVCPAY_WALLET_A_PROCESSING_FILE=/processing.pem",
		"SVCPAY_WALLET_A_ROOT_FILE=/roots.pem", "SVCPAY_WALLET_A_HOSTS=gateway.example.org, cn-gateway.example.org",
		"SVCPAY_WALLET_B_MERCHANT_ID=BCR2DN6T", "SVCPAY_WALLET_B_GATEWAY_ID=svcpay", "SVCPAY_WALLET_B_KEY_FILE=/b.pem",
		"SVCPAY_WALLET_B_SCRIPT=https://pay.example.com/pay.js",
		"SVCPAY_WALLET_B_ROOT_KEYS=https://keys.example.com/keys.json", "SVCPAY_WALLET_B_ENVIRONMENT=PRODUCTION",
	}
}

// productionEnv are settings of a production with both wallets.
func productionEnv() []string {
	return slices.Concat(goodEnv(), safeEnv(), walletEnv())
}

func TestWalletsAreReadFromTheEnvironment(t *testing.T) {
	t.Parallel()
	c, err := configFrom(append(productionEnv(), "SVCPAY_WALLET_A_SCRIPT=https://wallet.example.org/sdk.js",
		"SVCPAY_WALLET_A_DISPLAY_NAME=Hope & Söhne"))
	if err != nil {
		t.Fatal(err)
	}
	a := walletASettings{"merchant.org.example.pay", "/identity.pem", "/processing.pem", "/roots.pem",
		[]string{"gateway.example.org", "cn-gateway.example.org"}, "https://wallet.example.org/sdk.js", "Hope & Söhne"}
	b := walletBSettings{"BCR2DN6T", "svcpay", "/b.pem", "https://pay.example.com/pay.js",
		"https://keys.example.com/keys.json", "PRODUCTION"}
	if c.environment != apikey.Production || c.walletA.merchantID != a.merchantID ||
		c.walletA.displayName != a.displayName || !slices.Equal(c.walletA.hosts, a.hosts) ||
		c.walletA.script != a.script || c.walletB != b {
		t.Errorf("%+v", c)
	}
	if c, err := configFrom(append(goodEnv(), safeEnv()...)); err != nil || c.walletA.merchantID != "" ||
		c.walletB != (walletBSettings{}) {
		t.Errorf("production without wallets: %+v, %v", c, err)
	}
	if _, err := configFrom(append(goodEnv(), walletEnv()...)); err != nil {
		t.Errorf("a sandbox that uses the providers' own wallets: %v", err)
	}
}

// Each of a wallet's settings but the optional ones is missed when it alone is missing, and nothing else is said.
func TestHalfAWalletIsRefused(t *testing.T) {
	t.Parallel()
	for _, missing := range walletEnv() {
		name, _, _ := strings.Cut(missing, "=")
		env := slices.DeleteFunc(productionEnv(), func(pair string) bool { return pair == missing })
		_, err := configFrom(env)
		wallet := "wallet A"
		if strings.HasPrefix(name, "SVCPAY_WALLET_B_") {
			wallet = "wallet B"
		}
		if err == nil || err.Error() != name+" is not set: "+wallet+" needs it in addition to its other settings" {
			t.Errorf("without %s: %v", name, err)
		}
	}
	_, err := configFrom(append(goodEnv(), "SVCPAY_WALLET_A_DISPLAY_NAME=Alone"))
	if err == nil || strings.Count(err.Error(), "\n") != 4 {
		t.Errorf("an optional setting alone: %v", err)
	}
}

func TestMistakesOfWallets(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"SVCPAY_WALLET_A_HOSTS=https://gateway.example.org":               "SVCPAY_WALLET_A_HOSTS: not names of hosts",
		"SVCPAY_WALLET_A_HOSTS=*.example.org":                             "SVCPAY_WALLET_A_HOSTS: not names of hosts",
		"SVCPAY_WALLET_A_HOSTS=127.0.0.1":                                 "SVCPAY_WALLET_A_HOSTS: not names of hosts",
		"SVCPAY_WALLET_A_SCRIPT=http://wallet.example.org/a.js":           "SVCPAY_WALLET_A_SCRIPT: not an address",
		"SVCPAY_WALLET_A_SCRIPT=https://pay.example.org/sandbox/a.js":     "SVCPAY_WALLET_A_SCRIPT: this is a sandbox's",
		"SVCPAY_WALLET_A_DISPLAY_NAME=" + strings.Repeat("ü", 65):         "SVCPAY_WALLET_A_DISPLAY_NAME: longer",
		"SVCPAY_WALLET_B_SCRIPT=/pay.js":                                  "SVCPAY_WALLET_B_SCRIPT: not an address",
		"SVCPAY_WALLET_B_SCRIPT=https://pay.example.org/sandbox/b/pay.js": "SVCPAY_WALLET_B_SCRIPT: this is a sandbox's",
		"SVCPAY_WALLET_B_ROOT_KEYS=keys.json":                             "SVCPAY_WALLET_B_ROOT_KEYS: neither",
		"SVCPAY_WALLET_B_ROOT_KEYS=http://keys.example.org/":              "SVCPAY_WALLET_B_ROOT_KEYS: neither",
		"SVCPAY_WALLET_B_ENVIRONMENT=test":                                "SVCPAY_WALLET_B_ENVIRONMENT: not TEST",
		"SVCPAY_WALLET_B_ENVIRONMENT=TEST":                                "SVCPAY_WALLET_B_ENVIRONMENT: TEST moves no money",
		"SVCPAY_WALLETS_FILE=/wallets.pem":                                "SVCPAY_WALLETS_FILE: it holds a sandbox's wallets",
		"SVCPAY_BASE_URL=http://api.example.org":                          "SVCPAY_BASE_URL: production is reached by https only",
		"SVCPAY_PAY_URL=http://pay.example.org":                           "SVCPAY_PAY_URL: production is reached by https only",
		"SVCPAY_TRUSTED_PROXIES=10.0.0.0/8,0.0.0.0/0":                     "SVCPAY_TRUSTED_PROXIES: 0.0.0.0/0 is too wide",
		"SVCPAY_TRUSTED_PROXIES=::/0":                                     "SVCPAY_TRUSTED_PROXIES: ::/0 is too wide",
		"SVCPAY_TRUSTED_PROXIES=fd00::/12":                                "SVCPAY_TRUSTED_PROXIES: fd00::/12 is too wide",
		"SVCPAY_WEBHOOK_LOCAL=true":                                       "SVCPAY_WEBHOOK_LOCAL: webhooks of production",
		"SVCPAY_STRIPE_API=http://127.0.0.1:12111":                        "SVCPAY_STRIPE_API: production reaches Stripe at its own address",
		"SVCPAY_SANDBOX_PROCESSORS=second":                                "SVCPAY_SANDBOX_PROCESSORS: the sandbox's processors move no money",
	} {
		name, _, _ := strings.Cut(setting, "=")
		env := slices.DeleteFunc(productionEnv(), func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
		_, err := configFrom(append(env, setting))
		// A setting that is not taken is none: its wallet has all others.
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %s", setting, err, want)
		}
	}
	if _, err := configFrom(append(append(goodEnv(), walletEnv()...),
		"SVCPAY_WALLETS_FILE=/wallets.pem")); err == nil || !strings.Contains(err.Error(), "not both") {
		t.Errorf("a sandbox with both: %v", err)
	}
}
