package totals_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

const (
	good    = "4242424242424242"
	settles = "000123456789"
)

func ptr[T any](v T) *T { return &v }

func input(w *fixture.World, number string, amount money.Amount) charge.CreateInput {
	return charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: ptr(w.Token(number))}
}

func create(t *testing.T, w *fixture.World, in charge.CreateInput) charge.Charge {
	t.Helper()
	out, err := w.Charges.Create(t.Context(), w.Actor(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Object
}

// debit charges a bank account of the US merchant.
func debit(t *testing.T, w *fixture.World, amount money.Amount) charge.Charge {
	t.Helper()
	return create(t, w, charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount,
		Token: ptr(w.BankToken(w.App.Merchants.US, w.USBank(settles)))})
}

func count(t *testing.T, w *fixture.World, from string, args pg.Args) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM `+from, args)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// explained is a connection that notes how much every statement reads.
type explained struct {
	*pgxpool.Conn
	plan   string
	blocks int
}

func (e *explained) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := e.Conn.Query(ctx, "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) "+sql, args...)
	if err != nil {
		return nil, err
	}
	if e.plan, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[string]); err != nil {
		return nil, err
	}
	var told []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	if err := json.Unmarshal([]byte(e.plan), &told); err != nil {
		return nil, err
	}
	e.blocks = told[0].Plan.Hit + told[0].Plan.Read
	return e.Conn.Query(ctx, sql, args...)
}
