package accounts

import (
	"context"
	"log/slog"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// noticeAddress is where the counterparty of an account delivers its notices; "" if the deployment's address is
// unknown.
func noticeAddress(baseURL string, of processor.Account) string {
	if baseURL == "" {
		return ""
	}
	return baseURL + "/hooks/" + of.Adapter + "/" + of.External
}

// register registers the webhook endpoints of an account, which is committed, and adds what they lack to its report.
// The new signing secrets are stored before endpoints without one are deleted, so there is always an endpoint. Without
// endpoints the account works: its events arrive later. So a counterparty that refuses them is only logged.
func (s *Service) register(ctx context.Context, actor authz.Actor, a Account) (Account, error) {
	address := noticeAddress(s.deps.BaseURL, a.Account())
	if address == "" {
		return s.derive(a), nil
	}
	given, err := s.Credentials(ctx, a.Account())
	if err != nil {
		return s.derive(a), err
	}
	ctx, cancel := context.WithTimeout(ctx, processor.CallTimeout)
	defer cancel()
	with, prune, err := s.deps.Processors.Register(ctx, a.Account(), given, address)
	warn := func(err error) {
		if err != nil {
			slog.WarnContext(ctx, "webhook endpoints could not be registered", "processor", a.Processor,
				"account", a.External, "error", err.Error())
		}
	}
	warn(err)
	lacks, err := s.deps.Processors.Endpoints(ctx, a.Account(), with, address)
	warn(err)
	lacks = slices.DeleteFunc(lacks, func(l processor.Lack) bool {
		return a.Report != nil && slices.Contains(a.Report.Lacks, l) // reported before
	})
	if with.Reveal() == given.Reveal() && len(lacks) == 0 {
		warn(prune(ctx))
		return s.derive(a), nil
	}
	after, err := s.write(ctx, actor, a.ID, &a.Version, func(a Account) (Account, error) {
		report := processor.Report{}
		if a.Report != nil {
			report = *a.Report
		}
		report.Lacks = append(slices.Clone(report.Lacks), lacks...)
		a.Report = &report
		return s.resealed(a, given, with)
	})
	if err == nil {
		warn(prune(ctx))
	}
	return after, err
}

// registerPlatform registers the webhook endpoints of a platform, which needs another one once an account is connected
// to it. A test of the platform repeats it, so the connected account does not depend on it.
func (s *Service) registerPlatform(ctx context.Context, actor authz.Actor, platform Account) {
	if _, err := s.register(ctx, actor, platform); err != nil {
		slog.WarnContext(ctx, "webhook endpoints of a platform could not be registered", "processor",
			platform.Processor, "account", platform.External, "error", err.Error())
	}
}

// resealed is an account whose credentials have got signing secrets. What people see of them stays.
func (s *Service) resealed(a Account, before, after sensitive.Credentials) (_ Account, err error) {
	if before.Reveal() != after.Reveal() {
		a.Sealed, err = s.deps.Box.Seal([]byte(after.Reveal()), purpose(a.ID))
	}
	return a, err
}

// Examined is an account that lacks something at its counterparty, or that could not be examined.
type Examined struct {
	Account
	Lacks []processor.Lack
	Err   error
}

// Examine asks the counterparties about all active accounts with credentials. Nothing changes. baseURL is as in [Deps].
func Examine(ctx context.Context, k Keyring, q pg.Querier, r *processor.Registry,
	baseURL string) (out []Examined, _ error) {
	all, err := pg.All[Account](ctx, q, `
		SELECT `+columns+` FROM processor_accounts WHERE status = 'active'
			AND (credentials IS NOT NULL OR platform_id IS NOT NULL)
			AND processor = ANY (@processors) ORDER BY application_id, id`, pg.Args{"processors": r.Connectable()})
	for _, a := range all {
		if e := examine(ctx, k, r, a, baseURL); e.Err != nil || len(e.Lacks) > 0 {
			out = append(out, e)
		}
	}
	return out, err
}

func examine(ctx context.Context, k Keyring, r *processor.Registry, a Account, baseURL string) Examined {
	ctx, cancel := context.WithTimeout(ctx, processor.CallTimeout)
	defer cancel()
	credentials, err := k.Credentials(ctx, a.Account())
	if err != nil {
		return Examined{Account: a, Err: err}
	}
	report, err := r.Inspect(ctx, a.Account(), credentials)
	if address := noticeAddress(baseURL, a.Account()); err == nil && address != "" {
		var lacks []processor.Lack
		lacks, err = r.Endpoints(ctx, a.Account(), credentials, address)
		report.Lacks = append(report.Lacks, lacks...)
	}
	return Examined{Account: a, Lacks: report.Lacks, Err: err}
}
