package portal

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"svcpay/internal/charge"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/mailbox"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// today is now where the viewer is, by the application's clock, which a sandbox's people move ahead.
func (p *Portal) today(c *web.Request) time.Time {
	now := p.Now()
	if m, err := p.Clocks.Moment(c.Ctx(), c.Actor().ApplicationID); err == nil { // the machine's will do
		now = m.At
	}
	return now.In(c.Viewer().Zone)
}

// machineDay is now where the viewer is, by the machine's clock: for records that are written by it.
func (p *Portal) machineDay(c *web.Request) time.Time {
	return p.Now().In(c.Viewer().Zone)
}

// payerOf is how a charge's payer is called.
func payerOf(t *text.Catalogue, c charge.Summary) string {
	return cmp.Or(c.Payer, mailbox.Shown(c.Email), t.Charges.NoName)
}

// methodOf is what was paid with, and what explains it.
func methodOf(t *text.Catalogue, c charge.Summary) (words, detail string) {
	if c.Type == charge.ACH || c.Type == charge.ACSS {
		return t.Charges.Digits(c.BankName, c.Last4), t.Charges.Accounts[c.AccountType]
	}
	return t.Charges.Digits(cmp.Or(t.Charges.Brands[c.Brand], t.Charges.Brands["none"]), c.Last4), t.Charges.Wallets[c.Wallet]
}

// chargeTones say what a charge's status means.
var chargeTones = map[charge.Status]ui.Tone{
	charge.Processing: ui.Info, charge.Authorized: ui.Warning, charge.Captured: ui.Success, charge.Pending: ui.Info, charge.Settled: ui.Success,
	charge.Voided: ui.Neutral, charge.Expired: ui.Neutral, charge.Failed: ui.Danger, charge.Returned: ui.Danger,
}

// stateOf is a charge's status, with what came of its money since.
func stateOf(t *text.Catalogue, c charge.Summary) views.State {
	out := views.State{Tone: chargeTones[c.Status], Word: t.Charges.Statuses[string(c.Status)]}
	switch {
	case c.AmountDisputed > 0:
		out.Note = t.Charges.DisputedSome(t.Amount(c.AmountDisputed))
	case c.AmountRefundPending > 0:
		out.Note = t.Charges.RefundPending(t.Amount(c.AmountRefundPending))
	case c.AmountRefunded > 0 && c.AmountRefunded == c.AmountCaptured:
		out.Note = t.Charges.RefundedAll
	case c.AmountRefunded > 0:
		out.Note = t.Charges.RefundedSome(t.Amount(c.AmountRefunded))
	}
	return out
}

// units writes an amount for a spreadsheet: 1234.56.
func units(a money.Amount) string { return strings.ReplaceAll(a.Decimal(), ",", "") }

// stamp writes a moment for a spreadsheet, in UTC.
func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// place is the address of an object's page, below that of its list, if the visitor may open it; else "".
func place(reachable map[string]bool, list, id string) string {
	if !reachable[list+"/:id"] || id == "" {
		return ""
	}
	return list + "/" + id
}

// merchantTab is the address of a part of a merchant's page, if the visitor may open it.
func merchantTab(reachable map[string]bool, id int64, tab string) string {
	if !reachable[merchantsPath+"/:id/"+tab] {
		return ""
	}
	return merchantsPath + "/" + strconv.FormatInt(id, 10) + "/" + tab
}

// merchantPlace is the address of a merchant's page, if the visitor may open it.
func merchantPlace(reachable map[string]bool, id int64) string {
	return place(reachable, merchantsPath, strconv.FormatInt(id, 10))
}

// facts are those of a page; one without a value is left out.
type facts []ui.Fact

func (f *facts) add(key string, value templ.Component) {
	*f = append(*f, ui.Fact{Key: key, Value: value})
}

func (f *facts) text(key, value string) {
	if value != "" {
		f.add(key, ui.Plain(value))
	}
}

func (f *facts) copied(key, value string) {
	if value != "" {
		f.add(key, ui.Copied(key, value))
	}
}

func (f *facts) time(key string, at *instant.Time) {
	if at != nil {
		f.add(key, ui.Time(at.Time))
	}
}
