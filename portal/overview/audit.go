package overview

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// auditInput reads what the address selects. What is no value of a filter selects nothing by it.
func auditInput(c *web.Request, at page.Input[ids.AuditEntry]) audit.ListInput {
	query := c.QueryParams()
	in := audit.ListInput{Page: at, Permissions: query["what"], Outcomes: query["outcome"]}
	words := strings.TrimSpace(query.Get("q"))
	if id, err := ids.ParseRequest(words); err == nil {
		in.RequestID = &id
	} else if strings.ContainsAny(words, "_:@0123456789") {
		in.SubjectID = &words
	} else if words != "" {
		in.Who = &words
	}
	in.Created = web.Days(c, query, "at")
	return in
}

func (p *Pages) auditList() web.List[audit.Entry, ids.AuditEntry] {
	return web.List[audit.Entry, ids.AuditEntry]{Path: web.AuditPath, Read: ids.ParseAuditEntry,
		Key:  func(e audit.Entry) ids.AuditEntry { return e.ID },
		Find: web.Find(auditInput, p.Audit.List),
		Draw: func(c *web.Request, entries page.Of[audit.Entry]) (views.List, error) {
			view, err := p.AuditLines(c, entries.Items)
			view.Bar, view.Chain = p.auditBar(c), web.ChainPath
			return view.List(c.Text()), err
		},
		Shown: func(t *text.Catalogue, n int) string { return t.Audit.Shown(n) },
		File:  "audit", Line: auditRow,
		Head: []string{"id", "at", "actor", "actor_kind", "role", "domain", "permission", "outcome", "subject_kind",
			"subject_id", "merchant_id",
			"request_id", "address", "before", "after"}}
}

func auditRow(c *web.Request, e audit.Entry) []string {
	return []string{e.ID.String(), e.CreatedAt.UTC().Format(time.RFC3339Nano), who(c.Text(), e), string(e.ActorKind),
		string(e.Role), e.Domain,
		string(e.Permission), string(e.Outcome), e.SubjectKind, e.SubjectID, web.Numeral(e.MerchantID),
		web.Named(e.RequestID), web.Named(e.Address),
		string(e.Before), string(e.After)}
}

// AuditLines are entries as a list shows them.
func (p *Pages) AuditLines(c *web.Request, entries []audit.Entry) (view views.Audit, err error) {
	names, err := p.Audit.SubjectNames(c.Ctx(), c.Actor(), entries)
	if err != nil {
		return view, err
	}
	t := c.Text()
	for _, e := range entries {
		view.Entries = append(view.Entries,
			views.AuditLine{Href: web.AuditPath + "/" + e.ID.String(), Who: who(t, e), Role: t.Roles[string(e.Role)],
				Act: did(t, e, names[e.ID], subjectPage(c, e)), Denied: e.Outcome == audit.Denied,
				At: e.CreatedAt.Time})
	}
	return view, nil
}

func (p *Pages) auditBar(c *web.Request) ui.FilterBar {
	t := c.Text()
	changes := slices.DeleteFunc(permissions(t), func(needed authz.Permission) bool { return rank(needed) != 0 })
	what := web.Options(changes, t.Permissions)
	what = append(what, ui.Option{Value: "account:change", Label: t.Audit.AccountChanged})
	return ui.FilterBar{Search: ui.Filter{Name: "q", Label: t.Audit.Search, Kind: ui.FilterWords}, Filters: []ui.Filter{
		{Name: "what", Label: t.Audit.What, Kind: ui.FilterMany, Options: what},
		{Name: "outcome", Label: t.Audit.Outcome, Kind: ui.FilterOne, Options: []ui.Option{
			{Value: string(audit.Done), Label: t.Audit.Done}, {Value: string(audit.Denied), Label: t.Audit.Denied}}},
		{Name: "at", Label: t.Audit.When, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.MachineDay(c))}}}
}

// who names the actor of an entry.
func who(t *text.Catalogue, e audit.Entry) string {
	switch {
	case e.ActorKind == audit.Command && e.ActorName != "":
		return t.Audit.CommandBy(e.ActorName)
	case e.ActorKind == audit.Command:
		return t.Audit.Command
	case e.ActorKind == audit.Key && e.ActorName == "":
		return t.Audit.Key
	case e.ActorName == "":
		return t.Audit.Unknown
	}
	return e.ActorName
}

