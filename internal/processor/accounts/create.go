package accounts

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Creation is an account that a processor is asked to create for a merchant. It is committed before the request. Until
// the outcome is known, the same request is repeated, so that there is never a second account.
type Creation struct {
	// ID is our reference at the processor, and then the ID of the account.
	ID            ids.ProcessorAccount   `db:"id" json:"-"`
	ApplicationID int64                  `db:"application_id" json:"-"`
	MerchantID    int64                  `db:"merchant_id" json:"-"`
	Processor     string                 `db:"processor" json:"processor"`
	Platform      string                 `db:"platform_account" json:"platform"` // the platform's external account
	Country       string                 `db:"country" json:"country"`
	BusinessType  processor.BusinessType `db:"business_type" json:"business_type"`
	// Name and Email are "" once the outcome is known.
	Name      string       `db:"name" json:"-"`
	Email     string       `db:"email" json:"-"`
	Status    string       `db:"status" json:"-"`
	CreatedAt instant.Time `db:"created_at" json:"-"`
}

// The statuses of a creation.
const (
	requested = "requested" // the outcome is unknown
	created   = "created"
	refused   = "refused"
)

const creationColumns = `id, application_id, merchant_id, processor, platform_account, country, business_type, name,
	email, status, created_at`

// CreateInput is an account to create at a processor.
type CreateInput struct {
	MerchantID   int64
	PlatformID   string
	Country      string // ISO 3166-1 alpha-2
	BusinessType processor.BusinessType
	Name, Email  string
}

// maxName is the length of the longest name, in characters.
const maxName = 100

// Create has a processor create an account for a merchant that is connected to a platform, and adds it for payouts. If
// an earlier request of the merchant has no outcome yet, that one is repeated, whatever the input. Faults: the mistakes
// of the input; resource_missing; processor_account_exists; processor_account_connected; processor_account_refused;
// processor_platform_missing; processor_unreachable, after which the account may exist: call Create or Resume.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput) (Account, error) {
	if err := s.audit.Allow(ctx, actor, authz.ProcessingManage,
		about(Account{MerchantID: &in.MerchantID})); err != nil {
		return Account{}, err
	}
	in.Name, in.Email = strings.TrimSpace(in.Name), mailbox.Normal(strings.TrimSpace(in.Email))
	in.Country = strings.ToUpper(strings.TrimSpace(in.Country))
	if err := in.validate(); err != nil {
		return Account{}, err
	}
	platform, err := s.platform(ctx, actor, in.PlatformID)
	if err != nil {
		return Account{}, err
	}
	now := instant.Of(s.deps.Clock.Machine())
	c := Creation{ID: ids.NewProcessorAccount(now.Time), ApplicationID: actor.ApplicationID, MerchantID: in.MerchantID,
		Processor: platform.Processor, Platform: platform.External, Country: in.Country, BusinessType: in.BusinessType,
		Name: in.Name, Email: in.Email, Status: requested, CreatedAt: now}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		if err := lockUnconnectedTx(ctx, tx, platform, in.MerchantID); err != nil {
			return err
		}
		earlier, err := requestedBy(ctx, tx, actor.ApplicationID, in.MerchantID)
		if err != nil || earlier != nil {
			if earlier != nil {
				c = *earlier
			}
			return err
		}
		insertCreationTx(tx, c)
		return s.audit.DoneTx(tx, actor, authz.ProcessingManage, aboutCreation(c), nil, c)
	})
	if err != nil {
		return Account{}, err
	}
	return s.create(ctx, actor, c)
}

func (in CreateInput) validate() error {
	var fs fault.Fields
	if !check.IsCountry(in.Country) {
		fs.Add("country", "country_invalid", "Enter a two-letter country code, such as US.")
	}
	if !slices.Contains(processor.BusinessTypes(), in.BusinessType) {
		fs.Add("business_type", "parameter_invalid", "Choose a business type. "+
			check.AllowedValues(processor.BusinessTypes()...))
	}
	check.Text(&fs, "name", &in.Name, 1, maxName)
	if !mailbox.Valid(in.Email) {
		fs.Add("email", "parameter_invalid", "This is not an email address.")
	} else if !mailbox.Deliverable(in.Email) {
		fs.Add("email", "parameter_invalid", mailbox.Undeliverable)
	}
	return fs.Err()
}

