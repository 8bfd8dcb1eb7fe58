package portal

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/page"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// auditInput reads what the address selects. What is no value of a filter selects nothing by it.
func auditInput(c echo.Context, query url.Values) audit.ListInput {
	in := audit.ListInput{Page: cursors(query, ids.ParseAuditEntry), Permissions: query["what"], Outcomes: query["outcome"]}
	words := strings.TrimSpace(query.Get("q"))
	if id, err := ids.ParseRequest(words); err == nil {
		in.RequestID = &id
	} else if strings.ContainsAny(words, "_:@0123456789") {
		in.SubjectID = &words
	} else if words != "" {
		in.Who = &words
	}
	in.Created = days(c, query, "at")
	return in
}

func (p *Portal) showAudit(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(auditPath, query); untidy {
		return seeOther(c, to)
	}
	t := say(c)
	entries, err := p.Audit.List(c.Request().Context(), actor(c), auditInput(c, query))
	if err != nil {
		return err
	}
	view := views.Audit{Bar: p.auditBar(c, query), Chain: chainPath}
	if p.may(c, authz.ExportCreate) {
		view.Bar.Export = auditCSV
	}
	names, err := p.Reports.Subjects(c.Request().Context(), actor(c), entries.Items)
	if err != nil {
		return err
	}
	for _, e := range entries.Items {
		view.Entries = append(view.Entries, views.AuditLine{Href: auditPath + "/" + e.ID.String(), Who: who(t, e), Role: t.Roles[string(e.Role)],
			Act: p.did(t, e, names[e.ID], p.subjectPage(c, e)), Denied: e.Outcome == audit.Denied, At: e.CreatedAt.Time})
	}
	view.Pager = pagerOf(auditPath, query, entries, func(e audit.Entry) string { return e.ID.String() }, t.Audit.Shown(len(entries.Items)))
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Audit.Title), view.List(t)))
}

func (p *Portal) auditBar(c echo.Context, query url.Values) ui.FilterBar {
	t := say(c)
	what := ui.Filter{Name: "what", Label: t.Audit.What, Kind: ui.FilterMany}
	for _, needed := range permissions(t) {
		if rank(needed) == 0 {
			what.Options = append(what.Options, ui.Option{Value: string(needed), Label: t.Permissions[string(needed)]})
		}
	}
	what.Options = append(what.Options, ui.Option{Value: "account:change", Label: t.Audit.AccountChanged})
	return ui.FilterBar{Path: auditPath, Query: query, Target: ui.ResultsID,
		Search: ui.Filter{Name: "q", Label: t.Audit.Search, Kind: ui.FilterWords},
		Filters: []ui.Filter{
			what,
			{Name: "outcome", Label: t.Audit.Outcome, Kind: ui.FilterOne, Options: []ui.Option{
				{Value: string(audit.Done), Label: t.Audit.Done}, {Value: string(audit.Denied), Label: t.Audit.Denied}}},
			{Name: "at", Label: t.Audit.When, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.machineDay(c))},
		}}
}

// sendAudit answers with the entries of a view as CSV.
func (p *Portal) sendAudit(c echo.Context) error {
	t, in, a := say(c), auditInput(c, c.QueryParams()), actor(c)
	head := []string{"id", "at", "actor", "actor_kind", "role", "domain", "permission", "outcome", "subject_kind", "subject_id", "merchant_id",
		"request_id", "address", "before", "after"}
	return sheet(c, "audit", head, func(write func(...string) error) error {
		read := func(of page.Input[ids.AuditEntry]) (page.Of[audit.Entry], error) {
			in.Page = of
			return p.Audit.List(c.Request().Context(), a, in)
		}
		return everyPage(in.Page, read, func(e audit.Entry) ids.AuditEntry { return e.ID }, func(e audit.Entry) error {
			return write(e.ID.String(), e.CreatedAt.UTC().Format(time.RFC3339Nano), who(t, e), string(e.ActorKind), string(e.Role), e.Domain,
				string(e.Permission), string(e.Outcome), e.SubjectKind, e.SubjectID, numeral(e.MerchantID), named(e.RequestID), named(e.Address),
				string(e.Before), string(e.After))
		})
	})
}

// numeral is a number that may be missing, as a cell has it.
func numeral(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// named is something that may be missing, as a cell has it.
func named[T fmt.Stringer](of *T) string {
	if of == nil {
		return ""
	}
	return (*of).String()
}

// who names the actor of an entry.
func who(t *text.Catalogue, e audit.Entry) string {
	switch {
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
	switch needed {
	case "invitation:accept":
		return t.Audit.Accepted
	case "account:change":
		return t.Audit.AccountChanged
	}
	return string(needed)
}

func (p *Portal) showAuditEntry(c echo.Context) error {
	e, err := p.Audit.Get(c.Request().Context(), actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	t := say(c)
	role := t.Roles[string(e.Role)]
	if e.Viewer != "" {
		role = t.Audit.Through(t.Roles[string(e.Viewer)], role)
	}
	names, err := p.Reports.Subjects(c.Request().Context(), actor(c), []audit.Entry{e})
	if err != nil {
		return err
	}
	act := p.did(t, e, names[e.ID], "")
	view := views.AuditEntry{Title: who(t, e) + " " + act.Words(), Denied: e.Outcome == audit.Denied, At: e.CreatedAt.Time, Back: auditPath,
		Edits: edits(e), Facts: []ui.Pair{
			{Key: t.Audit.Who, Value: who(t, e)}, {Key: t.Audit.Role, Value: role, Detail: e.Domain},
			{Key: t.Audit.On, Value: strings.TrimSpace(e.SubjectKind + " " + e.SubjectID)}, {Key: t.Audit.Permission, Value: string(e.Permission)},
			{Key: t.Audit.Entry, Value: e.ID.String()}, {Key: t.Audit.Position, Value: strconv.FormatInt(e.Position, 10)},
		}}
	view.See = p.subjectPage(c, e)
	if e.RequestID != nil {
		view.Facts = append(view.Facts, ui.Pair{Key: t.Audit.Request, Value: e.RequestID.String()})
	}
	if e.Address != nil {
		view.Facts = append(view.Facts, ui.Pair{Key: t.Audit.Address, Value: e.Address.String()})
	}
	return render(c, http.StatusOK, views.AuditEntryPage(p.page(c, view.Title), view))
}

// edits are the members that changed, in order of their names.
func edits(e audit.Entry) (out []ui.Edit) {
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
		out = append(out, ui.Edit{Field: name, Old: said(before[name]), New: said(after[name])})
	}
	return out
}

// said is a value as people read it: a text without its quotes, nothing for null.
func said(value json.RawMessage) string {
	var words string
	if json.Unmarshal(value, &words) == nil {
		return words
	}
	return string(value)
}

func (p *Portal) showChain(c echo.Context) error {
	chain, err := p.Audit.ChainOf(c.Request().Context(), actor(c))
	if err != nil {
		return err
	}
	place, err := p.acting(c)
	if err != nil {
		return err
	}
	t := say(c)
	at := strconv.FormatInt(chain.Position, 10)
	view := views.Chain{Of: place.Place.Application.Name, Back: auditPath, Head: chain.Head, Whole: chain.Flaw == "", Empty: chain.Flaw == "" && chain.Entries == 0}
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
	return render(c, http.StatusOK, views.ChainPage(p.page(c, t.Audit.Chain), view))
}
