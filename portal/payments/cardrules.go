package payments

import (
	"net/http"
	"net/url"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// Ends of the addresses of what is done with the card of a charge.
const (
	blockCardEnd  = "/card/block"
	allowCardEnd  = "/card/allow"
	unlistCardEnd = "/card/unlist"
)

func (p *Pages) cardActRoutes() []web.Route {
	one := web.ChargesPath + "/:id"
	return slices.Concat(p.listCardForm(rule.Block).Routes(one+blockCardEnd, authz.CardRuleManage),
		p.listCardForm(rule.Allow).Routes(one+allowCardEnd, authz.CardRuleManage),
		p.unlistCardForm().Routes(one+unlistCardEnd, authz.CardRuleManage))
}

// unlistEntry is the parameter with the id of the entry to remove. Another entry that was added for the card since
// stays.
const unlistEntry = "entry"

func unlistPath(of string, entry string) string {
	return web.WithQuery(of+unlistCardEnd, url.Values{unlistEntry: {entry}})
}

// cardRulesPart is the list that the card of a charge is on, and what the visitor can do about it.
func (p *Pages) cardRulesPart(c *web.Request, of chargePage) ([]views.Part, error) {
	if of.charge.Type != charge.Card || !c.May(authz.CardRuleRead) {
		return nil, nil
	}
	entry, err := p.CardRules.OfCard(c.Ctx(), c.Actor(), of.charge.MerchantID, of.charge.ID)
	if err != nil {
		return nil, err
	}
	t, at := c.Text().CardRules, web.ChargesPath+"/"+of.charge.ID.String()
	view := views.CardOnLists{Words: t.OnNone}
	button := func(label, to string, icon ui.IconName) {
		if c.May(authz.CardRuleManage) {
			view.Buttons = append(view.Buttons, ui.Button{Label: label, Href: to, Dialog: true, Icon: icon,
				Variant: ui.Outline, Size: "sm"})
		}
	}
	if entry == nil {
		button(t.BlockCard, at+blockCardEnd, ui.IconVoid)
		button(t.AllowCard, at+allowCardEnd, ui.IconTick)
	} else {
		view.Words, view.Tone = t.OnLists[string(entry.List)], views.CardRuleEntryTone(string(entry.List))
		view.Note = web.Deref(entry.Note)
		button(t.Unlist, unlistPath(at, entry.ID.String()), ui.IconRemove)
	}
	card := ui.Card{Title: t.Card}
	if to := web.MerchantTab(of.places, of.merchant.ID, web.CardRulesEnd[1:]); to != "" {
		card.Link, card.Href = t.ToRules, to
	}
	return []views.Part{{Card: card, Body: view.View()}}, nil
}

// blockedWords says which rule blocked a charge; "" if none did.
func blockedWords(t *text.Catalogue, one charge.Charge) string {
	if one.Failure == nil || one.Failure.Rule == "" {
		return ""
	}
	return t.CardRules.BlockedText(web.RuleName(t, one.Failure.Rule))
}

// cardOf is a card charge with the words for its card.
func (p *Pages) cardOf(c *web.Request) (one charge.Charge, card, at string, err error) {
	one, err = p.charge(c)
	card, _ = web.MethodOf(c.Text(), one.Summary())
	return one, card, web.ChargesPath + "/" + one.ID.String(), err
}

// listCardForm asks whether to put the card of a charge on a list.
func (p *Pages) listCardForm(list rule.List) web.Form[views.ActForm] {
	return web.Form[views.ActForm]{Draw: drawAct, Once: true, Title: notDone, Status: http.StatusUnprocessableEntity,
		Inputs: map[string]string{"values": "", "values.0": ""},
		Load: func(c *web.Request) (views.ActForm, error) {
			_, card, at, err := p.cardOf(c)
			t := c.Text().CardRules
			f := views.ActForm{Title: t.BlockCard, Text: t.BlockText(card), Action: at + blockCardEnd, Back: at,
				Once: web.NewOnce(), Press: t.BlockCard, Destructive: true,
				Field: ui.Field{Name: "note", Label: t.Note, Hint: t.NoteHint, Optional: true, MaxLength: "255",
					Autocomplete: "off"}}
			if list == rule.Allow {
				f.Title, f.Press, f.Destructive = t.AllowCard, t.AllowCard, false
				f.Text, f.Action = t.AllowText(card), at+allowCardEnd
			}
			return f, err
		},
		Do: func(c *web.Request, f views.ActForm, in web.Input) (done web.Done, err error) {
			one, err := p.charge(c)
			if err != nil {
				return done, err
			}
			to, kind, t := string(list), string(rule.Card), c.Text().CardRules
			added, err := web.Settled(p.CardRules.Add(c.Ctx(), c.Actor(), one.MerchantID, rule.Additions{List: &to,
				Kind: &kind, Values: []string{one.ID.String()}, Note: web.TextOrNil(in.Get("note"))}, in.Claim))
			done, err = web.Saved(f.Back, t.Blocked, err)
			if list == rule.Allow {
				done.Toast.Text = t.Allowed
			}
			if len(added.Entries) == 1 {
				done.Toast.Undo = unlistPath(f.Back, added.Entries[0].ID.String())
			} else {
				done.Toast = ui.Toast{Tone: ui.Info, Text: t.ListedBefore[to]}
			}
			return done, err
		}}
}

// unlistCardForm asks whether to remove the card of a charge from its list: the entry that the address names. Sent
// again, it finds that done.
func (p *Pages) unlistCardForm() web.Form[views.ActForm] {
	return web.Form[views.ActForm]{Draw: drawAct, Title: notDone, Status: http.StatusUnprocessableEntity,
		Load: func(c *web.Request) (views.ActForm, error) {
			_, card, at, err := p.cardOf(c)
			t := c.Text().CardRules
			return views.ActForm{Title: t.Unlist, Text: t.UnlistText(card), Back: at, Press: t.Unlist,
				Action: unlistPath(at, c.QueryParam(unlistEntry))}, err
		},
		Do: func(c *web.Request, f views.ActForm, _ web.Input) (done web.Done, err error) {
			one, err := p.charge(c)
			if err != nil {
				return done, err
			}
			var removed []rule.Entry
			entry, err := p.CardRules.OfCard(c.Ctx(), c.Actor(), one.MerchantID, one.ID)
			if err == nil && entry != nil && entry.ID.String() == c.QueryParam(unlistEntry) {
				removed, err = p.CardRules.RemoveAll(c.Ctx(), c.Actor(), one.MerchantID, []string{entry.ID.String()})
			}
			t := c.Text().CardRules
			done, err = web.Saved(f.Back, t.Unlisted, err)
			if len(removed) == 0 {
				done.Toast = ui.Toast{Tone: ui.Info, Text: t.UnlistedBefore}
			}
			return done, err
		}}
}
