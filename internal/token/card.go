package token

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/sensitive"
)

// CardInput is a card as typed by a payer.
type CardInput struct {
	Number   sensitive.PAN
	CVC      sensitive.CVC
	ExpMonth int
	ExpYear  int // four digits
	// Swiped says that number and expiry come from the card's stripe; the code, which is not on it, may be left out.
	Swiped  bool
	Billing Billing
	// Proof is the solution of a challenge; zero if there was none.
	Proof Proof

	cryptogram sensitive.Cryptogram // of a card from a wallet
	eci        string               // of the same payload
}

const (
	maxBillingText = 255
	maxExpiryYears = 20
)

// validate returns every mistake, named as the library names its inputs.
func (in CardInput) validate(now time.Time) fault.Fields {
	var fs fault.Fields
	brand := sensitive.BrandOf(in.Number.Reveal())
	switch digits := in.Number.Reveal(); {
	case digits == "":
		fs.Add("card.number", "incomplete_number", "Enter the card number.")
	case brand.Name == "":
		fs.Add("card.number", "unsupported_brand", "This kind of card is not accepted.")
	case !brand.Fits(digits) || !sensitive.Luhn(digits):
		fs.Add("card.number", "invalid_number", "The card number is not valid.")
	}
	in.validateExpiry(&fs, now)
	switch cvc := in.CVC.Reveal(); {
	case cvc == "" && in.Swiped:
	case cvc == "":
		fs.Add("card.cvc", "incomplete_cvc", "Enter the security code.")
	case !onlyDigits(cvc) || len(cvc) != brand.CVC():
		fs.Add("card.cvc", "invalid_cvc", "The security code is not valid.")
	}
	in.Billing.validate(&fs)
	return fs
}

// validateExpiry refuses a card whose month is over everywhere. Until then its bank decides.
func (in CardInput) validateExpiry(fs *fault.Fields, now time.Time) {
	now = now.In(instant.LastZone)
	switch {
	case in.ExpMonth == 0 && in.ExpYear == 0:
		fs.Add("card.expiry", "incomplete_expiry", "Enter the expiry date.")
	case in.ExpMonth < 1 || in.ExpMonth > 12:
		fs.Add("card.expiry", "invalid_expiry", "The month is from 1 to 12.")
	case in.ExpYear < now.Year():
		fs.Add("card.expiry", "invalid_expiry_year_past", "The card has expired.")
	case in.ExpYear == now.Year() && in.ExpMonth < int(now.Month()):
		fs.Add("card.expiry", "invalid_expiry_month_past", "The card has expired.")
	case in.ExpYear > now.Year()+maxExpiryYears:
		fs.Add("card.expiry", "invalid_expiry", "The year is too far ahead.")
	}
}

// Tidied is b with the white space of its texts tidied, as pages and payers paste them, and its address in the form
// that is kept. The country is a code, and stays.
func (b Billing) Tidied() Billing {
	for _, text := range []*string{&b.FirstName, &b.MiddleName, &b.LastName, &b.AddressLine1, &b.AddressLine2,
		&b.AddressCity, &b.AddressState, &b.AddressZip, &b.Email, &b.Phone} {
		*text = tidy(*text)
	}
	b.Email = mailbox.Normal(b.Email)
	return b
}

// tidy is text without white space at its ends, and with one space for each run of it inside.
func tidy(text string) string { return strings.Join(strings.Fields(text), " ") }

func (b Billing) validate(fs *fault.Fields) {
	texts := []struct{ name, value string }{
		{"first_name", b.FirstName}, {"middle_name", b.MiddleName}, {"last_name", b.LastName},
		{"address_line_1", b.AddressLine1}, {"address_line_2", b.AddressLine2},
		{"address_city", b.AddressCity}, {"address_state", b.AddressState}, {"address_zip", b.AddressZip},
		{"email", b.Email}, {"phone", b.Phone},
	}
	for _, t := range texts {
		if utf8.RuneCountInString(t.value) > maxBillingText || strings.ContainsFunc(t.value, unicode.IsControl) {
			fs.Add("billing."+t.name, "invalid_token_data", "Use at most 255 characters, all of them printable.")
		} else if sensitive.HoldsPAN(t.value) {
			fs.Add("billing."+t.name, "invalid_token_data", "Card numbers belong in the card field only.")
		}
	}
	if c := b.AddressCountry; c != "" && !check.IsCountry(c) {
		fs.Add("billing.address_country", "invalid_token_data",
			"Use a country's code in two capital letters (ISO 3166-1), such as US.")
	}
	known := func(f fault.Field) bool { return f.Param == "billing.email" } // one mistake of it is enough
	if b.Email != "" && !slices.ContainsFunc(*fs, known) {
		if !mailbox.Valid(b.Email) {
			fs.Add("billing.email", "invalid_email", "The email address is not valid.")
		}
	}
}

func onlyDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
