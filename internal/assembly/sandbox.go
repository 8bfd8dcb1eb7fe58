package assembly

import (
	"context"
	"time"

	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
	walletsandbox "svcpay/internal/wallet/sandbox"
)

// SandboxCase finds a test case of the sandbox's processor by its name.
func SandboxCase(name string) (token.TestCase, bool) {
	c, ok := sandbox.TokenCase(name)
	if !ok {
		return token.TestCase{}, false
	}
	out := token.TestCase{Name: c.Name, Bank: c.Bank}
	if c.Number != "" {
		out.Card = sensitive.NewPAN(c.Number)
	}
	return out, true
}

// SandboxCases lists everything that the sandbox treats in a known way.
func SandboxCases() (out []simulate.TestCase) {
	for _, c := range sandbox.Cases() {
		out = append(out, simulate.TestCase{Name: c.Name, For: "tokens", Method: "card", Effect: c.Effect})
	}
	for _, c := range sandbox.BankCases() {
		out = append(out, simulate.TestCase{Name: c.Name, For: "tokens", Method: string(c.Bank.Scheme),
			Effect: c.Effect})
	}
	for _, c := range dafsandbox.Cases() {
		out = append(out, simulate.TestCase{Name: c.Name, For: "daf_sessions", Method: "daf", Effect: c.Effect})
	}
	for _, c := range sandbox.PayoutCases() {
		out = append(out, simulate.TestCase{Name: c.Name, For: "payouts", Method: string(c.Bank.Scheme),
			Effect: c.Effect})
	}
	return out
}

// SandboxDonor finds a donor of the sandbox's provider by the name of a test case.
func SandboxDonor(name string) (simulate.DonorCase, bool) {
	for _, c := range dafsandbox.Cases() {
		if c.Name == name {
			return simulate.DonorCase{Name: c.Name, FundID: c.FundID, Username: c.Username}, true
		}
	}
	return simulate.DonorCase{}, false
}

// NoSandboxDonor finds no donor: another provider's donors sign in at their funds.
func NoSandboxDonor(string) (simulate.DonorCase, bool) { return simulate.DonorCase{}, false }

// SandboxSeal has a card pay in one of the sandbox's wallets.
func SandboxSeal(i *walletsandbox.Issuer, now func() time.Time) func(token.WalletSale) ([]byte, error) {
	return func(w token.WalletSale) ([]byte, error) {
		brand := sensitive.BrandOf(w.Card.Reveal()).Name
		card := walletsandbox.Card{Number: w.Card, ExpMonth: 12, ExpYear: w.ExpYear, Network: brand, Holder: w.Holder}
		sale := walletsandbox.Sale{Amount: money.Dollar, Currency: w.Currency, Bound: w.Bound}
		if w.Kind == token.WalletA {
			return i.SealA(card, sale)
		}
		return i.SealB(card, sale, now())
	}
}

// SandboxExempt tells the numbers of the sandbox's test cards, but the one that tries velocity limits.
func SandboxExempt(number sensitive.PAN) bool { return sandbox.Exempt(number.Reveal()) }

// SandboxNext returns the time of the next event of the sandbox's processors and its provider of donor-advised funds,
// which is nil if the deployment uses another.
func SandboxNext(funds *dafsandbox.Provider, processors ...*sandbox.Processor) NextEvent {
	type schedule interface {
		NextDue(ctx context.Context, accountPrefix string, after time.Time) (*time.Time, error)
	}
	var schedules []schedule
	if funds != nil {
		schedules = append(schedules, funds)
	}
	for _, p := range processors {
		schedules = append(schedules, p)
	}
	return func(ctx context.Context, applicationID int64, after time.Time) (next *time.Time, err error) {
		for _, s := range schedules {
			due, err := s.NextDue(ctx, processor.AccountPrefix(applicationID), after)
			if err != nil {
				return nil, err
			}
			if due != nil && (next == nil || due.Before(*next)) {
				next = due
			}
		}
		return next, nil
	}
}

// SandboxHappens simulates an event at the one of the sandbox's processors that the account is at.
func SandboxHappens(processors ...*sandbox.Processor) func(context.Context, simulate.Happening) error {
	return func(ctx context.Context, h simulate.Happening) error {
		for _, p := range processors {
			if p.Name() == h.Account.Adapter {
				return p.Simulate(ctx, sandbox.Simulation(h))
			}
		}
		return fault.New(fault.KindConflict, "simulation_not_possible",
			"The processor of this payment is not part of the sandbox.")
	}
}

// SandboxGrants has something happen at the sandbox's provider of donor-advised funds.
func SandboxGrants(p *dafsandbox.Provider) func(context.Context, simulate.GrantHappening) error {
	return func(ctx context.Context, h simulate.GrantHappening) error {
		return p.Simulate(ctx, dafsandbox.Simulation(h))
	}
}

// SandboxChallenged tells the number of the test card that needs a proof of work.
func SandboxChallenged(number sensitive.PAN) bool { return sandbox.Challenged(number.Reveal()) }
