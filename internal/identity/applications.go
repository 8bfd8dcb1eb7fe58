package identity

import (
	"context"

	"svcpay/internal/pg"
)

// APIVersion is the version that a new application is pinned to.
const APIVersion = "2026-12-01"

// CreateApplication adds an application and returns its id, the X-App-ID of its requests.
func (s *Service) CreateApplication(ctx context.Context, name string) (int64, error) {
	return pg.Value[int64](ctx, s.pool, `
		INSERT INTO applications (name, api_version, created_at) VALUES (@name, @version, @now) RETURNING id`,
		pg.Args{"name": name, "version": APIVersion, "now": s.now()})
}

// CreateOrganization adds a customer organization to an application and returns its id.
func (s *Service) CreateOrganization(ctx context.Context, applicationID int64, name string) (int64, error) {
	return pg.Value[int64](ctx, s.pool, `
		INSERT INTO organizations (application_id, name, created_at) VALUES (@application_id, @name, @now) RETURNING id`,
		pg.Args{"application_id": applicationID, "name": name, "now": s.now()})
}
