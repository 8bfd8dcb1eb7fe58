package web

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/mailbox"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// Today is now where the viewer is, by the application's clock, which a sandbox's people move ahead.
func (d *Desk) Today(c *Request) time.Time {
	now := d.Now()
	if m, err := d.clocks.Moment(c.Ctx(), c.Actor().ApplicationID); err == nil { // the machine's will do
		now = m.At
	}
	return now.In(c.Viewer().Zone)
}

// MachineDay is now where the viewer is, by the machine's clock: for records that are written by it.
func (d *Desk) MachineDay(c *Request) time.Time {
	return d.Now().In(c.Viewer().Zone)
}

// PayerOf is how a charge's payer is called.
func PayerOf(t *text.Catalogue, c charge.Summary) string {
	return cmp.Or(c.Payer, mailbox.Shown(c.Email), t.Charges.NoName)
}

// MethodOf is what was paid with, and what explains it.
func MethodOf(t *text.Catalogue, c charge.Summary) (words, detail string) {
	if c.Type == charge.ACH || c.Type == charge.ACSS {
		return t.Charges.Digits(c.BankName, c.Last4), t.Charges.Accounts[c.AccountType]
	}
	return t.Charges.Digits(cmp.Or(t.Charges.Brands[c.Brand], t.Charges.Brands["none"]),
		c.Last4), t.Charges.Wallets[c.Wallet]
}

// RuleName is what a card rule is called.
func RuleName(t *text.Catalogue, name rule.Name) string {
	return cmp.Or(t.CardRules.Names[string(name)], string(name))
}

// ListedValue is what an entry of a card rule's list is called: a card like the cards of charges.
func ListedValue(t *text.Catalogue, kind rule.Kind, value string) string {
	brand, last4, found := strings.Cut(value, rule.CardLabelGap)
	if kind != rule.Card || !found {
		return value
	}
	return t.Charges.Digits(cmp.Or(t.Charges.Brands[brand], t.Charges.Brands["none"]), last4)
}

// ChargeTones say what a charge's status means.
var ChargeTones = map[charge.Status]ui.Tone{
	charge.Processing: ui.Info, charge.Authorized: ui.Warning, charge.Captured: ui.Success, charge.Pending: ui.Info,
	charge.Settled: ui.Success,
	charge.Voided:  ui.Neutral, charge.Expired: ui.Neutral, charge.Failed: ui.Danger, charge.Returned: ui.Danger,
}

// ObjectPage is the address of an object's page, below that of its list, if the visitor may open it; else "".
func ObjectPage(reachable map[string]bool, list, id string) string {
	if !reachable[list+"/:id"] || id == "" {
		return ""
	}
	return list + "/" + id
}

// MerchantTab is the address of a part of a merchant's page, if the visitor may open it.
func MerchantTab(reachable map[string]bool, id int64, tab string) string {
	if !reachable[MerchantsPath+"/:id/"+tab] {
		return ""
	}
	return MerchantsPath + "/" + strconv.FormatInt(id, 10) + "/" + tab
}

// MerchantPage is the address of a merchant's page, if the visitor may open it.
func MerchantPage(reachable map[string]bool, id int64) string {
	return ObjectPage(reachable, MerchantsPath, strconv.FormatInt(id, 10))
}

// BalanceOf is a merchant's balance as a line shows it.
func BalanceOf(m merchant.Merchant, b ledger.Balance) views.BalanceLine {
	return views.BalanceLine{Href: BalanceAt(m.ID, ""), Merchant: m.Name, Currency: m.Currency, Pending: b.Pending,
		Available: b.Available,
		Reserved:  b.Reserved, Transit: b.InTransit, Total: b.Total()}
}

// Facts are those of a page; one without a value is left out.
type Facts []ui.Fact

// Add adds a fact that has a value.
func (f *Facts) Add(key string, value templ.Component) {
	*f = append(*f, ui.Fact{Key: key, Value: value})
}

// Text adds a text.
func (f *Facts) Text(key, value string) {
	if value != "" {
		f.Add(key, ui.Plain(value))
	}
}

// Code adds a piece of code, which leads to its page if there is one to open.
func (f *Facts) Code(key, value, page string) {
	switch {
	case value != "" && page != "":
		f.Add(key, ui.Linked(value, page))
	case value != "":
		f.Add(key, ui.Mono(value))
	}
}

// Merchant adds a merchant by its id, which leads to its page.
func (f *Facts) Merchant(key string, id *int64) {
	if id != nil {
		f.Code(key, Numeral(id), MerchantsPath+"/"+Numeral(id))
	}
}

// Copied adds a text with a button that copies it.
func (f *Facts) Copied(key, value string) {
	if value != "" {
		f.Add(key, ui.Copied(key, value))
	}
}

// Time adds a moment.
func (f *Facts) Time(key string, at *instant.Time) {
	if at != nil {
		f.Add(key, ui.Time(at.Time))
	}
}
