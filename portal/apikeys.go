package portal

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/requestlog"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const apiKeysPath = developersPath + "/keys"

func (p *Portal) apiKeyRoutes() []route {
	one := apiKeysPath + "/:id"
	return []route{
		{http.MethodGet, apiKeysPath, access(authz.KeyRead), p.showKeys},
		{http.MethodGet, apiKeysPath + ".csv", access(authz.ExportCreate), p.sendKeys},
		{http.MethodGet, apiKeysPath + "/new", access(authz.KeyManage), p.showNewKey},
		{http.MethodPost, apiKeysPath + "/new", access(authz.KeyManage), p.fresh(p.makeKey)},
		{http.MethodGet, one, access(authz.KeyRead), p.showKey},
		{http.MethodGet, one + "/edit", access(authz.KeyManage), p.showKeyEdit},
		{http.MethodPost, one + "/edit", access(authz.KeyManage), p.fresh(p.editKey)},
		{http.MethodGet, one + "/roll", access(authz.KeyManage), p.showRoll},
		{http.MethodPost, one + "/roll", access(authz.KeyManage), p.fresh(p.rollKey)},
		{http.MethodGet, one + "/revoke", access(authz.KeyManage), p.showRevoke},
		{http.MethodPost, one + "/revoke", access(authz.KeyManage), p.fresh(p.revokeKey)},
	}
}

// The requests of a key are shown by twelfths of the last hour.
const (
	useSlot  = 5 * time.Minute
	useSlots = 12
)

// uses counts the requests of some keys in the last hour; what is not logged, and who may not see it, has none.
func (p *Portal) uses(ctx context.Context, a authz.Actor, keys []identity.Key) (map[ids.Key][]int64, error) {
	in := requestlog.UseInput{Slot: useSlot, Slots: useSlots}
	for _, k := range keys {
		if k.Kind != identity.PublicKey {
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

func (p *Portal) keyInput(query url.Values) identity.KeyListInput {
	return identity.KeyListInput{Page: cursors(query, ids.ParseKey), Kinds: query["kind"], Statuses: query["status"]}
}

func (p *Portal) showKeys(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(apiKeysPath, query); untidy {
		return seeOther(c, to)
	}
	ctx, a, t := c.Request().Context(), actor(c), say(c)
	keys, err := p.Identity.ListKeys(ctx, a, p.keyInput(query))
	if err != nil {
		return err
	}
	used, err := p.uses(ctx, a, keys.Items)
	if err != nil {
		return err
	}
	table := ui.Table{Caption: t.Keys.Title, Target: ui.ResultsID, Columns: []ui.Column{
		{Title: t.Keys.Key, Place: ui.PlaceLead}, {Title: t.Keys.Status, Place: ui.PlaceState}, {Title: t.Keys.May}, {Title: t.Keys.LastUsed, Place: ui.PlaceTime, Right: true},
		{Title: t.Keys.LastHour, Right: true},
	}}
	for _, k := range keys.Items {
		table.Rows = append(table.Rows, p.keyRow(t, k, used))
	}
	list := views.List{Head: ui.Head{Title: t.Keys.Title, Text: t.Keys.Text}, Above: views.ToolTabs(p.developerTabs(c)), Table: table,
		Bar: p.keyBar(c, query), Empty: ui.NothingYet(ui.IconKey, t.Keys.EmptyTitle, t.Keys.EmptyText),
		Pager: pagerOf(apiKeysPath, query, keys, func(k identity.Key) string { return k.ID.String() }, t.Keys.Shown(len(keys.Items)))}
	if p.may(c, authz.KeyManage) {
		add := ui.Button{Label: t.Keys.New, Href: apiKeysPath + "/new", Icon: ui.IconPlus, Dialog: true}
		list.Buttons, list.Begin = []ui.Button{add}, []ui.Button{add}
	}
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Keys.Title), list))
}

func (p *Portal) keyRow(t *text.Catalogue, k identity.Key, used map[ids.Key][]int64) ui.Row {
	last, hour := ui.Plain(t.Keys.Never), ui.Plain("–")
	if k.LastUsedAt != nil {
		last = ui.Time(k.LastUsedAt.Time)
	}
	if slots, counted := used[k.ID]; counted {
		hour = ui.Number(total(slots))
	}
	return ui.Row{Href: apiKeysPath + "/" + k.ID.String(), Label: k.Name, Cells: []templ.Component{
		ui.Two(k.Name, k.Prefix+"…"+k.Last4), p.keyStatus(t, k), ui.Plain(p.keyMay(t, k)), last, hour}}
}

