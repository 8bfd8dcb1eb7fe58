package reconcile

import (
	"context"

	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/pg"
)

// wanted is a reference to compare. Of a posting without an operation it is the business key, which
// is unique in its application only.
type wanted struct {
	Reference     string `db:"reference"`
	ApplicationID *int64 `db:"application_id"`
}

// ofCalls reports a posting e that it was made because a call was made, and not by an event or a
// release; ofPosting that an operation o is one that it may come from.
const (
	ofCalls = `(e.kind IN ('capture', 'debit') AND e.debit = 'processor_receivable'
		OR e.kind IN ('debit_reversed', 'refund') AND e.credit = 'processor_receivable'
		OR e.kind = 'refund_failed' AND e.debit = 'processor_receivable'
		OR e.kind IN ('payout', 'payout_failed'))`
	ofPosting = `o.application_id = e.application_id AND (
		o.charge_id = e.charge_id AND o.kind IN ('authorize', 'debit', 'capture', 'void')
			AND e.kind NOT IN ('refund', 'refund_failed')
		OR o.subject_id = e.source_id AND o.kind = CASE WHEN e.kind IN ('refund', 'refund_failed') THEN 'refund'
			ELSE 'payout' END)`
)

// ours is what we know of a call; all nil without an operation.
type ours struct {
	ApplicationID *int64           `db:"application_id"`
	MerchantID    *int64           `db:"merchant_id"`
	OurKind       *operation.Kind  `db:"our_kind"`
	OurState      *operation.State `db:"our_state"`
	OurAmount     *money.Amount    `db:"our_amount"`
	OurCurrency   *money.Currency  `db:"our_currency"`
}

// theirs is the first line of the book with a reference, which is the one that look-ups report; all
// nil without one. Lines counts them.
type theirs struct {
	Lines        int             `db:"book_lines"`
	BookNumber   *int64          `db:"book_number"`
	BookKind     *string         `db:"book_kind"`
	BookAccount  *string         `db:"book_account"`
	BookAmount   *money.Amount   `db:"book_amount"`
	BookCurrency *money.Currency `db:"book_currency"`
	BookApproved *bool           `db:"book_approved"`
}

// facts are everything that is known of a reference, all of one instant.
type facts struct {
	Reference string `db:"reference"`
	ours
	theirs
	Ripe bool `db:"ripe"` // older than the horizon
	Bank bool `db:"bank"` // of a charge of a bank account
	// Settled says that the charge settled, OfMoney that the book has lines only where money moved.
	Settled bool `db:"settled"`
	OfMoney bool `db:"of_money"`
	// Takers are the approved calls that took the charge's money, oldest first; GivenBack, what was returned, by us or
	// by the bank, of those that came after they were given up.
	Takers    []string       `db:"takers"`
	Takes     []money.Amount `db:"takes"`
	GivenBack []money.Amount `db:"given_back"`
	// What is posted of the charge, refund or payout, in the operation's currency and of its merchant.
	Captured  []money.Amount `db:"captured"`
	TakenBack []money.Amount `db:"taken_back"`
	Refunded  []money.Amount `db:"refunded"`
	Undid     []money.Amount `db:"undid"` // of a refund that failed later
	PaidOut   []money.Amount `db:"paid_out"`
	// Undone counts payouts that failed; Strays, postings of another currency or merchant.
	Undone int `db:"undone"`
	Strays int `db:"strays"`
	// GivenUp is of a payout whose money is the merchant's again, or of a refund that failed, as it seemed never to
	// have left.
	GivenUp bool `db:"given_up"`
	// FailedLines are the amounts of the book's lines that the refund failed after it was approved, which theirs leaves
	// out.
	FailedLines []money.Amount `db:"failed_lines"`
	// What else those lines say, in the same order.
	FailedCurrencies []money.Currency `db:"failed_currencies"`
	FailedAccounts   []string         `db:"failed_accounts"`
	FailedApprovals  []bool           `db:"failed_approvals"`
	// OurAccount is where the call was made; nil of calls that earlier versions made.
	OurAccount *string `db:"our_account"`
	// Owner and OwnerMerchant are whose connected account the line is in, if there is no operation; OwnerMerchant is
	// nil of a default.
	Owner         *int64 `db:"owner"`
	OwnerMerchant *int64 `db:"owner_merchant"`
	// Orphan is a posting without an operation.
	Orphan *money.Amount `db:"orphan"`
	// What is posted of the processor's fee with the reference; nil without a posting.
	FeePosted   *money.Amount   `db:"fee_posted"`
	FeeCurrency *money.Currency `db:"fee_currency"`
	FeeAccount  *string         `db:"fee_account"`
	FeeRefunded bool            `db:"fee_refunded"`
}

