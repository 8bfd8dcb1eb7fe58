package developers

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/requestlog"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

func (p *Pages) apiKeyRoutes() []web.Route {
	one := web.APIKeysPath + "/:id"
	return slices.Concat([]web.Route{
		web.Get(web.APIKeysPath, authz.KeyRead, p.keyList().Show).Grows(),
		web.Get(web.APIKeysPath+".csv", authz.ExportCreate, p.keyList().Send).Grows(),
		web.Get(one, authz.KeyRead, web.Show(p.keyPairOf, p.showKey)),
		web.Get(one+"/revoke", authz.KeyManage, web.Show(p.keyPairOf, showRevoke)),
		web.Post(one+"/revoke", authz.KeyManage, p.Fresh(web.Act(p.revokeKey))),
	}, p.FreshForm(p.newKeyForm().Routes(web.APIKeysPath+"/new", authz.KeyManage)),
		p.FreshForm(p.keyForm().Routes(one+"/edit", authz.KeyManage)),
		p.FreshForm(p.rollForm().Routes(one+"/roll", authz.KeyManage)))
}

// The requests of a key are shown by twelfths of the last hour.
const (
	useSlot  = 5 * time.Minute
	useSlots = 12
)

// uses counts the requests of some keys in the last hour; what is not logged, and who may not see it, has none.
func (p *Pages) uses(ctx context.Context, a authz.Actor, keys []apikey.Key) (map[ids.Key][]int64, error) {
	in := requestlog.UseInput{Slot: useSlot, Slots: useSlots}
	for _, k := range keys {
		if k.Kind != apikey.Public {
			in.Keys = append(in.Keys, k.ID)
		}
	}
	if len(in.Keys) == 0 {
		return nil, nil
	}
	return p.RequestLogs.Uses(ctx, a, in)
}

func total(of []int64) (n int64) {
	for _, one := range of {
		n += one
	}
	return n
}

func (p *Pages) keyList() web.List[apikey.Key, ids.Key] {
	return web.List[apikey.Key, ids.Key]{Path: web.APIKeysPath, Read: ids.ParseKey,
		Key: func(k apikey.Key) ids.Key { return k.ID },
		Find: func(c *web.Request, at page.Input[ids.Key]) (page.Of[apikey.Key], error) {
			query := c.QueryParams()
			return p.APIKeys.List(c.Ctx(), c.Actor(),
				apikey.ListInput{Page: at, Kinds: query["kind"], Statuses: query["status"]})
		},
		Draw:  p.drawKeys,
		Shown: func(t *text.Catalogue, n int) string { return t.Keys.Shown(n) },
		File:  "api-keys", Line: p.keyLine,
		Head: []string{"id", "name", "kind", "key", "status", "rights", "created_at", "expires_at", "last_used_at"}}
}

func (p *Pages) keyLine(c *web.Request, k apikey.Key) []string {
	rights := make([]string, 0, len(k.Rights))
	for _, r := range k.Rights {
		rights = append(rights, string(r))
	}
	if k.Kind == apikey.Secret {
		rights = []string{c.Text().Keys.Everything}
	}
	return []string{k.ID.String(), k.Name, string(k.Kind), k.Prefix + "…" + k.Last4, string(k.Status(p.Now())),
		strings.Join(rights, " "),
		web.StampAt(&k.CreatedAt), web.StampAt(k.ExpiresAt), web.StampAt(k.LastUsedAt)}
}

func (p *Pages) drawKeys(c *web.Request, keys page.Of[apikey.Key]) (list views.List, err error) {
	used, err := p.uses(c.Ctx(), c.Actor(), keys.Items)
	if err != nil {
		return list, err
	}
	t := c.Text()
	table := ui.Table{Caption: t.Keys.Title, Target: ui.ResultsID, Columns: []ui.Column{
		{Title: t.Keys.Key, Place: ui.PlaceLead}, {Title: t.Keys.Status, Place: ui.PlaceState}, {Title: t.Keys.May},
		{Title: t.Keys.LastUsed, Place: ui.PlaceTime, Right: true, Named: true}, {Title: t.Keys.LastHour, Right: true},
	}}
	for _, k := range keys.Items {
		table.Rows = append(table.Rows, p.keyRow(t, k, used))
	}
	list = views.List{Head: ui.Head{Title: t.Keys.Title, Text: t.Keys.Text}, Above: views.ToolTabs(developerTabs(c)),
		Table: table,
		Bar:   keyBar(t), Empty: ui.NothingYet(ui.IconKey, t.Keys.EmptyTitle, t.Keys.EmptyText)}
	if c.May(authz.KeyManage) {
		add := ui.Button{Label: t.Keys.New, Href: web.APIKeysPath + "/new", Icon: ui.IconPlus, Dialog: true}
		list.Buttons, list.Begin = []ui.Button{add}, []ui.Button{add}
	}
	return list, nil
}

