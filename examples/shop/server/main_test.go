package main

import (
	"strings"
	"testing"
)

func TestFromEnvironment(t *testing.T) {
	t.Parallel()
	set := map[string]string{
		"SVCPAY_URL": "http://localhost:8080", "SVCPAY_PAY_URL": "http://pay.localhost:8080", "SVCPAY_APP_ID": "12",
		"SVCPAY_SECRET_KEY": "sk_sandbox_x", "SVCPAY_PUBLIC_KEY": "pk_sandbox_x", "SVCPAY_MERCHANT_ID": "1042",
	}
	cfg, err := fromEnvironment(func(name string) string { return set[name] })
	if err != nil || cfg.BaseURL != set["SVCPAY_URL"] || cfg.AppID != 12 || cfg.Merchants[0].ID != 1042 ||
		cfg.SecretKey != "sk_sandbox_x" {
		t.Errorf("%+v, %v", cfg, err)
	}
	set = map[string]string{"SVCPAY_URL": "localhost", "SVCPAY_APP_ID": "twelve", "SVCPAY_MERCHANT_ID": "-1"}
	_, err = fromEnvironment(func(name string) string { return set[name] })
	for _, want := range []string{
		"SVCPAY_URL must", "SVCPAY_PAY_URL is not set", "SVCPAY_APP_ID must", "SVCPAY_SECRET_KEY is not set",
		"SVCPAY_PUBLIC_KEY is not set", "SVCPAY_MERCHANT_ID must",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}
