package merchants

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/charge/rule"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	entriesEnd = web.CardRulesEnd + "/entries"
	entriesAt  = web.MerchantPath + entriesEnd
)

func (p *Pages) cardRuleEntryRoutes() []web.Route {
	return append([]web.Route{
		web.Get(entriesAt, authz.CardRuleRead, web.Show(p.Merchant, func(c *web.Request, m merchant.Merchant) error {
			return p.entryList(m).Show(c)
		})).Grows(),
		web.Post(entriesAt+"/remove/confirm", authz.CardRuleManage, web.ActOn(p.Merchant, p.askEntryRemoval)),
		web.Post(entriesAt+"/remove", authz.CardRuleManage, web.ActOn(p.Merchant, p.removeEntries)),
	}, p.entryForm().Routes(entriesAt+"/new", authz.CardRuleManage)...)
}

// entryList lists the entries of a merchant's lists.
func (p *Pages) entryList(m merchant.Merchant) web.List[rule.Entry, ids.CardRuleEntry] {
	return web.List[rule.Entry, ids.CardRuleEntry]{Path: web.MerchantAt(m.ID, entriesEnd),
		Read: ids.ParseCardRuleEntry, Key: func(e rule.Entry) ids.CardRuleEntry { return e.ID },
		Find: func(c *web.Request, at page.Input[ids.CardRuleEntry]) (page.Of[rule.Entry], error) {
			query := c.QueryParams()
			in := rule.EntriesInput{Page: at, Kinds: query["kind"], Words: strings.TrimSpace(query.Get("q"))}
			if list := query.Get("list"); list != "" {
				in.Lists = []string{list}
			}
			return p.CardRules.Entries(c.Ctx(), c.Actor(), m.ID, in)
		},
		Draw: func(c *web.Request, found page.Of[rule.Entry]) (views.List, error) {
			return drawEntries(c, m, found.Items), nil
		},
		Shown: func(t *text.Catalogue, n int) string { return t.CardRules.Shown(n) }}
}

func drawEntries(c *web.Request, m merchant.Merchant, entries []rule.Entry) views.List {
	t, at := c.Text(), web.MerchantAt(m.ID, entriesEnd)
	d := t.CardRules
	view := views.List{Head: ui.Head{Title: d.EntriesTitle, Text: d.EntriesText, Crumbs: entryCrumbs(t, m)},
		Bar: ui.FilterBar{Search: ui.Filter{Name: "q", Label: d.EntriesSearch, Kind: ui.FilterWords},
			Filters: []ui.Filter{
				{Name: "list", Label: d.List, Kind: ui.FilterOne,
					Options: web.Options([]rule.List{rule.Block, rule.Allow}, d.Lists)},
				{Name: "kind", Label: d.Kind, Kind: ui.FilterMany, Options: web.Options(rule.Kinds(), d.Kinds)}}},
		Table: ui.Table{Caption: d.EntriesTitle,
			Columns: []ui.Column{{Title: d.Value, Place: ui.PlaceLead, Broad: true},
				{Title: d.Kind}, {Title: d.List, Place: ui.PlaceState}, {Title: d.Added}}},
		Empty: ui.NothingYet(ui.IconVoid, d.NoEntries, d.NoEntriesText)}
	if c.May(authz.CardRuleManage) {
		add := ui.Button{Label: d.Add, Icon: ui.IconPlus, Dialog: true,
			Href: web.WithQuery(at+"/new", url.Values{"list": {chosenList(c.QueryParam("list"))}})}
		view.Buttons = []ui.Button{add}
		view.Table.Bulk = ui.Bulk{Buttons: []ui.Button{{Label: d.Remove, Icon: ui.IconRemove, Size: "sm"}},
			Action: web.WithQuery(at+"/remove/confirm", url.Values{"return": {c.Request().URL.RequestURI()}})}
	}
	for _, e := range entries {
		one := shownEntry(t, e)
		view.Table.Rows = append(view.Table.Rows, ui.Row{ID: one.ID, Label: d.Kinds[one.Kind] + " " + one.Value,
			Cells: []templ.Component{one.View(), ui.Plain(d.Kinds[one.Kind]),
				ui.Status(views.CardRuleEntryTone(one.List), d.Lists[one.List]), one.When()}})
	}
	return view
}

