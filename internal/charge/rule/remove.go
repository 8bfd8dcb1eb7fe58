package rule

import (
	"context"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// Remove removes an entry from its merchant's lists and returns it.
func (s *Service) Remove(ctx context.Context, actor authz.Actor, id string,
	claim *idempotency.Claim) (idempotency.Result[Entry], error) {
	none := idempotency.Result[Entry]{}
	if err := s.audit.Allow(ctx, actor, authz.CardRuleManage, audit.Of("card_rule_entry", id, 0)); err != nil {
		return none, err
	}
	entryID, err := ids.ParseCardRuleEntry(id)
	if err != nil {
		return none, fault.Missing()
	}
	if err := actor.Reach(func() (int64, error) {
		e, err := findEntry(ctx, s.deps.Pool, actor.ApplicationID, entryID)
		return e.MerchantID, err
	}); err != nil {
		return none, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return none, err
	}
	return idempotency.Once(ctx, s.deps.Pool, claim, m.Machine, entryID.Bytes(), func(tx *pg.Tx) (Entry, error) {
		e, err := findEntry(ctx, tx, actor.ApplicationID, entryID)
		if err != nil {
			return e, err
		}
		o := owner{e.ApplicationID, e.MerchantID}
		before, err := s.lockTx(ctx, tx, o, m)
		if err != nil {
			return e, err
		}
		removed, err := s.removeTx(ctx, tx, actor, locked{o, m, before}, []ids.CardRuleEntry{entryID})
		if err == nil && len(removed) == 0 {
			err = fault.Missing()
		}
		return s.shown(e), err
	})
}

func findEntry(ctx context.Context, q pg.Querier, applicationID int64, id ids.CardRuleEntry) (Entry, error) {
	return pg.Find[Entry](ctx, q, `SELECT `+entryColumns+` FROM card_rule_entries
		WHERE application_id = @application_id AND id = @id`, pg.Args{"application_id": applicationID, "id": id})
}

// removals are entries to be removed.
type removals []string

// Validate returns the mistake of too many or no entries.
func (in removals) Validate() fault.Fields {
	var fs fault.Fields
	if len(in) == 0 || len(in) > MaxAdded {
		fs.Add("entries", "parameter_invalid", fmt.Sprintf("Choose 1 to %d entries.", MaxAdded))
	}
	return fs
}

// RemoveAll removes entries from a merchant's lists at once, and returns those that the lists had.
func (s *Service) RemoveAll(ctx context.Context, actor authz.Actor, merchantID int64, entries []string) ([]Entry,
	error) {
	out, err := change(ctx, s, actor, merchantID, removals(entries), nil, func(tx *pg.Tx, l locked) ([]Entry, error) {
		return s.removeTx(ctx, tx, actor, l, parsed(entries))
	})
	return out.Object, err
}

func parsed(entries []string) (out []ids.CardRuleEntry) {
	for _, text := range entries {
		if id, err := ids.ParseCardRuleEntry(text); err == nil {
			out = append(out, id)
		}
	}
	return out
}

// removeTx removes those of the entries that the lists have. Without any, nothing changes.
func (s *Service) removeTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, l locked,
	entries []ids.CardRuleEntry) ([]Entry, error) {
	removed, err := pg.All[Entry](ctx, tx, `DELETE FROM card_rule_entries
		WHERE application_id = @application_id AND merchant_id = @merchant_id AND id = ANY (@ids::uuid[])
		RETURNING `+entryColumns, l.args(pg.Args{"ids": entries}))
	if err != nil || len(removed) == 0 {
		return nil, err
	}
	after := l.before
	after.Entries -= len(removed)
	_, err = s.changedTx(tx, actor, l, after, listChange{removed: removed})
	return removed, err
}

// Chosen returns those of the entries that a merchant's lists have, the newest first.
func (s *Service) Chosen(ctx context.Context, actor authz.Actor, merchantID int64, entries []string) ([]Entry, error) {
	if err := s.deps.Check.Check(actor, authz.CardRuleRead); err != nil {
		return nil, err
	}
	if err := Reach(ctx, s.deps.Pool, actor, merchantID); err != nil {
		return nil, err
	}
	return pg.All[Entry](ctx, s.deps.Pool, `SELECT `+entryColumns+` FROM card_rule_entries
		WHERE application_id = @application_id AND merchant_id = @merchant_id AND id = ANY (@ids::uuid[])
		ORDER BY id DESC`, owner{actor.ApplicationID, merchantID}.args(pg.Args{"ids": parsed(entries)}))
}

// CountEntries returns how many entries each of a merchant's lists has.
func (s *Service) CountEntries(ctx context.Context, actor authz.Actor, merchantID int64) (map[List]int, error) {
	if err := s.deps.Check.Check(actor, authz.CardRuleRead); err != nil {
		return nil, err
	}
	if err := Reach(ctx, s.deps.Pool, actor, merchantID); err != nil {
		return nil, err
	}
	rows, err := pg.All[struct {
		List List `db:"list"`
		N    int  `db:"n"`
	}](ctx, s.deps.Pool, `SELECT list, count(*)::int AS n FROM card_rule_entries
		WHERE application_id = @application_id AND merchant_id = @merchant_id GROUP BY list`,
		owner{actor.ApplicationID, merchantID}.args(nil))
	out := make(map[List]int, len(rows))
	for _, r := range rows {
		out[r.List] = r.N
	}
	return out, err
}

// OfCard returns the entry that a merchant's lists have for the card of a charge; nil if they have none.
func (s *Service) OfCard(ctx context.Context, actor authz.Actor, merchantID int64, of ids.Charge) (*Entry, error) {
	if err := s.deps.Check.Check(actor, authz.CardRuleRead); err != nil {
		return nil, err
	}
	if err := Reach(ctx, s.deps.Pool, actor, merchantID); err != nil {
		return nil, err
	}
	found, err := pg.All[Entry](ctx, s.deps.Pool, `SELECT `+entryColumns+` FROM card_rule_entries
		WHERE application_id = @application_id AND merchant_id = @merchant_id AND kind = 'card' AND value = (
			SELECT encode(t.fingerprint, 'hex') FROM charges c JOIN tokens t ON t.application_id = c.application_id
				AND t.id = c.token_id
			WHERE c.application_id = @application_id AND c.merchant_id = @merchant_id AND c.id = @charge)`,
		owner{actor.ApplicationID, merchantID}.args(pg.Args{"charge": of}))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}
