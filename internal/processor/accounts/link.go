package accounts

import (
	"context"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Platforms are the application's accounts to which accounts of its merchants can be connected: active accounts with
// credentials, at processors that create accounts for merchants.
func (s *Service) Platforms(ctx context.Context, actor authz.Actor) ([]Account, error) {
	if err := s.allow(actor, authz.ProcessingManage, nil); err != nil {
		return nil, err
	}
	all, err := s.List(ctx, actor, nil)
	return slices.DeleteFunc(all, func(a Account) bool { return !s.isPlatform(a) }), err
}

// PlatformsFor are the platforms to which a merchant has no connected account.
func (s *Service) PlatformsFor(ctx context.Context, actor authz.Actor, merchantID int64) ([]Account, error) {
	platforms, err := s.Platforms(ctx, actor)
	if err != nil {
		return nil, err
	}
	own, err := s.List(ctx, actor, &merchantID)
	return slices.DeleteFunc(platforms, func(platform Account) bool {
		return slices.ContainsFunc(own, func(a Account) bool { return a.isConnectedTo(platform) })
	}), err
}

func (a Account) isConnectedTo(platform Account) bool {
	return a.PlatformID != nil && *a.PlatformID == platform.ID ||
		a.Report != nil && a.Report.Platform == platform.External && a.Processor == platform.Processor
}

func (s *Service) isPlatform(a Account) bool {
	return a.Status == Active && s.wasPlatform(a)
}

// wasPlatform reports whether an account is a platform, or a disabled one: the outcomes of earlier requests are known
// there.
func (s *Service) wasPlatform(a Account) bool {
	return a.MerchantID == nil && a.Sealed != nil && !a.isConnected() && s.deps.Processors.Onboards(a.Processor)
}

// isConnected reports whether an account is connected to a platform.
func (a Account) isConnected() bool {
	return a.PlatformID != nil || a.Report != nil && a.Report.Platform != ""
}

// IsOnboarded reports whether the processor needs nothing more of the merchant.
func (a Account) IsOnboarded() bool {
	return a.Onboarding == processor.OnboardingComplete && (a.Report == nil || a.Report.Requirements == nil)
}

// DetailsDue reports whether the processor waits for details that the merchant can enter now.
func (a Account) DetailsDue() bool {
	return a.Report != nil && a.Report.Requirements != nil &&
		len(a.Report.Requirements.CurrentlyDue)+len(a.Report.Requirements.PastDue) > 0
}

// Onboards reports whether the details of an account can be entered on pages of its processor.
func (s *Service) Onboards(a Account) bool {
	return a.isConnected() && s.deps.Processors.Onboards(a.Processor)
}

// platform reads one of the [Service.Platforms].
func (s *Service) platform(ctx context.Context, actor authz.Actor, id string) (Account, error) {
	all, err := s.Platforms(ctx, actor)
	at := slices.IndexFunc(all, func(a Account) bool { return a.ID.String() == id })
	if err == nil && at < 0 {
		var fs fault.Fields
		fs.Add("platform", "parameter_invalid", "Choose the application's account to connect to.")
		err = fs.Err()
	}
	if err != nil {
		return Account{}, err
	}
	return all[at], nil
}

// LinkInput is an existing account of a merchant that is connected to a platform at its processor.
type LinkInput struct {
	MerchantID int64
	PlatformID string
	External   string
}

// Link adds a merchant's account, for payouts, with the credentials of its platform. The counterparty must confirm that
// it is connected to the platform. Faults: the mistakes of the input; resource_missing; processor_account_exists;
// processor_account_connected; processor_account_requested; processor_account_unknown; processor_unreachable.
func (s *Service) Link(ctx context.Context, actor authz.Actor, in LinkInput) (Account, error) {
	if err := s.audit.Allow(ctx, actor, authz.ProcessingManage,
		about(Account{MerchantID: &in.MerchantID})); err != nil {
		return Account{}, err
	}
	in.External = strings.TrimSpace(in.External)
	var fs fault.Fields
	if check.Word(&fs, "external_account", &in.External, 1, 255); fs.Err() != nil {
		return Account{}, fs.Err()
	}
	platform, err := s.platform(ctx, actor, in.PlatformID)
	if err != nil {
		return Account{}, err
	}
	credentials, err := s.Credentials(ctx, platform.Account())
	if err != nil {
		return Account{}, err
	}
	now := instant.Of(s.deps.Clock.Machine())
	a, err := s.ask(ctx, connectedAccount(platform, in.MerchantID, ids.NewProcessorAccount(now.Time), in.External, now),
		connectedTo(platform, credentials))
	if fault.HasCode(err, "processor_account_unknown") {
		err = fault.Refused("processor_account_unknown",
			"No account with this ID is connected to the platform's account. Check the ID, then try again.").
			On("external_account")
	}
	if err != nil {
		return Account{}, err
	}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		if err := lockUnconnectedTx(ctx, tx, platform, in.MerchantID); err != nil {
			return err
		}
		if err := noneRequestedTx(ctx, tx, platform.ApplicationID, in.MerchantID); err != nil {
			return err
		}
		a, err = s.addTx(ctx, tx, actor, a)
		return err
	})
	if err == nil {
		s.registerPlatform(ctx, actor, platform)
	}
	return s.derive(a), err
}

