package refund_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/charge"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/testing/pgtest"
)

// may lists, by type of charge, the statuses in which its money can be returned.
var may = map[charge.Type][]charge.Status{
	charge.Card: {charge.Captured, charge.Settled},
	charge.ACH:  {charge.Pending, charge.Settled},
	charge.ACSS: {charge.Pending, charge.Settled},
}

func TestAmountsOfAnyCharge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := func(name string, most money.Amount) money.Amount {
			return money.Amount(rapid.Int64Range(0, int64(most)).Draw(t, name))
		}
		c := charge.Charge{
			Type:   rapid.SampledFrom([]charge.Type{charge.Card, charge.ACH, charge.ACSS}).Draw(t, "type"),
			Status: charge.Status(rapid.SampledFrom(charge.Statuses()).Draw(t, "status")),
		}
		c.AmountCaptured = amount("captured", 20)
		c.AmountRefunded = amount("refunded", c.AmountCaptured)
		c.AmountRefundPending = amount("pending", c.AmountCaptured-c.AmountRefunded)
		c.AmountDisputed = amount("disputed", c.AmountCaptured)
		c.AmountRefundable = max(0, c.AmountCaptured-c.AmountRefunded-c.AmountRefundPending-c.AmountDisputed)
		var asked *money.Amount
		if rapid.Bool().Draw(t, "some") {
			asked = ptr(1 + amount("asked", 25))
		}
		got, err := refund.AmountOf(c, asked)
		left := c.AmountRefundable
		statusFits := slices.Contains(may[c.Type], c.Status) || c.Type != charge.Card && c.Status == charge.Captured
		switch {
		case !statusFits:
			if f, _ := fault.As(err); f == nil || f.Code != "charge_not_refundable" ||
				f.Detail["status"] != string(c.Status) {
				t.Fatalf("%+v: %d, %v", c, got, err)
			}
		case err == nil:
			if got < 1 || got > left || (asked != nil && got != *asked) || (asked == nil && got != left) {
				t.Fatalf("%+v gives %d of %d", c, got, left)
			}
		case code(err) == "refund_exceeds_remaining":
			f, _ := fault.As(err)
			if f.Detail["remaining"] != left || (asked != nil && *asked <= left) || (asked == nil && left > 0) {
				t.Fatalf("%+v: %v", c, err)
			}
		case code(err) == "charge_disputed":
			if left > 0 || c.AmountRefunded+c.AmountRefundPending == c.AmountCaptured || c.AmountDisputed == 0 {
				t.Fatalf("%+v: %v", c, err)
			}
		default:
			t.Fatal(err)
		}
	})
}

