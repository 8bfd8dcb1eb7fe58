package ledger

import (
	"context"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/pg"
)

func ReleaseTx(ctx context.Context, tx *pg.Tx, m instant.Moment, applicationID int64, charges []ids.Charge) error {
	return nil
}
