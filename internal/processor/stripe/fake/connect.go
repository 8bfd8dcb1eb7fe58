package fake

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// connect is the state of platforms and connected accounts.
type connect struct {
	// PayoutsEnabled, DetailsSubmitted, Schedule and DisabledReason are what the API returns for a connected account.
	PayoutsEnabled, DetailsSubmitted bool
	Schedule, DisabledReason         string
	// CardPayments and Transfers are the statuses of these capabilities; "" is not requested and active. CurrentlyDue,
	// PastDue and Deadline are the requirements.
	CardPayments          string
	Transfers             string
	CurrentlyDue, PastDue []string
	Deadline              time.Time
	// PayoutsFrozen makes Stripe refuse payouts although PayoutsEnabled is true.
	PayoutsFrozen bool

	platform                  *Account // nil if it is not a connected account
	disconnected              bool
	created                   time.Time // zero of one that was not created by the API
	metadata                  object
	balance                   map[string]int64 // available, by currency
	transfers, payouts, banks list
	numbers                   map[string]string // of the bank accounts
}

// Numbers of bank accounts. Payouts to any other number are paid after two days.
const (
	NoAccount     = "000111111116" // a payout fails after two days: no_account
	AccountClosed = "000111111113" // a payout is paid after two days, and fails after three more: account_closed
	Canceled      = "000222222227" // a payout is canceled after an hour
)

const day = 24 * time.Hour

// OpenConnected adds an account without a bank account that is connected to a platform and can be paid out.
func (f *Fake) OpenConnected(platform *Account, id string) *Account {
	a := f.Open(id, "", "")
	defer f.locked()()
	a.connect = connect{platform: platform, PayoutsEnabled: true, DetailsSubmitted: true, Schedule: "manual"}
	return a
}

// Disconnect ends the connection of an account to its platform, which an event reports. The platform's requests about
// it are refused from then on.
func (f *Fake) Disconnect(a *Account) {
	defer f.locked()()
	f.event(a, "account.application.deauthorized", object{"id": "ca_fake", "object": "application"}, "")
	a.disconnected = true
}

// AddBank adds a bank account and makes it the default for its currency.
func (f *Fake) AddBank(a *Account, currency, routing, number string) {
	defer f.locked()()
	for _, b := range a.banks {
		if b["currency"] == currency {
			b["default_for_currency"] = false
		}
	}
	id := f.id("ba")
	if a.numbers == nil {
		a.numbers = map[string]string{}
	}
	a.numbers[id] = number
	a.banks = append(a.banks, object{"id": id, "object": "bank_account", "created": f.now.Unix(), "currency": currency,
		"routing_number": routing, "last4": number[len(number)-4:], "default_for_currency": true, "status": "new"})
}

// SetNumber changes the number of an account's bank accounts, which decides how later payouts to them end. The API
// shows the same last four digits as before.
func (f *Fake) SetNumber(a *Account, number string) {
	defer f.locked()()
	for id := range a.numbers {
		a.numbers[id] = number
	}
}

// Fund adds to the available balance of an account.
func (f *Fake) Fund(a *Account, currency string, amount int64) {
	defer f.locked()()
	a.add(currency, amount)
}

// Available is the available balance of an account.
func (f *Fake) Available(a *Account, currency string) int64 {
	defer f.locked()()
	return a.balance[currency]
}

// PaidOut is the total of payouts to bank accounts with a number that are paid or on their way.
func (f *Fake) PaidOut(a *Account, number string) (sum int64) {
	defer f.locked()()
	for _, p := range a.payouts {
		if status := p["status"]; status != "failed" && status != "canceled" &&
			a.numbers[p["destination"].(string)] == number {
			sum += p["amount"].(int64)
		}
	}
	return sum
}

func (a *Account) add(currency string, amount int64) {
	if a.balance == nil {
		a.balance = map[string]int64{}
	}
	a.balance[currency] += amount
}

// scoped is the account that a request is about: the key's account, or the connected account in its header; nil if that
// one is not connected to the key's account.
func (f *Fake) scoped(of *Account, header string) *Account {
	if header == "" {
		return of
	}
	for _, a := range f.accounts {
		if a.ID == header && a.platform == of && !a.disconnected {
			return a
		}
	}
	return nil
}

// ofConnected serves a platform's request about a connected account.
func ofConnected(serve handler) handler {
	return func(f *Fake, a *Account, c call) (object, *failure) {
		connected := f.scoped(a, c.id)
		if connected == nil {
			return nil, &failure{status: http.StatusForbidden, kind: "invalid_request_error", code: "account_invalid",
				message: "The key does not have access to " + c.id + "."}
		}
		return serve(f, connected, c)
	}
}

func (f *Fake) connectedAccount(a *Account, _ call) (object, *failure) {
	return object{"id": a.ID, "object": "account", "charges_enabled": a.ChargesEnabled,
		"details_submitted": a.DetailsSubmitted,
		"payouts_enabled":   a.PayoutsEnabled, "capabilities": a.capabilities(), "requirements": a.requirements(),
		"created": a.created.Unix(), "metadata": a.metadata, "type": "express",
		"settings": object{"payouts": object{"schedule": object{"interval": a.Schedule}}}}, nil
}

func (a *Account) capabilities() object {
	out := object{"transfers": cmp.Or(a.Transfers, "active")}
	if a.CardPayments != "" {
		out["card_payments"] = a.CardPayments
	}
	return out
}

func (a *Account) requirements() object {
	out := object{"disabled_reason": orNil(a.DisabledReason), "currently_due": a.CurrentlyDue, "past_due": a.PastDue,
		"current_deadline": nil}
	if !a.Deadline.IsZero() {
		out["current_deadline"] = a.Deadline.Unix()
	}
	return out
}

