package identity_test

import (
	"testing"

	"svcpay/internal/identity"
)

// A service can be at each address that svcpay dev can be asked for; elsewhere, passkeys need a name.
func TestPasskeysAreAcceptedAtEveryAddressOfADeployment(t *testing.T) {
	t.Parallel()
	for origin, accepted := range map[string]bool{
		"http://localhost:8080": true, "http://127.0.0.1:8080": true, "http://[::1]:8080": true,
		"https://pay.example.org": true, "https://203.0.113.5": false, "https://[2001:db8::1]:8443": false,
	} {
		if err := new(identity.Service).AcceptPasskeys(origin); (err == nil) != accepted {
			t.Errorf("%s: %v", origin, err)
		}
	}
}
