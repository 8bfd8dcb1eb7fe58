package token

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
)

func TestBrands(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"4242424242424242": "visa", "4222222222222": "visa", "4000006000000000006": "visa",
		"5555555555554444": "mastercard",
		"2221000000000009": "mastercard", "2720990000000007": "mastercard", "2220990000000000": "",
		"2721000000000000": "",
		"5000000000000000": "", "5600000000000000": "", "340000000000009": "amex", "378282246310005": "amex",
		"350000000000000":  "",
		"6011111111111117": "discover", "6440000000000000": "discover", "6500000000000002": "discover",
		"6012000000000000": "", "6430000000000000": "",
		"3528000000000007": "jcb", "3589000000000000": "jcb", "3527000000000000": "", "3590000000000000": "",
		"30000000000004": "diners_club", "30500000000003": "diners_club", "30600000000000": "",
		"36227206271667": "diners_club",
		"38000000000006": "diners_club", "39000000000000": "diners_club", "": "", "4": "visa", "3": "",
		"9999999999999999": "", "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢": "",
	} {
		if got := sensitive.BrandOf(number).Name; got != want {
			t.Errorf("%s is %q, want %q", number, got, want)
		}
	}
}

func TestLuhn(t *testing.T) {
	t.Parallel()
	for _, c := range sandbox.Cases() {
		if !sensitive.Luhn(c.Number) || !sensitive.BrandOf(c.Number).Fits(c.Number) {
			t.Errorf("%s is refused", c.Number)
		}
	}
	for _, bad := range []string{"", "4242424242424241", "4242 4242 4242 4242", "424242424242424a",
		"-4242424242424242"} {
		if sensitive.Luhn(bad) {
			t.Errorf("%q passes", bad)
		}
	}
	rapid.Check(t, func(t *rapid.T) { // of ten last digits exactly one passes, and one other digit anywhere never does
		head := rapid.StringMatching(`[0-9]{12,18}`).Draw(t, "head")
		var good []string
		for d := range 10 {
			if s := fmt.Sprint(head, d); sensitive.Luhn(s) {
				good = append(good, s)
			}
		}
		if len(good) != 1 {
			t.Fatalf("%s: %v pass", head, good)
		}
		b := []byte(good[0])
		i := rapid.IntRange(0, len(b)-1).Draw(t, "position")
		b[i] = '0' + (b[i]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "other")))%10
		if sensitive.Luhn(string(b)) {
			t.Fatalf("%s passes as %s does", b, good[0])
		}
	})
}

var today = time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)

// goodCard is an input without a mistake.
func goodCard() CardInput {
	return CardInput{
		Number: sensitive.NewPAN("4242424242424242"), CVC: sensitive.NewCVC("123"), ExpMonth: 5, ExpYear: 2027,
		Billing: Billing{FirstName: "Dana", Email: "dana@example.org", AddressCountry: "US", Phone: "+1 503 555 0100"},
	}
}

