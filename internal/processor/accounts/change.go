package accounts

import (
	"context"
	"errors"
	"log/slog"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// List returns a merchant's accounts, or for nil the application's defaults, in the order in which new payments are
// offered to them.
func (s *Service) List(ctx context.Context, actor authz.Actor, merchantID *int64) ([]Account, error) {
	if err := s.allow(actor, authz.ProcessingRead, merchantID); err != nil {
		return nil, err
	}
	all, err := pg.All[Account](ctx, s.deps.Pool, `
		SELECT `+columns+` FROM processor_accounts
		WHERE application_id = @application_id AND merchant_id IS NOT DISTINCT FROM @merchant_id ORDER BY priority, id`,
		pg.Args{"application_id": actor.ApplicationID, "merchant_id": merchantID})
	for i := range all {
		all[i] = s.derive(all[i])
	}
	return all, err
}

// allow refuses who lacks a permission, and hides merchants of others. The application's defaults are hidden from the
// people of one organization.
func (s *Service) allow(actor authz.Actor, right authz.Permission, merchantID *int64) error {
	if err := s.deps.Check.Check(actor, right); err != nil {
		return err
	}
	if merchantID == nil && actor.OrganizationID != 0 || merchantID != nil && !actor.Sees(*merchantID) {
		return fault.Missing()
	}
	return nil
}

// Get returns an account of the actor's application.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Account, error) {
	if err := s.deps.Check.Check(actor, authz.ProcessingRead); err != nil {
		return Account{}, err
	}
	accountID, err := ids.ParseProcessorAccount(id)
	if err != nil {
		return Account{}, fault.Missing()
	}
	a, err := pg.Find[Account](ctx, s.deps.Pool, `
		SELECT `+columns+` FROM processor_accounts WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "id": accountID})
	if err == nil {
		err = s.allow(actor, authz.ProcessingRead, a.MerchantID)
	}
	return s.derive(a), err
}

// Connect adds an account that the counterparty confirms, and has new payments go there. Faults: the mistakes of the
// input; resource_missing for a merchant that is not there; processor_account_connected; processor_account_requested;
// processor_account_unknown; processor_account_of_other_merchant; processor_unreachable.
func (s *Service) Connect(ctx context.Context, actor authz.Actor, in ConnectInput) (Account, error) {
	if err := s.audit.Allow(ctx, actor, authz.ProcessingManage, about(Account{MerchantID: in.MerchantID})); err != nil {
		return Account{}, err
	}
	in = in.trimmed()
	if err := s.validateConnect(in).Err(); err != nil {
		return Account{}, err
	}
	if err := owned(in.External, actor.ApplicationID, in.MerchantID); err != nil {
		return Account{}, err
	}
	serving, now := in.Serving.sorted(), instant.Of(s.deps.Clock.Machine())
	a := Account{ID: ids.NewProcessorAccount(now.Time), Version: 1, ApplicationID: actor.ApplicationID,
		MerchantID: in.MerchantID,
		Processor:  in.Processor, External: in.External, Methods: serving.Methods, Currencies: serving.Currencies,
		Priority: serving.Priority,
		Status:   Active, TestedAt: now, CreatedAt: now, UpdatedAt: now}
	var err error
	if a, err = s.sealed(a, in.Credentials, now); err != nil {
		return Account{}, err
	}
	if a, err = s.ask(ctx, a, in.Credentials); err != nil {
		return Account{}, err
	}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		if err := admitTx(ctx, tx, a); err != nil {
			return err
		}
		if err := insertTx(ctx, tx, a); err != nil {
			return err
		}
		return s.audit.DoneTx(tx, actor, authz.ProcessingManage, about(a), nil, s.derive(a))
	})
	if err != nil {
		return Account{}, err
	}
	return s.register(ctx, actor, a)
}

// admitTx refuses a new account of a merchant that the application does not have, and a connected account while another
// may be created for its merchant.
func admitTx(ctx context.Context, tx *pg.Tx, a Account) error {
	switch {
	case a.MerchantID == nil:
		return nil
	case !a.isConnected():
		return merchantTx(ctx, tx, a.ApplicationID, *a.MerchantID)
	}
	if err := lockMerchantTx(ctx, tx, a.ApplicationID, *a.MerchantID); err != nil {
		return err
	}
	return noneRequestedTx(ctx, tx, a.ApplicationID, *a.MerchantID)
}

// Change sets which payments go to an account, and its credentials if new ones are given, which the counterparty must
// confirm.
func (s *Service) Change(ctx context.Context, actor authz.Actor, id string, in ChangeInput) (Account, error) {
	before, err := s.managed(ctx, actor, id)
	if err != nil {
		return Account{}, err
	}
	in = in.trimmed()
	var fs fault.Fields
	s.validate(&fs, before.Processor, in.Credentials, in.Serving)
	if before.PlatformID != nil && !in.Credentials.IsZero() {
		fs.Add("credentials", "parameter_invalid",
			"This account uses the credentials of its platform's account. Replace them there.")
		return Account{}, fs.Err()
	}
	current, err := s.Credentials(ctx, before.Account())
	if err != nil {
		return Account{}, err
	}
	if !in.Credentials.IsZero() {
		in.Credentials = s.deps.Processors.Carry(before.Processor, current, in.Credentials)
		current = in.Credentials
	}
	if s.limit(&fs, before.Processor, current, in.Methods); fs.Err() != nil {
		return Account{}, fs.Err()
	}
	asked := before
	if !in.Credentials.IsZero() {
		if asked, err = s.ask(ctx, before, in.Credentials); err != nil {
			return Account{}, err
		}
	}
	after, err := s.write(ctx, actor, before.ID, in.IfVersion, func(a Account) (Account, error) {
		serving := in.Serving.sorted()
		a.Methods, a.Currencies, a.Priority = serving.Methods, serving.Currencies, serving.Priority
		if in.Credentials.IsZero() {
			return a, nil
		}
		a.Onboarding, a.Report, a.TestedAt = asked.Onboarding, asked.Report, instant.Of(s.deps.Clock.Machine())
		return s.sealed(a, in.Credentials, a.TestedAt)
	})
	if err != nil || in.Credentials.IsZero() {
		return after, err
	}
	return s.register(ctx, actor, after)
}

// Test asks the counterparty how far an account has come, keeps the answer, and registers its webhook endpoints there
// if they are missing. Faults as of [Service.Connect]; nothing changes with one.
func (s *Service) Test(ctx context.Context, actor authz.Actor, id string) (Account, error) {
	a, err := s.managed(ctx, actor, id)
	if err != nil {
		return Account{}, err
	}
	credentials, err := s.Credentials(ctx, a.Account())
	if err != nil {
		return Account{}, err
	}
	asked, err := s.ask(ctx, a, credentials)
	if err != nil {
		return Account{}, err
	}
	after, err := s.write(ctx, actor, a.ID, &a.Version, func(a Account) (Account, error) {
		a.Onboarding, a.Report, a.TestedAt = asked.Onboarding, asked.Report, instant.Of(s.deps.Clock.Machine())
		return a, nil
	})
	if err != nil {
		return after, err
	}
	return s.register(ctx, actor, after)
}

// SetStatus enables or disables an account for new payments.
func (s *Service) SetStatus(ctx context.Context, actor authz.Actor, id string, to Status,
	ifVersion *int) (Account, error) {
	a, err := s.managed(ctx, actor, id)
	if err != nil {
		return Account{}, err
	}
	return s.write(ctx, actor, a.ID, ifVersion, func(a Account) (Account, error) {
		a.Status = to
		return a, nil
	})
}

// managed reads an account for someone who may change it.
func (s *Service) managed(ctx context.Context, actor authz.Actor, id string) (Account, error) {
	if err := s.audit.Allow(ctx, actor, authz.ProcessingManage, audit.Of("processor_account", id, 0)); err != nil {
		return Account{}, err
	}
	return s.Get(ctx, actor, id)
}

// write changes a locked account, and records who did it.
func (s *Service) write(ctx context.Context, actor authz.Actor, id ids.ProcessorAccount, ifVersion *int,
	change func(Account) (Account, error)) (after Account, err error) {
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		before, err := lockTx(ctx, tx, actor.ApplicationID, id)
		if err == nil {
			err = check.Version(ifVersion, before.Version)
		}
		if err != nil {
			return err
		}
		if after, err = change(before); err != nil {
			return err
		}
		after.Version, after.UpdatedAt = before.Version+1, instant.Of(s.deps.Clock.Machine())
		updateTx(tx, after)
		return s.audit.DoneTx(tx, actor, authz.ProcessingManage, about(after), s.derive(before), s.derive(after))
	})
	return s.derive(after), err
}

// about is an account as the audit log names it.
func about(a Account) audit.Subject {
	merchantID := int64(0)
	if a.MerchantID != nil {
		merchantID = *a.MerchantID
	}
	return audit.Of("processor_account", a.ID.String(), merchantID)
}

// sealed is an account with credentials, which may be none, that are set at a time.
func (s *Service) sealed(a Account, credentials sensitive.Credentials, at instant.Time) (Account, error) {
	a.Sealed, a.CredentialsLast4, a.CredentialsSetAt = nil, nil, nil
	if credentials.IsZero() {
		return a, nil
	}
	a.CredentialsSetAt = &at
	if shown := credentials.Last4(); shown != "" {
		a.CredentialsLast4 = &shown
	}
	var err error
	a.Sealed, err = s.deps.Box.Seal([]byte(credentials.Reveal()), purpose(a.ID))
	return a, err
}

// ask asks the counterparty about an account, and returns the account with its answer.
func (s *Service) ask(ctx context.Context, a Account, credentials sensitive.Credentials) (Account, error) {
	ctx, cancel := context.WithTimeout(ctx, processor.CallTimeout)
	defer cancel()
	report, err := s.deps.Processors.Inspect(ctx, a.Account(), credentials)
	switch {
	case errors.Is(err, processor.ErrNoAccount):
		return a, unknown()
	case err != nil:
		return a, unreachable(ctx, a, err)
	}
	a.Onboarding, a.Report = report.Onboarding, &report
	return a, nil
}

func unreachable(ctx context.Context, a Account, err error) error {
	slog.WarnContext(ctx, "a processor account could not be tested", "processor", a.Processor, "error", err.Error())
	return fault.New(fault.KindUnavailable, "processor_unreachable",
		"The processor could not be reached. Try again.").Because(err)
}

// owned refuses accounts of a sandbox whose external id names another application, or another merchant than the owner.
func owned(external string, applicationID int64, merchantID *int64) error {
	if application, ok := processor.ApplicationOf(external); ok && application != applicationID {
		return unknown()
	}
	if merchant, ok := processor.MerchantOf(external); ok && (merchantID == nil || *merchantID != merchant) {
		return fault.Refused("processor_account_of_other_merchant",
			"In the sandbox, this account belongs to another merchant. Connect it to that merchant, or enter a different account.").
			On("external_account")
	}
	return nil
}

func unknown() error {
	return fault.Refused("processor_account_unknown",
		"The processor has no such account or rejected the credentials. Check both, then try again.").
		On("external_account")
}