func (p *Pages) keyRow(t *text.Catalogue, k apikey.Key, used map[ids.Key][]int64) ui.Row {
	hour := ui.Plain("–")
	if slots, counted := used[k.ID]; counted {
		hour = ui.Number(total(slots))
	}
	return ui.Row{Href: web.APIKeysPath + "/" + k.ID.String(), Label: k.Name, Cells: []templ.Component{
		ui.Two(k.Name, k.Prefix+"…"+k.Last4), p.keyStatus(t, k), ui.Plain(p.keyMay(t, k)),
		when(k.LastUsedAt, t.Keys.Never), hour}}
}

func keyBar(t *text.Catalogue) ui.FilterBar {
	statuses := []apikey.Status{apikey.Active, apikey.Replaced, apikey.Expired, apikey.Revoked}
	return ui.FilterBar{Filters: []ui.Filter{
		{Name: "kind", Label: t.Keys.Kind, Kind: ui.FilterMany, Options: optionsOf(t, apikey.Kinds(), kindOf)},
		{Name: "status", Label: t.Keys.Status, Kind: ui.FilterMany, Options: optionsOf(t, statuses, statusOfKey)}}}
}

// optionsOf are options with names that a function gives.
func optionsOf[T ~string](t *text.Catalogue, values []T, name func(*text.Catalogue, T) string) (out []ui.Option) {
	for _, v := range values {
		out = append(out, ui.Option{Value: string(v), Label: name(t, v)})
	}
	return out
}

// kindOf names a kind of keys.
func kindOf(t *text.Catalogue, k apikey.Kind) string {
	return map[apikey.Kind]string{apikey.Secret: t.Keys.Secret, apikey.Restricted: t.Keys.Restricted,
		apikey.Public: t.Keys.Public}[k]
}

func statusOfKey(t *text.Catalogue, s apikey.Status) string {
	return map[apikey.Status]string{apikey.Active: t.Keys.Active, apikey.Replaced: t.Keys.Replaced,
		apikey.Expired: t.Keys.Expired,
		apikey.Revoked: t.Keys.Revoked}[s]
}

func (p *Pages) keyStatus(t *text.Catalogue, k apikey.Key) templ.Component {
	s := k.Status(p.Now())
	tone := map[apikey.Status]ui.Tone{apikey.Active: ui.Success, apikey.Replaced: ui.Warning}[s]
	return ui.Status(cmp.Or(tone, ui.Neutral), statusOfKey(t, s))
}

// keyMay says in few words what a key may do.
func (p *Pages) keyMay(t *text.Catalogue, k apikey.Key) string {
	switch k.Kind {
	case apikey.Secret:
		return t.Keys.Everything
	case apikey.Public:
		return t.Keys.Pages + ", " + p.pagesOf(t, k)
	}
	words := t.Keys.RightCount(len(k.Rights))
	if len(k.Merchants) > 0 {
		words += ", " + t.Keys.MerchantCount(len(k.Merchants))
	}
	return words
}

// pagesOf says which pages may use a public key.
func (p *Pages) pagesOf(t *text.Catalogue, k apikey.Key) string {
	switch {
	case len(k.AllowedOrigins) > 0:
		return t.Keys.PageCount(len(k.AllowedOrigins))
	case k.MerchantDomains:
		return strings.ToLower(t.Keys.DomainPages)
	case p.Sandbox:
		return strings.ToLower(t.Keys.AnyPage)
	}
	return strings.ToLower(t.Keys.NoPage)
}

// rightsOf lists what a key may do, by resource.
func rightsOf(t *text.Catalogue, rights []authz.Right) (out []ui.Pair) {
	for _, r := range rights {
		resource, action, _ := strings.Cut(string(r), ":")
		words := t.Keys.Read
		if action == "write" {
			words = t.Keys.Write
		}
		if n := len(out); n > 0 && out[n-1].Key == t.Keys.Resources[resource] {
			out[n-1].Value = words
			continue
		}
		out = append(out, ui.Pair{Key: t.Keys.Resources[resource], Value: words})
	}
	return out
}