// selectFacts is one statement, so that an operation and what was posted with it are seen together.
const selectFacts = `
	WITH wanted AS (
		SELECT reference, max(application_id) AS application_id
		FROM unnest(@references::text[], @applications::bigint[]) u (reference, application_id) GROUP BY reference
	)
	SELECT w.reference, o.application_id, o.merchant_id, o.processor_account AS our_account, o.kind AS our_kind,
		o.state AS our_state, o.amount AS our_amount,
		o.currency AS our_currency, coalesce(o.created_at <= @horizon, false) AS ripe,
		coalesce(c.type <> 'cc', false) AS bank, coalesce(c.status IN ('settled', 'returned'), false) AS settled,
			@of_money::boolean AS of_money, coalesce(b.lines, 0)::int AS book_lines, b.number AS book_number,
		b.kind AS book_kind, b.account AS book_account, b.amount AS book_amount, b.currency AS book_currency,
		b.approved AS book_approved, coalesce(t.takers, '{}') AS takers, coalesce(t.takes, '{}') AS takes,
		coalesce(t.given_back, '{}')
			|| CASE WHEN c.status = 'failed' AND c.failure->>'code' = 'not_submitted' AND c.return_code IS NOT NULL
				THEN ARRAY[c.amount] ELSE '{}' END AS given_back,
		coalesce(p.captured, '{}') AS captured, coalesce(p.taken_back, '{}') AS taken_back,
		coalesce(p.refunded, '{}') AS refunded, coalesce(p.undid, '{}') AS undid,
			coalesce(b.failed_lines, '{}') AS failed_lines,
		coalesce(b.failed_currencies, '{}') AS failed_currencies, coalesce(b.failed_accounts, '{}') AS failed_accounts,
		coalesce(b.failed_approvals, '{}') AS failed_approvals, coalesce(y.paid_out, '{}') AS paid_out,
			coalesce(y.undone, 0)::int AS undone,
		(coalesce(p.strays, 0) + coalesce(y.strays, 0))::int AS strays, x.amount AS orphan,
		a.application_id AS owner, a.merchant_id AS owner_merchant,
		coalesce(coalesce(po.failure, rf.failure)->>'code' = 'not_submitted', false) AS given_up,
		ae.amount AS fee_posted, ae.currency AS fee_currency, ae.processor_account AS fee_account,
		coalesce(ae.kind = 'processor_fee_refunded', false) AS fee_refunded
	FROM wanted w
	LEFT JOIN processor_operations o ON o.processor = @processor AND o.kind <> 'grant' AND o.reference = w.reference
	LEFT JOIN charges c ON c.application_id = o.application_id AND c.id = o.charge_id
	LEFT JOIN payouts po ON o.kind = 'payout' AND po.application_id = o.application_id AND po.id = o.subject_id
	LEFT JOIN refunds rf ON o.kind = 'refund' AND rf.application_id = o.application_id AND rf.id = o.subject_id
		AND rf.status = 'failed'
	LEFT JOIN LATERAL (
		SELECT l.*, count(*) FILTER (WHERE l.kind <> 'refund_failed') OVER () AS lines,
			array_agg(l.amount) FILTER (WHERE l.kind = 'refund_failed') OVER () AS failed_lines,
			array_agg(l.currency) FILTER (WHERE l.kind = 'refund_failed') OVER () AS failed_currencies,
			array_agg(l.account) FILTER (WHERE l.kind = 'refund_failed') OVER () AS failed_accounts,
			array_agg(l.approved) FILTER (WHERE l.kind = 'refund_failed') OVER () AS failed_approvals
		FROM reconciliation_lines l
		WHERE l.processor = @processor AND l.reference = w.reference ORDER BY l.kind = 'refund_failed', l.number LIMIT 1
	) b ON true
	LEFT JOIN processor_accounts a ON o.id IS NULL AND a.processor = @processor AND a.external_account = b.account
	LEFT JOIN LATERAL (
		SELECT array_agg(k.reference ORDER BY k.id) FILTER (WHERE k.takes) AS takers,
			array_agg(k.amount ORDER BY k.id) FILTER (WHERE k.takes) AS takes,
			array_agg(k.amount ORDER BY k.id) FILTER (WHERE k.gives_back) AS given_back
		FROM (SELECT id, reference, amount,
				state = 'approved' AND (kind IN ('debit', 'capture')
					OR kind = 'authorize' AND c.capture AND note IS NULL) AS takes, -- with rules noted it was held
				state = 'approved' AND kind = 'reverse'
					AND (c.type <> 'cc' OR note <> 'void') AS gives_back -- a card's void frees a hold
			FROM processor_operations WHERE application_id = o.application_id AND charge_id = o.charge_id) k
	) t ON true
	LEFT JOIN LATERAL (
		SELECT array_agg(e.amount ORDER BY e.id) FILTER (WHERE e.fits AND e.kind IN ('capture', 'debit')) AS captured,
			array_agg(e.amount ORDER BY e.id) FILTER (WHERE e.fits AND e.kind = 'debit_reversed') AS taken_back,
			array_agg(e.amount ORDER BY e.id) FILTER (WHERE e.fits AND e.kind = 'refund') AS refunded,
			array_agg(e.amount ORDER BY e.id) FILTER (WHERE e.fits AND e.kind = 'refund_failed') AS undid,
			count(*) FILTER (WHERE NOT e.fits
				AND (e.kind IN ('refund', 'refund_failed')) = (o.kind = 'refund')) AS strays
		FROM (SELECT e.id, e.kind, e.amount, e.currency = o.currency AND e.merchant_id = o.merchant_id AS fits
			FROM ledger_entries e
			WHERE e.application_id = o.application_id AND e.charge_id = o.charge_id AND ` + ofCalls + `
				AND (e.kind NOT IN ('refund', 'refund_failed') OR e.source_id = o.subject_id)) e
	) p ON o.charge_id IS NOT NULL
	LEFT JOIN LATERAL (
		SELECT array_agg(e.amount ORDER BY e.id) FILTER (WHERE e.fits AND e.kind = 'payout') AS paid_out,
			count(*) FILTER (WHERE e.kind = 'payout_failed') AS undone,
			count(*) FILTER (WHERE NOT e.fits AND e.kind = 'payout') AS strays
		FROM (SELECT e.id, e.kind, e.amount, e.currency = o.currency AND e.merchant_id = o.merchant_id AS fits
			FROM ledger_entries e
			WHERE e.application_id = o.application_id AND e.source_id = o.subject_id AND e.source_id IS DISTINCT
				FROM e.charge_id
				AND e.kind IN ('payout', 'payout_failed')) e
	) y ON o.kind = 'payout'
	LEFT JOIN application_entries ae ON o.id IS NULL AND ae.processor = @processor AND ae.business_key = w.reference
	LEFT JOIN ledger_entries x ON o.id IS NULL AND x.application_id = w.application_id AND x.business_key = w.reference
		AND EXISTS (SELECT FROM ledger_entries e WHERE e.application_id = x.application_id
			AND e.id = x.id AND ` + ofCalls + `
			AND NOT EXISTS (SELECT FROM processor_operations o WHERE ` + ofPosting + `))`

// factsTx reads what is known of references.
func (s *Service) factsTx(ctx context.Context, tx *pg.Tx, r Run, all []wanted) ([]facts, error) {
	references, applications := make([]string, len(all)), make([]*int64, len(all))
	for i, w := range all {
		references[i], applications[i] = w.Reference, w.ApplicationID
	}
	return pg.All[facts](ctx, tx, selectFacts, pg.Args{"references": references, "applications": applications,
		"horizon": r.Horizon, "processor": s.name,
		"of_money": s.deps.OfMoney})
}
