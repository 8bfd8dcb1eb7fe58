package portal

import (
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/portal/web"
)

// The page of the application's accounts sums what processors charged by month; before there are fees, it has no table.
// A merchant's page doesn't show them.
func TestProcessorFeesAreShownByMonth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleApplicationAdmin)
	a := w.connected(w.sandboxAccount(nil, "own-90", "cc"))
	w.send(web.ProcessingPath, nil, "Cookie", admin).lacks(t, "Processor fees")
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		fee := ledger.ProcessorFee{Processor: a.Processor, External: a.External, ID: "txn_1", Amount: 1_820,
			Currency: money.USD, At: w.Clock.Now()}
		ledger.PostProcessorFeeTx(tx, fee, w.Clock.Now())
		fee.ID, fee.Amount, fee.Refunded = "txn_2", 1_500, true
		ledger.PostProcessorFeeTx(tx, fee, w.Clock.Now())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	page := w.send(web.ProcessingPath, nil, "Cookie", admin)
	page.says(t, "Processor fees")
	row := page.row(w.Clock.Now().UTC().Format("January 2006"))
	for _, words := range []string{a.External, "18.20", "15.00", "3.20"} {
		if !strings.Contains(row, words) {
			t.Errorf("the row %q lacks %q", row, words)
		}
	}
	w.send(w.merchantPage(web.ProcessingEnd), nil, "Cookie", w.as(authz.RoleOrganizationAdmin)).lacks(t,
		"Processor fees")
}