// Requested is the creation of an account for a merchant whose outcome is unknown; nil if there is none.
func (s *Service) Requested(ctx context.Context, actor authz.Actor, merchantID int64) (*Creation, error) {
	if err := s.allow(actor, authz.ProcessingRead, &merchantID); err != nil {
		return nil, err
	}
	return requestedBy(ctx, s.deps.Pool, actor.ApplicationID, merchantID)
}

// Resume resolves the merchant's [Service.Requested] creation: it repeats the request. Faults: those of
// [Service.Create]; resource_missing if there is no such creation.
func (s *Service) Resume(ctx context.Context, actor authz.Actor, merchantID int64) (Account, error) {
	if err := s.audit.Allow(ctx, actor, authz.ProcessingManage, about(Account{MerchantID: &merchantID})); err != nil {
		return Account{}, err
	}
	c, err := s.Requested(ctx, actor, merchantID)
	if err == nil && c == nil {
		err = fault.Missing()
	}
	if err != nil {
		return Account{}, err
	}
	return s.create(ctx, actor, *c)
}

// create sends a committed request, or repeats it, and writes its outcome.
func (s *Service) create(ctx context.Context, actor authz.Actor, c Creation) (Account, error) {
	platform, err := find(ctx, s.deps.Pool, processor.Account{Adapter: c.Processor, External: c.Platform})
	if err == nil && (platform == nil || platform.ApplicationID != c.ApplicationID || !s.wasPlatform(*platform)) {
		err = fault.New(fault.KindConflict, "processor_platform_missing",
			"The platform's account was removed or changed. Connect it to this application again, then check again.")
	}
	if err != nil {
		return Account{}, err
	}
	calling, cancel := context.WithTimeout(ctx, processor.CallTimeout)
	defer cancel()
	made, err := s.deps.Processors.CreateAccount(calling, platform.Account(), processor.NewAccount{
		Reference: c.ID.String(), Country: c.Country, BusinessType: c.BusinessType, Name: c.Name, Email: c.Email})
	switch {
	case errors.Is(err, processor.ErrNotCreated):
		slog.WarnContext(ctx, "a processor refused to create an account", "processor", c.Processor,
			"merchant", c.MerchantID, "error", err.Error())
		return Account{}, s.refuse(ctx, c)
	case err != nil:
		slog.WarnContext(ctx, "the outcome of a new processor account is unknown", "processor", c.Processor,
			"merchant", c.MerchantID, "error", err.Error())
		return Account{}, fault.New(fault.KindUnavailable, "processor_unreachable",
			"The processor didn't answer, so the account may already exist. Check again to find out. "+
				"This never creates a second account.").
			Because(err)
	}
	a, err := s.created(ctx, actor, c, *platform, made)
	if err == nil {
		s.registerPlatform(ctx, actor, *platform)
	}
	return a, err
}

// refuse records that a creation was refused, unless an account was created by now, and returns the refusal.
func (s *Service) refuse(ctx context.Context, c Creation) error {
	if err := s.settle(ctx, c, refused); err != nil {
		return err
	}
	return fault.Refused("processor_account_refused",
		"The processor refused to create the account. Check the country and "+
			"the email address, and that Connect is enabled for the platform's account, then try again.")
}

// settle gives a creation without an outcome its last status.
func (s *Service) settle(ctx context.Context, c Creation, status string) error {
	_, err := pg.Exec(ctx, s.deps.Pool, `
		UPDATE account_creations SET status = @status, name = '', email = '', updated_at = @now
		WHERE id = @id AND status = @requested`,
		pg.Args{"id": c.ID, "status": status, "requested": requested, "now": instant.Of(s.deps.Clock.Machine())})
	return err
}

// created adds the account of a successful creation, once. If its merchant can't have it, the creation has its outcome
// all the same.
func (s *Service) created(ctx context.Context, actor authz.Actor, c Creation, platform Account,
	made processor.CreatedAccount) (a Account, err error) {
	now := instant.Of(s.deps.Clock.Machine())
	a = connectedAccount(platform, c.MerchantID, c.ID, made.External, now)
	a.Onboarding, a.Report = made.Report.Onboarding, &made.Report
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		if err := lockMerchantTx(ctx, tx, c.ApplicationID, c.MerchantID); err != nil {
			return err
		}
		tx.Later(`UPDATE account_creations SET status = @created, name = '', email = '', updated_at = @now
			WHERE id = @id`,
			pg.Args{"id": c.ID, "created": created, "now": now})
		// another attempt was faster, or someone linked the account
		if there, err := find(ctx, tx, a.Account()); err != nil || there != nil && of(*there, c) {
			if there != nil {
				a = *there
			}
			return err
		}
		if err := unconnectedTx(ctx, tx, platform, c.MerchantID); err != nil {
			return err
		}
		a, err = s.addTx(ctx, tx, actor, a)
		return err
	})
	if useless := notAdded(err, made.External); useless != nil {
		if err = s.settle(ctx, c, created); err == nil {
			err = useless
		}
	}
	return s.derive(a), err
}

