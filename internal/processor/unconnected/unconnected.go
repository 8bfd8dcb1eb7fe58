// Package unconnected has what a deployment uses in place of counterparties that it does not have: a directory of cards
// and banks, a provider of donor-advised funds, and banks that payers sign in to. Processors need no such thing:
// without an account, nothing is sent.
package unconnected

import (
	"context"
	"net/http"
	"time"

	"svcpay/internal/banklink/institution"
	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
)

// name is how records call who is not there.
const name = "none"

// declined is what donors are reported as: it could not be processed, and nothing was charged.
const declined = "processing_error"

// Directory knows no card and no bank.
type Directory struct{}

var _ processor.Directory = Directory{}

// Profile implements [processor.Directory].
func (Directory) Profile(context.Context, string) (processor.Profile, error) {
	return processor.Profile{Funding: "unknown"}, nil
}

// BankName implements [processor.Directory].
func (Directory) BankName(context.Context, processor.Scheme, string) (string, error) { return "", nil }

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
func (Funds) SettleWindow() time.Duration { return provider.CallTimeout + time.Second }

// Messages returns nothing.
func (Funds) Messages(context.Context, string, int) ([]notice.Message, error) { return nil, nil }

// Events returns nothing.
func (Funds) Events(context.Context, notice.Message) ([]provider.Event, error) { return nil, nil }

// Notice accepts none.
func (Funds) Notice(context.Context, http.Header, []byte) ([]notice.Message, error) {
	return nil, notice.ErrSignature
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
