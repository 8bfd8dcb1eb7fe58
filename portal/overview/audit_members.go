package overview

import (
	"encoding/json"

	"svcpay/internal/charge/rule"
	"svcpay/portal/web"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// membersToRead are members that the page of an entry shows in words; false for values that it can't read.
var membersToRead = map[string]func(t *text.Catalogue, before, after json.RawMessage) ([]ui.Edit, bool){
	"list_entries":      listEntryEdits,
	"list_entries_more": moreListEntries,
}

// listEntryEdits are the entries that a change of card rules removed from the lists or added to them.
func listEntryEdits(t *text.Catalogue, before, after json.RawMessage) (out []ui.Edit, ok bool) {
	removed, wasRead := auditedEntries(t, before)
	added, isRead := auditedEntries(t, after)
	for i := range removed {
		removed[i].Old, removed[i].New = removed[i].New, ""
	}
	return append(removed, added...), wasRead && isRead
}

func auditedEntries(t *text.Catalogue, of json.RawMessage) (out []ui.Edit, ok bool) {
	var entries []rule.AuditedEntry
	if len(of) > 0 && json.Unmarshal(of, &entries) != nil {
		return nil, false
	}
	for _, e := range entries {
		words := t.CardRules.Kinds[string(e.Kind)]
		if e.Value != "" {
			words += ": " + web.ListedValue(t, e.Kind, e.Value)
		}
		out = append(out, ui.Edit{Field: t.CardRules.Lists[string(e.List)], Note: e.ID.String(), New: words})
	}
	return out, true
}

// moreListEntries is how many entries the audit log doesn't name.
func moreListEntries(t *text.Catalogue, before, after json.RawMessage) ([]ui.Edit, bool) {
	return []ui.Edit{{Field: t.Audit.MoreEntries, Old: web.Said(before), New: web.Said(after)}}, true
}
