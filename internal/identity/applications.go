package identity

import (
	"context"
	"time"

	"svcpay/internal/platform/pg"
)

// APIVersion is the version that a new application is pinned to.
const APIVersion = "2026-12-01"

// CreateApplication adds an application and returns its id, the X-App-ID of its requests.
func (s *Service) CreateApplication(ctx context.Context, name string) (id int64, err error) {
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		id, err = s.insertApplicationTx(ctx, tx, name, s.now())
		return err
	})
	return id, err
}

func (s *Service) insertApplicationTx(ctx context.Context, tx *pg.Tx, name string, now time.Time) (int64, error) {
	id, err := pg.Value[int64](ctx, tx, `
		INSERT INTO applications (name, api_version, created_at) VALUES (@name, @version, @now) RETURNING id`,
		pg.Args{"name": name, "version": APIVersion, "now": now})
	if err == nil && s.begin != nil {
		s.begin(tx, id, now)
	}
	return id, err
}

// BeginWith says what else a new application begins with, queued in the transaction that creates it. It is called while the service
// is wired.
func (s *Service) BeginWith(begin func(tx *pg.Tx, applicationID int64, now time.Time)) {
	s.begin = begin
}

// CreateOrganizationTx adds a customer organization to an application and returns its id. now is the
// application's time.
func CreateOrganizationTx(ctx context.Context, tx *pg.Tx, applicationID int64, name string, now time.Time) (int64, error) {
	return pg.Value[int64](ctx, tx, `
		INSERT INTO organizations (application_id, name, created_at) VALUES (@application_id, @name, @now) RETURNING id`,
		pg.Args{"application_id": applicationID, "name": name, "now": now})
}

// HasOrganization tells whether an application has an organization of that id.
func HasOrganization(ctx context.Context, q pg.Querier, applicationID, id int64) (bool, error) {
	return pg.Value[bool](ctx, q, `
		SELECT EXISTS (SELECT FROM organizations WHERE application_id = @application_id AND id = @id)`,
		pg.Args{"application_id": applicationID, "id": id})
}
