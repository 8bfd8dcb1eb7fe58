package main

import (
	"strings"
	"testing"
)

// safeEnv is what production needs to be safe, next to [goodEnv].
func safeEnv() []string {
	return []string{"SVCPAY_ENVIRONMENT=production", "DATABASE_URL=postgres://db/svcpay?sslmode=verify-full",
		"SVCPAY_TRUSTED_PROXIES=10.0.0.0/8"}
}

func TestDatabasesOfProductionAreReachedByTLS(t *testing.T) {
	t.Parallel()
	for address, safe := range map[string]bool{
		"postgres://db/svcpay":                                         false,
		"postgres://10.0.0.21/svcpay?sslmode=disable":                  false,
		"postgres://10.0.0.21/svcpay?sslmode=prefer":                   false,
		"postgres://10.0.0.21/svcpay?sslmode=require":                  false,
		"postgres://10.0.0.21/svcpay?sslmode=verify-ca":                false,
		"postgres://db/svcpay?sslmode=verify-full":                     true,
		"postgres://one,two/svcpay?sslmode=verify-full":                true,
		"postgres://localhost,10.0.0.21/svcpay?sslmode=disable":        false,
		"postgres://localhost/svcpay":                                  true,
		"postgres://127.0.0.1:5433/svcpay?sslmode=disable":             true,
		"postgres://[::1]/svcpay":                                      true,
		"postgres://svcpay@/svcpay?host=/run/postgresql":               true,
		"host=db dbname=svcpay":                                        false,
		"host=db dbname=svcpay sslmode=verify-full":                    true,
		"postgres://svcpay:secret@db/svcpay?sslmode=verify-everything": false,
	} {
		_, err := configFrom(append(append(goodEnv(), safeEnv()...), "DATABASE_URL="+address))
		if safe != (err == nil) || err != nil && (!strings.Contains(err.Error(), "DATABASE_URL: ") ||
			strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v", address, err)
		}
		_, err = databaseConfigFrom([]string{"SVCPAY_ENVIRONMENT=production", "DATABASE_URL=" + address})
		if safe != (err == nil) {
			t.Errorf("a command with %s: %v", address, err)
		}
	}
	for _, more := range []string{"SVCPAY_ENVIRONMENT=sandbox", "SVCPAY_DATABASE_INSECURE=true"} {
		if _, err := configFrom(append(append(goodEnv(), safeEnv()...), "DATABASE_URL=postgres://db/svcpay",
			more)); err != nil {
			t.Errorf("%s: %v", more, err)
		}
	}
}

func TestProductionNamesItsProxies(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"": "SVCPAY_TRUSTED_PROXIES is not set", "none": "", "10.0.0.0/8": "",
		"none,10.0.0.0/8": "not networks"} {
		c, err := configFrom(append(append(goodEnv(), safeEnv()...), "SVCPAY_TRUSTED_PROXIES="+value))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", value, err)
		}
		if value == "none" && c.proxies != nil {
			t.Errorf("none is %v", c.proxies)
		}
	}
	if _, err := configFrom(goodEnv()); err != nil {
		t.Errorf("a sandbox: %v", err)
	}
}
