package check

import (
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// former lists codes of countries that no longer exist, which the library still knows.
var former = []string{"AN", "CS", "NT", "SU", "YU"}

// IsCountry reports whether code is a country's two capital letters (ISO 3166-1 alpha-2), or XK: ISO leaves that code
// free, and banks and post offices use it for Kosovo.
func IsCountry(code string) bool {
	region, err := language.ParseRegion(code)
	return err == nil && region.String() == code && region.Canonicalize() == region && region.IsCountry() &&
		region.M49() != 0 && !slices.Contains(former, code)
}

// withoutPostalCode lists the countries without postal codes in Google's libaddressinput, plus BQ and CW, which it
// lacks, and IE, which has had codes since 2015, but whose addresses are complete without them. Browsers fill in
// addresses by libaddressinput.
var withoutPostalCode = strings.Fields(`
	AE AG AO AW BF BI BJ BO BQ BS BW BZ CD CF CG CI CM CW DJ DM ER FJ GA GD GH GM GQ GY HK IE JM KI KM KN LC LY ML MO
	MR MS MW NA NR NU PA PS QA RW SB SC SL SR SS ST SX TD TG TK TL TO TT TV UG VU WS YE ZW`)

// WithoutPostalCode returns the countries whose payers may leave the postal code empty.
func WithoutPostalCode() []string { return slices.Clone(withoutPostalCode) }

// MayLackPostalCode guesses whether a payer may have no postal code, from the languages of the browser
// (Accept-Language) and the merchant's country: it is enough if one of them is of such a country.
func MayLackPostalCode(languages, country string) bool {
	tags, _, _ := language.ParseAcceptLanguage(languages) // a header that can't be read names no country
	for _, tag := range tags {
		if region, confidence := tag.Region(); confidence == language.Exact &&
			slices.Contains(withoutPostalCode, region.String()) {
			return true
		}
	}
	return slices.Contains(withoutPostalCode, country)
}
