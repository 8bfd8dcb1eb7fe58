package charge

import (
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"svcpay/internal/operation"
)

// basis is what the outcome of a charge's submission starts from if nobody has touched the charge since: the charge as
// it was inserted, and what its merchant was settled by then. It saves the outcome's transaction to read and lock
// what nearly always is as it was: whether it is, the statement sees that writes the outcome (see [updateTx]).
type basis struct {
	charge Charge
	text   json.RawMessage // of the charge
	asOf   uint32          // the transaction that inserted it
	terms  terms
}

// finishIn is an outcome to write.
type finishIn struct {
	operation.Outcome
	basis *basis // nil: the charge is read and locked first
}

// hasMoved tells of an error that it is of an outcome whose basis is not what there is any more: the statement that
// writes it leaves out the version then, without which there is no charge.
func hasMoved(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.TableName == "charges" && pe.ColumnName == "version"
}