// notAdded is the fault about a created account that its merchant can't have; nil for any other error.
func notAdded(err error, external string) error {
	f, _ := fault.As(err)
	switch {
	case fault.HasCode(err, "processor_account_connected"):
		return fault.New(f.Kind, f.Code, "The processor created the account "+external+
			", but it is already connected elsewhere. Remove it there and link it here, or create another account.")
	case fault.HasCode(err, "processor_account_exists"):
		return fault.New(f.Kind, f.Code, "The processor created the account "+external+
			", but this merchant already has another account that is connected to the platform's account.")
	}
	return nil
}

// of reports whether an account belongs to the merchant of a creation.
func of(a Account, c Creation) bool {
	return a.ApplicationID == c.ApplicationID && a.MerchantID != nil && *a.MerchantID == c.MerchantID
}

// OnboardingLink returns the address of a page of the processor where details of an account are entered, and records
// who asked for it. The page leads back to the two addresses (see [processor.Onboarder]). The address must not be
// stored or logged. Faults: resource_missing, also for an account without such pages; processor_unreachable.
func (s *Service) OnboardingLink(ctx context.Context, actor authz.Actor, id, returnURL,
	refreshURL string) (string, error) {
	a, err := s.managed(ctx, actor, id)
	if err == nil && !s.Onboards(a) {
		err = fault.Missing()
	}
	if err != nil {
		return "", err
	}
	calling, cancel := context.WithTimeout(ctx, processor.CallTimeout)
	defer cancel()
	link, err := s.deps.Processors.OnboardingLink(calling, a.Account(), returnURL, refreshURL)
	if err != nil {
		return "", unreachable(ctx, a, err)
	}
	return link, s.audit.Done(ctx, actor, authz.ProcessingManage, about(a), map[string]bool{"onboarding_page": true})
}

// aboutCreation is the account to create as the audit log names it.
func aboutCreation(c Creation) audit.Subject {
	return audit.Of("processor_account", c.ID.String(), c.MerchantID)
}

// requestedBy reads the creation for a merchant whose outcome is unknown; nil if there is none.
func requestedBy(ctx context.Context, q pg.Querier, applicationID, merchantID int64) (*Creation, error) {
	return pg.OrNil(pg.One[Creation](ctx, q, `
		SELECT `+creationColumns+` FROM account_creations
		WHERE application_id = @application_id AND merchant_id = @merchant_id AND status = @requested`,
		pg.Args{"application_id": applicationID, "merchant_id": merchantID, "requested": requested}))
}

func insertCreationTx(tx *pg.Tx, c Creation) {
	tx.Later(`
		INSERT INTO account_creations (id, application_id, merchant_id, processor, platform_account, country,
			business_type, name, email, status, created_at, updated_at)
		VALUES (@id, @application_id, @merchant_id, @processor, @platform, @country, @business_type, @name, @email,
			@status, @now, @now)`,
		pg.Args{"id": c.ID, "application_id": c.ApplicationID, "merchant_id": c.MerchantID, "processor": c.Processor,
			"platform": c.Platform, "country": c.Country, "business_type": c.BusinessType, "name": c.Name,
			"email": c.Email, "status": c.Status, "now": c.CreatedAt})
}

// lockMerchantTx locks a merchant of the application. Other rows can still refer to it.
func lockMerchantTx(ctx context.Context, tx *pg.Tx, applicationID, id int64) error {
	_, err := pg.Value[int64](ctx, tx, `
		SELECT id FROM merchants WHERE application_id = @application_id AND id = @id FOR NO KEY UPDATE`,
		pg.Args{"application_id": applicationID, "id": id})
	return pg.Or(err, fault.Missing())
}
