package accounts

import (
	"context"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// find reads the record of an account; nil if it was not connected.
func find(ctx context.Context, q pg.Querier, of processor.Account) (*Account, error) {
	return pg.OrNil(pg.One[Account](ctx, q, `
		SELECT `+columns+` FROM processor_accounts WHERE processor = @processor AND external_account = @external`,
		pg.Args{"processor": of.Adapter, "external": of.External}))
}

func lockTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.ProcessorAccount) (Account, error) {
	return pg.Find[Account](ctx, tx, `
		SELECT `+columns+` FROM processor_accounts WHERE application_id = @application_id AND id = @id FOR UPDATE`,
		pg.Args{"application_id": applicationID, "id": id})
}

// insertTx writes a new account, unless its external account is connected already.
func insertTx(ctx context.Context, tx *pg.Tx, a Account) error {
	n, err := tx.Exec(ctx, `
		INSERT INTO processor_accounts (id, application_id, merchant_id, version, processor, external_account,
			platform_id, credentials,
			credentials_last4, credentials_set_at, methods, currencies, priority, status, onboarding, report, tested_at,
				created_at, updated_at)
		VALUES (@id, @application_id, @merchant_id, @version, @processor, @external, @platform_id, @credentials,
			@last4, @set_at, @methods, @currencies, @priority, @status, @onboarding, @report, @tested_at, @now, @now)
		ON CONFLICT (processor, external_account) DO NOTHING`,
		pg.Args{"id": a.ID, "application_id": a.ApplicationID, "merchant_id": a.MerchantID, "version": a.Version,
			"processor": a.Processor,
			"external":  a.External, "platform_id": a.PlatformID, "credentials": a.Sealed, "last4": a.CredentialsLast4,
			"set_at":     a.CredentialsSetAt,
			"methods":    a.Methods,
			"currencies": a.Currencies, "priority": a.Priority, "status": a.Status, "onboarding": a.Onboarding,
			"report": a.Report, "tested_at": a.TestedAt, "now": a.CreatedAt})
	return pg.Hit(n, err, fault.New(fault.KindConflict, "processor_account_connected",
		"This account is already connected. Edit or enable it instead.").On("external_account"))
}

func updateTx(tx *pg.Tx, a Account) {
	tx.Later(`
		UPDATE processor_accounts SET version = @version, credentials = @credentials, credentials_last4 = @last4,
			credentials_set_at = @set_at, methods = @methods, currencies = @currencies, priority = @priority,
				status = @status, onboarding = @onboarding, report = @report, tested_at = @tested_at,
			updated_at = @now
		WHERE id = @id`,
		pg.Args{"id": a.ID, "version": a.Version, "credentials": a.Sealed, "last4": a.CredentialsLast4,
			"set_at": a.CredentialsSetAt, "methods": a.Methods,
			"currencies": a.Currencies, "priority": a.Priority, "status": a.Status, "onboarding": a.Onboarding,
			"report": a.Report, "tested_at": a.TestedAt, "now": a.UpdatedAt})
}

// merchantTx refuses a merchant that the application does not have.
func merchantTx(ctx context.Context, tx *pg.Tx, applicationID, id int64) error {
	_, err := pg.Value[int64](ctx, tx, `SELECT id FROM merchants WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
	return pg.Or(err, fault.Missing())
}
