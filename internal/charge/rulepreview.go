package charge

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge/rule"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

const (
	previewSpan     = 30 * 24 * time.Hour
	previewCharges  = 10_000
	previewExamples = 20
)

// RulePreview is what rules would have blocked of a merchant's card payments of the last 30 days. Amounts are minor
// units of the merchant's currency.
type RulePreview struct {
	From    instant.Time `json:"from"`
	To      instant.Time `json:"to"`
	Charges int          `json:"charges"` // that were looked at, the newest 10,000 at most
	// Complete is false if there were more than that.
	Complete bool             `json:"complete"`
	Blocked  Blocked          `json:"blocked"`
	Rules    []BlockedByRule  `json:"rules"` // those that would have blocked some, in their order
	Examples []BlockedExample `json:"examples"`
}

// Blocked sums payments that rules would have blocked, and says how they ended.
type Blocked struct {
	Count    int          `json:"count"`
	Amount   money.Amount `json:"amount"`
	Approved int          `json:"approved"`
	Declined int          `json:"declined"` // or blocked already
	Disputed int          `json:"disputed"` // of those that were approved
	Refunded int          `json:"refunded"` // of those that were approved, whole or in part
}

// BlockedByRule is the part of one rule. Of several that would block a payment, the first counts.
type BlockedByRule struct {
	Rule rule.Name `json:"rule"`
	Blocked
}

// BlockedExample is a payment that would have been blocked.
type BlockedExample struct {
	Charge    ids.Charge   `json:"charge_id"`
	Rule      rule.Name    `json:"rule"`
	Amount    money.Amount `json:"amount"`
	Status    Status       `json:"status"`
	CreatedAt instant.Time `json:"created_at"`
}

// past is a payment that is held to proposed rules.
type past struct {
	ID          ids.Charge            `db:"id"`
	Amount      money.Amount          `db:"amount"`
	Status      Status                `db:"status"`
	Approved    bool                  `db:"approved"`
	Disputed    bool                  `db:"disputed"`
	Refunded    bool                  `db:"refunded"`
	Country     string                `db:"country"`
	BIN         string                `db:"bin"`
	CVC         processor.CheckResult `db:"cvc"`
	Zip         processor.CheckResult `db:"zip"`
	Email       string                `db:"email"`
	Line1       string                `db:"line_1"`
	PostalCode  string                `db:"postal_code"`
	Fingerprint []byte                `db:"fingerprint"`
	CreatedAt   instant.Time          `db:"created_at"`
}

// PreviewRules computes what proposed rules, with the lists as they are, would have blocked of a merchant's card
// payments of the last 30 days, by the application's clock. Nothing is written.
func (s *Service) PreviewRules(ctx context.Context, actor authz.Actor, merchantID int64,
	in rule.Proposal) (RulePreview, error) {
	if err := s.deps.Check.Check(actor, authz.CardRuleRead); err != nil {
		return RulePreview{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return RulePreview{}, err
	}
	if err := rule.Reach(ctx, s.deps.Pool, actor, merchantID); err != nil {
		return RulePreview{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return RulePreview{}, err
	}
	lists, err := rule.ReadLists(ctx, s.deps.Pool, actor.ApplicationID, merchantID)
	if err != nil {
		return RulePreview{}, err
	}
	from := m.At.Add(-previewSpan)
	payments, err := pg.Planned[past](ctx, s.deps.Pool, selectPast, pg.Args{"application_id": actor.ApplicationID,
		"merchant_id": merchantID, "first": ids.FirstCharge(m.Machine.Add(-previewSpan)), "from": from,
		"limit": previewCharges + 1})
	if err != nil {
		return RulePreview{}, pg.TooMany(err)
	}
	out := RulePreview{From: instant.Of(from), To: instant.Of(m.At), Complete: len(payments) <= previewCharges}
	payments = payments[:min(len(payments), previewCharges)]
	out.hold(payments, in.Settings(), lists)
	return out, nil
}

// selectPast reads the newest of a merchant's card payments that the processor has answered. Ids have the time of the
// server's clock. The application's clock may be ahead of it, so no payment since @from has an id below @first.
const selectPast = `
	SELECT c.id, c.amount, c.status, c.amount_authorized > 0 AS approved, c.amount_contested > 0 AS disputed,
		c.amount_refunded > 0 AS refunded, coalesce(c.payment_method->>'country', '') AS country,
		coalesce(c.payment_method->>'bin', '') AS bin, coalesce(c.payment_method->'checks'->>'cvc', '') AS cvc,
		coalesce(c.payment_method->'checks'->>'address_zip', '') AS zip, coalesce(c.billing->>'email', '') AS email,
		coalesce(c.billing->>'address_line_1', '') AS line_1,
		coalesce(c.billing->>'address_zip', '') AS postal_code, t.fingerprint, c.created_at
	FROM charges c JOIN tokens t ON t.application_id = c.application_id AND t.id = c.token_id
	WHERE c.application_id = @application_id AND c.merchant_id = @merchant_id AND c.id >= @first AND c.type = 'cc'
		AND c.status <> 'processing' AND c.created_at > @from
	ORDER BY c.id DESC LIMIT @limit`

// hold decides about payments, the newest of which is first, as if they were made one after the other.
func (p *RulePreview) hold(payments []past, s rule.Settings, lists rule.Lists) {
	p.Charges, p.Examples, p.Rules = len(payments), []BlockedExample{}, []BlockedByRule{}
	byRule, counted := make(map[rule.Name]Blocked), rule.NewCounter(s)
	for i := len(payments) - 1; i >= 0; i-- {
		one := payments[i]
		traits := rule.TraitsOf(one.Fingerprint, one.BIN, one.Email, one.Line1, one.PostalCode)
		decided := s.Decide(rule.Facts{Amount: one.Amount, Country: one.Country, Traits: traits,
			Listed: lists.Of(traits), Uses: counted.Of(traits, one.CreatedAt.Time)})
		by := decided.Blocked
		if by == "" {
			counted.Add(traits, one.CreatedAt.Time)
			by = rule.Broken(decided.Then, processor.Checks{CVC: one.CVC, AddressZip: one.Zip})
		}
		if by == "" {
			continue
		}
		byRule[by] = byRule[by].and(one)
		p.Blocked = p.Blocked.and(one)
		p.Examples = append(p.Examples, BlockedExample{one.ID, by, one.Amount, one.Status, one.CreatedAt})
		if len(p.Examples) > previewExamples { // the newest stay
			p.Examples = p.Examples[1:]
		}
	}
	for _, name := range rule.Names() {
		if sum, ok := byRule[rule.Name(name)]; ok {
			p.Rules = append(p.Rules, BlockedByRule{rule.Name(name), sum})
		}
	}
}

func (b Blocked) and(one past) Blocked {
	b.Count++
	b.Amount += one.Amount
	switch {
	case !one.Approved:
		b.Declined++
		return b
	case one.Disputed:
		b.Disputed++
	}
	if one.Refunded {
		b.Refunded++
	}
	b.Approved++
	return b
}
