package banklink

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"svcpay/internal/banklink/institution"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/token"
)

const (
	// maxInstitutions is how many a search shows.
	maxInstitutions = 50
	// maxQuery is how much of a search is looked at, in characters.
	maxQuery = 100
)

var (
	// ErrInstitution is of an institution that is not there, or that was not chosen.
	ErrInstitution = fault.Invalid("institution_missing", "Choose your bank.").On("institution")
	// ErrAccount is of an account that is not there, or that was not chosen.
	ErrAccount = fault.Invalid("account_missing", "Choose an account.").On("account")
)

// Search finds institutions by a part of their names.
func (s *Service) Search(ctx context.Context, query string) ([]institution.Institution, error) {
	if runes := []rune(query); len(runes) > maxQuery {
		query = string(runes[:maxQuery])
	}
	ctx, cancel := context.WithTimeout(ctx, institution.CallTimeout)
	defer cancel()
	return s.deps.Institutions.Search(ctx, query, maxInstitutions)
}

// Choose takes the institution that a payer's account is with, which he may choose again, and returns where he signs
// in; from there he comes to the address back. Faults: ErrInstitution, ErrExpired, ErrEnded.
func (s *Service) Choose(ctx context.Context, secret, institutionID, back string) (address string, err error) {
	l, err := s.open(ctx, secret)
	if err != nil {
		return "", err
	}
	if l.Scheme != processor.ACH {
		return "", errOff
	}
	ask, cancel := context.WithTimeout(ctx, institution.CallTimeout)
	defer cancel()
	found, err := s.deps.Institutions.Find(ask, institutionID)
	if errors.Is(err, institution.ErrNotFound) {
		return "", ErrInstitution
	}
	if err != nil {
		return "", fmt.Errorf("banklink: institution: %w", err)
	}
	pages, err := s.deps.Institutions.Visit(ask,
		institution.Visit{Reference: ids.NewOperation(s.deps.Now()).String(), InstitutionID: found.ID, Return: back})
	if err != nil {
		return "", fmt.Errorf("banklink: visit: %w", err)
	}
	n, err := pg.Exec(ctx, s.deps.Pool, `
		UPDATE bank_links SET institution_id = @id, institution_name = @name, visit_id = @visit,
			visit_address = @address, account_key = NULL
		WHERE secret_hash = @hash AND state = 'open'`,
		pg.Args{"id": found.ID, "name": found.Name, "visit": pages.VisitID, "address": pages.Address,
			"hash": l.SecretHash})
	return pages.Address, pg.Hit(n, err, ErrEnded)
}

// Visited says the outcome of the payer's visit of his bank's pages: canceled if there was none.
func (s *Service) Visited(ctx context.Context, l Link) (institution.Result, error) {
	if l.VisitID == "" {
		return institution.Result{State: institution.VisitCanceled}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, institution.CallTimeout)
	defer cancel()
	r, err := s.deps.Institutions.Result(ctx, l.VisitID)
	if errors.Is(err, institution.ErrNotFound) {
		return institution.Result{State: institution.VisitFailed}, nil
	}
	if err != nil {
		err = fmt.Errorf("banklink: visit result: %w", err)
	}
	return r, err
}

// ChooseAccount takes one of the accounts that the bank showed. Faults: ErrAccount, ErrExpired, ErrEnded.
func (s *Service) ChooseAccount(ctx context.Context, secret, key string) error {
	l, err := s.open(ctx, secret)
	if err != nil {
		return err
	}
	r, err := s.Visited(ctx, l)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(r.Accounts, func(a institution.Account) bool { return a.Key == key }) {
		return ErrAccount
	}
	n, err := pg.Exec(ctx, s.deps.Pool, `UPDATE bank_links SET account_key = @key WHERE secret_hash = @hash
		AND state = 'open' AND visit_id = @visit`, pg.Args{"key": key, "hash": l.SecretHash, "visit": l.VisitID})
	return pg.Hit(n, err, ErrEnded)
}

// Account is the account that a payer chose at his bank. Fault: ErrAccount.
func (s *Service) Account(ctx context.Context, l Link) (institution.Account, error) {
	r, err := s.Visited(ctx, l)
	if err != nil {
		return institution.Account{}, err
	}
	i := slices.IndexFunc(r.Accounts, func(a institution.Account) bool { return a.Key == l.AccountKey })
	if i < 0 {
		return institution.Account{}, ErrAccount
	}
	return r.Accounts[i], nil
}

// Chosen names the account that a payer chose and the visit that showed it, for a page to return; "" for none.
func (l Link) Chosen() string {
	if l.AccountKey == "" {
		return ""
	}
	return l.VisitID + "/" + l.AccountKey
}

// Accept takes a payer's agreement to debits of the account that a page showed as [Link.Chosen], which authorizes the
// way: of another than he chose last, in another tab, it is none. Faults: ErrAccount, mandate_not_accepted, ErrExpired,
// ErrEnded.
func (s *Service) Accept(ctx context.Context, secret, chosen string, a Agreed, from Connection) error {
	l, err := s.open(ctx, secret)
	if err != nil {
		return err
	}
	if l.AccountKey == "" || chosen != l.Chosen() {
		return ErrAccount
	}
	ask, cancel := context.WithTimeout(ctx, institution.CallTimeout)
	defer cancel()
	d, err := s.deps.Institutions.Details(ask, l.VisitID, l.AccountKey)
	if errors.Is(err, institution.ErrNotFound) {
		return ErrAccount
	}
	if err != nil {
		return fmt.Errorf("banklink: account: %w", err)
	}
	in := token.BankInput{Scheme: l.Scheme, Routing: d.Routing, Number: d.Number, AccountType: d.Type,
		Billing: token.Billing{FirstName: d.FirstName, LastName: d.LastName, Email: d.Email}.Tidied(),
		Mandate: token.Acceptance{Accepted: l.agreed(a), TextVersion: token.MandateVersion, IP: from.IP,
			UserAgent: from.UserAgent}}
	if fs := in.Mistakes(); len(fs) > 0 {
		return fs.Err()
	}
	return s.authorize(ctx, l, in, true)
}
