package main

import (
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"

	"svcpay/api"
	"svcpay/internal/apikey"
	"svcpay/internal/fee"
)

func goodEnv() []string {
	return []string{
		"DATABASE_URL=postgres://db/svcpay", "SVCPAY_ENVIRONMENT=sandbox", "SVCPAY_BASE_URL=https://api.example.org",
		"SVCPAY_PAY_URL=https://pay.example.org", "SVCPAY_VAULT_KEY_FILE=/keys.json", "PATH=/bin", "HOME=", "NOVALUE",
	}
}

func TestConfigIsReadFromTheEnvironment(t *testing.T) {
	t.Parallel()
	c, err := configFrom(append(goodEnv(), "SVCPAY_ADDR=[::1]:9000", "SVCPAY_RATE_LIMIT_WRITES=0",
		"SVCPAY_MAX_REQUESTS=7", "SVCPAY_DOMAIN_PORT=8443", "SVCPAY_WEBHOOK_LOCAL=true",
		"SVCPAY_WALLETS_FILE=/wallets.pem", "SVCPAY_TRUSTED_PROXIES=10.0.0.0/8, fd00::/8",
		"SVCPAY_SANDBOX_PROCESSORS=second, x-3"))
	_, v4, _ := net.ParseCIDR("10.0.0.0/8")
	_, v6, _ := net.ParseCIDR("fd00::/8")
	want := config{databaseURL: "postgres://db/svcpay", environment: apikey.Sandbox, addr: "[::1]:9000",
		baseURL: "https://api.example.org", payURL: "https://pay.example.org",
		vaultKeyFile: "/keys.json", limits: api.Limits{Reads: 100, AtWork: 7}, perAddress: 20, perPerson: 30,
		webhookLocal: true, proxies: []*net.IPNet{v4, v6}, proxiesSet: true, domainPort: 8443,
		walletsFile: "/wallets.pem", sandboxProcessors: []string{"second", "x-3"}}
	if err != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := configFrom(goodEnv()); err != nil || c.addr != "127.0.0.1:8080" ||
		c.limits != (api.Limits{Reads: 100, Writes: 50, AtWork: 512}) || c.proxies != nil || c.webhookLocal ||
		c.domainPort != 80 {
		t.Errorf("without an address: %+v, %v", c, err)
	}
	c, err = configFrom(append(goodEnv(), `SVCPAY_FEE_DEFAULTS={"authorization_fee":10,"daf_percentage":2.5}`))
	if err != nil || c.feeDefaults == nil ||
		!c.feeDefaults.Equal(fee.Rates{AuthorizationFee: 10, DAFPercentage: 2500}) {
		t.Errorf("the fee defaults are %+v, %v", c.feeDefaults, err)
	}
	if c, err := configFrom(append(goodEnv(), "SVCPAY_ADDR=")); err != nil || c.addr != "127.0.0.1:8080" {
		t.Errorf("with an empty one: %+v, %v", c, err)
	}
}

func TestEveryMistakeIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := configFrom([]string{
		"SVCPAY_ENVIRONMENT=staging", "SVCPAY_ADDR=8080", "SVCPAY_BASE_URL=https://x.example/",
		"SVCPAY_VAULT_KEY_FILE=",
		"SVCPAY_FEE_DEFAULTS={\"capture\":1}", "SVCPAY_BASEURL=x", "SVCPAY_ANYTHING=x", "OTHER=x",
	})
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, want := range []string{
		"DATABASE_URL is not set", "SVCPAY_ENVIRONMENT: not sandbox or production", "SVCPAY_ADDR: not host:port",
		"SVCPAY_BASE_URL: not an origin", "SVCPAY_PAY_URL is not set", "SVCPAY_VAULT_KEY_FILE is not set",
		"SVCPAY_FEE_DEFAULTS: not a JSON object of fees", "SVCPAY_BASEURL: there is no such setting",
		"SVCPAY_ANYTHING: there is no such setting",
	} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
			t.Errorf("%q is not among\n%v", want, err)
		}
	}
	if len(lines) != 9 {
		t.Errorf("%d complaints:\n%v", len(lines), err)
	}
}

