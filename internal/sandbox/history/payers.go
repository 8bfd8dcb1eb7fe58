package history

import (
	"fmt"
	"strings"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
)

// payer is someone who gives, by one of the sandbox's cards or bank accounts.
type payer struct{ first, last, street, city, state, zip string }

var payers = []payer{
	{"Maya", "Whitfield", "18 Alder Street", "Portland", "OR", "97205"},
	{"Theo", "Banks", "402 Mill Road", "Salem", "OR", "97301"},
	{"Nora", "Castillo", "7 Harbor View", "Seattle", "WA", "98101"},
	{"Elias", "Werner", "950 Third Avenue", "Boise", "ID", "83702"},
	{"Grace", "Adeyemi", "61 Orchard Lane", "Eugene", "OR", "97401"},
	{"Hugo", "Lindqvist", "33 Pine Court", "Tacoma", "WA", "98402"},
	{"Iris", "Nakamura", "210 Willow Way", "Bend", "OR", "97701"},
	{"Jonas", "Petrov", "5 Quarry Road", "Spokane", "WA", "99201"},
	{"Leah", "Goldberg", "1440 Market Street", "Portland", "OR", "97201"},
	{"Omar", "Haddad", "77 Cedar Street", "Vancouver", "WA", "98660"},
	{"Priya", "Raman", "12 Fern Hill", "Corvallis", "OR", "97330"},
	{"Quinn", "Doyle", "389 Lake Drive", "Olympia", "WA", "98501"},
	{"Rosa", "Marchetti", "26 Station Road", "Medford", "OR", "97501"},
	{"Simon", "Okoro", "804 Oak Avenue", "Yakima", "WA", "98901"},
	{"Tessa", "Vandenberg", "15 Rose Garden", "Ashland", "OR", "97520"},
	{"Victor", "Hale", "92 Summit Street", "Everett", "WA", "98201"},
}

func (p payer) email() string { return strings.ToLower(p.first+"."+p.last) + "@example.com" }

func (p payer) billing(country string) token.Billing {
	b := token.Billing{FirstName: p.first, LastName: p.last, AddressLine1: p.street, AddressCity: p.city,
		AddressState: p.state,
		AddressZip:   p.zip, AddressCountry: country, Email: p.email()}
	if country == "CA" {
		b.AddressCity, b.AddressState, b.AddressZip = "Toronto", "ON", "M5V 2T6"
	}
	return b
}

// The cards that are approved, in the order in which payers have them.
var approved = []string{"4242424242424242", "5555555555554444", "4242424242424242", "378282246310005",
	"6011111111111117", "2223003122003222", "4000000000000010"}

// The sandbox's cards and accounts with which something happens.
const (
	declined     = "4000000000000002"
	noFunds      = "4000000000009995"
	expiredCard  = "4000000000000069"
	wrongCode    = "4000000000000127"
	disputedCard = "4000000000000259"
	askedCard    = "4000000000001976"
	noRefunds    = "4000000000007726"

	debited      = "000123456789"
	bounced      = "000222222227"
	unauthorized = "000333333335"
)

func card(p payer, number string, at time.Time) token.CardInput {
	cvc := "123"
	if len(number) == 15 {
		cvc = "1234"
	}
	return token.CardInput{Number: sensitive.NewPAN(number), CVC: sensitive.NewCVC(cvc), ExpMonth: 1 + len(p.last)%12,
		ExpYear: at.Year() + 3, Billing: p.billing("US")}
}

// account is a bank account of a country; a payer has agreed to be debited.
func account(p payer, number, country string, n int) token.BankInput {
	in := token.BankInput{Scheme: processor.ACH, Routing: "110000000", Number: sensitive.NewAccountNumber(number),
		AccountType: "checking", Billing: p.billing(country),
		Mandate: token.Acceptance{Accepted: true, TextVersion: token.MandateVersion,
			IP: fmt.Sprintf("198.51.100.%d", 1+n%250), UserAgent: "Mozilla/5.0"}}
	if country == "CA" {
		in.Scheme, in.Routing = processor.ACSS, "11000000"
	}
	return in
}
