package sandbox

import (
	"slices"
	"strings"
	"time"

	"svcpay/internal/sensitive"
)

// Networks of cards as wallet B names them, and as wallet A does.
var namesOfA = map[string]string{"AMEX": "amex", "DISCOVER": "discover", "JCB": "jcb", "MASTERCARD": "masterCard",
	"VISA": "visa"}

// Person is someone who pays with a wallet in the sandbox.
type Person struct {
	Key     string
	Name    string // "" of one who tells neither name nor address
	Network string // in capitals: VISA, MASTERCARD …
	What    string // what comes of it
	number  string
	plain   bool // wallet B gives the card's own number
	Contact Contact
}

// Contact is what a person's wallet reports the person.
type Contact struct {
	First, Last, Email, Street, Suite, City, State, Zip, Country string
}

// People are the sandbox's: a good card of each network, and those whose payments go wrong.
func People() []Person {
	dana := Contact{"Dana", "Reed", "dana@wallet.example", "12 Ferry Lane", "Apt 4", "Salem", "OR", "97301", "US"}
	of := func(first, last, street, city, state, zip, country string) Contact {
		return Contact{first, last, strings.ToLower(first) + "@wallet.example", street, "", city, state, zip, country}
	}
	return []Person{
		{"visa", "Dana Reed", "VISA", "is approved", "4242424242424242", false, dana},
		{"mastercard", "Miguel Ortiz", "MASTERCARD", "is approved; wallet B gives the card’s own number",
			"5555555555554444", true, of("Miguel", "Ortiz", "8 Mill Street", "Austin", "TX", "78701", "US")},
		{"amex", "Priya Shah", "AMEX", "is approved", "378282246310005", false, of("Priya", "Shah", "240 Lake Road", "Chicago", "IL", "60601", "US")},
		{"discover", "Tom Becker", "DISCOVER", "is approved", "6011111111111117", false, of("Tom", "Becker", "77 Hill Avenue", "Denver", "CO", "80202", "US")},
		{"jcb", "Yuki Tanaka", "JCB", "is approved; not offered by wallet A in the United States",
			"3566002020360505", false, of("Yuki", "Tanaka", "5 King Street West", "Toronto", "ON", "M5H 1A1", "CA")},
		{"unnamed", "", "VISA", "is approved; the wallet tells neither name nor address", "4242424242424242", false, Contact{}},
		{"declined", "Sam Doyle", "VISA", "is declined when it is charged", "4000000000000002", false, of("Sam", "Doyle", "3 Pine Court", "Boise", "ID", "83702", "US")},
	}
}

// PersonOf finds a person.
func PersonOf(key string) (Person, bool) {
	all := People()
	at := slices.IndexFunc(all, func(p Person) bool { return p.Key == key })
	if at < 0 {
		return Person{}, false
	}
	return all[at], true
}

// Last4 ends the number of the person's card.
func (p Person) Last4() string { return p.number[len(p.number)-4:] }

// Card is the person's, good for some years from now.
func (p Person) Card(now time.Time) Card {
	return Card{Number: sensitive.NewPAN(p.number), ExpMonth: 12, ExpYear: now.Year() + 3, Network: namesOfA[p.Network],
		Holder: p.Name, Plain: p.plain}
}

// NetworkOfA is the network of the person's card as wallet A names it.
func (p Person) NetworkOfA() string { return namesOfA[p.Network] }