func TestValidation(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		spoil func(*CardInput)
		want  []string // "param code" of every mistake
	}{
		{"nothing wrong", func(*CardInput) {}, nil},
		{"no number", func(in *CardInput) { in.Number = sensitive.PAN{} }, []string{"card.number incomplete_number"}},
		{"another network", func(in *CardInput) { in.Number = sensitive.NewPAN("9999999999999995") }, []string{"card.number unsupported_brand"}},
		{"one digit off", func(in *CardInput) { in.Number = sensitive.NewPAN("4242424242424241") }, []string{"card.number invalid_number"}},
		{"too short", func(in *CardInput) { in.Number = sensitive.NewPAN("42424242424242") }, []string{"card.number invalid_number"}},
		{"spaces", func(in *CardInput) { in.Number = sensitive.NewPAN("4242 4242 4242 4242") }, []string{"card.number invalid_number"}},
		{"other digits", func(in *CardInput) { in.Number = sensitive.NewPAN("٤٢٤٢") }, []string{"card.number unsupported_brand"}},
		{"month 0", func(in *CardInput) { in.ExpMonth = 0 }, []string{"card.expiry invalid_expiry"}},
		{"month 13", func(in *CardInput) { in.ExpMonth = 13 }, []string{"card.expiry invalid_expiry"}},
		{"last month", func(in *CardInput) { in.ExpMonth = 4 }, []string{"card.expiry invalid_expiry_month_past"}},
		{"last year", func(in *CardInput) { in.ExpMonth, in.ExpYear = 12, 2026 }, []string{"card.expiry invalid_expiry_year_past"}},
		{"two digits of a year", func(in *CardInput) { in.ExpYear = 30 }, []string{"card.expiry invalid_expiry_year_past"}},
		{"20 years", func(in *CardInput) { in.ExpYear = 2047 }, nil},
		{"21 years", func(in *CardInput) { in.ExpYear = 2048 }, []string{"card.expiry invalid_expiry"}},
		{"no code", func(in *CardInput) { in.CVC = sensitive.CVC{} }, []string{"card.cvc incomplete_cvc"}},
		{"swiped, without a code", func(in *CardInput) { in.CVC, in.Swiped = sensitive.CVC{}, true }, nil},
		{"swiped, with a wrong code", func(in *CardInput) { in.CVC, in.Swiped = sensitive.NewCVC("12"), true }, []string{"card.cvc invalid_cvc"}},
		{"a short code", func(in *CardInput) { in.CVC = sensitive.NewCVC("12") }, []string{"card.cvc invalid_cvc"}},
		{"a long code", func(in *CardInput) { in.CVC = sensitive.NewCVC("1234") }, []string{"card.cvc invalid_cvc"}},
		{"letters", func(in *CardInput) { in.CVC = sensitive.NewCVC("12a") }, []string{"card.cvc invalid_cvc"}},
		{"amex with three", func(in *CardInput) { in.Number = sensitive.NewPAN("378282246310005") }, []string{"card.cvc invalid_cvc"}},
		{"amex with four", func(in *CardInput) {
			in.Number, in.CVC = sensitive.NewPAN("378282246310005"), sensitive.NewCVC("1234")
		}, nil},
		{"a long name", func(in *CardInput) { in.Billing.LastName = strings.Repeat("é", 256) }, []string{"billing.last_name invalid_token_data"}},
		{"a name as long as may be", func(in *CardInput) { in.Billing.LastName = strings.Repeat("é", 255) }, nil},
		{"a line break", func(in *CardInput) { in.Billing.AddressCity = "a\nb" }, []string{"billing.address_city invalid_token_data"}},
		{"NUL", func(in *CardInput) { in.Billing.Phone = "1\x00" }, []string{"billing.phone invalid_token_data"}},
		{"country", func(in *CardInput) { in.Billing.AddressCountry = "us" }, []string{"billing.address_country invalid_token_data"}},
		{"long country", func(in *CardInput) { in.Billing.AddressCountry = "USA" }, []string{"billing.address_country invalid_token_data"}},
		{"no country", func(in *CardInput) { in.Billing.AddressCountry = "XX" }, []string{"billing.address_country invalid_token_data"}},
		{"a former country", func(in *CardInput) { in.Billing.AddressCountry = "SU" }, []string{"billing.address_country invalid_token_data"}},
		{"email", func(in *CardInput) { in.Billing.Email = "dana" }, []string{"billing.email invalid_email"}},
		{"email with a name", func(in *CardInput) { in.Billing.Email = "Dana <dana@example.org>" }, []string{"billing.email invalid_email"}},
		{"card number", func(in *CardInput) { in.Billing.AddressLine2 = "4242-4242 42424242" }, []string{"billing.address_line_2 invalid_token_data"}},
		{"card number among words", func(in *CardInput) { in.Billing.MiddleName = "my card: 4242 4242 4242 4242!" }, []string{"billing.middle_name invalid_token_data"}},
		{"house number first", func(in *CardInput) { in.Billing.AddressLine1 = "12 4242 4242 4242 4242" }, []string{"billing.address_line_1 invalid_token_data"}},
		{"expiry after", func(in *CardInput) { in.Billing.AddressLine2 = "4242 4242 4242 4242 08 30" }, []string{"billing.address_line_2 invalid_token_data"}},
		{"other separators", func(in *CardInput) { in.Billing.AddressCity = "4242.4242/4242\u00a04242" }, []string{"billing.address_city invalid_token_data"}},
		{"card number after a number", func(in *CardInput) { in.Billing.AddressState = "12 4242424242424242" }, []string{"billing.address_state invalid_token_data"}},
		{"other long numbers", func(in *CardInput) {
			in.Billing.Phone, in.Billing.AddressLine1 = "+49 171 1234567890123", "4242424242424241"
		}, nil},
		{"no expiry", func(in *CardInput) { in.ExpMonth, in.ExpYear = 0, 0 }, []string{"card.expiry incomplete_expiry"}},
		{
			"everything", func(in *CardInput) {
				*in = CardInput{ExpMonth: 1, ExpYear: 1, Billing: Billing{Email: "@"}}
			},
			[]string{"card.number incomplete_number", "card.expiry invalid_expiry_year_past", "card.cvc incomplete_cvc",
				"billing.email invalid_email"},
		},
	}
	for _, c := range cases {
		in := goodCard()
		c.spoil(&in)
		var got []string
		for _, f := range in.validate(today) {
			got = append(got, f.Param+" "+f.Code)
			if strings.Contains(f.Message, "4242") {
				t.Errorf("%s: the message repeats the value: %s", c.name, f.Message)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func FuzzValidation(f *testing.F) {
	f.Add("4242424242424242", "123", 5, 2027, "Dana", "dana@example.org")
	f.Add("", "", 0, 0, "\xff", "@")
	f.Fuzz(func(t *testing.T, number, cvc string, month, year int, name, email string) {
		in := CardInput{Number: sensitive.NewPAN(number), CVC: sensitive.NewCVC(cvc), ExpMonth: month, ExpYear: year,
			Billing: Billing{FirstName: name, Email: email}}
		if fs := in.validate(today); len(fs) == 0 && (!sensitive.Luhn(number) || !onlyDigits(cvc) || month < 1 ||
			month > 12 || sensitive.HoldsPAN(name)) {
			t.Errorf("%q is accepted", number)
		}
	})
}