func TestMistakesOfTheInput(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 501)
	pairs := map[string]string{}
	for i := range 51 {
		pairs[string(rune('a'+i))] = ""
	}
	ok := refund.CreateInput{ChargeID: ptr("ch_")}
	with := func(change func(*refund.CreateInput)) refund.CreateInput {
		in := ok
		change(&in)
		return in
	}
	for name, tt := range map[string]struct {
		in   refund.CreateInput
		want string
	}{
		"least":         {ok, "<nil>"},
		"nothing":       {refund.CreateInput{}, "parameter_missing"},
		"zero":          {with(func(in *refund.CreateInput) { in.Amount = ptr(money.Amount(0)) }), "amount_too_small"},
		"huge":          {with(func(in *refund.CreateInput) { in.Amount = ptr(money.MaxCharge + 1) }), "amount_too_large"},
		"most":          {with(func(in *refund.CreateInput) { in.Amount = ptr(money.MaxCharge) }), "<nil>"},
		"reason":        {with(func(in *refund.CreateInput) { in.Reason = ptr("Duplicate") }), "parameter_invalid"},
		"reasons":       {with(func(in *refund.CreateInput) { in.Reason = ptr("duplicate") }), "<nil>"},
		"note":          {with(func(in *refund.CreateInput) { in.Note = &long }), "parameter_invalid"},
		"note of 500":   {with(func(in *refund.CreateInput) { in.Note = ptr(long[:1000]) }), "<nil>"},
		"control":       {with(func(in *refund.CreateInput) { in.Note = ptr("a\x00") }), "parameter_invalid"},
		"empty":         {with(func(in *refund.CreateInput) { in.ExternalID = ptr("") }), "parameter_invalid"},
		"external id":   {with(func(in *refund.CreateInput) { in.ExternalID = ptr(long[:130]) }), "parameter_invalid"},
		"pairs":         {with(func(in *refund.CreateInput) { in.Metadata = pairs }), "parameter_invalid"},
		"key":           {with(func(in *refund.CreateInput) { in.Metadata = map[string]string{"": ""} }), "parameter_invalid"},
		"value":         {with(func(in *refund.CreateInput) { in.Metadata = map[string]string{"k": long} }), "parameter_invalid"},
		"NUL":           {with(func(in *refund.CreateInput) { in.Metadata = map[string]string{"k": "\x00"} }), "parameter_invalid"},
		"all at once":   {refund.CreateInput{Note: ptr(""), Reason: ptr("")}, "validation_failed"},
		"pair in order": {with(func(in *refund.CreateInput) { in.Metadata = map[string]string{"k": "v"} }), "<nil>"},
	} {
		if got := code(tt.in.Validate().Err()); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// inDatabase reads the values that a CHECK of the refunds allows.
func inDatabase(t *testing.T, constraint string) []string {
	t.Helper()
	text, err := pg.Value[string](t.Context(), pgtest.New(t), `
		SELECT pg_get_constraintdef(oid) FROM pg_constraint
		WHERE conrelid = 'refunds'::regclass AND contype = 'c' AND conname = @name`, pg.Args{"name": constraint})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func TestCodeAndDatabaseKnowTheSameValues(t *testing.T) {
	t.Parallel()
	if got := inDatabase(t, "refunds_status_check"); !slices.Equal(got, refund.Statuses()) {
		t.Errorf("statuses: the database has %v, the code %v", got, refund.Statuses())
	}
	for _, reason := range inDatabase(t, "refunds_reason_check") {
		if err := (refund.CreateInput{ChargeID: ptr(""), Reason: &reason}).Validate().Err(); err != nil {
			t.Errorf("the code does not know the reason %s", reason)
		}
	}
	if err := (refund.CreateInput{ChargeID: ptr(""), Reason: ptr("")}).Validate().Err(); !strings.Contains(
		fmt.Sprint(err.(*fault.Error).Fields), check.AllowedValues(inDatabase(t, "refunds_reason_check")...)) {
		t.Errorf("reasons: %v", err)
	}
	if got := inDatabase(t, "refunds_pending_reason_check"); !slices.Equal(got,
		[]string{string(refund.ChargePending)}) {
		t.Errorf("reasons to be pending: %v", got)
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	seen, reached := map[[2]refund.Status]bool{}, map[refund.Status]bool{"": true}
	for _, m := range refund.Moves() {
		if pair := [2]refund.Status{m.From, m.To}; seen[pair] || !reached[m.From] || m.Event == "" {
			t.Errorf("move %+v is double, unreachable or silent", m)
		} else {
			seen[pair], reached[m.To] = true, true
		}
		if m.From == refund.Canceled {
			t.Errorf("%s is left", m.From)
		}
	}
}

// TestStatesDocument compares docs/refund-states.md with the moves that the code allows.
func TestStatesDocument(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("| from | to | event |\n|---|---|---|\n")
	for _, m := range refund.Moves() {
		from := "–"
		if m.From != "" {
			from = "`" + string(m.From) + "`"
		}
		want.WriteString("| " + from + " | `" + string(m.To) + "` | `" + m.Event + "` |\n")
	}
	text, err := os.ReadFile("../../docs/refund-states.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/refund-states.md must contain this table:\n%s", want.String())
	}
}
