package merchant_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// TestStatesDocument compares docs/merchant-states.md with the moves and the table that the code has.
func TestStatesDocument(t *testing.T) {
	t.Parallel()
	var moves, table strings.Builder
	moves.WriteString("| from | to |\n|---|---|\n")
	for _, m := range merchant.Moves() {
		fmt.Fprintf(&moves, "| `%s` | `%s` |\n", m.From, m.To)
	}
	table.WriteString("|")
	for _, s := range merchant.Statuses() {
		fmt.Fprintf(&table, " | `%s`", s)
	}
	table.WriteString(" |\n|" + strings.Repeat("---|", len(merchant.Statuses())+1) + "\n")
	for _, a := range merchant.Actions() {
		fmt.Fprintf(&table, "| %s |", a)
		for _, s := range merchant.Statuses() {
			table.WriteString(map[bool]string{true: " yes |", false: " no |"}[merchant.Allows(s, a)])
		}
		table.WriteString("\n")
	}
	text, err := os.ReadFile("../../docs/merchant-states.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{moves.String(), table.String()} {
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/merchant-states.md must contain this table:\n%s", want)
		}
	}
}

func TestStatusesAreTheDatabases(t *testing.T) {
	t.Parallel()
	text, err := pg.Value[string](t.Context(), fixture.New(t).Pool, `
		SELECT pg_get_constraintdef(oid) FROM pg_constraint
		WHERE conrelid = 'merchants'::regclass AND conname = 'merchants_status_check'`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(merchant.Statuses(), merchant.Status(m[1])) {
			t.Errorf("the code does not know %s", m[1])
		}
	}
	for _, s := range merchant.Statuses() {
		if !strings.Contains(text, "'"+string(s)+"'") {
			t.Errorf("the database does not know %s", s)
		}
	}
	if merchant.Allows("unheard", merchant.Refund) || merchant.Allows("", merchant.Void) {
		t.Error("an unknown status allows something")
	}
}

// TestStatusMovesAsListed plays random wishes against the list of moves.
func TestStatusMovesAsListed(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		id := w.Merchant(merchant.CreateInput{}).ID
		was := merchant.Active
		version := 1
		for range rapid.IntRange(1, 6).Draw(rt, "wishes") {
			wish := rapid.SampledFrom(merchant.Statuses()).Draw(rt, "wish")
			m, err := w.Merchants.SetStatus(w.T.Context(), w.Admin(),
				merchant.StatusInput{MerchantID: id, Status: wish, Reason: " because "})
			switch {
			case wish == was:
				if err != nil || m.Version != version {
					rt.Fatalf("%s again: %+v, %v", was, m, err)
				}
			case slices.Contains(merchant.Moves(), merchant.Move{From: was, To: wish}):
				version++
				was = wish
				if err != nil || m.Status != wish || m.Version != version || *m.StatusReason != "because" {
					rt.Fatalf("to %s: %+v, %v", wish, m, err)
				}
			default:
				f, ok := fault.As(err)
				if !ok || f.Kind != fault.KindConflict || f.Code != "merchant_status_not_allowed" ||
					f.Detail["status"] != string(was) {
					rt.Fatalf("from %s to %s: %+v, %v", was, wish, m, err)
				}
			}
		}
		if m, err := w.Merchants.Find(w.T.Context(), w.App.AppID, id); err != nil || m.Status != was ||
			m.Version != version {
			rt.Fatalf("%+v, %v; want %s, version %d", m, err, was, version)
		}
		events, err := pg.Value[int](w.T.Context(), w.Pool, `
			SELECT count(*)::int FROM events WHERE object_id = @id AND merchant_id = @merchant AND position BETWEEN 1
				AND @version
				AND type = CASE WHEN position = 1 THEN 'merchant.created' ELSE 'merchant.updated' END`,
			pg.Args{"id": merchant.ObjectID(id), "merchant": id, "version": version})
		if err != nil || events != version {
			rt.Fatalf("%d events for %d versions, %v", events, version, err)
		}
	})
}

