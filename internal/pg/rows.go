package pg

import "github.com/jackc/pgx/v5"

// rowsOf reads every row as a T, matched by column name, and makes of it what is kept; never nil.
func rowsOf[T, K any](rows pgx.Rows, kept func(T) K) ([]K, error) {
	defer rows.Close()
	out := make([]K, 0)
	var none T
	var one *T
	into := places{CollectableRow: rows}
	for rows.Next() {
		var err error
		if one == nil {
			one, err = pgx.RowToAddrOfStructByName[T](&into)
		} else {
			*one = none
			err = rows.Scan(into.columns...)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, kept(*one))
	}
	return out, rows.Err()
}

// places is the first row of several: where its columns went, those of the others go, which need not be matched again.
type places struct {
	pgx.CollectableRow
	columns []any
}

// Scan implements pgx.CollectableRow.
func (p *places) Scan(into ...any) error {
	p.columns = into
	return p.CollectableRow.Scan(into...)
}

func same[T any](row T) T { return row }
