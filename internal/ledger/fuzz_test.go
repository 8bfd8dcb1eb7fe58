package ledger_test

import (
	"errors"
	"testing"

	"svcpay/internal/ids"
	"svcpay/internal/ledger"
)

func FuzzSource(f *testing.F) {
	for _, text := range []string{"", "ch_01jq8z6k4t8m2x9v5c7b1n3d0f", "re_01jq8z6k4t8m2x9v5c7b1n3d0f",
		"dp_01jq8z6k4t8m2x9v5c7b1n3d0f", "po_01jq8z6k4t8m2x9v5c7b1n3d0f", "tok_01jq8z6k4t8m2x9v5c7b1n3d0f", "po_"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ledger.ParseSource(text)
		if err != nil {
			if !errors.Is(err, ids.ErrID) {
				t.Errorf("%q is refused with %v", text, err)
			}
			return
		}
		printed := map[ledger.SourceKind]string{
			ledger.FromCharge: ids.ChargeFrom(got.ID).String(), ledger.FromRefund: ids.RefundFrom(got.ID).String(),
			ledger.FromDispute: ids.DisputeFrom(got.ID).String(), ledger.FromPayout: ids.PayoutFrom(got.ID).String(),
		}[got.Kind]
		if printed != text {
			t.Errorf("%q is read as %+v, which prints as %q", text, got, printed)
		}
	})
}
