package web_test

import (
	"strings"
	"testing"

	"svcpay/internal/check"
	"svcpay/portal/web"
)

func TestCountriesHaveNames(t *testing.T) {
	t.Parallel()
	named := 0
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			if !check.IsCountry(code) {
				continue
			}
			name := web.Country(code)
			if named++; name == code || strings.ContainsAny(name, ",;\n") {
				t.Errorf("%s is called %q", code, name)
			}
			for _, typed := range []string{name, strings.ToUpper(name), " " + name + " ", code, strings.ToLower(code)} {
				if got := web.CountryCode(typed); got != code {
					t.Errorf("%q is taken for %q, want %s", typed, got, code)
				}
			}
		}
	}
	if named != 250 || web.Country("QQ") != "QQ" || web.Countries([]string{"US", "CA"}) != "Canada, United States" {
		t.Errorf("%d countries; %s, %s", named, web.Country("QQ"), web.Countries([]string{"CA", "US"}))
	}
	for typed, want := range map[string]string{"USA": "US", "uk": "GB", "can": "CA", "Reunion": "RE",
		"Aland  Islands": "AX", "cote d'ivoire": "CI", "Myanmar": "MM", "": "", "QQ": "", "Canadia": "", "YU": "", "SU": "", "840": "", "001": "",
		"EU": "", "419": "", "U": "", "\xff": ""} {
		if got := web.CountryCode(typed); got != want {
			t.Errorf("%q is taken for %q, want %q", typed, got, want)
		}
	}
}