func entryCrumbs(t *text.Catalogue, m merchant.Merchant) []ui.Crumb {
	return []ui.Crumb{{Label: t.Nav.Merchants, Href: web.MerchantsPath},
		{Label: m.Name, Href: web.MerchantAt(m.ID, "")},
		{Label: t.CardRules.Tab, Href: web.MerchantAt(m.ID, web.CardRulesEnd)}}
}

func shownEntry(t *text.Catalogue, e rule.Entry) views.CardRuleEntry {
	return views.CardRuleEntry{ID: e.ID.String(), List: string(e.List), Kind: string(e.Kind),
		Value: web.ListedValue(t, e.Kind, e.Value), Note: web.Deref(e.Note),
		AddedBy: e.AddedBy, Added: ui.Time(e.CreatedAt.Time)}
}

// chosenList is the list that an address names; the block list if it names none.
func chosenList(named string) string {
	if named == string(rule.Allow) {
		return named
	}
	return string(rule.Block)
}

// entryForm adds entries to a list.
func (p *Pages) entryForm() web.Form[merchant.Merchant] {
	return web.Form[merchant.Merchant]{Load: p.Merchant, Draw: drawEntryForm, Once: true, Do: p.addEntries,
		Fill: func(c *web.Request, _ merchant.Merchant) (url.Values, error) {
			return url.Values{"list": {chosenList(c.QueryParam("list"))}, "kind": {string(rule.Email)}}, nil
		}}
}

// entryLines are the values that were typed, with the numbers of their lines.
func entryLines(typed string) (values []string, numbers []int) {
	n := 0
	for line := range strings.Lines(typed) {
		n++
		if line = strings.TrimSpace(line); line != "" {
			values, numbers = append(values, line), append(numbers, n)
		}
	}
	return values, numbers
}

func (p *Pages) addEntries(c *web.Request, m merchant.Merchant, in web.Input) (done web.Done, err error) {
	t := c.Text().CardRules
	values, _ := entryLines(in.Get("values"))
	if len(values) > rule.MaxAdded {
		var fs fault.Fields
		fs.Add("values", web.CodeForm, t.ValuesMany(rule.MaxAdded))
		return done, fs.Err()
	}
	added, err := web.Settled(p.CardRules.Add(c.Ctx(), c.Actor(), m.ID,
		rule.Additions{List: web.Given(in.Values, "list"), Kind: web.Given(in.Values, "kind"), Values: values,
			Note: web.Given(in.Values, "note")}, in.Claim))
	to := web.WithQuery(web.MerchantAt(m.ID, entriesEnd), url.Values{"list": {chosenList(in.Get("list"))}})
	done, err = web.Saved(to, t.AddedTold(len(added.Entries), len(values)-len(added.Entries)), err)
	if len(added.Entries) == 0 {
		done.Toast.Tone = ui.Info
	}
	return done, err
}

