package unconnected_test

import (
	"errors"
	"testing"

	"svcpay/internal/banklink/institution"
	"svcpay/internal/processor"
	"svcpay/internal/processor/unconnected"
)

func TestNothingIsKnownOfCards(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), unconnected.Directory{}
	profile, err := d.Profile(ctx, "424242")
	bank, bankErr := d.BankName(ctx, processor.ACH, "110000000")
	if profile.Funding != "unknown" || profile.Country != "" || bank != "" || errors.Join(err, bankErr) != nil {
		t.Errorf("%+v, %q, %v, %v", profile, bank, err, bankErr)
	}
}

func TestNoBankIsKnown(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), unconnected.Banks{}
	_, found := b.Find(ctx, "x")
	_, bankVisit := b.Visit(ctx, institution.Visit{})
	_, shown := b.Result(ctx, "x")
	_, details := b.Details(ctx, "x", "y")
	for i, err := range []error{found, bankVisit, shown, details} {
		if !errors.Is(err, institution.ErrNotFound) {
			t.Errorf("bank %d: %v", i, err)
		}
	}
	if all, err := b.Search(ctx, "", 10); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
}
