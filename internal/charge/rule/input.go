package rule

import (
	"fmt"
	"slices"

	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/money"
)

// Bounds of rules.
const (
	maxCharges   = 1000
	maxHours     = 168
	maxCountries = 250

	defaultCharges = 10
	defaultHours   = 24
)

// Proposal is a merchant's rules as a request has them, whole: what is not sent is off.
type Proposal struct {
	CVCMismatch        *bool         `json:"block_cvc_mismatch" default:"false"`
	PostalCodeMismatch *bool         `json:"block_postal_code_mismatch" default:"false"`
	MinimumAmount      *money.Amount `json:"minimum_amount"`
	AllowedCountries   []string      `json:"allowed_countries"`
	BlockedCountries   []string      `json:"blocked_countries"`
	CardVelocity       *WindowInput  `json:"card_velocity"`
	EmailVelocity      *WindowInput  `json:"email_velocity"`
	AddressVelocity    *WindowInput  `json:"address_velocity"`
	IfVersion          *int          `json:"-"` // the rules must still be of this version
}

// WindowInput is [Window] in a request. What is not sent has a default.
type WindowInput struct {
	Charges *int `json:"charges"`
	Hours   *int `json:"hours"`
}

// Validate returns every mistake of the rules.
func (in Proposal) Validate() fault.Fields {
	var fs fault.Fields
	check.Amount(&fs, "minimum_amount", in.MinimumAmount)
	checkCountries(&fs, "allowed_countries", in.AllowedCountries)
	checkCountries(&fs, "blocked_countries", in.BlockedCountries)
	if in.AllowedCountries != nil && in.BlockedCountries != nil {
		fs.Add("blocked_countries", "parameter_invalid", "Set allowed_countries or blocked_countries, not both.")
	}
	checkWindow(&fs, string(CardVelocity), in.CardVelocity)
	checkWindow(&fs, string(EmailVelocity), in.EmailVelocity)
	checkWindow(&fs, string(AddressVelocity), in.AddressVelocity)
	return fs
}

func checkCountries(fs *fault.Fields, param string, codes []string) {
	if codes != nil && (len(codes) == 0 || len(codes) > maxCountries || slices.ContainsFunc(codes, unknownCountry)) {
		fs.Add(param, "parameter_invalid", "List 1 to 250 countries by their two capital letters, such as US.")
	}
}

func unknownCountry(code string) bool { return !check.IsCountry(code) }

func checkWindow(fs *fault.Fields, param string, w *WindowInput) {
	if w == nil {
		return
	}
	for _, f := range w.Validate() {
		f.Param = param + "." + f.Param
		*fs = append(*fs, f)
	}
}

// Validate returns every mistake of the window.
func (w WindowInput) Validate() fault.Fields {
	var fs fault.Fields
	checkSpan(&fs, "charges", w.Charges, maxCharges)
	checkSpan(&fs, "hours", w.Hours, maxHours)
	return fs
}

func checkSpan(fs *fault.Fields, param string, n *int, most int) {
	if n != nil && (*n < 1 || *n > most) {
		fs.Add(param, "parameter_invalid", fmt.Sprintf("Use a number from 1 to %d.", most))
	}
}

// Settings are the proposed rules, which are valid. Countries are in order, each once.
func (in Proposal) Settings() Settings {
	s := Settings{CVCMismatch: in.CVCMismatch != nil && *in.CVCMismatch,
		PostalCodeMismatch: in.PostalCodeMismatch != nil && *in.PostalCodeMismatch, MinimumAmount: in.MinimumAmount,
		CardVelocity: in.CardVelocity.window(), EmailVelocity: in.EmailVelocity.window(),
		AddressVelocity: in.AddressVelocity.window()}
	s.AllowedCountries, s.BlockedCountries = inOrder(in.AllowedCountries), inOrder(in.BlockedCountries)
	return s
}

func inOrder(codes []string) []string { return slices.Compact(slices.Sorted(slices.Values(codes))) }

func (w *WindowInput) window() *Window {
	if w == nil {
		return nil
	}
	out := Window{defaultCharges, defaultHours}
	if w.Charges != nil {
		out.Charges = *w.Charges
	}
	if w.Hours != nil {
		out.Hours = *w.Hours
	}
	return &out
}

// Proposed is the proposal of settings.
func Proposed(s Settings) Proposal {
	return Proposal{CVCMismatch: &s.CVCMismatch, PostalCodeMismatch: &s.PostalCodeMismatch,
		MinimumAmount: s.MinimumAmount, CardVelocity: s.CardVelocity.input(), EmailVelocity: s.EmailVelocity.input(),
		AddressVelocity:  s.AddressVelocity.input(),
		AllowedCountries: s.AllowedCountries, BlockedCountries: s.BlockedCountries}
}

func (w *Window) input() *WindowInput {
	if w == nil {
		return nil
	}
	return &WindowInput{&w.Charges, &w.Hours}
}
