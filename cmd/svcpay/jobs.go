package main

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/payout"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/jobs"
	"svcpay/internal/platform/ratelimit"
	"svcpay/internal/requestlog"
	"svcpay/internal/vault"
)

// sweepEvery is how often work that becomes due by time is looked for.
const sweepEvery = time.Second

// watchEvery is how often merchants and addresses with many new tokens of cards are checked.
const watchEvery = 5 * time.Second

// headsWithin is how long it may take to inspect all chains of the audit log.
const headsWithin = 20 * time.Minute

// schedules is the background work.
func (a *app) schedules() []jobs.Schedule {
	out := []jobs.Schedule{
		{Name: "resolve_operations", Every: sweepEvery, Run: counting(a.Operations.Resolve), Within: payout.Within},
		{Name: "resolve_grants", Every: sweepEvery, Run: counting(a.Grants.Resolve)},
		{Name: "resolve_daf_enrollments", Every: sweepEvery, Run: counting(a.DAF.ResolveEnrollments)},
		{Name: "start_verifications", Every: sweepEvery, Run: counting(a.Tokens.StartVerifications)},
		{Name: "watch_cards", Every: watchEvery, Run: once(a.Tokens.WatchCards)},
		{Name: "confirm_bank_accounts", Every: 10 * time.Minute, Run: counting(a.Payouts.ConfirmBankAccounts)},
		{Name: "fold_charges", Every: sweepEvery, Run: counting(a.Totals.Fold)},
		{Name: "fold_words", Every: time.Minute, Run: counting(a.Search.FoldWords)},
		{Name: "normalize_addresses", Every: time.Minute, Run: counting(a.Search.NormalizeAddresses)},
		{Name: "fold_ledger", Every: time.Minute, Run: counting(a.Ledger.Fold)},
		{Name: "compare_ledger", Every: time.Minute, Run: once(a.Ledger.CompareDue)},
		// Once a day, in as many steps as a book takes, of which a minute has some.
		{Name: "reconcile", Every: time.Minute, Run: a.Reconcile.Run},
		{Name: "reconcile_grants", Every: time.Minute, Run: a.ReconcileGrants.Run},
		{Name: "repeat_reversals", Every: time.Minute, Run: counting(a.Charges.RepeatReversals)},
		{Name: "run_exports", Every: sweepEvery, Run: a.Exports.Run},
		purge("purge_exports", a.Exports.Purge),
		{Name: "run_replays", Every: sweepEvery, Run: counting(a.Webhooks.RunReplays)},
		{Name: "cancel_webhook_deliveries", Every: sweepEvery, Run: counting(a.Webhooks.CancelLeft)},
		purge("purge_webhook_deliveries", a.Webhooks.Purge),
		{Name: "send_mails", Every: sweepEvery, Run: counting(a.Mail.Deliver)},
		{Name: "export_audit_heads", Every: time.Hour, Run: a.exportHeads, Within: headsWithin},
		purge("purge_inbound_messages", a.Inboxes.Purge),
		purge("purge_mails", a.Mail.Purge),
	}
	out = append(out, a.purges()...)
	if c := a.parties.chariot; c != nil {
		out = append(out, purge("purge_chariot_visits", c.Purge))
	}
	if s := a.parties.sandbox; s != nil {
		out = append(out, purge("purge_sandbox_bank_visits", s.banks.Purge),
			jobs.Schedule{Name: "notify_of_processor_events", Every: sweepEvery, Run: counting(a.notifyOfEvents)})
		if s.funds != nil {
			out = append(out, purge("purge_sandbox_daf_visits", s.funds.Purge),
				jobs.Schedule{Name: "notify_of_grants", Every: sweepEvery, Run: counting(a.notifyOfGrants)})
		}
	}
	for _, s := range a.Sweeps() {
		out = append(out,
			jobs.Schedule{Name: s.Name, Every: sweepEvery, Within: s.Within,
				Run: func(ctx context.Context) (bool, error) {
					return a.Clocks.RunAll(ctx, s)
				}})
	}
	for i, s := range out {
		out[i].Ran = func(took time.Duration, err error) { a.meter.Job(s.Name, took, err) }
	}
	return out
}

// purges are the jobs that delete what is no longer needed.
func (a *app) purges() []jobs.Schedule {
	return []jobs.Schedule{
		purge("purge_cvcs",
			func(ctx context.Context) (int64, error) { return vault.PurgeCVCs(ctx, a.pool, machineTime()) }),
		purge("purge_client_sessions", a.Tokens.PurgeSessions),
		purge("purge_card_velocity", a.Tokens.PurgeVelocity),
		purge("purge_card_attempts", a.Tokens.PurgeAttempts),
		purge("purge_card_rule_uses", a.CardRules.PurgeUses),
		purge("purge_counted_acts",
			func(ctx context.Context) (int64, error) { return ratelimit.Purge(ctx, a.pool, machineTime()) }),
		{Name: "purge_files", Every: 10 * time.Minute, Run: counting(a.Uploads.Purge)},
		purge("purge_wallet_payloads", a.Tokens.PurgePayloads),
		purge("purge_daf_workflows", a.Workflows.Purge),
		purge("purge_bank_links", a.Links.Purge),
		purge("purge_payout_accounts", a.Payouts.PurgeAccounts),
		purge("purge_portal_sessions", a.Identity.PurgeSessions),
		purge("purge_sign_ins", a.Identity.PurgeSignIns),
		purge("purge_idempotency_keys", func(ctx context.Context) (int64, error) {
			return idempotency.Purge(ctx, a.pool, machineTime())
		}),
		purge("purge_security_events", a.Security.Purge),
		purge("purge_request_logs",
			func(ctx context.Context) (int64, error) { return requestlog.Purge(ctx, a.pool, machineTime()) }),
	}
}

// notifyOfGrants has the sandbox's provider tell us what happened, as a provider of its own would.
func (a *app) notifyOfGrants(ctx context.Context) (int, error) {
	return a.parties.sandbox.funds.Notify(ctx, a.config.baseURL+"/hooks/daf/"+a.parties.funds.Name())
}

// notifyOfEvents has the sandbox's processors report what happened, as real ones would.
func (a *app) notifyOfEvents(ctx context.Context) (n int, err error) {
	for _, p := range a.parties.sandbox.processors {
		sent, failed := p.Notify(ctx, a.config.baseURL+"/hooks")
		n, err = n+sent, errors.Join(err, failed)
	}
	return n, err
}

func purge(name string, run func(context.Context) (int64, error)) jobs.Schedule {
	return jobs.Schedule{Name: name, Every: time.Minute, Run: counting(run)}
}

// counting makes a schedule's run of one that says how much it did, or how many rows it deleted.
func counting[N int | int64](run func(context.Context) (N, error)) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		n, err := run(ctx)
		return n > 0, err
	}
}

// once is a run that leaves nothing to be done at once.
func once[T any](run func(context.Context) (T, error)) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		_, err := run(ctx)
		return false, err
	}
}