// Update changes a connected account, as Stripe does, which its platform is told by an event.
func (f *Fake) Update(a *Account, change func()) {
	defer f.locked()()
	change()
	shown, _ := f.connectedAccount(a, call{})
	f.event(a, "account.updated", shown, "")
}

// mayCharge reports whether a platform may charge cards on behalf of an account.
func (f *Fake) mayCharge(platform *Account, id string) bool {
	a := f.scoped(platform, id)
	return a != nil && a != platform && a.CardPayments == "active"
}

func (f *Fake) externalAccounts(a *Account, c call) (object, *failure) { return page(a.banks, c.Form) }

// refused is an error of a request that was executed.
func refused(code string) *failure {
	e := invalid(code)
	e.executed = true
	return e
}

// amountOf reads the amount and the currency of a request.
func amountOf(c call) (amount int64, currency string, _ *failure) {
	amount, err := strconv.ParseInt(c.Form.Get("amount"), 10, 64)
	if err != nil || amount < 1 {
		return 0, "", invalid("parameter_invalid_integer")
	}
	return amount, c.Form.Get("currency"), nil
}

// transfer moves money from a platform to one of its connected accounts.
func (f *Fake) transfer(a *Account, c call) (object, *failure) {
	amount, currency, e := amountOf(c)
	to := f.scoped(a, c.Form.Get("destination"))
	switch {
	case e != nil:
		return nil, e
	case to == nil || to == a:
		return nil, missing()
	case a.balance[currency] < amount:
		return nil, refused("balance_insufficient")
	}
	t := object{"id": f.id("tr"), "object": "transfer", "created": f.now.Unix(), "amount": amount,
		"amount_reversed": int64(0), "reversed": false, "currency": currency, "destination": to.ID,
		"transfer_group": c.Form.Get("transfer_group"), "metadata": metadata(object{}, c.Form)}
	a.transfers = append(a.transfers, t)
	f.move(a, "transfer", -amount, t)
	f.moveFor(to, "payment", amount, 0, t)
	f.event(a, "transfer.created", t, c.key())
	return clone(t), nil
}

// reversal reverses a transfer if the connected account still has the money.
func (f *Fake) reversal(a *Account, t object, c call) (object, *failure) {
	amount, _, e := amountOf(c)
	from, currency := f.scoped(a, t["destination"].(string)), t["currency"].(string)
	switch {
	case e != nil:
		return nil, e
	case amount > t["amount"].(int64)-t["amount_reversed"].(int64):
		return nil, invalid("")
	case from.balance[currency] < amount:
		return nil, refused("balance_insufficient")
	}
	f.moveFor(from, "payment_refund", -amount, 0, t)
	f.move(a, "transfer_refund", amount, t)
	t["amount_reversed"] = t["amount_reversed"].(int64) + amount
	t["reversed"] = t["amount_reversed"] == t["amount"]
	f.event(a, "transfer.reversed", t, c.key())
	return object{"id": f.id("trr"), "object": "transfer_reversal", "created": f.now.Unix(), "amount": amount,
		"currency": currency, "transfer": t["id"]}, nil
}

// payout pays an account's money out to one of its bank accounts.
func (f *Fake) payout(a *Account, c call) (object, *failure) {
	amount, currency, e := amountOf(c)
	bank := a.banks.find(c.Form.Get("destination"))
	switch {
	case e != nil:
		return nil, e
	case bank == nil:
		return nil, missing()
	case bank["currency"] != currency || len(c.Form.Get("statement_descriptor")) > 22:
		return nil, invalid("parameter_invalid")
	case !a.PayoutsEnabled, a.PayoutsFrozen:
		return nil, refused("payouts_not_allowed")
	case a.balance[currency] < amount:
		return nil, refused("balance_insufficient")
	}
	p := f.payOut(a, bank, amount, metadata(object{}, c.Form))
	f.event(a, "payout.created", p, c.key())
	return clone(p), nil
}

func (f *Fake) payOut(a *Account, bank object, amount int64, metadata object) object {
	p := object{"id": f.id("po"), "object": "payout", "created": f.now.Unix(), "amount": amount,
		"currency": bank["currency"], "status": "pending", "destination": bank["id"], "failure_code": nil,
		"metadata": metadata}
	a.payouts = append(a.payouts, p)
	f.move(a, "payout", -amount, p)
	f.ends(a, p, a.numbers[bank["id"].(string)])
	return p
}

// PayOut creates a payout as the Dashboard does.
func (f *Fake) PayOut(a *Account, currency string, amount int64) {
	defer f.locked()()
	for _, b := range a.banks {
		if b["currency"] == currency {
			f.payOut(a, b, amount, object{})
			return
		}
	}
}

// returns are the types of balance transactions that return a payout's money, by the event that reports it.
var returns = map[string]string{"payout.failed": "payout_failure", "payout.canceled": "payout_cancel"}

// ends schedules the outcome of a payout by the number of its bank account.
func (f *Fake) ends(a *Account, p object, number string) {
	after := func(d time.Duration, kind, failure string) {
		f.atBanks = append(f.atBanks, later{f.now.Add(d), func() {
			p["status"] = strings.TrimPrefix(kind, "payout.")
			if kind != "payout.paid" {
				f.move(a, returns[kind], p["amount"].(int64), p)
			}
			if failure != "" {
				p["failure_code"] = failure
			}
			f.event(a, kind, p, "")
		}})
	}
	switch number {
	case NoAccount:
		after(2*day, "payout.failed", "no_account")
	case AccountClosed:
		after(2*day, "payout.paid", "")
		after(5*day, "payout.failed", "account_closed")
	case Canceled:
		after(time.Hour, "payout.canceled", "")
	default:
		after(2*day, "payout.paid", "")
	}
}
