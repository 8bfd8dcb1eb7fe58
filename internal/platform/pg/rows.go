package pg

import (
	"reflect"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

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
	for i, f := range p.FieldDescriptions() {
		into[i] = plain(f, into[i])
	}
	p.columns = into
	return p.CollectableRow.Scan(into...)
}

// plain is where a column goes that is of a type such as money.Amount, as a place of the int64 that it is: pgx would read it
// into another and convert that for every row.
func plain(f pgconn.FieldDescription, into any) any {
	if f.DataTypeOID == pgtype.JSONOID || f.DataTypeOID == pgtype.JSONBOID { // which are read by their types
		return into
	}
	t := reflect.TypeOf(into)
	as, known := plainTypes.Load(t)
	if !known {
		as, _ = plainTypes.LoadOrStore(t, plainType(t))
	}
	if as == t {
		return into
	}
	return reflect.ValueOf(into).Convert(as.(reflect.Type)).Interface()
}

// plainTypes are what pointers can be converted to, by their types: as many as rows have.
var plainTypes sync.Map

// plainType is the pointer to what t points to, without its name; t itself if it has none, or reads itself.
func plainType(t reflect.Type) reflect.Type {
	for i := range t.NumMethod() {
		if name := t.Method(i).Name; strings.HasPrefix(name, "Scan") || strings.HasPrefix(name, "Unmarshal") {
			return t
		}
	}
	for _, as := range []reflect.Type{reflect.TypeFor[*int64](), reflect.TypeFor[*string]()} {
		if t.Elem().Kind() == as.Elem().Kind() {
			return as
		}
	}
	return t
}

func same[T any](row T) T { return row }
