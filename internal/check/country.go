package check

import (
	"slices"

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
