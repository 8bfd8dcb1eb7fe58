package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"svcpay/api"
	"svcpay/internal/apikey"
	"svcpay/internal/check"
	"svcpay/internal/fee"
	"svcpay/internal/platform/mail"
	"svcpay/internal/processor/stripe"
)

// config is everything that a running service is told.
type config struct {
	databaseURL string
	// databaseInsecure lets production reach a database on another machine without TLS.
	databaseInsecure bool
	environment      apikey.Environment
	addr             string
	baseURL          string // API and portal
	payURL           string // library, frames and /client
	vaultKeyFile     string
	headsFile        string // where heads of the audit log are appended; "" for nowhere
	adminAddr        string // where metrics are served; "" for nowhere
	limits           api.Limits
	perAddress       int          // requests a second of the frames of one address
	perPerson        int          // requests a second of a person in the portal
	webhookLocal     bool         // webhooks may go to this machine, by http and to any port
	proxies          []*net.IPNet // whose word on where a request came from is taken
	proxiesSet       bool         // proxies were named, or that there are none
	domainPort       int          // where merchants' websites under localhost are, in a sandbox
	mails            mailConfig
	walletsFile      string // keys of the sandbox's wallets; "" for none
	walletA          walletASettings
	walletB          walletBSettings
	feeDefaults      *fee.Rates // of new applications; nil for none

	sandboxProcessors []string // names of a sandbox's extra processors
	stripeAPI         string   // where a sandbox reaches Stripe's API; "" for Stripe's own address
	daf               dafSettings
}

// mailConfig says how mails leave. Without a server none do.
type mailConfig struct {
	server, from string
	// the directory that mails are written to, instead; anyone who reaches the portal reads them there: this machine's
	// people alone
	inbox string
}

// setting is one environment variable.
type setting struct {
	name     string
	help     string
	fallback string // "" with required unset means that it may be empty
	required bool
	set      func(*config, string) error
}

func settings() []setting {
	return slices.Concat([]setting{
		{"DATABASE_URL", "address of the PostgreSQL database (postgres://…)", "", true,
			func(c *config, v string) error { c.databaseURL = v; return nil }},
		{insecureDatabaseSetting,
			"true lets production reach a database on another machine without TLS, where the network itself is encrypted", "false", false,
			func(c *config, v string) (err error) { c.databaseInsecure, err = flag(v); return err }},
		{"SVCPAY_ENVIRONMENT", "sandbox or production; production takes card payments of merchants with a connected Stripe account, and refuses all other payments", "", true, setEnvironment},
		{"SVCPAY_ADDR", "address to listen on", "127.0.0.1:8080", false, setAddr},
		{"SVCPAY_BASE_URL", "where API and portal are reached, e.g. https://api.example.org", "", true,
			func(c *config, v string) (err error) { c.baseURL, err = origin(v); return err }},
		{"SVCPAY_PAY_URL", "where the browser library is reached; another host than SVCPAY_BASE_URL", "", true,
			func(c *config, v string) (err error) { c.payURL, err = origin(v); return err }},
		{keyFileSetting,
			"file with the vault's keysets, mode 0600 (made by svcpay dev, or by svcpay vault-keys)", "", true,
			func(c *config, v string) error { c.vaultKeyFile = v; return nil }},
		{"SVCPAY_WALLETS_FILE",
			"file with the keys of a sandbox's wallets, mode 0600, created if missing; without it, wallets are off",
			"", false,
			func(c *config, v string) error { c.walletsFile = v; return nil }},
		{"SVCPAY_ADMIN_ADDR", "loopback address for metrics and profiles, e.g. 127.0.0.1:9090; off if empty", "", false, setAdminAddr},
		{"SVCPAY_DOMAIN_PORT", "port at which a sandbox checks merchants' domains under localhost",
			"80", false, func(c *config, v string) (err error) { c.domainPort, err = port(v); return err }},
		{sandboxProcessorsSetting, "names of extra sandbox processors, separated by commas, such as second,third; use the same value on all servers", "", false, setSandboxProcessors},
		{stripeAPISetting, "loopback address at which a sandbox reaches Stripe's API, e.g. http://127.0.0.1:12111; without one it is Stripe's own", "", false, setStripeAPI},
		{"SVCPAY_SMTP_URL",
			"mail server, e.g. smtps://user:password@mail.example.org; without it, nothing is sent, and administrators pass on links themselves", "", false,
			func(c *config, v string) error { c.mails.server = v; return nil }},
		{"SVCPAY_MAIL_FROM", "sender of mails, e.g. SvcPay <pay@example.org>", "", false,
			func(c *config, v string) error { c.mails.from = v; return nil }},
		{"SVCPAY_WEBHOOK_LOCAL",
			"true also lets a sandbox send webhooks to this machine's loopback addresses, by plain http and to any port",
			"false", false, func(c *config, v string) (err error) { c.webhookLocal, err = flag(v); return err }},
		{"SVCPAY_FEE_DEFAULTS",
			`fee defaults of new applications as JSON, e.g. {"authorization_fee":10,"capture_fee":20}; without it an administrator sets them in the portal`, "", false,
			setFeeDefaults},
	}, auditSettings(), dafSettingList(), walletSettings(), limitSettings(), extraSettings())
}