func (p *Portal) keyBar(c echo.Context, query url.Values) ui.FilterBar {
	t := say(c)
	kinds := ui.Filter{Name: "kind", Label: t.Keys.Kind, Kind: ui.FilterMany}
	for _, k := range identity.KeyKinds() {
		kinds.Options = append(kinds.Options, ui.Option{Value: string(k), Label: kindOf(t, k)})
	}
	statuses := ui.Filter{Name: "status", Label: t.Keys.Status, Kind: ui.FilterMany}
	for _, s := range []identity.KeyStatus{identity.KeyActive, identity.KeyReplaced, identity.KeyExpired, identity.KeyRevoked} {
		statuses.Options = append(statuses.Options, ui.Option{Value: string(s), Label: statusOfKey(t, s)})
	}
	return ui.FilterBar{Path: apiKeysPath, Query: query, Target: ui.ResultsID, Filters: []ui.Filter{kinds, statuses}, Export: p.exported(c, apiKeysPath+".csv")}
}

func (p *Portal) sendKeys(c echo.Context) error {
	ctx, a, t, in := c.Request().Context(), actor(c), say(c), p.keyInput(c.QueryParams())
	head := []string{"id", "name", "kind", "key", "status", "rights", "created_at", "expires_at", "last_used_at"}
	return sheet(c, "api-keys", head, func(write func(...string) error) error {
		return everyPage(in.Page, func(of page.Input[ids.Key]) (page.Of[identity.Key], error) {
			in.Page = of
			return p.Identity.ListKeys(ctx, a, in)
		}, func(k identity.Key) ids.Key { return k.ID }, func(k identity.Key) error {
			rights := make([]string, 0, len(k.Rights))
			for _, r := range k.Rights {
				rights = append(rights, string(r))
			}
			if k.Kind == identity.SecretKey {
				rights = []string{t.Keys.Everything}
			}
			return write(k.ID.String(), k.Name, string(k.Kind), k.Prefix+"…"+k.Last4, string(k.Status(p.Now())), strings.Join(rights, " "),
				stampAt(&k.CreatedAt), stampAt(k.ExpiresAt), stampAt(k.LastUsedAt))
		})
	})
}

// kindOf names a kind of keys.
func kindOf(t *text.Catalogue, k identity.KeyKind) string {
	return map[identity.KeyKind]string{identity.SecretKey: t.Keys.Secret, identity.RestrictedKey: t.Keys.Restricted, identity.PublicKey: t.Keys.Public}[k]
}

func statusOfKey(t *text.Catalogue, s identity.KeyStatus) string {
	return map[identity.KeyStatus]string{identity.KeyActive: t.Keys.Active, identity.KeyReplaced: t.Keys.Replaced, identity.KeyExpired: t.Keys.Expired,
		identity.KeyRevoked: t.Keys.Revoked}[s]
}

func (p *Portal) keyStatus(t *text.Catalogue, k identity.Key) templ.Component {
	s := k.Status(p.Now())
	tone := map[identity.KeyStatus]ui.Tone{identity.KeyActive: ui.Success, identity.KeyReplaced: ui.Warning}[s]
	return ui.Status(cmp.Or(tone, ui.Neutral), statusOfKey(t, s))
}

// keyMay says in few words what a key may do.
func (p *Portal) keyMay(t *text.Catalogue, k identity.Key) string {
	switch k.Kind {
	case identity.SecretKey:
		return t.Keys.Everything
	case identity.PublicKey:
		return t.Keys.Pages + ", " + p.pagesOf(t, k)
	}
	words := t.Keys.RightCount(len(k.Rights))
	if len(k.Merchants) > 0 {
		words += ", " + t.Keys.MerchantCount(len(k.Merchants))
	}
	return words
}

// pagesOf says which pages may use a public key.
func (p *Portal) pagesOf(t *text.Catalogue, k identity.Key) string {
	switch {
	case len(k.AllowedOrigins) > 0:
		return t.Keys.PageCount(len(k.AllowedOrigins))
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
