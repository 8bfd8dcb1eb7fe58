package web

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"svcpay/internal/check"
	"svcpay/internal/platform/textindex"
)

// Country returns the name of the country with a code (Unicode's CLDR), or the code itself if it is none.
func Country(code string) string {
	if !check.IsCountry(code) {
		return code
	}
	return display.English.Regions().Name(language.MustParseRegion(code))
}

// Countries returns the names of countries, in order.
func Countries(codes []string) string {
	var names []string
	for _, code := range codes {
		names = append(names, Country(code))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// CountryCode returns the code of a country that a person typed, by its name or by its code of two or three letters
// (ISO 3166-1); "" if there is none. Accents and what a name has in parentheses may be left out.
func CountryCode(typed string) string {
	if code := countryCodes()[plainName(typed)]; code != "" {
		return code
	}
	typed = strings.TrimSpace(typed)
	region, err := language.ParseRegion(strings.ToUpper(typed))
	code := region.String()
	named := strings.EqualFold(typed, code) || strings.EqualFold(typed, region.ISO3()) // and not by a number
	if err != nil || !named || !check.IsCountry(code) {
		return ""
	}
	return code
}

// countryCodes has the code of each name, and of other names in use for two countries.
var countryCodes = sync.OnceValue(func() map[string]string {
	codes := map[string]string{"uk": "GB", "great britain": "GB", "united states of america": "US"}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if code := string([]rune{a, b}); check.IsCountry(code) {
				name := Country(code)
				short, _, _ := strings.Cut(name, " (")
				codes[plainName(name)], codes[plainName(short)] = code, code
			}
		}
	}
	return codes
})

func plainName(name string) string { return strings.Join(textindex.Words(name), " ") }