// limitSettings are those that svcpay dev has, too.
func limitSettings() []setting {
	return []setting{
		{"SVCPAY_RATE_LIMIT_READS", "GET requests a second per API key, with bursts of twice that; 0 for no limit",
			"100", false, func(c *config, v string) (err error) { c.limits.Reads, err = count(v); return err }},
		{"SVCPAY_RATE_LIMIT_WRITES", "other requests a second per API key, with bursts of twice that; 0 for no limit",
			"50", false, func(c *config, v string) (err error) { c.limits.Writes, err = count(v); return err }},
		{"SVCPAY_RATE_LIMIT_PAGES",
			"requests a second for payment fields and modals per IP address, with bursts of 20 times that; 0 for no limit", "20", false,
			func(c *config, v string) (err error) { c.perAddress, err = count(v); return err }},
		{"SVCPAY_RATE_LIMIT_PORTAL",
			"portal pages a second per person, and per IP address without a session, with bursts of ten times that; 0 for no limit", "30", false,
			func(c *config, v string) (err error) { c.perPerson, err = count(v); return err }},
		{"SVCPAY_MAX_REQUESTS", "API requests handled at once, further ones get 503; 0 for no limit",
			"512", false, func(c *config, v string) (err error) { c.limits.AtWork, err = count(v); return err }},
		{proxiesSetting, "networks of your proxies, e.g. 10.0.0.0/8,fd00::/8, whose X-Forwarded-For is trusted, or none; required in production", "", false, setProxies},
	}
}

// configFrom reads every setting from env and reports every mistake at once.
func configFrom(env []string) (config, error) {
	c, errs := readSettings(env, settings())
	live := c.environment == apikey.Production
	errs = append(errs, mistakes(
		mistake{sameHost(c.baseURL, c.payURL), "SVCPAY_PAY_URL", "must be another origin than SVCPAY_BASE_URL, " +
			"on another host: a host's ports share their cookies"},
		mistake{c.webhookLocal && live, "SVCPAY_WEBHOOK_LOCAL", "webhooks of production go to public hosts only"},
		mistake{c.sandboxProcessors != nil && live, sandboxProcessorsSetting,
			"the sandbox's processors move no money; unset this setting in production"},
		mistake{c.stripeAPI != "" && live, stripeAPISetting,
			"production reaches Stripe at its own address; unset this setting"},
		mistake{live && inClear(c.baseURL), "SVCPAY_BASE_URL", onlyByHTTPS},
		mistake{live && inClear(c.payURL), "SVCPAY_PAY_URL", onlyByHTTPS},
	)...)
	if live {
		errs = append(errs, narrow(c.proxies), c.checkDatabase(), c.checkProxies())
	}
	errs = append(append(errs, c.checkWallets(variables(env))...), c.checkDAF()...)
	if _, err := c.mails.sender(); err != nil {
		errs = append(errs, err)
	}
	return c, errors.Join(errs...)
}