func drawEntryForm(c *web.Request, m merchant.Merchant, in web.Input) error {
	t, at := c.Text().CardRules, web.MerchantAt(m.ID, entriesEnd)
	f := views.ToolForm{Action: at + "/new", Sharp: true, Submit: ui.Button{Label: t.Add},
		Hidden: []ui.Pair{{Key: web.OnceField, Value: web.NewOnce()}},
		Dialog: ui.Dialog{Title: t.Add, Text: t.AddText, Back: at}}
	f.Problems = entryProblems(t, in)
	mistake := in.Errors["values"]
	for _, one := range f.Problems.List {
		if mistake == "" && one.Field == "values" {
			mistake = one.Text
		}
	}
	f.Parts = []templ.Component{
		ui.Radios{Field: ui.Field{Name: "list", Label: t.List, Value: in.Get("list"), Error: in.Errors["list"]},
			Options: []ui.Option{
				{Value: string(rule.Block), Label: t.Lists["block"], Detail: t.ListChoices["block"]},
				{Value: string(rule.Allow), Label: t.Lists["allow"], Detail: t.ListChoices["allow"]}}}.View(),
		ui.Select{Field: ui.Field{Name: "kind", Label: t.Kind, Hint: t.KindHint, Value: in.Get("kind"),
			Error: in.Errors["kind"], Required: true}, Options: web.Options(rule.Kinds(), t.Kinds)}.View(),
		ui.Textarea{Field: ui.Field{Name: "values", Label: t.Values, Hint: t.ValuesHint, Value: in.Get("values"),
			Error: mistake, Required: true, Autocomplete: "off"}, Rows: "5"}.View(),
		ui.Field{Name: "note", Label: t.Note, Hint: t.NoteHint, Value: in.Get("note"), Error: in.Errors["note"],
			Optional: true, Autocomplete: "off", MaxLength: "255"}.View(),
	}
	return web.Render(c, in.Status, views.ToolFormPage(c.Page(t.Add), f))
}

// mostMistakes is how many mistakes in lines a form shows at once.
const mostMistakes = 10

// entryProblems are the mistakes of the form; those of values name their lines.
func entryProblems(t text.CardRules, in web.Input) (out ui.Problems) {
	if in.Refused == nil {
		return out
	}
	out.Title = t.AddProblems
	_, numbers := entryLines(in.Get("values"))
	lines := 0
	for _, one := range in.Problems.List {
		if n, err := strconv.Atoi(strings.TrimPrefix(one.Field, "values.")); err == nil && n < len(numbers) {
			one = ui.Problem{Field: "values", Text: t.Line(numbers[n], one.Text)}
			if lines++; lines > mostMistakes {
				continue
			}
		}
		out.List = append(out.List, one)
	}
	if lines > mostMistakes {
		out.List = append(out.List, ui.Problem{Field: "values", Text: t.MoreMistakes(lines - mostMistakes)})
	}
	return out
}

// askEntryRemoval asks whether to remove the entries that were selected; it changes nothing.
func (p *Pages) askEntryRemoval(c *web.Request, m merchant.Merchant, form url.Values) (web.Done, error) {
	t, back := c.Text().CardRules, web.LocalPath(c.QueryParam("return"))
	chosen, err := p.CardRules.Chosen(c.Ctx(), c.Actor(), m.ID, form["id"])
	if err != nil || len(chosen) == 0 {
		return web.Done{To: back, Toast: ui.Toast{Tone: ui.Warning, Text: t.RemoveNone}}, err
	}
	f := views.CardRuleRemoval{Back: back,
		Action: web.WithQuery(web.MerchantAt(m.ID, entriesEnd+"/remove"), url.Values{"return": {back}})}
	for _, e := range chosen {
		f.Entries = append(f.Entries, shownEntry(c.Text(), e))
	}
	return web.Done{Page: func(*web.Request) error {
		return web.Render(c, http.StatusOK, views.CardRuleRemovalPage(c.Page(t.Remove), f))
	}}, nil
}

// removeEntries removes entries. Sent again, it finds them gone.
func (p *Pages) removeEntries(c *web.Request, m merchant.Merchant, form url.Values) (web.Done, error) {
	removed, err := p.CardRules.RemoveAll(c.Ctx(), c.Actor(), m.ID, form["id"])
	t := c.Text().CardRules
	done, err := web.Saved(web.LocalPath(c.QueryParam("return")), t.Removed(len(removed)), err)
	if len(removed) == 0 {
		done.Toast = ui.Toast{Tone: ui.Info, Text: t.RemovedBefore}
	}
	return done, err
}
