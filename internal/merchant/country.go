package merchant

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"svcpay/internal/fault"
	"svcpay/internal/money"
)

// The countries of merchants.
const (
	us     = "US"
	canada = "CA"
)

// country is what follows from where a merchant is.
type country struct {
	currency money.Currency // that its banks pay out
	timeZone string         // unless another is given
}

var countries = map[string]country{
	us:     {money.USD, "America/New_York"},
	canada: {money.CAD, "America/Toronto"},
}

// Countries lists the countries that a merchant can be in.
func Countries() []string { return []string{us, canada} }

// checkCountry wants a country of ours, and its currency if one is given.
func checkCountry(fs *fault.Fields, code, currency *string) {
	if code == nil {
		return
	}
	c, ok := countries[*code]
	if !ok {
		fs.Add("country", "country_invalid", "Allowed values: US, CA. Use capital letters.")
	}
	if _, known := money.ParseCurrency(deref(currency)); ok && known && money.Currency(*currency) != c.currency {
		fs.Add("currency", "currency_unsupported", fmt.Sprintf("A merchant in %s is paid in %s.", *code, c.currency))
	}
}

var einForm = regexp.MustCompile(`^[0-9]{2}-[0-9]{7}$`)

// freePrefixes are the first two digits that the IRS has given to no one.
var freePrefixes = strings.Fields("00 07 08 09 17 18 19 28 29 49 69 70 78 79 89 96 97")

const einOfUS = "An EIN is for merchants in the US."

// CheckEIN wants an employer identification number as it is printed, NN-NNNNNNN, with a prefix that is
// in use. A nil one was not sent.
func CheckEIN(fs *fault.Fields, ein *string) {
	if ein != nil && (!einForm.MatchString(*ein) || slices.Contains(freePrefixes, (*ein)[:2])) {
		fs.Add("ein", "parameter_invalid",
			"An EIN is written as 04-3567500, and begins with two digits that are in use.")
	}
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
