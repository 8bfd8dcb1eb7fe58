package migrations_test

import (
	"context"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
)

// TestServicesRunWithTheRoleOfServers charges and refunds, moves what is due by time, numbers events and purges with
// the role of servers. What it may not do is no part of any of these.
func TestServicesRunWithTheRoleOfServers(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, func(d *assembly.Deps) {
		_, as := granted(t, d.Pool.Config().ConnString())
		pool, err := pg.Open(t.Context(), as)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		d.Pool = pool
	})
	ctx, amount, part, token := t.Context(), money.Amount(500), money.Amount(200), w.Token("4242424242424242")
	made, err := w.Charges.Create(ctx, w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, due := range []time.Duration{0, 10 * 24 * time.Hour} {
		w.Clock.Advance(due)
		for _, sweep := range w.Sweeps() {
			if _, err := w.Clocks.RunAll(ctx, sweep); err != nil {
				t.Errorf("%s: %v", sweep.Name, err)
			}
		}
		if due == 0 {
			continue
		}
		id := made.Object.ID.String()
		if _, err := w.Refunds.Create(ctx, w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &part},
			nil); err != nil {
			t.Error(err)
		}
	}
	if _, err := w.Webhooks.RunReplays(ctx); err != nil {
		t.Error(err)
	}
	for name, fold := range map[string]func(context.Context) (int, error){"operations": w.Operations.Resolve,
		"totals": w.Totals.Fold, "words": w.Search.FoldWords, "ledger": w.Ledger.Fold, "mail": w.Mail.Deliver} {
		if _, err := fold(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, purge := range map[string]func(context.Context) (int64, error){"sessions": w.Tokens.PurgeSessions,
		"velocity": w.Tokens.PurgeVelocity, "attempts": w.Tokens.PurgeAttempts, "uses": w.CardRules.PurgeUses,
		"files": w.Uploads.Purge, "payloads": w.Tokens.PurgePayloads,
		"workflows": w.Workflows.Purge, "links": w.Links.Purge, "accounts": w.Payouts.PurgeAccounts,
		"portal sessions": w.Identity.PurgeSessions, "sign-ins": w.Identity.PurgeSignIns,
		"exports": w.Exports.Purge, "deliveries": w.Webhooks.Purge, "mails": w.Mail.Purge,
		"messages": w.Inboxes.Purge, "security events": w.Security.Purge} {
		if _, err := purge(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := pg.Value[int64](ctx, w.Pool, `SELECT count(*) FROM ledger_entries`, pg.Args{})
	if err != nil || entries == 0 {
		t.Errorf("%d entries of the ledger, %v", entries, err)
	}
}
