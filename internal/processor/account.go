package processor

import (
	"fmt"
	"regexp"
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

// StoredAccount is the account at an adapter whose external id was stored with a payment of a merchant. Nil is the
// [MerchantAccount]: earlier versions stored none, and knew no other.
func StoredAccount(adapter string, external *string, applicationID, merchantID int64) Account {
	if external == nil {
		return Account{Adapter: adapter, External: MerchantAccount(applicationID, merchantID)}
	}
	return Account{Adapter: adapter, External: *external}
}

// AccountPrefix is how the external id of every sandbox account of an application begins, and no other.
func AccountPrefix(applicationID int64) string { return fmt.Sprintf("app-%d/", applicationID) }

// withinApplication is what may follow an [AccountPrefix].
var withinApplication = regexp.MustCompile(`^[a-z0-9_-]{1,80}$`)

// ApplicationOf reads the application from the external id of a sandbox account: a [MerchantAccount], or any other text
// of 1 to 80 lowercase letters, digits, _ and - after the [AccountPrefix]. It returns false for every other text.
func ApplicationOf(account string) (int64, bool) {
	head, tail, _ := strings.Cut(account, "/")
	application, err := strconv.ParseInt(strings.TrimPrefix(head, "app-"), 10, 64)
	if err != nil || application < 1 || AccountPrefix(application) != head+"/" || !withinApplication.MatchString(tail) {
		return 0, false
	}
	return application, true
}

// MerchantOf reads the merchant from a [MerchantAccount]. It returns false for every other text.
func MerchantOf(account string) (int64, bool) {
	application, ok := ApplicationOf(account)
	merchant, err := strconv.ParseInt(strings.TrimPrefix(account, AccountPrefix(application)+"merchant-"), 10, 64)
	if !ok || err != nil || MerchantAccount(application, merchant) != account {
		return 0, false
	}
	return merchant, true
}
