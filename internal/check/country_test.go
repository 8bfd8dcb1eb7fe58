package check_test

import (
	"slices"
	"strings"
	"testing"

	"svcpay/internal/check"
)

// assigned lists the codes that ISO 3166-1 assigns, from the time zone database (iso3166.tab), and XK.
var assigned = strings.Fields(`
	AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA
	CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA
	GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
	KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS
	MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS
	RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW
	TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
	XK`)

func TestCountries(t *testing.T) {
	t.Parallel()
	if len(assigned) != 250 {
		t.Fatalf("%d codes", len(assigned))
	}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			if got, want := check.IsCountry(code), slices.Contains(assigned, code); got != want {
				t.Errorf("%s: %t, want %t", code, got, want)
			}
			if check.IsCountry(strings.ToLower(code)) {
				t.Errorf("%s in lowercase letters is accepted", code)
			}
		}
	}
	for _, other := range []string{"", "U", "USA", "840", "001", "U5", "US ", "ＵＳ", "\xff\xff"} {
		if check.IsCountry(other) {
			t.Errorf("%q is accepted", other)
		}
	}
}

func TestCountriesWithoutPostalCode(t *testing.T) {
	t.Parallel()
	codes := check.WithoutPostalCode()
	if !slices.IsSorted(codes) || len(slices.Compact(codes)) != len(check.WithoutPostalCode()) {
		t.Errorf("not sorted, or one is there twice: %v", codes)
	}
	for _, code := range codes {
		if !check.IsCountry(code) {
			t.Errorf("%s is no country", code)
		}
	}
	for languages, want := range map[string]bool{"en-HK": true, "zh-Hant-HK,zh;q=0.9": true, "en-US,en;q=0.9,ar-AE;q=0.8": true,
		"en-US,en;q=0.9": false, "ga": false, "bs,ml": false, "": false, "-;=": false} {
		if got := check.MayLackPostalCode(languages, "US"); got != want {
			t.Errorf("%q: %t, want %t", languages, got, want)
		}
		if !check.MayLackPostalCode(languages, "IE") {
			t.Errorf("%q: required at a merchant in Ireland", languages)
		}
	}
	for code, want := range map[string]bool{"AE": true, "HK": true, "IE": true,
		"CA": false, "DE": false, "FR": false, "GB": false, "SG": false, "US": false} {
		if got := slices.Contains(codes, code); got != want {
			t.Errorf("%s: %t, want %t", code, got, want)
		}
	}
}
