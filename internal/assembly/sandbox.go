package assembly

import (
	"context"
	"time"

	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
	"svcpay/internal/simulate"
	"svcpay/internal/token"
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

// SandboxExempt tells the numbers of the sandbox's test cards, but the one that tries velocity limits.
func SandboxExempt(number sensitive.PAN) bool { return sandbox.Exempt(number.Reveal()) }

// SandboxNext tells when the sandbox's processor, or its provider of donor-advised funds, will next have something to
// tell.
func SandboxNext(p *sandbox.Processor, funds *dafsandbox.Provider) NextEvent {
	return func(ctx context.Context, applicationID int64, after time.Time) (*time.Time, error) {
		prefix := processor.AccountPrefix(applicationID)
		next, err := p.NextDue(ctx, prefix, after)
		if err != nil {
			return nil, err
		}
		grant, err := funds.NextDue(ctx, prefix, after)
		if next == nil || grant != nil && grant.Before(*next) {
			next = grant
		}
		return next, err
	}
}

// SandboxHappens has something happen at the sandbox's processor.
func SandboxHappens(p *sandbox.Processor) func(context.Context, simulate.Happening) error {
	return func(ctx context.Context, h simulate.Happening) error { return p.Simulate(ctx, sandbox.Simulation(h)) }
}

// SandboxGrants has something happen at the sandbox's provider of donor-advised funds.
func SandboxGrants(p *dafsandbox.Provider) func(context.Context, simulate.GrantHappening) error {
	return func(ctx context.Context, h simulate.GrantHappening) error {
		return p.Simulate(ctx, dafsandbox.Simulation(h))
	}
}
