package api

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/charge/rule"
	"svcpay/internal/ids"
)

func (a *API) cardRuleRoutes() []route {
	const of = "/api/merchants/:id/card_rules"
	return []route{
		{http.MethodGet, of, "", authz.CardRuleRead, constant, get(a.CardRules.Get)},
		{http.MethodPut, of, "", authz.CardRuleManage, constant, versioned(handleID(a.CardRules.Set))},
		{http.MethodPost, of + "/preview", "", authz.CardRuleRead, grows, asks(a.Charges.PreviewRules)},
		{http.MethodGet, of + "/entries", "", authz.CardRuleRead, grows, listsOf(cardRuleEntryList, a.CardRules.Entries)},
		{http.MethodPost, of + "/entries", "", authz.CardRuleManage, constant, handleID(a.CardRules.Add)},
		{http.MethodDelete, "/api/card_rule_entries/:id", "", authz.CardRuleManage, constant, erase(bare(a.CardRules.Remove))},
	}
}

func cardRuleEntryList(q *query) rule.EntriesInput {
	return rule.EntriesInput{Page: pageOf(q, ids.ParseCardRuleEntry),
		Lists: q.words("list", []string{string(rule.Allow), string(rule.Block)}), Kinds: q.words("kind", rule.Kinds())}
}
