package processor

import (
	"fmt"
	"strconv"
	"strings"
)

// Account is where the money of a merchant moves: its account at one adapter.
type Account struct {
	// Adapter is the name of the adapter that serves it.
	Adapter string
	// External is the counterparty's own id of it.
	External string
}

// MerchantAccount is the external id of the account that every merchant of a sandbox has without being connected.
func MerchantAccount(applicationID, merchantID int64) string {
	return fmt.Sprintf("app-%d/merchant-%d", applicationID, merchantID)
}

// AccountPrefix is how every [MerchantAccount] of an application begins, and no other.
func AccountPrefix(applicationID int64) string { return fmt.Sprintf("app-%d/", applicationID) }

// ApplicationOf reads the application back from a [MerchantAccount]; false if the text is none.
func ApplicationOf(account string) (int64, bool) {
	head, tail, _ := strings.Cut(account, "/")
	application, err := strconv.ParseInt(strings.TrimPrefix(head, "app-"), 10, 64)
	merchant, err2 := strconv.ParseInt(strings.TrimPrefix(tail, "merchant-"), 10, 64)
	if err != nil || err2 != nil || MerchantAccount(application, merchant) != account {
		return 0, false
	}
	return application, true
}
