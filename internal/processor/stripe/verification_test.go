package stripe_test

import (
	"testing"

	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe/fake"
)

func TestVerdicts(t *testing.T) {
	t.Parallel()
	type try struct {
		amounts [2]int64
		code    string
		want    processor.Verdict
	}
	for name, tries := range map[string][]try{
		"amounts":   {{amounts: [2]int64{45, 32}, want: processor.Verified}},
		"a code":    {{code: "SM11AA", want: processor.Verified}},
		"exceeded":  {{amounts: [2]int64{10, 11}, want: processor.Unverifiable}, {amounts: [2]int64{32, 45}, want: processor.Unverifiable}},
		"too late":  {{code: "SM44DD", want: processor.Unverifiable}},
		"two wrong": {{amounts: [2]int64{1, 2}, want: processor.WrongDeposits}, {code: "SM99ZZ", want: processor.WrongDeposits}, {code: "SM11AA", want: processor.Verified}},
		"three":     {{want: processor.WrongDeposits}, {want: processor.WrongDeposits}, {want: processor.Unverifiable}},
	} {
		w := newWorld(t)
		v := w.verification(canadian(fake.Debited), money.CAD)
		started, err := w.open().Start(t.Context(), v)
		if err != nil || !started.Approved {
			t.Fatalf("%+v, %v", started, err)
		}
		for i, try := range tries {
			c := processor.Confirmation{Reference: w.reference(), Account: account, Original: v.Reference,
				OriginalID: started.ExternalID,
				Amounts:    try.amounts, Code: try.code}
			if got, err := w.open().Confirm(t.Context(), c); err != nil || got.Verdict != try.want {
				t.Errorf("%s, try %d: %+v, %v", name, i, got, err)
			}
		}
	}
}

// A payer has ten tries for the code of an ACH deposit.
func TestTenCodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.verification(bankOf(fake.Debited), money.USD)
	started, err := w.open().Start(t.Context(), v)
	if err != nil || !started.Approved {
		t.Fatalf("%+v, %v", started, err)
	}
	for i := range 10 {
		want := processor.WrongDeposits
		if i == 9 {
			want = processor.Unverifiable
		}
		c := processor.Confirmation{Reference: w.reference(), Account: account, Original: v.Reference,
			OriginalID: started.ExternalID, Code: "SM99ZZ"}
		if got, err := w.open().Confirm(t.Context(), c); err != nil || got.Verdict != want {
			t.Errorf("try %d: %+v, %v", i, got, err)
		}
	}
}
