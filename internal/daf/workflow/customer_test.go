package workflow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"svcpay/internal/daf/provider"
	"svcpay/internal/money"
)

func TestCustomerDetailFillsTheFormIn(t *testing.T) {
	t.Parallel()
	want := provider.Donor{FirstName: "Dana", LastName: "Reed", Email: "dana@example.org", Phone: "+1 503 555 0100",
		Note: "In memory\nof Sam", Anonymous: true,
		Address: provider.Address{Line1: "12 Elm Street", Line2: "Apt 4", City: "Salem", State: "OR",
			PostalCode: "97301"}}
	for _, text := range []string{
		`{"amount":124.01,"firstName":"Dana","lastName":"Reed","email":"dana@example.org","phone":"+1 503 555 0100","note":"In memory\r\nof Sam","anonymous":true,
			"address":{"line1":"12 Elm Street","line2":"Apt 4","city":"Salem","state":"OR","postalCode":"97301"},"metadata":{"campaign":"winter"}}`,
		`{"amount":124.5,"first_name":" Dana ","last_name":"Re\u0000ed","email":"dana@example.org","phone":"+1 503 555 0100","note":"In memory\nof Sam","anonymous":true,
			"address":{"line1":"12 Elm Street","line2":"Apt 4","city":"Salem","state":"OR","postal_code":"97301"},"metadata":null}`,
	} {
		c, warnings := readCustomer([]byte(text))
		if diff := cmp.Diff(want, c.donor); diff != "" || len(warnings) > 0 || c.amount == nil || *c.amount != 125_00 {
			t.Errorf("%v, %s, %v", c.amount, diff, warnings)
		}
	}
}

func TestWhatIsWrongWithACustomerIsLeftOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``: "", `null`: "", `{}`: "", `{"firstName":null}`: "", `{"metadata":17}`: "",
		`[]`:                     "customer_detail is ignored: it must be an object.",
		`"x"`:                    "customer_detail is ignored: it must be an object.",
		`{"nickname":"D"}`:       "customer_detail.nickname is ignored: it is not known.",
		`{"<script>":"D"}`:       "customer_detail.(another) is ignored: it is not known.",
		`{"4242424242424242":1}`: "customer_detail.(another) is ignored: it is not known.",
		`{"firstName":7}`:        "customer_detail.firstName is ignored: it must be a string.",
		`{"phone":"` + strings.Repeat("1", 6) + `","first_name":"` + strings.Repeat("é", 101) + `"}`: "customer_detail.firstName is ignored: it has more than 100 characters.",
		`{"note":"pay 4242 4242 4242 4242"}`:  "customer_detail.note is ignored: it looks like a card number.",
		`{"anonymous":"yes"}`:                 "customer_detail.anonymous is ignored: it must be true or false.",
		`{"address":"12 Elm Street"}`:         "customer_detail.address is ignored: it must be an object.",
		`{"address":{"planet":"Mars"}}`:       "customer_detail.address.planet is ignored: it is not known.",
		`{"address":{"line1":{"line1":"x"}}}`: "customer_detail.address.line1 is ignored: it must be a string.",
		`{"amount":"125"}`:                    "customer_detail.amount is ignored: it must be a number of dollars.",
		`{"amount":-1}`:                       "customer_detail.amount is ignored: it must be a number of dollars.",
		`{"amount":1e3}`:                      "customer_detail.amount is ignored: it must be a number of dollars.",
		`{"amount":0}`:                        "customer_detail.amount is ignored: it must be from 1 to 999,999 dollars.",
		`{"amount":999999.01}`:                "customer_detail.amount is ignored: it must be from 1 to 999,999 dollars.",
	} {
		c, warnings := readCustomer([]byte(text))
		if strings.Join(warnings, "|") != want || c.amount != nil {
			t.Errorf("%s: %v, %q", text, c.amount, warnings)
		}
	}
	many := map[string]int{}
	for i := range 100 {
		many[fmt.Sprint("x", i)] = i
	}
	text, err := json.Marshal(many)
	if _, warnings := readCustomer(text); err != nil || len(warnings) != maxWarnings {
		t.Errorf("%d warnings", len(warnings))
	}
}

func FuzzCustomer(f *testing.F) {
	for _, text := range []string{``, `{}`, `{"firstName":"Dana","first_name":"D"}`, `{"amount":1.01}`,
		`{"note":"\u0000\ud800"}`, `{"address":{"line1":[]}}`, `{"a":{"a":{"a":1}}}`, `{"__proto__":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, warnings := readCustomer(text)
		if len(warnings) > maxWarnings || slices.ContainsFunc(warnings, func(w string) bool { return len(w) > 200 }) {
			t.Errorf("%q", warnings)
		}
		if c.amount != nil && !grantable(*c.amount) {
			t.Errorf("an amount of %d", *c.amount)
		}
		for _, of := range []map[string]textOf{texts, addressTexts} {
			for name, m := range of {
				value := *m.at(&c.donor)
				if utf8.RuneCountInString(value) > m.most || !utf8.ValidString(value) ||
					strings.ContainsFunc(value, func(r rune) bool {
						return unicode.IsControl(r) &&
							(r != '\n' || !m.lines)
					}) {
					t.Errorf("%s is %q", name, value)
				}
			}
		}
	})
}

func TestAFormIsReadAsDonorsWriteIt(t *testing.T) {
	t.Parallel()
	read := func(change func(*Form)) (money.Amount, provider.Donor, string) {
		f := Form{Amount: "$1,250", Donor: provider.Donor{FirstName: " Dana ", Email: "dana@example.org"}}
		change(&f)
		a, d, fs := f.Read()
		mistakes := ""
		for _, one := range fs {
			mistakes += one.Param + " " + one.Code + ";"
		}
		return a, d, mistakes
	}
	if a, d, mistakes := read(func(*Form) {}); a != 1_250_00 || d.FirstName != "Dana" || mistakes != "" {
		t.Errorf("%d, %+v, %s", a, d, mistakes)
	}
	for want, change := range map[string]func(*Form){
		"amount amount_invalid;":                        func(f *Form) { f.Amount = "much" },
		"amount amount_not_whole;":                      func(f *Form) { f.Amount = "12.50" },
		"amount amount_too_small;":                      func(f *Form) { f.Amount = "0" },
		"amount amount_too_large;":                      func(f *Form) { f.Amount = "1,000,000" },
		"email email_invalid;":                          func(f *Form) { f.Donor.Email = "dana" },
		"note text_too_long;":                           func(f *Form) { f.Donor.Note = strings.Repeat("x", 501) },
		"line1 text_invalid;":                           func(f *Form) { f.Donor.Address.Line1 = "4242424242424242" },
		"amount amount_invalid;firstName text_invalid;": func(f *Form) { f.Amount, f.Donor.FirstName = "", "4242-4242-4242-4242" },
	} {
		if _, _, mistakes := read(change); mistakes != want {
			t.Errorf("%q, want %q", mistakes, want)
		}
	}
	f := Form{Amount: "12.50"}
	if _, _, fs := f.Read(); !strings.Contains(fs[0].Message, "$13.") {
		t.Errorf("the nearest is not offered: %s", fs[0].Message)
	}
}
