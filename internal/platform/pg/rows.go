package pg

import "github.com/jackc/pgx/v5"

// rowsOf reads every row as a T, matched by column name, and makes of it what is kept; never nil.
func rowsOf[T, K any](rows pgx.Rows, kept func(T) K) ([]K, error) {
	return pgx.AppendRows([]K{}, rows, func(row pgx.CollectableRow) (k K, err error) {
		one, err := pgx.RowToStructByName[T](row)
		if err != nil {
			return k, err
		}
		return kept(one), nil
	})
}

func same[T any](row T) T { return row }
