// Package unconnected has what a deployment uses in place of counterparties that it does not have: a directory of cards
// and banks, and banks that payers sign in to. Processors and providers of donor-advised funds need no such thing:
// without an account, nothing is sent.
package unconnected

import (
	"context"

	"svcpay/internal/banklink/institution"
	"svcpay/internal/processor"
)

// Directory knows no card and no bank.
type Directory struct{}

var _ processor.Directory = Directory{}

// Profile implements [processor.Directory].
func (Directory) Profile(context.Context, string) (processor.Profile, error) {
	return processor.Profile{Funding: "unknown"}, nil
}

// BankName implements [processor.Directory].
func (Directory) BankName(context.Context, processor.Scheme, string) (string, error) { return "", nil }

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
