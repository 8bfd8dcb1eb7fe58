// Package unconnected is the declining processor of a deployment that has no processor yet: it moves no money and
// declines every submission for good.
package unconnected

import (
	"context"
	"net/http"
	"time"

	"svcpay/internal/banklink/institution"
	"svcpay/internal/daf/provider"
	"svcpay/internal/processor"
)

// name is how records call who is not there.
const name = "none"

// declined is what payers are reported as: it could not be processed, and nothing was charged.
const declined = "processing_error"

// Processor declines everything.
type Processor struct{}

func refuse() (processor.Answer, error) {
	none := processor.Checks{CVC: processor.Unavailable, AddressLine1: processor.Unavailable, AddressZip: processor.Unavailable}
	return processor.Answer{DeclineCode: declined, Checks: none}, nil
}

// Name implements [processor.Processor], as do the others.
func (Processor) Name() string { return name }

func (Processor) Authorize(context.Context, processor.Authorization) (processor.Answer, error) {
	return refuse()
}
func (Processor) Debit(context.Context, processor.Debit) (processor.Answer, error) { return refuse() }
func (Processor) Capture(context.Context, processor.FollowUp) (processor.Answer, error) {
	return refuse()
}
func (Processor) Void(context.Context, processor.FollowUp) (processor.Answer, error) { return refuse() }
func (Processor) Refund(context.Context, processor.FollowUp) (processor.Answer, error) {
	return refuse()
}
func (Processor) Payout(context.Context, processor.Payout) (processor.Answer, error) { return refuse() }
func (Processor) Respond(context.Context, processor.Response) (processor.Answer, error) {
	return refuse()
}

// Lookup never finds anything: what was not answered did not reach anybody.
func (Processor) Lookup(context.Context, processor.Account, string) (processor.Answer, error) {
	return processor.Answer{}, processor.ErrNotFound
}
func (Processor) Events(context.Context, string, int) ([]processor.Event, error) { return nil, nil }
func (Processor) Book(context.Context, int64, int) ([]processor.BookLine, error) { return nil, nil }
func (Processor) SettleWindow() time.Duration                                    { return processor.CallTimeout + time.Second }
func (Processor) Terms() processor.Terms                                         { return processor.StandardTerms() }
func (Processor) Profile(context.Context, string) (processor.Profile, error) {
	return processor.Profile{Funding: "unknown"}, nil
}
func (Processor) BankName(context.Context, processor.Scheme, string) (string, error) { return "", nil }

// Funds is a provider of donor-advised funds that has none.
type Funds struct{}

var _ provider.Provider = Funds{}

// Name implements [provider.Provider], as do the others.
func (Funds) Name() string { return name }

func (Funds) Organization(context.Context, string) (provider.Organization, error) {
	return provider.Organization{}, provider.ErrNotFound
}

// Enroll takes no one in.
func (Funds) Enroll(context.Context, provider.Enrollment) (string, error) {
	return "", provider.ErrNotFound
}
func (Funds) Funds(context.Context, string, int) ([]provider.Fund, error) { return nil, nil }
func (Funds) Fund(context.Context, string) (provider.Fund, error) {
	return provider.Fund{}, provider.ErrNotFound
}
func (Funds) Visit(context.Context, provider.Visit) (provider.Pages, error) {
	return provider.Pages{}, provider.ErrNotFound
}
func (Funds) PagesOrigin() string { return "" }
func (Funds) VisitResult(context.Context, string) (provider.VisitResult, error) {
	return provider.VisitResult{}, provider.ErrNotFound
}
func (Funds) Grant(context.Context, provider.Grant) (provider.Answer, error) {
	return provider.Answer{DeclineCode: declined}, nil
}
func (Funds) Lookup(context.Context, string) (provider.Answer, error) {
	return provider.Answer{}, provider.ErrNotFound
}
func (Funds) SettleWindow() time.Duration                                   { return provider.CallTimeout + time.Second }
func (Funds) Events(context.Context, string, int) ([]provider.Event, error) { return nil, nil }

// Notice believes no one.
func (Funds) Notice(context.Context, http.Header, []byte) (provider.Event, error) {
	return provider.Event{}, provider.ErrSignature
}
func (Funds) Book(context.Context, int64, int) ([]provider.Line, error) { return nil, nil }

// Banks are none.
type Banks struct{}

var _ institution.Institutions = Banks{}

// Search implements [institution.Institutions], as do the others.
func (Banks) Search(context.Context, string, int) ([]institution.Institution, error) { return nil, nil }
func (Banks) Find(context.Context, string) (institution.Institution, error) {
	return institution.Institution{}, institution.ErrNotFound
}
func (Banks) Visit(context.Context, institution.Visit) (institution.Pages, error) {
	return institution.Pages{}, institution.ErrNotFound
}
func (Banks) Result(context.Context, string) (institution.Result, error) {
	return institution.Result{}, institution.ErrNotFound
}
func (Banks) Details(context.Context, string, string) (institution.Details, error) {
	return institution.Details{}, institution.ErrNotFound
}
func (Banks) PagesOrigin() string { return "" }
