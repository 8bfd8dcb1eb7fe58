package erasure

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// Statements are those that find a payer in tables that may be long.
var Statements = map[string]string{"charges": lockCharges, "tokens": selectTokens, "donations": lockDonations,
	"names": selectNames, "workflows": workflowsOf, "links": linksOf, "receipts": receiptsTo, "keys": selectKeys,
	"trials": selectTrials}

// FindKeys finds the keys of requests about charges, so many at a time.
func FindKeys(ctx context.Context, pool *pgxpool.Pool, applicationID int64, charges []ids.Charge,
	batch int) ([]string, error) {
	p := payer{applicationID: applicationID, Erased: Erased{Charges: charges}}
	err := pg.InTx(ctx, pool, func(tx *pg.Tx) error { return p.findKeysTx(ctx, tx, batch) })
	return p.keys, err
}
