package portal

import (
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
	"svcpay/portal/web"
)

func TestTheProcessingPageShowsWhatTheProcessorReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.connected(w.sandboxAccount(&w.App.Merchants.US, "own-95", "payout"))
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE processor_accounts SET report = @report`,
		pg.Args{"report": `{"lacks": [{"code": "webhook_key", "remedy": "Allow the key to write."}],
			"capabilities": {"card_payments": "inactive", "transfers": "active"}, "requirements": {
				"currently_due": ["company.tax_id"], "past_due": ["external_account"],
				"deadline": "2027-05-06T00:00:00Z", "disabled_reason": "rejected.fraud"}}`}); err != nil {
		t.Fatal(err)
	}
	page := w.send(w.merchantPage(web.ProcessingEnd), nil, "Cookie", w.as(authz.RoleApplicationAdmin)).words()
	for _, line := range []string{"Card payments in the merchant’s name Not active", "Transfers Active",
		"Disabled because The processor rejected the account", "Overdue details external account",
		"Details needed now company tax id", "Needed by", "To do at the processor Allow the key to write."} {
		if !strings.Contains(page, line) {
			t.Errorf("the page does not say %q: %s", line, page)
		}
	}
}
