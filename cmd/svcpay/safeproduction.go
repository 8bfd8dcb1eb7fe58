package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/apikey"
)

const (
	insecureDatabaseSetting = "SVCPAY_DATABASE_INSECURE"
	proxiesSetting          = "SVCPAY_TRUSTED_PROXIES"
	noProxies               = "none"
)

// checkDatabase refuses a database of production on another machine that is reached without TLS, or whose certificate
// is not checked.
func (c config) checkDatabase() error {
	if c.environment != apikey.Production || c.databaseInsecure || c.databaseURL == "" {
		return nil
	}
	parsed, err := pgx.ParseConfig(c.databaseURL)
	if err != nil {
		return errors.New("DATABASE_URL: not the address of a PostgreSQL database") // the error may have the password
	}
	safe := isSafeConnection(parsed.Host, parsed.TLSConfig)
	for _, f := range parsed.Fallbacks {
		safe = safe && isSafeConnection(f.Host, f.TLSConfig)
	}
	if safe {
		return nil
	}
	return fmt.Errorf(
		"DATABASE_URL: production needs sslmode=verify-full for a database on another machine; where the network itself is encrypted, set %s=true",
		insecureDatabaseSetting)
}

// isSafeConnection reports whether a connection stays on this machine, or is encrypted to a server whose name was
// checked.
func isSafeConnection(host string, by *tls.Config) bool {
	onMachine := strings.HasPrefix(host, "/") || isLoopback(host)
	return onMachine || (by != nil && !by.InsecureSkipVerify)
}

// checkProxies demands to know the proxies of production: without them all callers seem to have the address of the
// proxy, and share its limits.
func (c config) checkProxies() error {
	if c.environment != apikey.Production || c.proxiesSet {
		return nil
	}
	return fmt.Errorf(
		"%s is not set: in production, set it to the networks of your proxies, or to %s if there are none",
		proxiesSetting, noProxies)
}
