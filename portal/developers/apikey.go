package developers

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/a-h/templ"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

// keyPair is a key with the one that it took the place of, or that took its place, if both are to be watched.
type keyPair struct {
	apikey.Key
	other *apikey.Key
	old   bool // it is the old one of the two
	used  map[ids.Key][]int64
}

// keyPairOf reads the key that the address names.
func (p *Pages) keyPairOf(c *web.Request) (out keyPair, err error) {
	ctx, a := c.Ctx(), c.Actor()
	if out.Key, err = p.APIKeys.Get(ctx, a, c.Param("id")); err != nil {
		return out, err
	}
	if out.ReplacedBy != nil {
		next, err := p.APIKeys.Get(ctx, a, out.ReplacedBy.String())
		if err != nil {
			return out, err
		}
		out.other, out.old = &next, true
	} else if before, found, err := p.APIKeys.Before(ctx, a, out.ID); err != nil {
		return out, err
	} else if found {
		out.other = &before
	}
	all := []apikey.Key{out.Key}
	if out.other != nil {
		all = append(all, *out.other)
	}
	out.used, err = p.uses(ctx, a, all)
	return out, err
}

func (p *Pages) showKey(c *web.Request, k keyPair) error {
	facts, err := p.keyFacts(c, k)
	if err != nil {
		return err
	}
	t := c.Text()
	view := views.Tool{Tabs: developerTabs(c), Acts: p.keyActs(c, k.Key), Above: []templ.Component{p.rollBanner(c, k)},
		Head: ui.Head{Title: k.Name, Text: kindOf(t, k.Kind), Aside: p.keyStatus(t, k.Key),
			Crumbs: toolCrumbs(t, t.Keys.Title, web.APIKeysPath)},
		Main: []views.ToolPanel{p.usePanel(c, k)}, Side: []views.ToolPanel{facts}}
	switch k.Kind {
	case apikey.Restricted:
		view.Main = append(view.Main,
			views.ToolPanel{Card: ui.Card{Title: t.Keys.Rights}, Body: ui.KeyValue(rightsOf(t, k.Rights))})
	case apikey.Public:
		view.Main = append([]views.ToolPanel{
			{Card: ui.Card{Title: t.Keys.Key, Text: t.Keys.PublicText}, Body: ui.Code(t.Keys.Key, *k.PublicValue)}},
			view.Main...)
	}
	return web.Render(c, http.StatusOK, views.ToolPage(c.Page(k.Name), view))
}

// keyActs are what can be done with a key.
func (p *Pages) keyActs(c *web.Request, k apikey.Key) (out []templ.Component) {
	at, t := web.APIKeysPath+"/"+k.ID.String(), c.Text().Keys
	works := k.Status(p.Now())
	if !c.May(authz.KeyManage) || works == apikey.Revoked || works == apikey.Expired {
		return nil
	}
	out = append(out, ui.Button{Label: t.Edit, Href: at + "/edit", Variant: ui.Outline, Icon: ui.IconEdit,
		Dialog: true}.View(),
		ui.Button{Label: t.Revoke, Href: at + "/revoke", Variant: ui.Outline, Icon: ui.IconVoid, Dialog: true}.View())
	if works == apikey.Active {
		out = append(out, ui.Button{Label: t.Roll, Href: at + "/roll", Icon: ui.IconReload, Dialog: true}.View())
	}
	return out
}

// rollBanner says how far a roll has come, as long as both keys work; nil if none is in progress.
func (p *Pages) rollBanner(c *web.Request, k keyPair) templ.Component {
	t, now := c.Text(), p.Now()
	old := k.Key
	if !k.old && k.other != nil {
		old = *k.other
	}
	if k.other == nil || old.Status(now) != apikey.Replaced {
		return nil
	}
	b := ui.Banner{Tone: ui.Info, Title: t.Keys.RollsFrom(old.Name + " …" + old.Last4)}
	if k.old {
		b.Title = t.Keys.RolledTitle(c.Viewer().Time(old.ExpiresAt.Time))
	}
	b.Text = t.Keys.RollsText
	if slots, counted := k.used[old.ID]; counted {
		if n := total(slots); n > 0 {
			b.Tone, b.Text = ui.Warning, t.Keys.RolledUsed(t.Keys.RequestCount(n))
		} else {
			b.Tone, b.Text = ui.Success, t.Keys.RolledFree
		}
	}
	acts := []templ.Component{
		ui.Button{Label: t.Keys.NewKey, Href: web.APIKeysPath + "/" + k.other.ID.String(), Variant: ui.Outline,
			Size: "sm"}.View()}
	if !k.old {
		acts = []templ.Component{
			ui.Button{Label: t.Keys.OldKey, Href: web.APIKeysPath + "/" + old.ID.String(), Variant: ui.Outline,
				Size: "sm"}.View()}
	}
	if c.May(authz.KeyManage) {
		acts = append(acts,
			ui.Button{Label: t.Keys.RevokeTitleOld, Href: web.APIKeysPath + "/" + old.ID.String() + "/revoke",
				Variant: ui.Outline, Size: "sm", Dialog: true}.View())
	}
	return views.BannerWith(b, acts...)
}

