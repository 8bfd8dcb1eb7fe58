package reconcile

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Difference is where the books do not agree, with what each says. Application and merchant are ours;
// of an unknown line, those that its account was connected for, or names.
type Difference struct {
	Kind      Kind   `db:"kind"`
	Reference string `db:"reference"`
	ours
	theirs
	// How many postings there are, and what they add up to.
	Postings int          `db:"postings"`
	Posted   money.Amount `db:"posted"`
	FoundAt  time.Time    `db:"found_at"`
}

const differenceColumns = `kind, reference, application_id, merchant_id, our_kind, our_state, our_amount,
	our_currency, book_lines, book_number, book_kind, book_account, book_amount, book_currency, book_approved,
	postings, posted, found_at`

// Open lists the counterparty's open differences, oldest first.
func (s *runs) Open(ctx context.Context) ([]Difference, error) {
	return pg.All[Difference](ctx, s.pool, `
		SELECT `+differenceColumns+` FROM reconciliation_differences
		WHERE processor = @processor AND resolved_at IS NULL ORDER BY id`, pg.Args{"processor": s.name})
}

// differences are what does not agree about a reference, as it is in the records.
func (f facts) differences(of wanted, now time.Time) (out []Difference) {
	d := Difference{Reference: f.Reference, ours: f.ours, theirs: f.theirs, FoundAt: now}
	for _, amount := range f.posted() {
		d.Postings, d.Posted = d.Postings+1, d.Posted+amount
	}
	switch {
	case f.OurKind != nil:
	case f.Owner != nil:
		d.ApplicationID, d.MerchantID = f.Owner, f.OwnerMerchant
	case f.BookAccount != nil:
		d.ApplicationID, d.MerchantID = owner(*f.BookAccount)
	default:
		d.ApplicationID = of.ApplicationID
	}
	for _, d.Kind = range judge(f) {
		out = append(out, d)
	}
	return out
}

// owner reads the application and the merchant that the external id of an account names; nil for those that it does not
// name.
func owner(account string) (application, merchant *int64) {
	a, ok := processor.ApplicationOf(account)
	if !ok {
		return nil, nil
	}
	if m, ok := processor.MerchantOf(account); ok {
		return &a, &m
	}
	return &a, nil
}

// compared is what a batch came to.
type compared struct {
	appeared []Difference
	resolved int
}

// compareTx judges references.
func (s *Service) compareTx(ctx context.Context, tx *pg.Tx, r Run, all []wanted) ([]Difference, error) {
	known, err := s.factsTx(ctx, tx, r, all)
	of := make(map[string]wanted, len(all))
	for _, w := range all {
		of[w.Reference] = w
	}
	var found []Difference
	for _, f := range known {
		found = append(found, f.differences(of[f.Reference], s.machine())...)
	}
	return found, err
}

// judgeTx records what does not agree about references: new differences are written, those that stand are
// brought up to date, those that are gone are resolved. The caller holds the run's row, so that no two do
// this at once.
func (s *runs) judgeTx(ctx context.Context, tx *pg.Tx, r Run, all []wanted) (compared, error) {
	if len(all) == 0 {
		return compared{}, nil
	}
	found, err := s.books.compareTx(ctx, tx, r, all)
	if err != nil {
		return compared{}, err
	}
	return s.recordTx(ctx, tx, r, all, found)
}

// key is what an open difference is known by.
type key struct {
	Reference string `db:"reference"`
	Kind      Kind   `db:"kind"`
}

func (s *runs) recordTx(ctx context.Context, tx *pg.Tx, r Run, all []wanted, found []Difference) (compared, error) {
	references := make([]string, len(all))
	for i, w := range all {
		references[i] = w.Reference
	}
	open, err := pg.All[key](ctx, tx, `
		SELECT reference, kind FROM reconciliation_differences
		WHERE processor = @processor AND reference = ANY (@references::text[]) AND resolved_at IS NULL`,
		pg.Args{"processor": s.name, "references": references})
	if err != nil {
		return compared{}, err
	}
	var out compared
	for _, d := range found {
		s.writeTx(tx, r, d)
		k := key{d.Reference, d.Kind}
		if i := slices.Index(open, k); i >= 0 {
			open = slices.Delete(open, i, i+1)
		} else {
			out.appeared = append(out.appeared, d)
		}
	}
	out.resolved = len(open)
	for _, k := range open {
		tx.Later(`
			UPDATE reconciliation_differences SET resolved_at = @now, checked_run = @run
			WHERE processor = @processor AND reference = @reference AND kind = @kind AND resolved_at IS NULL`,
			pg.Args{"processor": s.name, "reference": k.Reference, "kind": k.Kind, "run": r.ID, "now": s.machine()})
	}
	return out, nil
}

// writeTx queues a difference, new or known.
func (s *runs) writeTx(tx *pg.Tx, r Run, d Difference) {
	tx.Later(`
		INSERT INTO reconciliation_differences (processor, kind, reference, application_id, merchant_id,
			our_kind, our_state,
			our_amount, our_currency, book_lines, book_number, book_kind, book_account, book_amount, book_currency,
			book_approved, postings, posted, run, checked_run, found_at)
		VALUES (@processor, @kind, @reference, @application_id, @merchant_id, @our_kind, @our_state,
			@our_amount, @our_currency, @book_lines, @book_number, @book_kind, @book_account, @book_amount,
				@book_currency,
			@book_approved, @postings, @posted, @run, @run, @found_at)
		ON CONFLICT (processor, reference, kind) WHERE resolved_at IS NULL DO UPDATE SET
			application_id = excluded.application_id, merchant_id = excluded.merchant_id, our_kind = excluded.our_kind,
			our_state = excluded.our_state, our_amount = excluded.our_amount, our_currency = excluded.our_currency,
			book_lines = excluded.book_lines, book_number = excluded.book_number, book_kind = excluded.book_kind,
			book_account = excluded.book_account, book_amount = excluded.book_amount,
				book_currency = excluded.book_currency,
			book_approved = excluded.book_approved, postings = excluded.postings, posted = excluded.posted,
				checked_run = excluded.run`,
		pg.Args{"processor": s.name, "kind": d.Kind, "reference": d.Reference, "application_id": d.ApplicationID,
			"merchant_id": d.MerchantID, "our_kind": d.OurKind, "our_state": d.OurState, "our_amount": d.OurAmount,
			"our_currency": d.OurCurrency, "book_lines": d.Lines, "book_number": d.BookNumber, "book_kind": d.BookKind,
			"book_account": d.BookAccount, "book_amount": d.BookAmount, "book_currency": d.BookCurrency,
			"book_approved": d.BookApproved, "postings": d.Postings, "posted": d.Posted, "run": r.ID,
			"found_at": d.FoundAt})
}
