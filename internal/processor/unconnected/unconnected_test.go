package unconnected_test

import (
	"errors"
	"net/http"
	"testing"

	"svcpay/internal/banklink/institution"
	"svcpay/internal/daf/provider"
	"svcpay/internal/processor"
	"svcpay/internal/processor/unconnected"
)

func TestNothingIsEverApproved(t *testing.T) {
	t.Parallel()
	ctx, p := t.Context(), unconnected.Processor{}
	for name, call := range map[string]func() (processor.Answer, error){
		"authorize": func() (processor.Answer, error) { return p.Authorize(ctx, processor.Authorization{}) },
		"debit":     func() (processor.Answer, error) { return p.Debit(ctx, processor.Debit{}) },
		"capture":   func() (processor.Answer, error) { return p.Capture(ctx, processor.FollowUp{}) },
		"void":      func() (processor.Answer, error) { return p.Void(ctx, processor.FollowUp{}) },
		"refund":    func() (processor.Answer, error) { return p.Refund(ctx, processor.FollowUp{}) },
		"payout":    func() (processor.Answer, error) { return p.Payout(ctx, processor.Payout{}) },
		"respond":   func() (processor.Answer, error) { return p.Respond(ctx, processor.Response{}) },
	} {
		if a, err := call(); err != nil || a.Approved || a.DeclineCode == "" || a.Checks.CVC != processor.Unavailable {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	if _, err := p.Lookup(ctx, processor.Account{}, "x"); !errors.Is(err, processor.ErrNotFound) || p.SettleWindow() <= processor.CallTimeout {
		t.Errorf("what nobody got is known: %v", err)
	}
	events, err := p.Events(ctx, "", 10)
	book, bookErr := p.Book(ctx, 0, 10)
	if len(events)+len(book) != 0 || errors.Join(err, bookErr) != nil {
		t.Errorf("%v, %v", events, book)
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
	if _, err := f.Notice(ctx, http.Header{}, nil); !errors.Is(err, provider.ErrSignature) {
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