// connectedAccount is a new account of a merchant that is connected to a platform. It serves payouts alone: the
// platform takes the payments.
func connectedAccount(platform Account, merchantID int64, id ids.ProcessorAccount, external string,
	now instant.Time) Account {
	return Account{ID: id, Version: 1, ApplicationID: platform.ApplicationID, MerchantID: &merchantID,
		Processor: platform.Processor, External: external, PlatformID: &platform.ID,
		Methods: []processor.Method{processor.MethodPayout}, Currencies: []money.Currency{}, Status: Active,
		TestedAt: now, CreatedAt: now, UpdatedAt: now}
}

// lockUnconnectedTx locks a merchant, and refuses one that already has an account that is connected to a platform.
func lockUnconnectedTx(ctx context.Context, tx *pg.Tx, platform Account, merchantID int64) error {
	if err := lockMerchantTx(ctx, tx, platform.ApplicationID, merchantID); err != nil {
		return err
	}
	return unconnectedTx(ctx, tx, platform, merchantID)
}

func unconnectedTx(ctx context.Context, tx *pg.Tx, platform Account, merchantID int64) error {
	connected, err := pg.Value[bool](ctx, tx, `
		SELECT EXISTS (SELECT FROM processor_accounts WHERE application_id = @application_id
			AND merchant_id = @merchant_id
			AND processor = @processor AND (platform_id = @platform_id OR report->>'platform' = @platform))`,
		pg.Args{"application_id": platform.ApplicationID, "merchant_id": merchantID, "processor": platform.Processor,
			"platform_id": platform.ID, "platform": platform.External})
	if err == nil && connected {
		err = fault.New(fault.KindConflict, "processor_account_exists",
			"This merchant already has an account that is connected to the platform's account.")
	}
	return err
}

// noneRequestedTx refuses a locked merchant for which an account may be created right now: it would have two.
func noneRequestedTx(ctx context.Context, tx *pg.Tx, applicationID, merchantID int64) error {
	c, err := requestedBy(ctx, tx, applicationID, merchantID)
	if err == nil && c != nil {
		err = fault.New(fault.KindConflict, "processor_account_requested",
			"An account is being created for this merchant. Check its outcome first.")
	}
	return err
}

// addTx writes a new account of a locked merchant, after the merchant's other accounts.
func (s *Service) addTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, a Account) (Account, error) {
	last, err := pg.Value[int](ctx, tx, `
		SELECT coalesce(max(priority), 0) FROM processor_accounts
		WHERE application_id = @application_id AND merchant_id = @merchant_id`,
		pg.Args{"application_id": a.ApplicationID, "merchant_id": a.MerchantID})
	if err != nil {
		return a, err
	}
	a.Priority = min(last+1, MaxPriority)
	if err := insertTx(ctx, tx, a); err != nil {
		return a, err
	}
	return a, s.audit.DoneTx(tx, actor, authz.ProcessingManage, about(a), nil, s.derive(a))
}
