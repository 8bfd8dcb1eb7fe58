package charge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/testing/fixture"
)

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

// Whatever a list is held to, it reads little of many charges.
func TestFiltersRunOnIndexes(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const n, most = 20_000, 200 // rows; blocks, of the 3,000 that they fill
	newest := authorized(t, w)
	other := otherToken(t, w)
	w.Copies(newest, n, 10*time.Second, func(k int) map[string]any {
		columns := map[string]any{
			"amount": 1000 + k%5000, "external_id": fmt.Sprintf("gift-%d", k),
			"payment_method": method(fmt.Sprintf("%04d", k%10_000), "visa"),
			"billing":        map[string]string{"email": fmt.Sprintf("Donor%d@Example.org", k%5000)},
			"metadata":       map[string]string{},
		}
		if k%4 != 1 {
			columns["metadata"] = map[string]string{"campaign": []string{"spring", "fall"}[k%2], "order": fmt.Sprint(k)}
		}
		if k%5 == 0 {
			columns["type"], columns["capture"] = "ach", true
		}
		at := time.Unix(1_800_000_000+int64(k), 0).UTC()
		switch k % 2000 {
		case 1002:
			columns["status"], columns["failed_at"], columns["next_step_at"] = "failed", at, nil
			columns["failure"] = map[string]any{"code": "expired_card", "message": "No.", "advice": "try_again_later",
				"retryable": true}
		case 1003:
			columns["status"], columns["next_step_at"], columns["amount"], columns["amount_captured"] = "settled", nil,
				1000, 1000
			columns["captured_at"], columns["settled_at"], columns["available_on"] = at, at, "2027-01-15"
		case 1004:
			columns["token_id"], columns["payment_method"] = uuidOf(other), method("0000", "jcb")
		default:
			if k%4 == 3 {
				columns["status"], columns["failed_at"], columns["next_step_at"] = "failed", at, nil
				columns["failure"] = map[string]any{"code": "card_declined", "message": "No.",
					"advice": "try_again_later", "retryable": true}
			}
		}
		if k%2 == 0 {
			columns["captured_at"] = at
		}
		return columns
	})
	conn, err := w.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), "VACUUM ANALYZE charges"); err != nil {
		t.Fatal(err)
	}
	ago := func(days int) *time.Time { return ptr(newest.CreatedAt.AddDate(0, 0, -days)) }
	unix := func(s int) *time.Time { return ptr(time.Unix(1_800_000_000+int64(s), 0)) }
	exactly := func(amount int64) page.Amounts { return page.Amounts{Least: &amount, Most: &amount} }
	q := &explained{Conn: conn}
	unused := reflect.VisibleFields(reflect.TypeFor[charge.ListInput]())
	for name, tt := range map[string]struct {
		in   charge.ListInput
		want int
	}{
		"all":               {charge.ListInput{}, 20},
		"after one":         {charge.ListInput{Page: page.Input[ids.Charge]{After: newest.ID}}, 20},
		"before one":        {charge.ListInput{Page: page.Input[ids.Charge]{Before: newest.ID}}, 0},
		"a status":          {charge.ListInput{Statuses: []string{"returned", "voided"}}, 0},
		"a merchant":        {charge.ListInput{Merchants: []int64{w.App.Merchants.CA}}, 0},
		"a type":            {charge.ListInput{Types: []string{"acss"}}, 0},
		"some types":        {charge.ListInput{Types: []string{"acss", "ach"}}, 20},
		"a currency":        {charge.ListInput{Currencies: []string{"cad"}}, 0},
		"recurring":         {charge.ListInput{Recurring: ptr(true)}, 0},
		"not recurring":     {charge.ListInput{Recurring: ptr(false)}, 20},
		"external_id":       {charge.ListInput{ExternalID: ptr("gift-15001")}, 1},
		"an address":        {charge.ListInput{Email: ptr("donor77@example.org")}, 4},
		"nobody's address":  {charge.ListInput{Email: ptr("nobody@example.org")}, 0},
		"last4":             {charge.ListInput{Last4: ptr("0077")}, 2},
		"nobody's last4":    {charge.ListInput{Last4: ptr("none")}, 0},
		"a rare pair":       {charge.ListInput{Metadata: map[string]string{"order": "15000"}}, 1},
		"a common pair":     {charge.ListInput{Metadata: map[string]string{"campaign": "fall"}}, 20},
		"both pairs":        {charge.ListInput{Metadata: map[string]string{"campaign": "spring", "order": "15000"}}, 1},
		"nobody's pair":     {charge.ListInput{Metadata: map[string]string{"order": "none"}}, 0},
		"an amount":         {charge.ListInput{Amounts: exactly(5001)}, 4},
		"nobody's amount":   {charge.ListInput{Amounts: exactly(999)}, 0},
		"large amounts":     {charge.ListInput{Amounts: page.Amounts{Least: ptr(int64(6000))}}, 0},
		"an old day":        {charge.ListInput{Created: page.Times{From: ago(2), Until: ago(1)}}, 20},
		"an old, empty day": {charge.ListInput{Created: page.Times{From: ago(400), Until: ago(399)}}, 0},
		"an old rarity":     {charge.ListInput{Created: page.Times{Until: ago(1)}, Email: ptr("donor77@example.org")}, 2},
		"a token":           {charge.ListInput{Token: &other}, 10},
		"a common token":    {charge.ListInput{Token: &newest.Token}, 20},
		"an unknown token":  {charge.ListInput{Token: ptr(ids.NewToken(newest.CreatedAt.Time))}, 0},
		"a rare brand":      {charge.ListInput{Brands: []string{"jcb", "discover"}}, 10},
		"a common brand":    {charge.ListInput{Brands: []string{"visa"}}, 20},
		"a payout":          {charge.ListInput{Payout: ptr(ids.NewPayout(newest.CreatedAt.Time))}, 0},
		"a failure":         {charge.ListInput{Failures: []string{"expired_card"}}, 10},
		"a common failure":  {charge.ListInput{Failures: []string{"card_declined"}}, 20},
		"another failure":   {charge.ListInput{Failures: []string{"not_submitted"}}, 0},
		"a captured minute": {charge.ListInput{Captured: page.Times{From: unix(1000), Until: unix(1020)}}, 11},
		"captured later":    {charge.ListInput{Captured: page.Times{From: unix(2 * n)}}, 0},
		"settled early":     {charge.ListInput{Settled: page.Times{Until: unix(4000)}}, 2},
		"settled later":     {charge.ListInput{Settled: page.Times{From: unix(2 * n)}}, 0},
		"a future":          {charge.ListInput{Created: page.Times{From: ago(-1)}}, 0},
	} {
		unused = slices.DeleteFunc(unused,
			func(f reflect.StructField) bool { return !reflect.ValueOf(tt.in).FieldByIndex(f.Index).IsZero() })
		tt.in.Page.Limit = 20
		got, err := w.Charges.ListThrough(t.Context(), q, w.App.AppID, tt.in)
		if err != nil || len(got.Items) != tt.want || q.blocks > most || strings.Contains(q.plan, "Seq Scan") {
			t.Errorf("%s: %d charges, %d blocks, %v\n%s", name, len(got.Items), q.blocks, err, q.plan)
		}
	}
	if len(unused) > 0 {
		t.Errorf("filters that were not tried: %v", unused)
	}
}