func TestStatusTellsEveryMistake(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := merchant.StatusInput{MerchantID: w.App.Merchants.US, Status: "asleep", Reason: " "}
	_, err := w.Merchants.SetStatus(t.Context(), w.Admin(), in)
	if f, ok := fault.As(err); !ok || len(f.Fields) != 2 || f.Fields[0].Param != "status" ||
		f.Fields[1].Code != "parameter_missing" {
		t.Errorf("%v", err)
	}
	in = merchant.StatusInput{MerchantID: w.App.Merchants.US, Status: merchant.Closed, Reason: strings.Repeat("ä", 256)}
	if _, err = w.Merchants.SetStatus(t.Context(), w.Admin(), in); !fault.HasCode(err, "parameter_invalid") {
		t.Errorf("a long reason: %v", err)
	}
	for _, in.Reason = range []string{"payer gave 4242 4242 4242 4242", "a\x00b", "a\xffb"} {
		if _, err = w.Merchants.SetStatus(t.Context(), w.Admin(), in); !fault.HasCode(err, "parameter_invalid") {
			t.Errorf("%q: %v", in.Reason, err)
		}
	}
	in.Reason = strings.Repeat("ä", 255)
	if _, err = w.Merchants.SetStatus(t.Context(), w.Admin(), in); err != nil {
		t.Errorf("the longest reason: %v", err)
	}
}

func TestConcurrentMovesMakeOneVersionEach(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			in := merchant.StatusInput{MerchantID: w.App.Merchants.US,
				Status: []merchant.Status{merchant.Suspended, merchant.Active}[i%2], Reason: "x"}
			if _, err := w.Merchants.SetStatus(t.Context(), w.Admin(), in); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	m := get(t, w, w.App.Merchants.US)
	if n := count(t, w, `events WHERE object_id = @id`, pg.Args{"id": merchant.ObjectID(m.ID)}); n != m.Version {
		t.Errorf("%d events for version %d", n, m.Version)
	}
}

func TestPausesAreVersionsOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.App.Merchants.US
	step := func(change func(tx *pg.Tx, m instant.Moment, l merchant.Merchant) (merchant.Merchant,
		error)) merchant.Merchant {
		t.Helper()
		var out merchant.Merchant
		err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
			locked, err := w.Merchants.LockTx(t.Context(), tx, w.App.AppID, id)
			if err != nil {
				return err
			}
			out, err = change(tx, instant.Both(w.Clock.Now()), locked)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	pause := func(why merchant.PauseReason) merchant.Merchant {
		return step(func(tx *pg.Tx, m instant.Moment, l merchant.Merchant) (merchant.Merchant, error) {
			return w.Merchants.PausePayoutsTx(tx, m, l, why, merchant.Cause{Source: outbox.Job})
		})
	}
	resume := func() merchant.Merchant {
		return step(func(tx *pg.Tx, m instant.Moment, l merchant.Merchant) (merchant.Merchant, error) {
			return w.Merchants.ResumePayoutsTx(tx, m, l, merchant.Cause{Source: outbox.API})
		})
	}
	for i, c := range []struct {
		got     merchant.Merchant
		version int
		paused  merchant.PauseReason
	}{
		{resume(), 1, ""},
		{pause(merchant.PayoutFailed), 2, merchant.PayoutFailed},
		{pause(merchant.PayoutReturned), 2, merchant.PayoutFailed},
		{resume(), 3, ""},
		{pause(merchant.PayoutReturned), 4, merchant.PayoutReturned},
	} {
		if c.got.Version != c.version || (c.got.PayoutsPausedReason != nil) != (c.paused != "") || c.paused != "" &&
			*c.got.PayoutsPausedReason != c.paused {
			t.Errorf("step %d: %+v", i, c.got)
		}
	}
	if n := count(t, w, `events WHERE object_id = @id AND previous_attributes::jsonb ? 'payouts_paused_reason'`,
		pg.Args{"id": merchant.ObjectID(id)}); n != 3 {
		t.Errorf("%d events tell of a pause", n)
	}
	step(func(tx *pg.Tx, m instant.Moment, l merchant.Merchant) (merchant.Merchant, error) {
		merchant.NextPayoutTx(tx, l, m.At)
		return l, nil
	})
	if m := get(t, w, id); !m.NextPayoutAt.Equal(w.Clock.Now()) || m.Version != 4 {
		t.Errorf("%+v", m)
	}
}