func TestSingleMistakes(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"SVCPAY_RATE_LIMIT_READS=-1":                           "SVCPAY_RATE_LIMIT_READS: not a whole",
		"SVCPAY_RATE_LIMIT_WRITES=1.5":                         "SVCPAY_RATE_LIMIT_WRITES: not a whole",
		"SVCPAY_MAX_REQUESTS=9999999":                          "SVCPAY_MAX_REQUESTS: not a whole",
		"SVCPAY_TRUSTED_PROXIES=10.0.0.1":                      "SVCPAY_TRUSTED_PROXIES: not networks",
		"SVCPAY_TRUSTED_PROXIES=10.0.0.0/8,":                   "SVCPAY_TRUSTED_PROXIES: not networks",
		"SVCPAY_ENVIRONMENT=live":                              "SVCPAY_ENVIRONMENT: not sandbox or production",
		"SVCPAY_PAY_URL=https://api.example.org":               "SVCPAY_PAY_URL: must be another origin",
		"SVCPAY_PAY_URL=http://api.example.org:8443":           "SVCPAY_PAY_URL: must be another origin",
		"SVCPAY_PAY_URL=https://PAY.example.org":               "SVCPAY_PAY_URL: written",
		"SVCPAY_PAY_URL=https://pay.example.org:443":           "SVCPAY_PAY_URL: written",
		"SVCPAY_WEBHOOK_LOCAL=1":                               "SVCPAY_WEBHOOK_LOCAL: not true or false",
		"SVCPAY_SANDBOX_PROCESSORS=Two":                        "SVCPAY_SANDBOX_PROCESSORS: not names",
		"SVCPAY_SANDBOX_PROCESSORS=two,":                       "SVCPAY_SANDBOX_PROCESSORS: not names",
		"SVCPAY_SANDBOX_PROCESSORS=2nd":                        "SVCPAY_SANDBOX_PROCESSORS: not names",
		"SVCPAY_SANDBOX_PROCESSORS=" + strings.Repeat("x", 32): "SVCPAY_SANDBOX_PROCESSORS: not names",
		"SVCPAY_SANDBOX_PROCESSORS=two,two":                    "SVCPAY_SANDBOX_PROCESSORS: the name two is already in use",
		"SVCPAY_SANDBOX_PROCESSORS=daf":                        "SVCPAY_SANDBOX_PROCESSORS: the name daf is reserved",
		"SVCPAY_SANDBOX_PROCESSORS=sandbox":                    "SVCPAY_SANDBOX_PROCESSORS: the name sandbox is already in use",
		"SVCPAY_SANDBOX_PROCESSORS=stripe":                     "SVCPAY_SANDBOX_PROCESSORS: the name stripe is reserved",
		"SVCPAY_STRIPE_API=https://api.stripe.example":         "SVCPAY_STRIPE_API: not a loopback address",
		"SVCPAY_STRIPE_API=127.0.0.1:12111":                    "SVCPAY_STRIPE_API: not an origin",
		"SVCPAY_PAY_URL=pay.example.org":                       "SVCPAY_PAY_URL: not an origin",
		"SVCPAY_PAY_URL=ftp://pay.example.org":                 "SVCPAY_PAY_URL: not an origin",
		"SVCPAY_PAY_URL=https://":                              "SVCPAY_PAY_URL: not an origin",
		"SVCPAY_PAY_URL=https://u:secret@pay.example.org":      "SVCPAY_PAY_URL: not an origin",
		"SVCPAY_PAY_URL=https://pay.example.org?x":             "SVCPAY_PAY_URL: not an origin",
		"SVCPAY_VAULT_KEY=x":                                   "SVCPAY_VAULT_KEY: there is no such setting",
	} {
		_, err := configFrom(append(goodEnv(), setting))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v; want %s", setting, err, want)
		}
	}
}

func TestHelpListsEverySetting(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	if status := run([]string{"serve", "--help"}, nil, &stdout, &stderr); status != 0 || stderr.Len() > 0 {
		t.Errorf("status %d: %s", status, &stderr)
	}
	for _, s := range settings() {
		if !strings.Contains(stdout.String(), s.name) || s.help == "" {
			t.Errorf("%s is not listed", s.name)
		}
	}
}

func TestHelpIsACommandToo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help"}, {"help", "daf"}} {
		var got, want, stderr strings.Builder
		status := run(args, nil, &got, &stderr)
		run(append(args[1:], "--help"), nil, &want, &stderr)
		if status != 0 || got.String() != want.String() || !strings.Contains(got.String(), "Usage: svcpay") {
			t.Errorf("%v: status %d, %s%s", args, status, &got, &stderr)
		}
	}
}

func TestCommandLineMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, exitUsage, "svcpay: expected one of"},
		{[]string{"fly"}, exitUsage, "svcpay: unexpected argument fly"},
		{[]string{"serve", "--port", "1"}, exitUsage, "svcpay: unknown flag --port"},
		{[]string{"serve"}, exitFailed, "svcpay: DATABASE_URL is not set"},
		{[]string{"migrate"}, exitFailed, "svcpay: DATABASE_URL is not set"},
		{[]string{"dev", "--addr", "0.0.0.0:0", "--state-dir", t.TempDir()}, exitFailed, "svcpay: --addr: " + errNotLoopback.Error()},
		{[]string{"dev", "--addr", "localhost:0", "--shop-addr", "example.org:0", "--state-dir", t.TempDir()}, exitFailed, "svcpay: --shop-addr: " + errNotLoopback.Error()},
	} {
		var stdout, stderr strings.Builder
		if status := run(c.args, []string{"HOME=" + t.TempDir()}, &stdout, &stderr); status != c.status ||
			!strings.HasPrefix(stderr.String(), c.want) {
			t.Errorf("%v: status %d, %s", c.args, status, &stderr)
		}
	}
}

func TestDevelopmentHasTheLimitsToo(t *testing.T) {
	t.Parallel()
	c, err := limitsFrom([]string{"SVCPAY_RATE_LIMIT_READS=7", "SVCPAY_CREDENTIALS=x", "SVCPAY_ADDR=none"})
	if err != nil || c.limits != (api.Limits{Reads: 7, Writes: 50, AtWork: 512}) {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := limitsFrom([]string{"SVCPAY_MAX_REQUESTS=x"}); err == nil {
		t.Error("a mistake was not told")
	}
}