func setFeeDefaults(c *config, v string) error {
	rates, err := fee.ParseRates(v)
	c.feeDefaults = &rates
	return err
}

// narrow refuses networks of proxies in which callers are, too: each could say what address it comes from.
func narrow(proxies []*net.IPNet) error {
	for _, n := range proxies {
		if ones, bits := n.Mask.Size(); ones < 8 || bits == 128 && ones < 16 {
			return fmt.Errorf("SVCPAY_TRUSTED_PROXIES: %v is too wide a network to be of proxies alone", n)
		}
	}
	return nil
}

// sender is what mails leave by; nil for nothing.
func (c mailConfig) sender() (mail.Sender, error) {
	switch {
	case c.inbox != "":
		return mail.Files{Dir: c.inbox}, nil
	case c.server == "":
		return nil, nil
	}
	out, err := mail.NewSMTP(c.server, c.from)
	if err != nil {
		return nil, fmt.Errorf("SVCPAY_SMTP_URL, SVCPAY_MAIL_FROM: %w", err)
	}
	return out, nil
}

// flag reads true or false.
func flag(v string) (bool, error) {
	_, err := choice(v, "true", "false")
	return v == "true", err
}

// choice reads one of two words.
func choice[T ~string](v, one, other T) (T, error) {
	if v != one && v != other {
		return v, fmt.Errorf("not %s or %s", one, other)
	}
	return v, nil
}

// databaseConfigFrom reads what a command needs that works on the database of a service: the settings
// of the service will do, and its address need not be there, nor others that are not named.
func databaseConfigFrom(env []string, more ...string) (config, error) {
	wanted := slices.DeleteFunc(settings(), func(s setting) bool {
		return s.name != "DATABASE_URL" && s.name != insecureDatabaseSetting && s.name != "SVCPAY_ENVIRONMENT" &&
			!slices.Contains(more, s.name)
	})
	c, errs := readSettings(env, append(wanted, extraSettings()...))
	return c, errors.Join(append(errs, c.checkDatabase())...)
}

// readSettings reads some settings. Any that no command has are mistakes, too.
func readSettings(env []string, wanted []setting) (c config, errs []error) {
	given := variables(env)
	c, errs = readGiven(given, wanted)
	return c, append(errs, unknownSettings(given, settings())...)
}

// limitsFrom reads what svcpay dev has of the settings. Others of the environment are not its own.
func limitsFrom(env []string) (config, error) {
	c, errs := readGiven(variables(env), limitSettings())
	return c, errors.Join(errs...)
}

func variables(env []string) map[string]string {
	given := make(map[string]string)
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		given[name] = value
	}
	return given
}

func readGiven(given map[string]string, wanted []setting) (c config, errs []error) {
	for _, s := range wanted {
		v, ok := given[s.name]
		switch {
		case ok && v != "":
		case s.required:
			errs = append(errs, fmt.Errorf("%s is not set: %s", s.name, s.help))
			continue
		default:
			v = s.fallback
		}
		if v == "" {
			continue
		}
		if err := s.set(&c, v); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.name, err))
		}
	}
	return c, errs
}

