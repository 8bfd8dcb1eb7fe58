// Package merchant keeps the accounts that are paid.
package merchant

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/calendar"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/money"
	"svcpay/internal/pg"
)

// Status says what a merchant may still do.
type Status string

// Active merchants may be charged for.
const Active Status = "active"

// Merchant is an account that is paid. It belongs to one organization of one application.
type Merchant struct {
	ID                  int64          `db:"id"`
	ApplicationID       int64          `db:"application_id"`
	OrganizationID      int64          `db:"organization_id"`
	Name                string         `db:"name"`
	Status              Status         `db:"status"`
	Country             string         `db:"country"` // ISO 3166-1 alpha-2
	Currency            money.Currency `db:"currency"`
	BankProcessor       string         `db:"bank_processor"` // p or q
	TimeZone            string         `db:"time_zone"`      // IANA name
	StatementDescriptor string         `db:"statement_descriptor"`
}

// CanProcess tells which kinds of payment the merchant accepts, by the API's names.
func (m Merchant) CanProcess() map[string]bool {
	return map[string]bool{
		"cc": m.Status == Active, "ach": false, "acss": false,
		"wallet_a": false, "wallet_b": false, "daf": false,
	}
}

// Service holds the use-cases of merchants.
type Service struct {
	pool *pgxpool.Pool
	now  func() time.Time
}

// New makes the service.
func New(pool *pgxpool.Pool, now func() time.Time) *Service { return &Service{pool: pool, now: now} }

// Create adds an active merchant with its first fee schedule, in force at once, and returns its id.
// ID and Status of m are ignored.
func (s *Service) Create(ctx context.Context, m Merchant, rates fee.Rates) (int64, error) {
	if _, err := calendar.Zone(m.TimeZone); err != nil {
		return 0, fault.Invalid("parameter_invalid", "This is not the name of a time zone.").On("time_zone")
	}
	var id int64
	err := pg.InTx(ctx, s.pool, func(tx *pg.Tx) (err error) {
		now := s.now()
		id, err = pg.Value[int64](ctx, tx, `
			INSERT INTO merchants (application_id, organization_id, name, status, country, currency,
				bank_processor, time_zone, statement_descriptor, created_at, updated_at)
			VALUES (@application_id, @organization_id, @name, @status, @country, @currency,
				@bank_processor, @time_zone, @statement_descriptor, @now, @now) RETURNING id`,
			pg.Args{"application_id": m.ApplicationID, "organization_id": m.OrganizationID, "name": m.Name,
				"status": Active, "country": m.Country, "currency": m.Currency,
				"bank_processor": m.BankProcessor, "time_zone": m.TimeZone, "statement_descriptor": m.StatementDescriptor, "now": now})
		if err == nil {
			fee.CreateTx(tx, m.ApplicationID, id, rates, now, now)
		}
		return err
	})
	return id, err
}

// Get returns a merchant of the application, or the fault that says it is missing.
func (s *Service) Get(ctx context.Context, applicationID, id int64) (Merchant, error) {
	m, err := pg.One[Merchant](ctx, s.pool, `
		SELECT id, application_id, organization_id, name, status, country, currency, bank_processor, time_zone, statement_descriptor
		FROM merchants WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
	if errors.Is(err, pg.ErrNone) {
		return Merchant{}, fault.Missing()
	}
	return m, err
}

// ErrNotAssociated is the one answer for a merchant_id that is unknown or another application's.
var ErrNotAssociated = fault.New(fault.KindForbidden, "merchant_not_associated",
	"This merchant is not associated with your application.").On("merchant_id")
