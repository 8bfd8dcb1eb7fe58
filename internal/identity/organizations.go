package identity

import (
	"context"
	"time"

	"svcpay/internal/platform/pg"
)

// CreateOrganizationTx adds a customer organization to an application and returns its id. now is the
// application's time.
func CreateOrganizationTx(ctx context.Context, tx *pg.Tx, applicationID int64, name string,
	now time.Time) (int64, error) {
	return pg.Value[int64](ctx, tx, `
		INSERT INTO organizations (application_id, name, created_at) VALUES (@application_id, @name, @now)
			RETURNING id`,
		pg.Args{"application_id": applicationID, "name": name, "now": now})
}

// HasOrganization reports whether an application has an organization of that id.
func HasOrganization(ctx context.Context, q pg.Querier, applicationID, id int64) (bool, error) {
	return pg.Value[bool](ctx, q, `
		SELECT EXISTS (SELECT FROM organizations WHERE application_id = @application_id AND id = @id)`,
		pg.Args{"application_id": applicationID, "id": id})
}