// usePanel shows the requests of the last hour, of both keys while both are to be watched.
func (p *Pages) usePanel(c *web.Request, k keyPair) views.ToolPanel {
	t := c.Text()
	out := views.ToolPanel{
		Card: ui.Card{Title: t.Keys.Use, Text: t.Keys.UseText, Link: t.Keys.AllRequests,
			Href: web.LogsPath + "?key=" + k.ID.String()}}
	slots, counted := k.used[k.ID]
	if !counted {
		out.Card.Text, out.Card.Href = "", ""
		out.Body = views.Stacked(ui.Facts([]ui.Fact{{Key: t.Keys.LastUsed, Value: when(k.LastUsedAt, t.Keys.Never)}}),
			views.Paragraph(t.Keys.UsePublic))
		return out
	}
	write := func(n int64) string { return t.Keys.RequestCount(n) }
	chart := ui.Chart{ID: "use", Title: t.Keys.Use, Bars: true, Across: t.Keys.Time, Labels: p.slotLabels(c),
		Write: write, Short: t.Short,
		Series: []ui.Series{{Name: t.Keys.ThisKey, Values: slots}}}
	if k.other != nil {
		this, that := ui.Series{Name: t.Keys.NewKey, Values: slots}, ui.Series{Name: t.Keys.OldKey,
			Values: k.used[k.other.ID], Before: true}
		if k.old {
			this, that = ui.Series{Name: t.Keys.NewKey, Values: k.used[k.other.ID]}, ui.Series{Name: t.Keys.OldKey,
				Values: slots, Before: true}
		}
		chart.Series = []ui.Series{this, that}
		out.Body = views.Stacked(
			views.KeyUses([]views.KeyUse{{Name: this.Name, Requests: total(this.Values)},
				{Name: that.Name, Requests: total(that.Values)}}), chart.View())
		return out
	}
	out.Body = views.Stacked(views.KeyUses([]views.KeyUse{{Name: t.Developers.Requests, Requests: total(slots)}}),
		chart.View())
	return out
}

// slotLabels are the ends of the slots, on the viewer's clock.
func (p *Pages) slotLabels(c *web.Request) []string {
	v := c.Viewer()
	out := make([]string, useSlots)
	for i := range out {
		out[i] = v.Text.Format.Clock(p.Now().Add(-time.Duration(useSlots-1-i) * useSlot).In(v.Zone))
	}
	return out
}

// keyFacts are the facts about a key. Where it was used from is for who may see contents.
func (p *Pages) keyFacts(c *web.Request, k keyPair) (views.ToolPanel, error) {
	t := c.Text()
	facts := []ui.Fact{{Key: t.Keys.Begins, Value: ui.Mono(k.Prefix + "…" + k.Last4)},
		{Key: t.Keys.ID, Value: ui.Copied(t.Keys.ID, k.ID.String())},
		{Key: t.Keys.Created, Value: ui.Time(k.CreatedAt.Time)},
		{Key: t.Keys.Expires, Value: when(k.ExpiresAt, t.Keys.Never)}}
	last := when(k.LastUsedAt, t.Keys.Never)
	if k.LastUsedIP != nil && !withheld(c) {
		last = views.Stacked(last, ui.Mono(k.LastUsedIP.String()))
	}
	facts = append(facts, ui.Fact{Key: t.Keys.LastUsed, Value: last})
	switch k.Kind {
	case apikey.Public:
		pages := ui.Plain(t.Keys.NoPage)
		if p.Sandbox {
			pages = ui.Plain(t.Keys.AnyPage)
		}
		if k.MerchantDomains {
			pages = ui.Plain(t.Keys.DomainPages)
		}
		facts = append(facts, ui.Fact{Key: t.Keys.Origins, Value: orCodes(k.AllowedOrigins, pages)})
		if k.MerchantDomains && len(k.AllowedOrigins) > 0 {
			facts = append(facts, ui.Fact{Key: t.Keys.AlsoOn, Value: pages})
		}
		if k.MerchantDomains || len(k.AllowedOrigins) > 0 {
			facts = append(facts, ui.Fact{Key: t.Keys.Embedding, Value: ui.Plain(embeddingOf(t, k.AnyAncestor))})
		}
	case apikey.Restricted:
		held := t.Keys.AllOfThem
		if len(k.Merchants) > 0 {
			var err error
			if held, err = p.merchantsOf(c, k.Merchants); err != nil {
				return views.ToolPanel{}, err
			}
		}
		facts = append(facts, ui.Fact{Key: t.Keys.Merchants, Value: ui.Plain(held)},
			ui.Fact{Key: t.Keys.Addresses, Value: orCodes(networks(k.AllowedIPs), ui.Plain(t.Keys.Everywhere))})
	default:
		facts = append(facts, ui.Fact{Key: t.Keys.May, Value: ui.Plain(t.Keys.Everything)},
			ui.Fact{Key: t.Keys.Addresses, Value: orCodes(networks(k.AllowedIPs), ui.Plain(t.Keys.Everywhere))})
	}
	return views.ToolPanel{Card: ui.Card{Title: t.Keys.Details}, Body: ui.Facts(facts)}, nil
}

// orCodes lists pieces of code, or says what none of them means.
func orCodes(all []string, none templ.Component) templ.Component {
	if len(all) == 0 {
		return none
	}
	return views.Codes(all)
}

// networks writes addresses as people do: a single one without its length.
func networks(all []netip.Prefix) []string {
	out := make([]string, len(all))
	for i, n := range all {
		if out[i] = n.String(); n.IsSingleIP() {
			out[i] = n.Addr().String()
		}
	}
	return out
}
