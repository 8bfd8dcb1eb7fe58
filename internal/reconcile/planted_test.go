package reconcile_test

import (
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/reconcile"
	"svcpay/internal/refund"
)

// scene is what a plant finds: three charges of 100, one of which was refunded by 40.
type scene struct {
	place
	card, held, bank charge.Charge
	refund           refund.Refund
}

// plant is something wrong that is done behind the service's back, and how it is put right.
type plant struct {
	name string
	sql  []string // on behalf of @ref; those that begin with "ledger:" change what no one may
	ref  func(scene) string
	want func(ref string, s scene) []string
	heal []string
}

func ofCard(s scene) string   { return s.card.Processor.Reference }
func ofBank(s scene) string   { return s.bank.Processor.Reference }
func ofHeld(s scene) string   { return s.held.Processor.Reference }
func ofRefund(s scene) string { return s.refund.Processor.Reference }

func only(kinds ...string) func(string, scene) []string {
	return func(ref string, _ scene) (out []string) {
		for _, k := range kinds {
			out = append(out, k+" "+ref)
		}
		return out
	}
}

const (
	toBook = `UPDATE sandbox_processor_book SET `
	toRead = `UPDATE reconciliation_lines SET `
	ofRef  = ` WHERE reference = @ref`
	ours   = `UPDATE processor_operations SET `
)

var plants = []plant{
	{name: "unknown to us", ref: ofCard, sql: []string{ours + `reference = 'x' || @ref` + ofRef},
		want: func(ref string, _ scene) []string {
			return []string{"unknown_reference " + ref, "missing_in_book x" + ref}
		}, heal: []string{ours + `reference = @ref WHERE reference = 'x' || @ref`}},
	{name: "not in the book", ref: ofCard, sql: []string{toBook + `reference = 'y' || @ref` + ofRef},
		want: func(ref string, _ scene) []string {
			return []string{"missing_in_book " + ref, "unknown_reference y" + ref}
		}, heal: []string{toRead + `reference = @ref WHERE reference = 'y' || @ref`}},
	{name: "twice in the book", ref: ofRefund, sql: []string{`
		INSERT INTO sandbox_processor_book (kind, reference, original, account, amount, currency, captured, approved,
			last4, test_case,
			answer, visible_at, account_at, created_at) SELECT kind, reference, original, account, amount, currency,
				captured, approved,
			last4, test_case, answer, visible_at, account_at, created_at FROM sandbox_processor_book` + ofRef},
		want: only("submitted_twice"),
		heal: []string{`DELETE FROM reconciliation_lines WHERE number = (SELECT max(number) FROM reconciliation_lines` +
			ofRef + `)`}},
	{name: "declined in the book", ref: ofBank, sql: []string{toBook + `approved = false, captured = false` + ofRef},
		want: only("approval_differs"), heal: []string{toRead + `approved = true` + ofRef}},
	{name: "declined by us", ref: ofCard, sql: []string{ours + `state = 'declined'` + ofRef},
		want: only("approval_differs", "posting_unexpected"), heal: []string{ours + `state = 'approved'` + ofRef}},
	{name: "another amount in the book", ref: ofRefund, sql: []string{toBook + `amount = amount + 1` + ofRef},
		want: only("amount_differs"), heal: []string{toRead + `amount = amount - 1` + ofRef}},
	{name: "another currency in the book", ref: ofCard, sql: []string{toBook + `currency = 'cad'` + ofRef},
		want: only("currency_differs"), heal: []string{toRead + `currency = 'usd'` + ofRef}},
	{name: "another kind in the book", ref: ofRefund, sql: []string{toBook + `kind = 'void'` + ofRef},
		want: only("kind_differs"), heal: []string{toRead + `kind = 'refund'` + ofRef}},
	{name: "another account in the book", ref: ofCard, sql: []string{toBook + `account = account || '0'` + ofRef},
		want: only("account_differs"), heal: []string{toRead + `account = left(account, -1)` + ofRef}},
	{name: "no posting", ref: ofBank, sql: []string{"ledger:UPDATE ledger_entries SET charge_id = NULL WHERE kind = 'debit' AND business_key = @ref || ':debit'"},
		want: func(ref string, _ scene) []string {
			return []string{"posting_missing " + ref, "posting_unexpected " + ref + ":debit"}
		}, heal: []string{
			"ledger:UPDATE ledger_entries SET charge_id = source_id WHERE business_key = @ref || ':debit'"}},
	{name: "another amount posted", ref: ofRefund, sql: []string{"ledger:UPDATE ledger_entries SET amount = amount - 1 WHERE business_key = @ref || ':refund'"},
		want: only("posting_differs"),
		heal: []string{"ledger:UPDATE ledger_entries SET amount = amount + 1 WHERE business_key = @ref || ':refund'"}},
	{name: "posted in another currency", ref: ofCard, sql: []string{"ledger:UPDATE ledger_entries SET currency = 'cad' WHERE business_key = @ref || ':capture'"},
		want: only("posting_missing", "posting_unexpected"),
		heal: []string{"ledger:UPDATE ledger_entries SET currency = 'usd' WHERE business_key = @ref || ':capture'"}},
	{name: "an authorization that was never captured is open", ref: ofHeld, sql: []string{ours + `state = 'open', finished_at = NULL, next_check_at = '2126-01-01'` + ofRef},
		want: only("open_too_long"),
		heal: []string{ours + `state = 'approved', finished_at = created_at, next_check_at = NULL` + ofRef}},
}

