package api

import (
	"context"
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
)

func (a *API) cardRuleRoutes() []route {
	const of = "/api/merchants/:id/card_rules"
	return []route{
		{http.MethodGet, of, "", authz.CardRuleRead, constant, get(ofMerchant(a.CardRules.Get))},
		{http.MethodPut, of, "", authz.CardRuleManage, constant, versioned(handleID(a.changeCardRules))},
		{http.MethodPost, of + "/preview", "", authz.CardRuleRead, grows, asks(a.previewCardRules)},
		{http.MethodGet, of + "/entries", "", authz.CardRuleRead, grows, listsOf(cardRuleEntryList, a.cardRuleEntries)},
		{http.MethodPost, of + "/entries", "", authz.CardRuleManage, constant, handleID(a.addCardRuleEntries)},
		{http.MethodDelete, "/api/card_rule_entries/:id", "", authz.CardRuleManage, constant, erase(a.removeCardRuleEntry)},
	}
}

func (a *API) changeCardRules(ctx context.Context, req *request, id string, in rule.Proposal,
	claim *idempotency.Claim) (reply, error) {
	in.IfVersion = req.ifVersion
	out, err := a.CardRules.Set(ctx, req.actor, positive(id), in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) previewCardRules(ctx context.Context, actor authz.Actor, id string,
	in rule.Proposal) (charge.RulePreview, error) {
	return a.Charges.PreviewRules(ctx, actor, positive(id), in)
}

func cardRuleEntryList(q *query) rule.EntriesInput {
	return rule.EntriesInput{Page: pageOf(q, ids.ParseCardRuleEntry),
		Lists: q.words("list", []string{string(rule.Allow), string(rule.Block)}), Kinds: q.words("kind", rule.Kinds())}
}

func (a *API) cardRuleEntries(ctx context.Context, actor authz.Actor, id string,
	in rule.EntriesInput) (page.Of[rule.Entry], error) {
	return a.CardRules.Entries(ctx, actor, positive(id), in)
}

func (a *API) addCardRuleEntries(ctx context.Context, req *request, id string, in rule.Additions,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.CardRules.Add(ctx, req.actor, positive(id), in, claim)
	return made(http.StatusOK, "", out), err
}

func (a *API) removeCardRuleEntry(ctx context.Context, req *request, id string,
	claim *idempotency.Claim) (reply, error) {
	out, err := a.CardRules.Remove(ctx, req.actor, id, claim)
	return made(http.StatusOK, "", out), err
}
