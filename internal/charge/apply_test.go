package charge_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/charge"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/pgtest"
)

func TestMovesAndDatabaseKnowTheSameStatuses(t *testing.T) {
	t.Parallel()
	text, err := pg.Value[string](t.Context(), pgtest.New(t), `
		SELECT substring(pg_get_functiondef('charge_agrees'::regproc) FROM 'AND c\.status IN \(([^)]*)\)')`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	var inDatabase []string
	for _, m := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(text, -1) {
		inDatabase = append(inDatabase, m[1])
	}
	inCode := charge.Statuses()
	slices.Sort(inDatabase)
	slices.Sort(inCode)
	if !slices.Equal(inDatabase, inCode) {
		t.Errorf("the database has %v, the code %v", inDatabase, inCode)
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	seen, reached := map[[2]charge.Status]bool{}, map[charge.Status]bool{"": true}
	for _, m := range charge.Moves() {
		if pair := [2]charge.Status{m.From, m.To}; seen[pair] || m.From == m.To || !reached[m.From] || m.Event == "" {
			t.Errorf("move %+v is double, idle, unreachable or silent", m)
		} else {
			seen[pair], reached[m.To] = true, true
		}
	}
	if seen[[2]charge.Status{charge.Failed, charge.Captured}] ||
		seen[[2]charge.Status{charge.Captured, charge.Failed}] {
		t.Error("a final status is left")
	}
}

var declines = []string{"generic_decline", "insufficient_funds", "lost_card", "stolen_card", "expired_card",
	"incorrect_cvc", "processing_error", "words of a processor", ""}

func TestEffectsOfAnyOutcome(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	rapid.Check(t, func(t *rapid.T) {
		before := charge.Charge{
			ID: ids.NewCharge(now), Version: 1, Status: charge.Processing, ApplicationID: 1, MerchantID: 2,
			Currency: money.USD, Amount: money.Amount(rapid.Int64Range(1, int64(money.MaxCharge)).Draw(t, "amount")),
			Capture: rapid.Bool().Draw(t, "capture"), Fees: []fee.Line{},
			Type: charge.Card, PaymentMethod: charge.PaymentMethod{
				Kind:       "card",
				CardMethod: &charge.CardMethod{Brand: rapid.SampledFrom([]string{"amex", "visa"}).Draw(t, "brand")}},
		}
		schedule := fee.Schedule{ID: ids.NewFeeSchedule(now), Rates: demo.Rates()}
		schedule.CaptureFee = money.Amount(rapid.Int64Range(0, 100).Draw(t, "capture fee"))
		schedule.AmexSurchargePercentage = money.Percent(rapid.Int64Range(0, 5000).Draw(t, "surcharge"))
		var answer *processor.Answer
		if rapid.Bool().Draw(t, "submitted") {
			answer = &processor.Answer{Approved: rapid.Bool().Draw(t, "approved"),
				NetworkTransactionID: rapid.SampledFrom([]string{"", "n1"}).Draw(t, "network")}
			if !answer.Approved {
				answer.DeclineCode = rapid.SampledFrom(declines).Draw(t, "decline")
			}
		}
		kept, _ := json.Marshal(before)
		e := charge.Apply(before, answer, schedule, now)
		if again := charge.Apply(before, answer, schedule, now); string(marshal(t, e)) != string(marshal(t, again)) {
			t.Fatal("the same outcome has other effects the second time")
		}
		if after, _ := json.Marshal(before); string(after) != string(kept) {
			t.Fatalf("the charge before has changed: %s", after)
		}
		checkEffects(t, before, answer, e)
	})
}

func marshal(t *rapid.T, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func checkEffects(t *rapid.T, before charge.Charge, answer *processor.Answer, e charge.Effects) {
	c := e.Charge
	approved := answer != nil && answer.Approved
	want := map[bool]charge.Status{true: charge.Captured, false: charge.Authorized}[before.Capture]
	if !approved {
		want = charge.Failed
	}
	if c.Status != want || c.Version != 2 || (c.Failure != nil) == approved || (c.FailedAt != nil) == approved ||
		(c.AuthorizedAt != nil) != approved {
		t.Fatalf("%+v", c)
	}
	captured := approved && before.Capture
	if (c.CapturedAt != nil) != captured || (c.AmountCaptured == c.Amount) != captured ||
		(c.AmountAuthorized == c.Amount) != approved ||
		(c.AuthorizationExpiresAt != nil) != (approved && !captured) {
		t.Fatalf("%+v", c)
	}
	var postedFees, taken money.Amount
	keys := map[string]bool{}
	for _, p := range e.Postings {
		if keys[p.BusinessKey] || p.Amount <= 0 || p.SourceID != c.ID.Bytes() || p.Currency != c.Currency ||
			p.MerchantID != c.MerchantID {
			t.Fatalf("posting %+v", p)
		}
		keys[p.BusinessKey] = true
		if p.Credit == ledger.ApplicationFees {
			postedFees += p.Amount
		} else {
			taken += p.Amount
		}
	}
	recorded := money.Amount(0)
	for _, f := range e.Fees {
		recorded += fee.Total(f.Lines)
	}
	if postedFees != c.FeeTotal || fee.Total(c.Fees) != c.FeeTotal || recorded != c.FeeTotal ||
		taken != c.AmountCaptured {
		t.Fatalf("fees %d, lines %d, posted %d, recorded %d; captured %d, taken %d", c.FeeTotal, fee.Total(c.Fees),
			postedFees, recorded, c.AmountCaptured, taken)
	}
	events := map[charge.Status]int{charge.Captured: 2, charge.Authorized: 1, charge.Failed: 0}
	if len(e.Fees) != events[c.Status] || (!approved && len(e.Postings) != 0) {
		t.Fatalf("%s records %d fee events and %d postings", c.Status, len(e.Fees), len(e.Postings))
	}
}

// A debit that is declined costs the fee of a bank failure only if the bank account is the reason.
func TestDeclinedDebits(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	c := charge.Charge{ID: ids.NewCharge(now), Status: charge.Processing, Type: charge.ACH, Amount: 10_000,
		Currency: money.USD}
	schedule := fee.Schedule{ID: ids.NewFeeSchedule(now), Rates: demo.Rates()}
	schedule.ACHTransferFailedFee = 400
	for decline, want := range map[string]struct {
		code, advice string
		fee          money.Amount
	}{
		"bank_account_unusable": {"bank_account_unusable", "use_another_method", 400},
		"processing_error":      {"not_submitted", "try_again_later", 0},
		"words of a processor":  {"not_submitted", "try_again_later", 0},
	} {
		e := charge.Apply(c, &processor.Answer{DeclineCode: decline}, schedule, now)
		f := e.Charge.Failure
		if e.Charge.Status != charge.Failed || f.Code != want.code || f.Advice != want.advice ||
			e.Charge.FeeTotal != want.fee ||
			(len(e.Postings) > 0) != (want.fee > 0) {
			t.Errorf("%s: %+v, %+v", decline, f, e)
		}
	}
}

func TestFailuresTellNoMoreThanTheyShould(t *testing.T) {
	t.Parallel()
	c := charge.Charge{ID: ids.NewCharge(time.UnixMilli(1)), Status: charge.Processing, Type: charge.Card,
		PaymentMethod: charge.PaymentMethod{CardMethod: &charge.CardMethod{}}}
	failure := func(decline string) charge.Failure {
		return *charge.Apply(c, &processor.Answer{DeclineCode: decline}, fee.Schedule{},
			time.UnixMilli(1)).Charge.Failure
	}
	plain := failure("generic_decline")
	for _, hidden := range []string{"lost_card", "stolen_card"} {
		if f := failure(hidden); f.Message != plain.Message || f.Code != plain.Code || f.Advice != plain.Advice {
			t.Errorf("%s is told as %+v", hidden, f)
		}
	}
	if f := failure("words of a processor"); f != plain {
		t.Errorf("unlisted words are told as %+v", f)
	}
	codes := map[string]bool{}
	for _, d := range declines {
		codes[failure(d).Code] = true
	}
	if got := slices.Sorted(maps.Keys(codes)); !slices.Equal(got,
		[]string{"card_declined", "expired_card", "incorrect_cvc"}) {
		t.Errorf("codes %v", got)
	}
}
