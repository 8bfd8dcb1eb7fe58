package pg

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// rowSet is what a statement takes as an array of one of the schema's types of rows.
type rowSet []Args

// GoString keeps what is in rows out of the errors of their encoding.
func (s rowSet) GoString() string { return fmt.Sprintf("%d rows", len(s)) }

// Rows are the arguments of a statement that takes several rows as @rows, an array of a composite type of the schema:
//
//	INSERT INTO refunds (id, amount) SELECT r.id, r.amount FROM unnest(@rows::new_refund[]) AS r
//
// Each row has all members of the type by their names, and no others. An array of rows costs PostgreSQL a tenth of what
// an array of each column does, which has a function call and a table of its own in the plan.
func Rows(rows []Args) Args { return Args{"rows": rowSet(rows)} }

// learnRows makes a new connection know the composite types of the schema, by the numbers that this database gave them.
func learnRows(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `
		SELECT t.typname AS name, t.oid, t.typarray AS array_oid, array_agg(a.attname::text ORDER BY a.attnum) AS names,
			array_agg(a.atttypid ORDER BY a.attnum) AS types
		FROM pg_type t
		JOIN pg_class c ON c.oid = t.typrelid AND c.relkind = 'c'
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE t.typnamespace = current_schema()::regnamespace GROUP BY 1, 2, 3`)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[rowType])
	for _, t := range found {
		conn.TypeMap().RegisterType(&pgtype.Type{Name: "_" + t.Name, OID: t.ArrayOID, Codec: rowCodec{t}})
	}
	return err
}

// rowType is a composite type, with its members in their order.
type rowType struct {
	Name     string   `db:"name"`
	OID      uint32   `db:"oid"`
	ArrayOID uint32   `db:"array_oid"`
	Names    []string `db:"names"`
	Types    []uint32 `db:"types"`
}

// rowCodec writes a rowSet in the binary format of an array of composite values (array_recv and record_recv of
// PostgreSQL). Nothing of these types is ever read.
type rowCodec struct{ rowType }

func (rowCodec) FormatSupported(format int16) bool { return format == pgtype.BinaryFormatCode }

func (rowCodec) PreferredFormat() int16 { return pgtype.BinaryFormatCode }

func (c rowCodec) PlanEncode(m *pgtype.Map, _ uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(rowSet); !ok || format != pgtype.BinaryFormatCode {
		return nil
	}
	return rowPlan{c.rowType, m}
}

func (rowCodec) PlanScan(*pgtype.Map, uint32, int16, any) pgtype.ScanPlan { return nil }

var errNeverRead = errors.New("pg: types of rows are not read")

func (rowCodec) DecodeDatabaseSQLValue(*pgtype.Map, uint32, int16, []byte) (driver.Value, error) {
	return nil, errNeverRead
}

func (rowCodec) DecodeValue(*pgtype.Map, uint32, int16, []byte) (any, error) {
	return nil, errNeverRead
}

type rowPlan struct {
	rowType
	types *pgtype.Map
}

// Encode implements [pgtype.EncodePlan].
func (p rowPlan) Encode(value any, buf []byte) ([]byte, error) {
	rows := value.(rowSet)
	const dimensions, nullsInside, firstIndex = 1, 0, 1
	for _, n := range []uint32{dimensions, nullsInside, p.OID, uint32(len(rows)), firstIndex} {
		buf = binary.BigEndian.AppendUint32(buf, n)
	}
	for _, row := range rows {
		at := len(buf)
		buf = binary.BigEndian.AppendUint32(buf, 0)
		var err error
		if buf, err = p.appendRow(buf, row); err != nil {
			return nil, err
		}
		binary.BigEndian.PutUint32(buf[at:], uint32(len(buf)-at-4))
	}
	return buf, nil
}

func (p rowPlan) appendRow(buf []byte, row Args) ([]byte, error) {
	if len(row) != len(p.Names) {
		return nil, fmt.Errorf("pg: a %s has %d members, not %d", p.Name, len(p.Names), len(row))
	}
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(p.Names)))
	for i, name := range p.Names {
		v, ok := row[name]
		if !ok {
			return nil, fmt.Errorf("pg: a %s without %s", p.Name, name)
		}
		buf = binary.BigEndian.AppendUint32(buf, p.Types[i])
		at := len(buf)
		buf = binary.BigEndian.AppendUint32(buf, isNull)
		written, err := p.types.Encode(p.Types[i], pgtype.BinaryFormatCode, v, buf)
		if err != nil { // which holds the value
			return nil, fmt.Errorf("pg: %s of a %s cannot be written of this %T", name, p.Name, v)
		}
		if written != nil {
			buf = written
			binary.BigEndian.PutUint32(buf[at:], uint32(len(buf)-at-4))
		}
	}
	return buf, nil
}

// isNull is the length of what is NULL.
const isNull = 0xFFFFFFFF
