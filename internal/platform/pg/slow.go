package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"svcpay/internal/platform/page"
)

// IsSlow reports whether err says that the database stopped a statement because it took too long, rather
// than because its caller gave up.
func IsSlow(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.Code == "57014" && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, context.DeadlineExceeded)
}

// TooMany is err, or page.ErrTooMany if the database stopped a statement because it took too long.
func TooMany(err error) error {
	if IsSlow(err) {
		return fmt.Errorf("%w: %w", page.ErrTooMany, err)
	}
	return err
}
