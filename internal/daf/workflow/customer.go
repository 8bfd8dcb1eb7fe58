package workflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/daf/provider"
	"svcpay/internal/money"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/sensitive"
)

// customer is what a page knows of a donor beforehand.
type customer struct {
	amount *money.Amount
	donor  provider.Donor
}

// textOf says where a text of the donor is kept, and how long it may be, in characters.
type textOf struct {
	at    func(*provider.Donor) *string
	most  int
	lines bool // may have several

	address bool // is an email address
}

// clean makes a text fit to be kept.
func (t textOf) clean(text string) string {
	text = clean(text, t.lines)
	if t.address {
		return mailbox.Normal(text)
	}
	return text
}

// The texts of a donor by the names of the library's customerDetail. The form has the same bounds.
var (
	texts = map[string]textOf{
		"firstName": {at: func(d *provider.Donor) *string { return &d.FirstName }, most: 100},
		"lastName":  {at: func(d *provider.Donor) *string { return &d.LastName }, most: 100},
		"email":     {at: func(d *provider.Donor) *string { return &d.Email }, most: 254, address: true},
		"phone":     {at: func(d *provider.Donor) *string { return &d.Phone }, most: 40},
		"note":      {at: func(d *provider.Donor) *string { return &d.Note }, most: 500, lines: true},
	}
	addressTexts = map[string]textOf{
		"line1":      {at: func(d *provider.Donor) *string { return &d.Address.Line1 }, most: 100},
		"line2":      {at: func(d *provider.Donor) *string { return &d.Address.Line2 }, most: 100},
		"city":       {at: func(d *provider.Donor) *string { return &d.Address.City }, most: 100},
		"state":      {at: func(d *provider.Donor) *string { return &d.Address.State }, most: 50},
		"postalCode": {at: func(d *provider.Donor) *string { return &d.Address.PostalCode }, most: 20},
	}
)

// maxWarnings bounds what an answer says about one customer_detail.
const maxWarnings = 20

// reading is a customer_detail being read.
type reading struct {
	customer
	warnings []string
}

// readCustomer reads a page's customer_detail. What it cannot use it leaves out, with a warning that names the
// member and repeats no value. Names may be written in snake_case, too.
func readCustomer(raw []byte) (customer, []string) {
	r := reading{warnings: []string{}}
	r.members("customer_detail", raw, func(name string, value json.RawMessage) bool {
		switch t, isText := texts[name]; {
		case isText:
			r.text("customer_detail."+name, value, t)
		case name == "amount":
			r.dollars(value)
		case name == "anonymous":
			if json.Unmarshal(value, &r.donor.Anonymous) != nil {
				r.warn("customer_detail.anonymous", "it must be true or false")
			}
		case name == "address":
			r.members("customer_detail.address", value, func(name string, value json.RawMessage) bool {
				t, ok := addressTexts[name]
				if ok {
					r.text("customer_detail.address."+name, value, t)
				}
				return ok
			})
		case name == "metadata": // the modal has no use for it: the application sends it with the donation
		default:
			return false
		}
		return true
	})
	return r.customer, r.warnings
}

// members goes through an object; nothing and null have none.
func (r *reading) members(path string, raw []byte, known func(name string, value json.RawMessage) bool) {
	if len(raw) == 0 {
		return
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		r.warn(path, "it must be an object")
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if value := object[name]; string(value) != "null" && !known(camel(name), value) {
			r.warn(path+"."+printable(name), "it is not known")
		}
	}
}

func (r *reading) warn(path, why string) {
	if len(r.warnings) < maxWarnings {
		r.warnings = append(r.warnings, fmt.Sprintf("%s is ignored: %s.", path, why))
	}
}

func (r *reading) text(path string, raw json.RawMessage, t textOf) {
	var value string
	if json.Unmarshal(raw, &value) != nil {
		r.warn(path, "it must be a string")
		return
	}
	value = t.clean(value)
	if sensitive.HoldsPAN(value) {
		r.warn(path, "it looks like a card number")
		return
	}
	if utf8.RuneCountInString(value) > t.most {
		r.warn(path, fmt.Sprintf("it has more than %d characters", t.most))
		return
	}
	*t.at(&r.donor) = value
}

// decimalNumber is a JSON number of dollars and cents.
var decimalNumber = regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,9})?$`)

// dollars reads an amount in dollars and cents, and rounds it up to whole dollars as the library does.
func (r *reading) dollars(raw json.RawMessage) {
	const path = "customer_detail.amount"
	if !decimalNumber.Match(raw) {
		r.warn(path, "it must be a number of dollars")
		return
	}
	whole, cents, _ := strings.Cut(string(raw), ".")
	a, err := money.ParseDecimal(whole)
	if strings.Trim(cents, "0") != "" {
		a += money.Dollar
	}
	if err != nil || !grantable(a) {
		r.warn(path, "it must be from 1 to 999,999 dollars")
		return
	}
	r.amount = &a
}

// clean makes a text fit to be kept: valid, without control characters, without blanks around it.
func clean(text string, lines bool) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n")
	text = strings.Map(func(c rune) rune {
		switch {
		case c == '\n' && lines:
			return c
		case c == '\n', c == '\t':
			return ' '
		case unicode.IsControl(c):
			return -1
		}
		return c
	}, text)
	return strings.TrimSpace(text)
}

// camel is a name in the library's spelling: first_name is firstName.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts {
		if i > 0 && p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

// plainName is a name that a warning can repeat.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,39}$`)

func printable(name string) string {
	if plainName.MatchString(name) && !sensitive.HoldsPAN(name) {
		return name
	}
	return "(another)"
}