// apply changes what the plant names, which must be there.
func (s scene) apply(t *testing.T, statements []string, ref string) {
	t.Helper()
	for _, sql := range statements {
		if rest, ok := cut(sql, "ledger:"); ok {
			s.tamper(t, rest, pg.Args{"ref": ref})
		} else {
			s.exec(t, sql, pg.Args{"ref": ref})
		}
	}
}

func cut(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != prefix {
		return s, false
	}
	return s[len(prefix):], true
}

func newScene(t *testing.T, w place) scene {
	t.Helper()
	s := scene{place: w, card: w.charge(t, w.Token(good), 100, true), held: w.charge(t, w.Token(good), 100, false),
		bank: w.charge(t, w.BankToken(w.App.Merchants.US, w.USBank(settles)), 100, true)}
	s.refund = w.refund(t, s.card, 40)
	w.charge(t, w.Token(declined), 100, true)
	return s
}

// TestWhatIsPlantedIsFoundOnce: each plant is found as what it is and nothing else, once however often
// it is looked for, and is resolved when it was put right.
func TestWhatIsPlantedIsFoundOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, p := range plants {
		s := newScene(t, w)
		ref := p.ref(s)
		before := w.count(t, `reconciliation_differences`, pg.Args{})
		s.apply(t, p.sql, ref)
		want := p.want(ref, s)
		r := w.now(t)
		w.expect(t, p.name, want...)
		again := w.now(t)
		w.expect(t, p.name+", again", want...)
		if r.Found != len(want) || again.Found != 0 || again.Resolved != 0 {
			t.Errorf("%s: found %d, then %d", p.name, r.Found, again.Found)
		}
		s.apply(t, p.heal, ref)
		if r = w.now(t); r.Resolved != len(want) || r.Found != 0 {
			t.Errorf("%s: %d of %d resolved", p.name, r.Resolved, len(want))
		}
		w.expect(t, p.name+", put right")
		if n := w.count(t, `reconciliation_differences`, pg.Args{}) - before; n != len(want) {
			t.Errorf("%s: %d rows", p.name, n)
		}
	}
}

