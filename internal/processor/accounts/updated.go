package accounts

import (
	"context"
	"errors"

	"svcpay/internal/authz"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Updated keeps what the counterparty reports about an account that it changed. It accepts repetitions and any order:
// it asks for the current state. The version stays, so that no one's edit conflicts with it.
func (s *Service) Updated(ctx context.Context, e processor.Event) error {
	a, err := find(ctx, s.deps.Pool, e.On())
	if err != nil || a == nil {
		return err
	}
	return s.refresh(ctx, *a)
}

// Refresh asks the counterparty about an account, as its events do, and returns the account with the answer. Faults:
// resource_missing; processor_unreachable.
func (s *Service) Refresh(ctx context.Context, actor authz.Actor, id string) (Account, error) {
	a, err := s.managed(ctx, actor, id)
	if err != nil {
		return Account{}, err
	}
	if err := s.refresh(ctx, a); err != nil {
		return a, unreachable(ctx, a, err)
	}
	return s.Get(ctx, actor, id)
}

// refresh keeps what the counterparty reports about an account now.
func (s *Service) refresh(ctx context.Context, a Account) error {
	credentials, err := s.Credentials(ctx, a.Account())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, processor.CallTimeout)
	defer cancel()
	now := instant.Of(s.deps.Clock.Machine())
	report, err := s.deps.Processors.Inspect(ctx, a.Account(), credentials)
	switch {
	case errors.Is(err, processor.ErrNoAccount): // no longer connected
		report = processor.Report{Onboarding: processor.OnboardingRestricted}
	case err != nil:
		return err
	}
	_, err = pg.Exec(ctx, s.deps.Pool, `
		UPDATE processor_accounts SET onboarding = @onboarding, report = @report, tested_at = @now
		WHERE id = @id AND tested_at <= @now`,
		pg.Args{"id": a.ID, "onboarding": report.Onboarding, "report": &report, "now": now})
	return err
}
