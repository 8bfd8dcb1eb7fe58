package payout_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// many books entries of an amount from a number on, by which they are collected: of settled charges, or of refunds of
// such if it is below 0.
func (w place) many(t *testing.T, from, n int, amount money.Amount) {
	t.Helper()
	kind, debit, credit := "capture", ledger.MerchantPending, ledger.MerchantAvailable
	if amount < 0 {
		kind, debit, credit, amount = "refund", ledger.MerchantAvailable, ledger.ProcessorReceivable, -amount
	}
	const atOnce = 5_000
	for end := from + n; from < end; from += atOnce {
		_, err := pg.Exec(t.Context(), w.Pool, `
			INSERT INTO ledger_entries (id, application_id, merchant_id, business_key, kind, debit, credit, amount,
				currency, source_id, charge_id, created_at)
			SELECT ('ffffffff-0000-0000-0000-' || lpad(to_hex(i), 12, '0'))::uuid, @a, @m, gen_random_uuid()::text,
				@kind, @debit, @credit, @amount, 'usd',
				gen_random_uuid(), gen_random_uuid(), @now
			FROM generate_series(@from::int,
				@to::int) i`, pg.Args{"a": w.App.AppID, "m": w.us, "kind": kind, "debit": debit, "credit": credit,
			"amount": amount, "from": from, "to": min(end, from+atOnce) - 1, "now": w.Clock.Now()})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// inBatches has each statement fail that puts more entries into payouts than a batch, or takes more out.
func (w place) inBatches(t *testing.T) {
	t.Helper()
	_, err := w.Pool.Exec(t.Context(), fmt.Sprintf(`
		CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF (SELECT count(*) FROM changed) > %d THEN RAISE EXCEPTION '%% entries in one statement', (SELECT count(*)
				FROM changed); END IF;
			RETURN NULL;
		END $$;
		CREATE TRIGGER few_in AFTER INSERT
			ON payout_entries REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION few();
		CREATE TRIGGER few_out AFTER UPDATE
			ON payout_entries REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE
				FUNCTION few()`, payout.CollectBatch))
	if err != nil {
		t.Fatal(err)
	}
}

func (w place) active(t *testing.T, want int) {
	t.Helper()
	if n := w.count(t, `payout_entries WHERE active`, pg.Args{}); n != want {
		t.Errorf("%d entries are active, want %d", n, want)
	}
}

// read is how many entries of payouts statements have found by an index until now. Servers of connections that end
// report theirs.
func (w place) read(t *testing.T, index string) int {
	t.Helper()
	w.Pool.Reset()
	for w.count(t, `pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`, pg.Args{}) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	n, err := pg.Value[int](t.Context(), w.Pool, `SELECT idx_tup_read::int FROM pg_stat_user_indexes
		WHERE indexrelname = @index`, pg.Args{"index": index})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// misjudged has the planner know how many entries are in payouts, and nothing of which they are, as it is until they
// are analyzed: it takes those of one payout for a few.
func (w place) misjudged(t *testing.T, entries int) {
	t.Helper()
	_, err := pg.Exec(t.Context(), w.Pool, `
		UPDATE pg_class SET relpages = pg_relation_size(oid) / 8192, relallvisible = 0, reltuples = @entries
			WHERE relname = 'payout_entries'`,
		pg.Args{"entries": entries})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAHundredThousandEntries: a merchant with a long list is paid within the bounds of statements, has its money back
// within them when the payout fails or comes back, and is paid again.
func TestAHundredThousandEntries(t *testing.T) {
	t.Parallel()
	w := open(t)
	const n = 100_000
	w.many(t, 1, n, 3)
	w.inBatches(t)
	for i, undo := range []func(context.Context, processor.Event) error{w.Payouts.Failed, w.Payouts.Returned} {
		w.next(t)
		p := w.last(t, i+1)
		if p.Amount != 3*n || p.EntryCount != n || p.ChargeCount != n {
			t.Errorf("%+v", p)
		}
		w.active(t, n)
		w.misjudged(t, 10*n)
		before := w.read(t, "payout_entries_pkey")
		if err := undo(t.Context(), tell(p, "", "")); err != nil {
			t.Fatal(err)
		}
		if found := w.read(t, "payout_entries_pkey") - before; found > 4*n {
			t.Errorf("%d entries were looked at to take %d out", found, n)
		}
		w.active(t, 0)
		if left := w.owed(t, ledger.MerchantAvailable); left != 3*n || w.merchant(t).PayoutsPausedReason == nil {
			t.Errorf("%d are available of %d", left, 3*n)
		}
		if _, err := w.Payouts.Resume(t.Context(), w.Admin(), w.us); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatIsTakenBackLaterIsNotPaid: a payout is of all that waits, in as many batches as that is; none leaves while
// the last take back what the first bring.
func TestWhatIsTakenBackLaterIsNotPaid(t *testing.T) {
	t.Parallel()
	w := open(t)
	const b = payout.CollectBatch
	w.many(t, 1, 2*b, 3)
	w.many(t, 2*b+1, 3*b+1, -2)
	w.next(t)
	if n := len(w.payouts(t)); n != 0 || len(w.p.calls) != 0 {
		t.Errorf("%d payouts of less than nothing", n)
	}
	w.many(t, 5*b+2, 1, 3)
	w.next(t)
	if p := w.last(t, 1); p.Amount != 1 || p.EntryCount != 5*b+2 || p.ChargeCount != 2*b+1 || p.RefundCount != 3*b+1 {
		t.Errorf("%+v", p)
	}
	w.many(t, 5*b+3, 2*b, 1) // whole batches, and nothing behind them
	w.next(t)
	p := w.last(t, 2)
	if p.Amount != 2*b || p.EntryCount != 2*b {
		t.Errorf("%+v", p)
	}
	w.active(t, 7*b+2)
	if err := w.Payouts.Failed(t.Context(), tell(p, processor.PayoutFailed, "")); err != nil {
		t.Fatal(err)
	}
	w.active(t, 5*b+2)
	w.audit(t)
}
