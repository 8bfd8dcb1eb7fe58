package unconnected_test

import (
	"errors"
	"net/http"
	"testing"

	"svcpay/internal/banklink/institution"
	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/processor/unconnected"
)

func TestNothingIsEverApproved(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), unconnected.Directory{}
	profile, err := d.Profile(ctx, "424242")
	bank, bankErr := d.BankName(ctx, processor.ACH, "110000000")
	if profile.Funding != "unknown" || profile.Country != "" || bank != "" || errors.Join(err, bankErr) != nil {
		t.Errorf("%+v, %q, %v, %v", profile, bank, err, bankErr)
	}
	f := unconnected.Funds{}
	if a, err := f.Grant(ctx, provider.Grant{}); err != nil || a.Approved || a.DeclineCode == "" {
		t.Errorf("a grant: %+v, %v", a, err)
	}
}

func TestNobodyIsKnown(t *testing.T) {
	t.Parallel()
	ctx, f, b := t.Context(), unconnected.Funds{}, unconnected.Banks{}
	missing := func(err error) bool { return errors.Is(err, provider.ErrNotFound) }
	_, organization := f.Organization(ctx, "12-3456789")
	_, enrolled := f.Enroll(ctx, provider.Enrollment{})
	_, fund := f.Fund(ctx, "x")
	_, visit := f.Visit(ctx, provider.Visit{})
	_, result := f.VisitResult(ctx, "x")
	_, answer := f.Lookup(ctx, "x")
	for i, err := range []error{organization, enrolled, fund, visit, result, answer} {
		if !missing(err) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if _, err := f.Notice(ctx, http.Header{}, nil); !errors.Is(err, notice.ErrSignature) {
		t.Errorf("a notice is believed: %v", err)
	}
	if all, err := f.Funds(ctx, "", 10); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
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
