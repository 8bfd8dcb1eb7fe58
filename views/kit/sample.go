// Package kit renders the portal's component library: every component in every state, and sample pages. Only the
// sandbox serves it.
package kit

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/money"
	"svcpay/views/ui"
)

// The addresses of the kit's pages.
const (
	Path       = "/portal/_kit"
	HomePath   = Path + "/home"
	ListPath   = Path + "/list"
	DetailPath = Path + "/detail"
	RefundPath = Path + "/refund"
	DrawerPath = Path + "/drawer"
	SearchPath = Path + "/search"
	EarlyPath  = Path + "/earlier"
	TotalsPath = Path + "/totals"
	SendPath   = Path + "/receipts"
)

// today is when the invented things happened.
var today = time.Date(2026, time.March, 2, 15, 4, 0, 0, time.UTC)

// charge is an invented charge.
type charge struct {
	id, payer, email, method, merchant string
	status                             string
	amount                             money.Amount
	at                                 time.Time
}

// states are the invented charges' statuses.
var states = []struct {
	status, word string
	tone         ui.Tone
}{
	{"captured", "Captured", ui.Success}, {"settled", "Settled", ui.Success}, {"authorized", "Authorized", ui.Info},
	{"processing", "Processing", ui.Warning}, {"failed", "Failed", ui.Danger}, {"voided", "Voided", ui.Neutral},
}

func (c charge) state() (ui.Tone, string) {
	for _, s := range states {
		if s.status == c.status {
			return s.tone, s.word
		}
	}
	return ui.Neutral, c.status
}

var (
	payers = []string{
		"Ada Okafor", "Benjamin Castellanos-Whitfield", "Chloé Tremblay", "Dmitri Volkov", "Esperanza Ruiz",
		"Farid Haddad",
		"Grace Lindqvist", "Hiroshi Tanaka", "Imani Brooks", "Jack O’Neill", "Katarzyna Nowak", "Liam Murphy",
		"Mei Chen",
	}
	methods = []string{"Visa ···· 4242", "Mastercard ···· 5454", "Amex ···· 0005", "Bank account ···· 6789",
		"Wallet A · Visa ···· 1881"}
	merchants = []string{"Riverside Food Bank", "St. Brigid’s Parish", "Harbor Animal Rescue"}
	outcomes  = []int{0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 0, 5, 1, 0, 4, 0, 0}
)

// charges are 64 invented charges, the latest first.
var charges = func() (out []charge) {
	for i := range 64 {
		payer := payers[i*7%len(payers)]
		first, _, _ := strings.Cut(strings.ToLower(payer), " ")
		out = append(out, charge{
			id:       fmt.Sprintf("ch_01kb%04d", 9000-i),
			payer:    payer,
			email:    strings.NewReplacer("é", "e", "’", "").Replace(first) + "@example.org",
			method:   methods[i*3%len(methods)],
			merchant: merchants[i%len(merchants)],
			status:   states[outcomes[i%len(outcomes)]].status,
			amount:   money.Amount(1_500 + (i*i*1_371+i*977)%240_000/25*25),
			at:       today.Add(-time.Duration(i*i/3+i*5) * 13 * time.Minute),
		})
	}
	out[3].amount = 1_250_000
	return out
}()

const perPage = 20

// usual is how the list is sorted when nothing else is said.
const usual = "-created"

// list is what the invented list shows for a query.
type list struct {
	query url.Values
	rows  []charge
	pager ui.Pager
	total int
	sum   money.Amount
}

// listOf filters, sorts and pages the invented charges.
func listOf(query url.Values) list {
	var found []charge
	l := list{query: query}
	for _, c := range charges {
		if c.matches(query) {
			found = append(found, c)
			l.sum += c.amount
		}
	}
	l.total = len(found)
	order(found, cmp.Or(query.Get("sort"), usual))
	index := func(id string) int { return slices.IndexFunc(found, func(c charge) bool { return c.id == id }) }
	start, more := 0, false
	end := min(perPage, len(found))
	if after := index(query.Get("after")); after >= 0 {
		start, end = after+1, min(after+1+perPage, len(found))
	}
	more = end < len(found)
	if before := index(query.Get("before")); before >= 0 {
		start, end = max(0, before-perPage), before
		more = start > 0
	}
	l.rows = found[start:end]
	first, last := "", ""
	if len(l.rows) > 0 {
		first, last = l.rows[0].id, l.rows[len(l.rows)-1].id
	}
	l.pager = ui.Around(ListPath, query, first, last, more)
	l.pager.Target = ui.ResultsID
	l.pager.Said = fmt.Sprintf("%d – %d of %d charges", min(start+1, l.total), end, l.total)
	return l
}

func order(all []charge, by string) {
	column, descending := strings.CutPrefix(by, "-")
	slices.SortStableFunc(all, func(a, b charge) int {
		out := a.at.Compare(b.at)
		if column == "amount" {
			out = cmp.Compare(a.amount, b.amount)
		}
		if descending {
			return -out
		}
		return out
	})
}

// matches reports whether a query's filters select the charge.
func (c charge) matches(query url.Values) bool {
	among := func(name, value string) bool { return query.Get(name) == "" || slices.Contains(query[name], value) }
	cents := func(name string, none money.Amount) money.Amount {
		dollars, err := strconv.ParseFloat(query.Get(name), 64)
		if err != nil {
			return none
		}
		return money.Amount(dollars * 100)
	}
	words := strings.ToLower(query.Get("q"))
	day := c.at.Format(time.DateOnly)
	return among("status", c.status) && among("merchant", c.merchant) &&
		c.amount >= cents("amount_min", 0) && c.amount <= cents("amount_max", money.MaxCharge) &&
		(query.Get("created_from") == "" || day >= query.Get("created_from")) &&
		(query.Get("created_until") == "" || day <= query.Get("created_until")) &&
		strings.Contains(strings.ToLower(c.payer+" "+c.email+" "+c.method+" "+c.id), words)
}
