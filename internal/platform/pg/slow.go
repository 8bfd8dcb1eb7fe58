package pg

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsSlow tells whether err says that the database stopped a statement because it took too long, rather
// than because its caller gave up.
func IsSlow(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.Code == "57014" && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}