// TestUnknownLineOfNobody: a line may name an account that is none of ours.
func TestUnknownLineOfNobody(t *testing.T) {
	t.Parallel()
	w := open(t)
	const insert = `
		INSERT INTO sandbox_processor_book (kind, reference, account, amount, currency, captured, approved, last4,
			test_case, answer, visible_at, account_at, created_at)
		VALUES ('authorize', @ref, @account, 700, 'usd', true, true, '', '', '{}', @now, @now, @now)`
	w.exec(t, insert, pg.Args{"ref": "a", "account": "somebody", "now": w.Clock.Now()})
	w.exec(t, insert, pg.Args{"ref": "b", "account": "app-999999/merchant-77", "now": w.Clock.Now()})
	w.exec(t, insert, pg.Args{"ref": "b", "account": "app-999999/merchant-77", "now": w.Clock.Now()})
	w.exec(t, insert, pg.Args{"ref": "c", "account": "app-999999/acct_7", "now": w.Clock.Now()})
	w.exec(t, insert, pg.Args{"ref": "d", "account": "app-999999/merchant-077", "now": w.Clock.Now()})
	us := w.App.Merchants.US
	for ref, merchantID := range map[string]*int64{"e": &us, "f": nil} {
		_, err := w.Accounts.Connect(t.Context(), w.Admin(),
			accounts.ConnectInput{MerchantID: merchantID, Processor: "sandbox",
				External: processor.AccountPrefix(w.App.AppID) + "own-" + ref,
				Serving:  accounts.Serving{Methods: []processor.Method{processor.MethodPayout}, Priority: 1}})
		must(t, err)
		w.exec(t, insert, pg.Args{"ref": ref, "account": processor.AccountPrefix(w.App.AppID) + "own-" + ref,
			"now": w.Clock.Now()})
	}
	w.now(t)
	w.expect(t, "planted", "unknown_reference a", "unknown_reference b", "submitted_twice b", "unknown_reference c",
		"unknown_reference d", "unknown_reference e", "unknown_reference f")
	all, err := w.Reconcile[0].Open(t.Context())
	must(t, err)
	if d := all[0]; d.ApplicationID != nil || d.OurKind != nil || *d.BookAmount != 700 || *d.BookKind != "authorize" ||
		*d.BookAccount != "somebody" {
		t.Errorf("%+v", d)
	}
	if d := all[1]; *d.ApplicationID != 999999 || *d.MerchantID != 77 || d.Lines != 2 {
		t.Errorf("%+v", d)
	}
	for _, d := range all {
		switch d.Reference {
		case "c", "d": // accounts of the application that name no merchant
			if *d.ApplicationID != 999999 || d.MerchantID != nil {
				t.Errorf("%+v", d)
			}
		case "e": // in a merchant's connected account
			if *d.ApplicationID != w.App.AppID || d.MerchantID == nil || *d.MerchantID != us {
				t.Errorf("%+v", d)
			}
		case "f": // in a default of the application
			if *d.ApplicationID != w.App.AppID || d.MerchantID != nil {
				t.Errorf("%+v", d)
			}
		}
	}
}

// noLines is the book of a processor that was never called.
type noLines struct{}

func (noLines) Book(context.Context, int64, int) ([]processor.BookLine, error) { return nil, nil }

