package merchants

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"svcpay/internal/charge/rule"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/portal/web"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// cardRuleInputs maps parameters in errors to inputs of the form.
var cardRuleInputs = map[string]string{"minimum_amount": "minimum",
	"card_velocity.charges": "card_charges", "card_velocity.hours": "card_hours",
	"email_velocity.charges": "email_charges", "email_velocity.hours": "email_hours",
	"address_velocity.charges": "address_charges", "address_velocity.hours": "address_hours"}

// A switch of the form has the name of its rule, and this value when it is on.
const switchedOn = "on"

// The defaults of a window whose rule is off.
const usualCharges, usualHours = "10", "24"

// windows are the rules that count payments, with the beginning of their inputs' names.
var windows = []struct {
	rule  rule.Name
	start string
	of    func(*rule.Settings) *rule.Window
	put   func(*rule.Proposal, *rule.WindowInput)
}{
	{rule.CardVelocity, "card_", func(s *rule.Settings) *rule.Window { return s.CardVelocity },
		func(p *rule.Proposal, w *rule.WindowInput) { p.CardVelocity = w }},
	{rule.EmailVelocity, "email_", func(s *rule.Settings) *rule.Window { return s.EmailVelocity },
		func(p *rule.Proposal, w *rule.WindowInput) { p.EmailVelocity = w }},
	{rule.AddressVelocity, "address_", func(s *rule.Settings) *rule.Window { return s.AddressVelocity },
		func(p *rule.Proposal, w *rule.WindowInput) { p.AddressVelocity = w }},
}

// typedRules are rules as the form has them.
func typedRules(s rule.Settings) url.Values {
	out := url.Values{"country_list": {string(rule.Block)}}
	turn := func(name rule.Name, on bool) {
		if on {
			out.Set(string(name), switchedOn)
		}
	}
	turn(rule.MinimumAmount, s.MinimumAmount != nil)
	if s.MinimumAmount != nil {
		out.Set("minimum", s.MinimumAmount.Decimal())
	}
	turn(rule.Country, s.AllowedCountries != nil || s.BlockedCountries != nil)
	out.Set("countries", web.Countries(slices.Concat(s.AllowedCountries, s.BlockedCountries)))
	if s.AllowedCountries != nil {
		out.Set("country_list", string(rule.Allow))
	}
	for _, w := range windows {
		out.Set(w.start+"charges", usualCharges)
		out.Set(w.start+"hours", usualHours)
		if set := w.of(&s); set != nil {
			turn(w.rule, true)
			out.Set(w.start+"charges", strconv.Itoa(set.Charges))
			out.Set(w.start+"hours", strconv.Itoa(set.Hours))
		}
	}
	turn(rule.CVCMismatch, s.CVCMismatch)
	turn(rule.PostalCodeMismatch, s.PostalCodeMismatch)
	return out
}

// proposalOf reads the form, with every mistake in it. What belongs to a rule that is off does not matter.
func proposalOf(t text.CardRules, form url.Values) (rule.Proposal, error) {
	is := func(name rule.Name) bool { return form.Get(string(name)) != "" }
	cvc, postal := is(rule.CVCMismatch), is(rule.PostalCodeMismatch)
	out := rule.Proposal{CVCMismatch: &cvc, PostalCodeMismatch: &postal}
	var fs fault.Fields
	if is(rule.MinimumAmount) {
		amount, err := money.ParseDecimal(form.Get("minimum"))
		if out.MinimumAmount = &amount; err != nil {
			out.MinimumAmount = nil
			fs.Add("minimum", web.CodeForm, t.MinimumWrong)
		}
	}
	if is(rule.Country) {
		codes := countriesOf(t, form.Get("countries"), &fs)
		switch rule.List(form.Get("country_list")) {
		case rule.Block:
			out.BlockedCountries = codes
		case rule.Allow:
			out.AllowedCountries = codes
		default:
			fs.Add("country_list", web.CodeForm, t.CountryListMissing)
		}
	}
	for _, w := range windows {
		if is(w.rule) {
			charges, hours := whole(form.Get(w.start+"charges")), whole(form.Get(w.start+"hours"))
			w.put(&out, &rule.WindowInput{Charges: &charges, Hours: &hours})
		}
	}
	return out, append(fs, out.Validate()...).Err()
}

// whole reads a number; 0, which no rule takes, is for anything else.
func whole(typed string) int {
	n, err := strconv.Atoi(strings.TrimSpace(typed))
	if err != nil {
		return 0
	}
	return n
}

var betweenCountries = regexp.MustCompile(`[,;\n]`)

// countriesOf reads names and codes of countries, in order and each once; nil if there is a mistake.
func countriesOf(t text.CardRules, typed string, fs *fault.Fields) (out []string) {
	var wrong []string
	for _, part := range betweenCountries.Split(typed, -1) {
		part = strings.TrimSpace(part)
		if code := web.CountryCode(part); code != "" {
			out = append(out, code)
		} else if part != "" {
			wrong = append(wrong, part)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	switch {
	case len(wrong) > 0:
		fs.Add("countries", web.CodeForm, t.CountriesWrong(strings.Join(wrong, ", ")))
		return nil
	case len(out) == 0:
		fs.Add("countries", web.CodeForm, t.CountriesNone)
		return nil
	}
	return out
}

// seenRules is what a form keeps of the rules that its editor saw.
func seenRules(s rule.Settings) string {
	out, _ := json.Marshal(s) // which has nothing that cannot be written
	return string(out)
}

// ruleWords say what each rule is set to.
func ruleWords(t *text.Catalogue, s rule.Settings) (out []ui.Pair) {
	d := t.CardRules
	add := func(name rule.Name, on bool, words string) {
		if !on {
			words = d.Off
		}
		out = append(out, ui.Pair{Key: web.RuleName(t, name), Value: words})
	}
	minimum := ""
	if s.MinimumAmount != nil {
		minimum = t.Amount(*s.MinimumAmount)
	}
	add(rule.MinimumAmount, s.MinimumAmount != nil, minimum)
	list, codes := rule.Block, s.BlockedCountries
	if s.AllowedCountries != nil {
		list, codes = rule.Allow, s.AllowedCountries
	}
	add(rule.Country, codes != nil, d.CountryWords[string(list)](web.Countries(codes)))
	for _, w := range windows {
		words, set := "", w.of(&s)
		if set != nil {
			words = d.Window(set.Charges, set.Hours)
		}
		add(w.rule, set != nil, words)
	}
	add(rule.CVCMismatch, s.CVCMismatch, d.On)
	add(rule.PostalCodeMismatch, s.PostalCodeMismatch, d.On)
	return out
}

// ruleEdits is where the rules that are saved and those that were typed differ.
func ruleEdits(t *text.Catalogue, saved, typed rule.Settings) (out []ui.Edit) {
	now := ruleWords(t, typed)
	for i, old := range ruleWords(t, saved) {
		if old.Value != now[i].Value {
			out = append(out, ui.Edit{Field: old.Key, Old: old.Value, New: now[i].Value})
		}
	}
	return out
}
