package ratelimit_test

import (
	"testing"
	"time"

	"svcpay/internal/platform/ratelimit"
)

func TestAddressesOfOneNetworkShareABucket(t *testing.T) {
	t.Parallel()
	a, now := ratelimit.NewAddresses(1, 2), time.Now()
	for _, row := range []struct {
		address string
		allowed bool
	}{
		{"192.0.2.1", true}, {"192.0.2.1", true}, {"192.0.2.1", false}, {"::ffff:192.0.2.1", false},
		{"192.0.2.2", true},
		{"2001:db8::1", true}, {"2001:db8::2", true}, {"2001:db8::3", false}, {"2001:db8:0:1::1", true},
	} {
		if s := a.Take(row.address, now); s.Allowed != row.allowed || !s.Allowed && s.Next <= 0 {
			t.Errorf("%s: %+v, want %v", row.address, s, row.allowed)
		}
	}
	if s := a.Look("192.0.2.1", now.Add(time.Second)); !s.Allowed {
		t.Errorf("a second later: %+v", s)
	}
}
