package developers

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

// libraryVersion is the version of the library that the quick start shows.
const libraryVersion = "3.2"

// publicKeys are those that work, the newest first.
func (p *Pages) publicKeys(c *web.Request) ([]apikey.Key, error) {
	of, err := p.APIKeys.List(c.Ctx(), c.Actor(), apikey.ListInput{Page: page.Input[ids.Key]{Limit: web.RowsPerPage},
		Kinds: []string{string(apikey.Public)}, Statuses: []string{string(apikey.Active), string(apikey.Replaced)}})
	return of.Items, err
}

// servesHere reports whether a public key may be used on a page of the portal.
func (p *Pages) servesHere(k apikey.Key) bool {
	pages := apikey.Pages{AllowedOrigins: k.AllowedOrigins, MerchantDomains: k.MerchantDomains}
	return pages.Allow(p.BaseURL, !p.Sandbox)
}

func (p *Pages) showStart(c *web.Request) error {
	keys, err := p.publicKeys(c)
	if err != nil {
		return err
	}
	of, err := p.Payees(c) // with the one that the address names
	if err != nil {
		return err
	}
	t := c.Text()
	view := views.Start{Tabs: developerTabs(c), At: web.StartPath, Library: p.PayURL + "/" + libraryVersion +
		"/svcpay.js", TestCard: p.Sandbox}
	chosen := p.chosenKey(c, keys)
	view.Keys = ui.Select{Field: ui.Field{Name: "key", Label: t.Start.Key}}
	for _, k := range keys {
		view.Keys.Options = append(view.Keys.Options, ui.Option{Value: k.ID.String(), Label: k.Name + " …" + k.Last4})
	}
	view.Merchants, view.MerchantID = merchantSelect(c, of)
	if chosen != nil {
		view.Keys.Value, view.Key = chosen.ID.String(), *chosen.PublicValue
		view.Snippet, view.Command = p.startCode(c, view)
	}
	if view.Notice = p.startNotice(c, chosen, view.MerchantID); view.Notice == nil {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", h.Get("Content-Security-Policy")+"; frame-src "+p.PayURL)
	}
	return web.Render(c, http.StatusOK, views.StartPage(c.Page(t.Start.Title), view))
}

// merchantSelect offers the merchants, and is the one that is chosen: the one that the address names, else the first.
func merchantSelect(c *web.Request, of web.Payees) (out ui.Select, chosen string) {
	asked := c.QueryParam("merchant")
	out = ui.Select{Field: ui.Field{Name: "merchant", Label: c.Text().Start.Merchant, Value: asked}}
	for _, m := range of.First {
		out.Options = append(out.Options, ui.Option{Value: web.Whole(m.ID), Label: m.Name})
	}
	offers := func(o ui.Option) bool { return o.Value == asked }
	if n, _ := web.Number(asked); of.More && !slices.ContainsFunc(out.Options, offers) && of.Names[n] != "" {
		out.Options = append(out.Options, ui.Option{Value: asked, Label: of.Names[n]})
	}
	if slices.ContainsFunc(out.Options, offers) {
		return out, asked
	}
	if len(out.Options) > 0 {
		chosen = out.Options[0].Value
	}
	return out, chosen
}

// chosenKey is the key that the address names, else the first that may be used here, else the first.
func (p *Pages) chosenKey(c *web.Request, keys []apikey.Key) *apikey.Key {
	for _, fits := range []func(apikey.Key) bool{
		func(k apikey.Key) bool { return k.ID.String() == c.QueryParam("key") }, p.servesHere,
		func(apikey.Key) bool { return true }} {
		if i := slices.IndexFunc(keys, fits); i >= 0 {
			return &keys[i]
		}
	}
	return nil
}

// startNotice says why there is no field; nil if there is one.
func (p *Pages) startNotice(c *web.Request, k *apikey.Key, merchantID string) templ.Component {
	t, manages := c.Text().Start, c.May(authz.KeyManage)
	var acts []templ.Component
	switch {
	case k == nil:
		if manages {
			acts = append(acts, ui.Button{Label: t.MakeKey, Href: web.APIKeysPath + "/new?kind=public", Size: "sm",
				Variant: ui.Outline}.View())
		}
		return views.BannerWith(ui.Banner{Tone: ui.Info, Title: t.NoKey, Text: t.NoKeyText}, acts...)
	case merchantID == "":
		return ui.Banner{Tone: ui.Info, Title: t.NoMerchant, Text: t.NoMerchantText}.View()
	case !p.servesHere(*k):
		if manages {
			acts = append(acts, ui.Button{Label: t.AddOrigin, Href: web.APIKeysPath + "/" + k.ID.String() + "/edit",
				Size: "sm", Variant: ui.Outline, Dialog: true}.View(),
				ui.Button{Label: t.MakeKey, Href: web.APIKeysPath + "/new?kind=public", Size: "sm",
					Variant: ui.Outline}.View())
		}
		return views.BannerWith(ui.Banner{Tone: ui.Warning, Title: t.Elsewhere, Text: t.ElsewhereText + p.BaseURL},
			acts...)
	}
	return nil
}

// startCode is what goes into a page, and what a server sends.
func (p *Pages) startCode(c *web.Request, v views.Start) (snippet, command string) {
	snippet = strings.Join([]string{`<div id="card"></div>`, `<script src="` + v.Library + `"></script>`,
		`<script type="module">`, fmt.Sprintf("  const pay = new SvcPay('%s', %s);", v.Key, v.MerchantID),
		"  if (!(await pay.canMakePayments())) throw pay.lastError;",
		"  const field = pay.createField('card');", "  field.mount('#card');", "  // when your form is submitted:",
		"  const { token, error } = await pay.createToken(field,",
		"    { first_name: 'Dana', last_name: 'Reed' });", "</script>"}, "\n")
	command = strings.Join([]string{"curl " + p.BaseURL + "/api/charges \\", "  -H 'X-API-Key: sk_…' \\",
		fmt.Sprintf("  -H 'X-App-ID: %d' \\", c.Actor().ApplicationID),
		"  -H 'Idempotency-Key: gift-1' \\", "  -H 'Content-Type: application/json' \\",
		fmt.Sprintf(`  -d '{"merchant_id": %s, "amount": 1200, "token": "tok_…"}'`, v.MerchantID)}, "\n")
	return snippet, command
}