func unknownSettings(given map[string]string, known []setting) (errs []error) {
	for name := range given {
		if strings.HasPrefix(name, "SVCPAY_") && !slices.Contains(applicationSettings, name) &&
			!slices.ContainsFunc(known, func(s setting) bool { return s.name == name }) {
			errs = append(errs, fmt.Errorf("%s: there is no such setting", name))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errs
}

func setEnvironment(c *config, v string) (err error) {
	c.environment, err = choice(apikey.Environment(v), apikey.Sandbox, apikey.Production)
	return err
}

const sandboxProcessorsSetting = "SVCPAY_SANDBOX_PROCESSORS"

var processorName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

func setSandboxProcessors(c *config, v string) error {
	for name := range strings.SplitSeq(v, ",") {
		name = strings.TrimSpace(name)
		if !processorName.MatchString(name) {
			return errors.New(
				"not names separated by commas; a name begins with a lowercase letter and has up to 31 lowercase letters, digits and hyphens")
		}
		if name == "daf" { // its webhooks would come to the addresses of the provider of donor-advised funds
			return errors.New("the name daf is reserved")
		}
		if name == stripe.Name {
			return errors.New("the name stripe is reserved")
		}
		if name == sandboxName || slices.Contains(c.sandboxProcessors, name) {
			return fmt.Errorf("the name %s is already in use; list each name once, without sandbox", name)
		}
		c.sandboxProcessors = append(c.sandboxProcessors, name)
	}
	return nil
}

const stripeAPISetting = "SVCPAY_STRIPE_API"

func setStripeAPI(c *config, v string) (err error) {
	c.stripeAPI, err = localOrigin(v, "card numbers are sent there")
	return err
}

// localOrigin reads an origin of this machine, which another must not be for some reason.
func localOrigin(v, why string) (string, error) {
	v, err := origin(v)
	if err == nil && !isLoopback(hostName(v)) {
		err = errors.New("not a loopback address: " + why)
	}
	return v, err
}

func setAddr(c *config, v string) error {
	if _, _, err := net.SplitHostPort(v); err != nil {
		return errors.New("not host:port")
	}
	c.addr = v
	return nil
}

var errAdminAddr = errors.New("not a loopback address: metrics are for this machine")

func setAdminAddr(c *config, v string) error {
	host, _, err := net.SplitHostPort(v)
	if err != nil {
		return errors.New("not host:port")
	}
	if !isLoopback(host) {
		return errAdminAddr
	}
	c.adminAddr = v
	return nil
}

// count reads how many of something there may be.
func count(v string) (int, error) {
	n, err := strconv.ParseUint(v, 10, 20)
	if err != nil {
		return 0, errors.New("not a whole number from 0 to 1048575")
	}
	return int(n), nil
}

func setProxies(c *config, v string) error {
	if c.proxiesSet = true; v == noProxies {
		return nil
	}
	for text := range strings.SplitSeq(v, ",") {
		_, network, err := net.ParseCIDR(strings.TrimSpace(text))
		if err != nil {
			return errors.New("not networks such as 10.0.0.0/8, separated by commas")
		}
		c.proxies = append(c.proxies, network)
	}
	return nil
}

// port reads a port of TCP.
func port(v string) (int, error) {
	n, err := strconv.ParseUint(v, 10, 16)
	if err != nil || n == 0 {
		return 0, errors.New("not a port from 1 to 65535")
	}
	return int(n), nil
}

// origin checks that v is scheme://host[:port] as a browser would write it, and nothing more.
func origin(v string) (string, error) {
	if check.IsOrigin(v) {
		return v, nil
	}
	asBrowsersDo := strings.ToLower(v)
	scheme, _, _ := strings.Cut(asBrowsersDo, ":")
	asBrowsersDo = strings.TrimSuffix(asBrowsersDo, map[string]string{"http": ":80", "https": ":443"}[scheme])
	if check.IsOrigin(asBrowsersDo) {
		return "", errors.New("written as browsers do not: use lowercase letters, and leave the scheme's own port out")
	}
	return "", errors.New("not an origin such as https://pay.example.org (no path, no trailing slash)")
}

// hostName is an origin's host without its port, as cookies know it.
func hostName(origin string) string {
	u := url.URL{Host: hostOf(origin)}
	return u.Hostname()
}

// settingsHelp lists the settings for --help.
func settingsHelp() string {
	var b strings.Builder
	b.WriteString("Settings, from the environment:\n")
	for _, s := range settings() {
		fmt.Fprintf(&b, "\n  %s\n      %s", s.name, s.help)
		if s.fallback != "" {
			fmt.Fprintf(&b, " (default %s)", s.fallback)
		}
		b.WriteString("\n")
	}
	return b.String()
}
