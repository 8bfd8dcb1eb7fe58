package assembly

import (
	"context"
	"time"

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

// SandboxNext tells when the sandbox's processor will next have something to tell.
func SandboxNext(p *sandbox.Processor) NextEvent {
	return func(ctx context.Context, applicationID int64, after time.Time) (*time.Time, error) {
		return p.NextDue(ctx, processor.AccountPrefix(applicationID), after)
	}
}

// SandboxHappens has something happen at the sandbox's processor.
func SandboxHappens(p *sandbox.Processor) func(context.Context, simulate.Happening) error {
	return func(ctx context.Context, h simulate.Happening) error { return p.Simulate(ctx, sandbox.Simulation(h)) }
}
