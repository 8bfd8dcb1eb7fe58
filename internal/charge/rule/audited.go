package rule

import (
	"cmp"
	"slices"

	"svcpay/internal/ids"
)

// MaxAudited is how many entries of a change of the lists the audit log names. Nothing is ever deleted from that log.
const MaxAudited = 100

// listChange is a change of a merchant's lists.
type listChange struct{ removed, added []Entry }

// AuditedEntry is an entry as the audit log names it. The log keeps it after the entry was removed.
type AuditedEntry struct {
	ID   ids.CardRuleEntry `json:"id"`
	List List              `json:"list"`
	Kind Kind              `json:"kind"`
	// Value is the brand and last four digits of a card, or a BIN; "" for what identifies payers.
	Value string `json:"value,omitempty"`
}

// AuditedRules are rules as the audit log has them: with the entries that a change removed, of the rules before it, or
// added, of the rules after it.
type AuditedRules struct {
	Rules
	Named []AuditedEntry `json:"list_entries,omitempty"`
	More  int            `json:"list_entries_more,omitempty"`
}

// audited names the entries of a change: cards and BINs first, so that other entries can't crowd them out.
func audited(r Rules, entries []Entry) AuditedRules {
	named := make([]AuditedEntry, len(entries))
	for i, e := range entries {
		named[i] = AuditedEntry{ID: e.ID, List: e.List, Kind: e.Kind}
		if e.Kind == Card || e.Kind == BIN {
			named[i].Value = e.Value
		}
	}
	order := Kinds()
	slices.SortStableFunc(named, func(a, b AuditedEntry) int {
		return cmp.Or(cmp.Compare(slices.Index(order, string(a.Kind)), slices.Index(order, string(b.Kind))),
			cmp.Compare(a.ID.String(), b.ID.String()))
	})
	shown := min(len(named), MaxAudited)
	return AuditedRules{Rules: r, Named: named[:shown], More: len(named) - shown}
}