// right is what was done or refused, in words.
func right(t *text.Catalogue, needed authz.Permission) string {
	if words, ok := t.Permissions[string(needed)]; ok {
		return words
	}
	if words, ok := t.Audit.Security[string(needed)]; ok {
		return words
	}
	switch needed {
	case "invitation:accept":
		return t.Audit.Accepted
	case "account:change":
		return t.Audit.AccountChanged
	}
	return string(needed)
}

// auditEntry reads the entry that the address names.
func (p *Pages) auditEntry(c *web.Request) (audit.Entry, error) {
	return p.Audit.Get(c.Ctx(), c.Actor(), c.ID())
}

func (p *Pages) showAuditEntry(c *web.Request, e audit.Entry) error {
	names, err := p.Audit.SubjectNames(c.Ctx(), c.Actor(), []audit.Entry{e})
	if err != nil {
		return err
	}
	t := c.Text()
	view := views.AuditEntry{Title: who(t, e) + " " + did(t, e, names[e.ID], "").Words(),
		Denied: e.Outcome == audit.Denied, At: e.CreatedAt.Time,
		Back: web.AuditPath, Edits: edits(t, e), See: subjectPage(c, e), Facts: entryFacts(t, e)}
	return web.Render(c, http.StatusOK, views.AuditEntryPage(c.Page(view.Title), view))
}

func entryFacts(t *text.Catalogue, e audit.Entry) []ui.Pair {
	role := t.Roles[string(e.Role)]
	if e.Viewer != "" {
		role = t.Audit.Through(t.Roles[string(e.Viewer)], role)
	}
	out := []ui.Pair{
		{Key: t.Audit.Who, Value: who(t, e)}, {Key: t.Audit.Role, Value: role, Detail: e.Domain},
		{Key: t.Audit.On, Value: strings.TrimSpace(e.SubjectKind + " " + e.SubjectID)},
		{Key: t.Audit.Permission, Value: string(e.Permission)},
		{Key: t.Audit.Entry, Value: e.ID.String()}, {Key: t.Audit.Position, Value: strconv.FormatInt(e.Position, 10)},
		{Key: t.Audit.Request, Value: web.Named(e.RequestID)}, {Key: t.Audit.Address, Value: web.Named(e.Address)},
	}
	return slices.DeleteFunc(out, func(one ui.Pair) bool {
		return one.Value == "" && (one.Key == t.Audit.Request || one.Key == t.Audit.Address)
	})
}

// edits are the members that changed, in order of their names.
func edits(t *text.Catalogue, e audit.Entry) (out []ui.Edit) {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(e.Before, &before) != nil || json.Unmarshal(e.After, &after) != nil {
		return nil // it was written by us
	}
	names := slices.Sorted(maps.Keys(before))
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, both := before[name]; !both {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if read := membersToRead[name]; read != nil {
			if some, ok := read(t, before[name], after[name]); ok {
				out = append(out, some...)
				continue
			}
		}
		out = append(out, ui.Edit{Field: name, Old: web.Said(before[name]), New: web.Said(after[name])})
	}
	return out
}

func (p *Pages) showChain(c *web.Request) error {
	chain, err := p.Audit.ChainOf(c.Ctx(), c.Actor())
	if err != nil {
		return err
	}
	place, err := p.Acting(c)
	if err != nil {
		return err
	}
	t := c.Text()
	at := strconv.FormatInt(chain.Position, 10)
	view := views.Chain{Of: place.Place.Application.Name, Back: web.AuditPath, Head: chain.Head,
		Whole: chain.Flaw == "", Empty: chain.Flaw == "" && chain.Entries == 0}
	if view.Of == "" {
		view.Of = t.Audit.Deployment
	}
	switch chain.Flaw {
	case "":
		view.Text = t.Audit.WholeText(chain.Entries)
	case audit.Altered:
		view.Text = t.Audit.Altered(at)
	case audit.Missing:
		view.Text = t.Audit.Missing(at)
	case audit.CutOff:
		view.Text = t.Audit.CutOff(at)
	}
	return web.Render(c, http.StatusOK, views.ChainPage(c.Page(t.Audit.Chain), view))
}
