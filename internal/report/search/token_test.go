package search_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/report/search"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
)

// The charges of a token are found by its last digits: they have no index by tokens.
func TestChargesOfATokenAreFoundByTheIndex(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	token, amount := w.Token("4242424242424242"), money.Amount(1000)
	c, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Token: &token, Amount: &amount}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Copies(c.Object, 3000, time.Second, func(k int) map[string]any {
		return map[string]any{"payment_method": map[string]any{"kind": "card", "last4": fmt.Sprintf("%04d", k)}}
	})
	for _, table := range []string{"charges", "tokens"} {
		if _, err := w.Pool.Exec(t.Context(), `ANALYZE `+table); err != nil {
			t.Fatal(err)
		}
	}
	args := pg.Args{}
	for _, m := range regexp.MustCompile(`@([a-z_][a-z_0-9]*)`).FindAllStringSubmatch(search.SelectCharges, -1) {
		args[m[1]] = nil
		if strings.HasPrefix(m[1], "not_") || m[1] == "without" {
			args[m[1]] = []string{}
		}
	}
	id, err := ids.NewToken(w.Clock.Now()).UUIDValue()
	if err != nil {
		t.Fatal(err)
	}
	args["application_id"], args["token"] = w.App.AppID, []string{id.String()}
	plan := pgtest.Plan(t, w.Pool, search.SelectCharges+` ORDER BY id DESC LIMIT 9`, args)
	if !regexp.MustCompile(
		`charges_by_token\b[^\n]*\n *Index Cond: \(\(application_id = '\d+'::bigint\) AND \(token_id = ANY `).
		MatchString(plan) {
		t.Error(plan)
	}
}
