// Package rule decides whether a card payment is within its merchant's rules, and keeps the rules and the lists.
//
// [Settings.Decide] is a pure function of facts. Rules that need the issuer's checks are decided after the
// authorization: a decision names those that still apply, and [Broken] applies them. A merchant without rules has no
// row in any of the tables.
package rule

import (
	"slices"
	"strings"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// Name is the name of a rule, as people see it on a blocked charge.
type Name string

// The rules, in the order in which they are decided.
const (
	BlockList          Name = "block_list"
	MinimumAmount      Name = "minimum_amount"
	Country            Name = "country"
	CardVelocity       Name = "card_velocity"
	EmailVelocity      Name = "email_velocity"
	AddressVelocity    Name = "address_velocity"
	CVCMismatch        Name = "cvc_mismatch"
	PostalCodeMismatch Name = "postal_code_mismatch"
)

// Names lists every rule.
func Names() []string {
	return []string{string(BlockList), string(MinimumAmount), string(Country), string(CardVelocity),
		string(EmailVelocity), string(AddressVelocity), string(CVCMismatch), string(PostalCodeMismatch)}
}

// List says what happens to payments that match.
type List string

// The lists.
const (
	Allow List = "allow"
	Block List = "block"
)

// Window is how many charges there may be within some hours.
type Window struct {
	Charges int `json:"charges"`
	Hours   int `json:"hours"`
}

// Settings are a merchant's rules, but for its lists. The zero value blocks nothing.
type Settings struct {
	CVCMismatch        bool          `json:"block_cvc_mismatch"`
	PostalCodeMismatch bool          `json:"block_postal_code_mismatch"`
	MinimumAmount      *money.Amount `json:"minimum_amount"` // minor units of the merchant's currency
	// The issuers' countries (ISO 3166-1 alpha-2) that alone are allowed, or that are blocked. One of them is nil.
	AllowedCountries []string `json:"allowed_countries"`
	BlockedCountries []string `json:"blocked_countries"`
	CardVelocity     *Window  `json:"card_velocity"`
	EmailVelocity    *Window  `json:"email_velocity"`
	AddressVelocity  *Window  `json:"address_velocity"`
}

// Facts are what is known of a card payment before the processor is asked. Texts that were not given are "".
type Facts struct {
	Amount  money.Amount
	Country string // the issuer's
	Traits
	// Listed are the lists that have an entry for the payment.
	Listed []List
	// Uses are how many charges there were within the windows, by the rule that counts them.
	Uses map[Name]int
}

// Decision is what the rules say before the processor is asked.
type Decision struct {
	Blocked Name // the rule that blocks the payment; "" if none does
	// Then are the rules that remain to be applied to the issuer's checks.
	Then []Name
}

// Decide applies the rules that need no answer of the issuer. A block entry blocks the payment whatever else is true;
// an allow entry makes it pass all other rules.
func (s Settings) Decide(f Facts) Decision {
	switch {
	case slices.Contains(f.Listed, Block):
		return Decision{Blocked: BlockList}
	case slices.Contains(f.Listed, Allow):
		return Decision{}
	case s.MinimumAmount != nil && f.Amount < *s.MinimumAmount:
		return Decision{Blocked: MinimumAmount}
	case s.AllowedCountries != nil && !slices.Contains(s.AllowedCountries, f.Country),
		slices.Contains(s.BlockedCountries, f.Country):
		return Decision{Blocked: Country}
	}
	for _, v := range s.velocities() {
		if f.Traits.of(v.name) != "" && f.Uses[v.name] >= v.Charges {
			return Decision{Blocked: v.name}
		}
	}
	var d Decision
	if s.CVCMismatch {
		d.Then = append(d.Then, CVCMismatch)
	}
	if s.PostalCodeMismatch {
		d.Then = append(d.Then, PostalCodeMismatch)
	}
	return d
}

// Broken is the first of the rules that the issuer's checks break; "" if they break none. A check that the issuer did
// not make breaks no rule.
func Broken(then []Name, checks processor.Checks) Name {
	for _, name := range then {
		switch {
		case name == CVCMismatch && checks.CVC == processor.Fail,
			name == PostalCodeMismatch && checks.AddressZip == processor.Fail:
			return name
		}
	}
	return ""
}

// velocity is a window that is set, with the rule that it belongs to.
type velocity struct {
	name Name
	Window
}

func (s Settings) velocities() (out []velocity) {
	for _, v := range []struct {
		name Name
		set  *Window
	}{{CardVelocity, s.CardVelocity}, {EmailVelocity, s.EmailVelocity}, {AddressVelocity, s.AddressVelocity}} {
		if v.set != nil {
			out = append(out, velocity{v.name, *v.set})
		}
	}
	return out
}

// Note joins the rules that are left for the answer to an authorization, as its operation keeps them; nil for none.
func Note(then []Name) *string {
	if len(then) == 0 {
		return nil
	}
	words := make([]string, len(then))
	for i, name := range then {
		words[i] = string(name)
	}
	text := strings.Join(words, " ")
	return &text
}

// Noted reads what [Note] joined.
func Noted(note *string) (then []Name) {
	if note == nil {
		return nil
	}
	for _, word := range strings.Fields(*note) {
		then = append(then, Name(word))
	}
	return then
}

// Counter counts the uses of traits by payments that come in the order of their times.
type Counter struct {
	settings Settings
	uses     map[trace][]time.Time
}

// trace is a trait that a velocity counts.
type trace struct {
	name  Name
	value string
}

// NewCounter makes a counter for the velocities of rules.
func NewCounter(s Settings) *Counter { return &Counter{s, make(map[trace][]time.Time)} }

// Of counts the uses of a payment's traits within each window that ends at a time.
func (c *Counter) Of(t Traits, at time.Time) map[Name]int {
	out := make(map[Name]int)
	for _, v := range c.settings.velocities() {
		key := trace{v.name, t.of(v.name)}
		kept := slices.DeleteFunc(c.uses[key], func(used time.Time) bool { return !used.After(at.Add(-v.span())) })
		c.uses[key], out[v.name] = kept, len(kept)
	}
	return out
}

// Add counts a payment.
func (c *Counter) Add(t Traits, at time.Time) {
	for _, v := range c.settings.velocities() {
		key := trace{v.name, t.of(v.name)}
		c.uses[key] = append(c.uses[key], at)
	}
}
