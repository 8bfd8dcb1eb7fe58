package merchants

import (
	"net/http"
	"net/url"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/merchant"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const cardRulesAt = web.MerchantPath + web.CardRulesEnd

func (p *Pages) cardRuleRoutes() []web.Route {
	form := p.cardRuleForm()
	return slices.Concat([]web.Route{
		web.Get(cardRulesAt, authz.CardRuleRead, form.Show),
		web.Post(cardRulesAt, authz.CardRuleManage, form.Submit),
		web.Post(cardRulesAt+"/preview", authz.CardRuleRead, p.cardRulePreviewForm().Submit).Grows(),
	}, p.cardRuleEntryRoutes())
}

// merchantRules are a merchant and its rules.
type merchantRules struct {
	merchant.Merchant
	rules rule.Rules
	lists map[rule.List]int // how many entries each list has
}

func (p *Pages) merchantWithRules(c *web.Request) (out merchantRules, err error) {
	if out.Merchant, err = p.Merchant(c); err != nil {
		return out, err
	}
	if out.rules, err = p.CardRules.Get(c.Ctx(), c.Actor(), out.ID); err != nil {
		return out, err
	}
	out.lists, err = p.CardRules.CountEntries(c.Ctx(), c.Actor(), out.ID)
	return out, err
}

func (p *Pages) cardRuleForm() web.Form[merchantRules] {
	return web.Form[merchantRules]{Load: p.merchantWithRules, Inputs: cardRuleInputs,
		Title: func(t *text.Catalogue) string { return t.CardRules.Problems },
		Fill: func(_ *web.Request, m merchantRules) (url.Values, error) {
			return typedRules(m.rules.Settings), nil
		},
		Draw: func(c *web.Request, m merchantRules, in web.Input) error {
			return p.drawCardRules(c, m, in, nil)
		},
		Do: p.setCardRules}
}

// setCardRules saves the rules. Entries that were added to the lists since the form was drawn make a version too, but
// change no rule: they are no conflict.
func (p *Pages) setCardRules(c *web.Request, m merchantRules, in web.Input) (done web.Done, err error) {
	proposal, err := proposalOf(c.Text().CardRules, in.Values)
	if err != nil {
		return done, err
	}
	version := in.IfVersion()
	if version == nil {
		return done, web.ErrOnce
	}
	if now := seenRules(m.rules.Settings); in.Get("saw") == now || seenRules(proposal.Settings()) == now {
		*version = m.rules.Version
	}
	*version = max(*version, 1) // that of rules which were never set
	proposal.IfVersion = version
	_, err = p.CardRules.Set(c.Ctx(), c.Actor(), m.ID, proposal, nil)
	return web.Saved(web.MerchantAt(m.ID, web.CardRulesEnd), c.Text().CardRules.Saved, err)
}

// cardRulePreviewForm shows what the rules in the form would have blocked, and saves nothing.
func (p *Pages) cardRulePreviewForm() web.Form[merchantRules] {
	f := p.cardRuleForm()
	f.Title = nil
	f.Do = func(c *web.Request, m merchantRules, in web.Input) (done web.Done, err error) {
		proposal, err := proposalOf(c.Text().CardRules, in.Values)
		if err != nil {
			return done, err
		}
		found, err := p.Charges.PreviewRules(c.Ctx(), c.Actor(), m.ID, proposal)
		done.Page = func(*web.Request) error {
			in.Status = http.StatusOK
			return p.drawCardRules(c, m, in, cardRulePreview(c, found))
		}
		return done, err
	}
	return f
}

func (p *Pages) drawCardRules(c *web.Request, m merchantRules, in web.Input, preview *views.CardRulePreview) error {
	t, at := c.Text(), web.MerchantAt(m.ID, web.CardRulesEnd)
	view := views.CardRules{Preview: preview,
		Form: views.CardRuleForm{Look: at + "/preview", Typed: in.Values, Problems: in.Problems, Errors: in.Errors,
			Version: web.Whole(int64(m.rules.Version)), Saw: seenRules(m.rules.Settings),
			Currency: text.Code(m.Currency)}}
	if typed := in.Get(web.VersionField); typed != "" && !in.Changed() { // with a mistake, or with a preview
		view.Form.Version, view.Form.Saw = typed, in.Get("saw")
	}
	if in.Changed() {
		if proposal, err := proposalOf(t.CardRules, in.Values); err == nil {
			view.Form.Theirs = ruleEdits(t, m.rules.Settings, proposal.Settings())
		}
	}
	if c.May(authz.CardRuleManage) {
		view.Form.Action = at
	} else {
		view.Who = t.CardRules.ManagedBy(p.HolderNames(t, authz.CardRuleManage))
		view.Set = ruleWords(t, m.rules.Settings)
		view.Form.Typed = typedRules(m.rules.Settings)
	}
	for _, list := range []rule.List{rule.Block, rule.Allow} {
		view.Lists = append(view.Lists, ui.Task{Icon: listIcons[list], Text: t.CardRules.Lists[string(list)],
			Note: t.CardRules.Entries(m.lists[list]), Href: at + "/entries?list=" + string(list)})
	}
	return showTab(c, in.Status, m.Merchant, web.CardRulesEnd, views.CardRulesTab(view))
}

var listIcons = map[rule.List]ui.IconName{rule.Block: ui.IconVoid, rule.Allow: ui.IconTick}

// cardRulePreview is a preview as people see it. Examples lead to charges that the visitor may open.
func cardRulePreview(c *web.Request, found charge.RulePreview) *views.CardRulePreview {
	t, places := c.Text(), c.Reachable()
	count := func(name string, b charge.Blocked) views.CardRuleCount {
		return views.CardRuleCount{Rule: name, Count: b.Count, Amount: b.Amount, Approved: b.Approved,
			Declined: b.Declined, Disputed: b.Disputed, Refunded: b.Refunded}
	}
	out := &views.CardRulePreview{Payments: found.Charges, Part: !found.Complete,
		All: count(t.CardRules.All, found.Blocked)}
	for _, one := range found.Rules {
		out.Rules = append(out.Rules, count(web.RuleName(t, one.Rule), one.Blocked))
	}
	for _, one := range slices.Backward(found.Examples) { // the newest first
		out.Examples = append(out.Examples, views.CardRuleExample{Rule: web.RuleName(t, one.Rule), Amount: one.Amount,
			Href:    web.ObjectPage(places, web.ChargesPath, one.Charge.String()),
			State:   views.State{Tone: web.ChargeTones[one.Status], Word: t.Charges.Statuses[string(one.Status)]},
			Created: one.CreatedAt.Time})
	}
	return out
}