// TestPostingsNobodyCalledFor: postings are looked at on their own, whenever they are made.
func TestPostingsNobodyCalledFor(t *testing.T) {
	t.Parallel()
	w := open(t)
	s := newScene(t, w)
	void, err := w.Charges.Void(t.Context(), w.Actor(), s.held.ID.String(), charge.VoidInput{}, nil)
	must(t, err)
	w.now(t)
	w.expect(t, "nothing planted")
	stray := ids.NewCharge(w.Clock.Now())
	posted := func(key, kind string, debit, credit ledger.Account, source [16]byte, of ids.Charge) ledger.Posting {
		return ledger.Posting{ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US, BusinessKey: key, Kind: kind,
			Debit:  debit,
			Credit: credit, Amount: 7, Currency: money.USD, SourceID: source, ChargeID: of}
	}
	must(t, pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, instant.Both(w.Clock.Now()),
			posted("second", "capture", ledger.ProcessorReceivable, ledger.MerchantPending, s.card.ID.Bytes(),
				s.card.ID),
			posted("of a void", "capture", ledger.ProcessorReceivable, ledger.MerchantPending, void.Object.ID.Bytes(),
				void.Object.ID),
			posted("of none", "capture", ledger.ProcessorReceivable, ledger.MerchantPending, stray.Bytes(), stray),
			posted("no refund", "refund", ledger.MerchantPending, ledger.ProcessorReceivable,
				ids.NewRefund(w.Clock.Now()).Bytes(), s.card.ID),
			posted("no payout", "payout", ledger.MerchantAvailable, ledger.MerchantInTransit,
				ids.NewPayout(w.Clock.Now()).Bytes(), ids.Charge{}),
			posted("a release", "capture", ledger.MerchantPending, ledger.MerchantAvailable, s.card.ID.Bytes(),
				s.card.ID),
		)
		return nil
	}))
	reference, err := pg.Value[string](t.Context(), w.Pool, `SELECT reference FROM processor_operations
		WHERE kind = 'void'`, pg.Args{})
	must(t, err)
	w.now(t)
	w.expect(t, "planted", "posting_unexpected "+ofCard(s), "posting_unexpected "+reference,
		"posting_unexpected "+ofHeld(s),
		"posting_unexpected of none", "posting_unexpected no refund", "posting_unexpected no payout")
	other := reconcile.New(reconcile.Deps{Pool: w.Pool, Now: w.Clock.Now, Processor: "other", Book: noLines{},
		Window: w.p.SettleWindow()})
	r, err := other.RunNow(t.Context())
	must(t, err)
	if found, err := other.Open(t.Context()); err != nil || r.Postings == 0 || r.Operations != 0 || len(found) != 0 {
		t.Errorf("the run of another processor finds %+v, %v after %+v", found, err, r)
	}
	all, err := w.Reconcile[0].Open(t.Context())
	must(t, err)
	for _, d := range all {
		if d.Reference == "of none" && (*d.ApplicationID != w.App.AppID || d.Postings != 1 || d.Posted != 7) {
			t.Errorf("%+v", d)
		}
		if d.Reference == ofCard(s) && (d.Postings != 2 || d.Posted != 107 || *d.MerchantID != w.App.Merchants.US) {
			t.Errorf("%+v", d)
		}
	}
	w.tamper(t, `DELETE FROM ledger_entries WHERE amount = 7`, pg.Args{})
	w.now(t)
	w.expect(t, "put right")
}

// TestYoungOperationsAreLeftAlone: neither a call in progress nor a book that is behind is a difference.
func TestYoungOperationsAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.p.fate = loses
	w.charge(t, w.Token(good), 100, true)
	w.p.fate = arrives
	w.Clock.Advance(time.Hour)
	for range 2 {
		if _, err := w.Reconcile[0].RunNow(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.expect(t, "within the hour")
	}
	w.p.mute = true
	w.now(t)
	if got := w.open(t); len(got) != 1 {
		t.Errorf("an operation that is open for hours: %v", got)
	}
	w.p.mute = false
	w.settle(t)
	w.now(t)
	w.expect(t, "resolved")
}

// TestDatabaseKnowsEveryKind compares the database's CHECK with the kinds.
func TestDatabaseKnowsEveryKind(t *testing.T) {
	t.Parallel()
	w := open(t)
	check, err := pg.Value[string](t.Context(), w.Pool,
		`SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'reconciliation_differences_kind'`,
		pg.Args{})
	must(t, err)
	var named, known []string
	for _, m := range regexp.MustCompile(`'([a-z_]+)'`).FindAllStringSubmatch(check, -1) {
		named = append(named, m[1])
	}
	for _, m := range reconcile.Meanings() {
		known = append(known, string(m.Kind))
	}
	if !slices.Equal(named, known) {
		t.Errorf("%v and %v", named, known)
	}
}
