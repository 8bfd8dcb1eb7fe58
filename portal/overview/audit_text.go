package overview

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/mailbox"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
)

// diff is what an entry keeps of a change: the members that differ. Of something new, was has none; of something that
// was removed, is has none.
type diff struct{ was, is map[string]json.RawMessage }

func diffOf(e audit.Entry) (d diff) {
	_ = json.Unmarshal(e.Before, &d.was) // was written by us; an older row may have other members
	_ = json.Unmarshal(e.After, &d.is)
	return d
}

func (d diff) created() bool { return len(d.was) == 0 && len(d.is) > 0 }
func (d diff) removed() bool { return len(d.was) > 0 && len(d.is) == 0 }

// set reports whether a member has a value since the change.
func (d diff) set(name string) bool { v, ok := d.is[name]; return ok && string(v) != "null" }

// changed reports whether one of the members differs.
func (d diff) changed(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return d.was[name] != nil || d.is[name] != nil })
}

// word is a member that is a text, as it is since the change.
func (d diff) word(name string) string {
	var out string
	_ = json.Unmarshal(d.is[name], &out)
	return out
}

// formerWord is a member that is a text, from before the change.
func (d diff) formerWord(name string) string { return diff{is: d.was}.word(name) }

// number is a member that is a number, as it is since the change.
func (d diff) number(name string) (out int) {
	_ = json.Unmarshal(d.is[name], &out)
	return out
}

// formerNumber is a member that is a number, from before the change.
func (d diff) formerNumber(name string) int { return diff{is: d.was}.number(name) }

// first is the key of the first act whose condition is true; the last has none.
func first(usual string, options ...any) string {
	for i := 0; i+1 < len(options); i += 2 {
		if options[i].(bool) {
			return options[i+1].(string)
		}
	}
	return usual
}

// auditActs name what was done with a permission, by what changed; a permission that is not here is an act itself.
var auditActs = map[authz.Permission]func(kind string, d diff) string{
	"account:change": func(_ string, d diff) string { return "account:" + d.word("change") },
	authz.ViewAs:     func(_ string, d diff) string { return first("view:start", d.removed(), "view:end") },
	authz.MerchantFeatures: func(_ string, d diff) string {
		return first("merchant:set_features", string(d.is["has_wallet_a"]) == "true", "merchant:wallet_on",
			string(d.is["has_wallet_a"]) == "false", "merchant:wallet_off",
			string(d.is["has_daf_provider"]) == "true", "merchant:daf_on", string(d.is["has_daf_provider"]) == "false",
			"merchant:daf_off")
	},
	authz.MerchantStatus: func(_ string, d diff) string { return "merchant:" + d.word("status") },
	authz.AssociationWrite: func(_ string, d diff) string {
		return first("association:install", len(d.was) > 0, "association:replace")
	},
	authz.DAFProviderManage: func(_ string, d diff) string {
		return first("daf_provider:connect", d.changed("credentials_set_at", "credentials_last4") && len(d.was) > 0,
			"daf_provider:credentials", d.changed("tested_at", "needs") && len(d.was) > 0, "daf_provider:test")
	},
	authz.MerchantBank: func(_ string, d diff) string { return first("bank:change", d.created(), "bank:add") },
	authz.DAFEnrollmentManage: func(kind string, _ diff) string {
		return first("enrollment:start", kind == "merchant", "enrollment:end")
	},
	authz.DonationUpdate: func(_ string, d diff) string {
		return first("donation:update", d.set("status"), "donation:status")
	},
	authz.CardRuleManage: func(_ string, d diff) string {
		return first("card_rule:manage", d.number("entries") > d.formerNumber("entries"), "card_rule:add",
			d.number("entries") < d.formerNumber("entries"), "card_rule:remove")
	},
	authz.FeeManage:        feeAct,
	authz.FeeWriteDAF:      feeAct,
	authz.FeeManageService: feeAct,
	authz.ProcessingManage: func(_ string, d diff) string {
		return first("processing:manage", string(d.is["processor_failover"]) == "true", "processing:failover_on",
			string(d.is["processor_failover"]) == "false", "processing:failover_off",
			d.set("business_type"), "processing:request", d.set("onboarding_page"), "processing:onboard", d.created(),
			"processing:connect",
			d.removed(), "processing:remove", d.word("status") == "active", "processing:enable",
			d.word("status") == "disabled",
			"processing:disable", d.changed("credentials_set_at", "credentials_last4"), "processing:credentials",
			d.changed("tested_at", "onboarding") && !d.changed("methods", "currencies", "priority"), "processing:test")
	},
	authz.KeyManage: func(_ string, d diff) string {
		return first("key:change", d.created(), "key:create", d.set("revoked_at"), "key:revoke", d.set("replaced_by"),
			"key:roll")
	},
	authz.WebhookManage: func(_ string, d diff) string {
		return first("endpoint:change", d.set("test"), "endpoint:test", d.created() &&
			d.set("since"), "endpoint:replay", d.created(), "endpoint:create",
			d.removed(), "endpoint:delete", d.word("status") == "canceled", "endpoint:replay_canceled",
			d.word("status") == "enabled", "endpoint:enabled",
			d.word("status") == "disabled", "endpoint:disabled")
	},
	authz.DisputeAnswer: func(_ string, d diff) string {
		answer := d.word("answer")
		return first("dispute:answer", strings.HasPrefix(answer, "evidence"), "dispute:submit",
			strings.HasPrefix(answer, "acceptance"), "dispute:accept",
			len(d.was)+len(d.is) > 0, "dispute:draft")
	},
	authz.TeamManage:       teamAct,
	authz.SystemUserManage: teamAct,
	authz.ExportCreate: func(kind string, _ diff) string {
		return first("export:create", kind == "download", "export:download")
	},
}

func feeAct(_ string, d diff) string {
	return first("fee:change", d.set("canceled_at") || d.word("status") == "canceled", "fee:cancel",
		d.word("status") == "scheduled", "fee:schedule")
}

func teamAct(kind string, d diff) string {
	return first("team:role", kind == "invitation" && d.created(), "team:invite", kind == "invitation", "team:withdraw",
		d.removed(), "team:remove")
}

// actWords say what an entry's actor did, with {} for what it was done with: of a change that is not known any more or
// not yet, which permission was used.
func actWords(t *text.Catalogue, e audit.Entry) string {
	if e.Outcome == audit.Denied {
		return t.Audit.NotAllowed(right(t, e.Permission))
	}
	key := string(e.Permission)
	if of := auditActs[e.Permission]; of != nil {
		key = of(e.SubjectKind, diffOf(e))
	}
	for _, one := range []string{key, string(e.Permission)} {
		if words, ok := t.Audit.Acts[one]; ok {
			return words
		}
	}
	return t.Audit.Used(right(t, e.Permission))
}

// thing is what an act was done with, by the name that it has now or that the entry keeps.
func thing(t *text.Catalogue, e audit.Entry, name audit.SubjectName) string {
	kind, known := t.Audit.Things[e.SubjectKind]
	if !known {
		return e.SubjectKind
	}
	d, words := diffOf(e), name.Name
	if name.Currency != "" {
		words = t.Amount(name.Amount)
	}
	for _, member := range []string{"name", "email", "url", "external_account"} {
		for _, kept := range []string{d.word(member), d.formerWord(member)} {
			if words == "" && e.Outcome == audit.Done {
				words = mailbox.Shown(kept)
			}
		}
	}
	if words == "" {
		return kind.Nameless
	}
	return fmt.Sprintf(kind.Named, words)
}

// did is an entry as a sentence without its actor, which leads to what it is about.
func did(t *text.Catalogue, e audit.Entry, name audit.SubjectName, at string) views.AuditAct {
	before, after, has := strings.Cut(actWords(t, e), "{}")
	out := views.AuditAct{Before: before, After: after}
	if has {
		out.Thing = thing(t, e, name)
		if name != (audit.SubjectName{}) { // else it is gone
			out.Href = at
		}
	}
	return out
}

// subjectPages are the lists of what entries of the audit log report; an object's own page is below, under its id.
var subjectPages = map[string]struct {
	list string
	may  authz.Permission
}{
	"charge":           {web.ChargesPath, authz.ChargeRead},
	"refund":           {web.RefundsPath, authz.RefundRead},
	"dispute":          {web.DisputesPath, authz.DisputeRead},
	"payout":           {web.PayoutsPath, authz.PayoutRead},
	"daf_donation":     {web.DonationsPath, authz.DonationRead},
	"merchant":         {web.MerchantsPath, authz.MerchantRead},
	"api_key":          {web.APIKeysPath, authz.KeyRead},
	"webhook_endpoint": {web.WebhooksPath, authz.WebhookRead},
	"event":            {web.EventsPath, authz.EventRead},
}

// merchantEnds are the tabs of a merchant where things are that have no page of their own.
var merchantEnds = map[string]struct {
	end string
	may authz.Permission
}{
	"fee_schedule": {web.FeesEnd, authz.FeeRead},
	"bank_account": {web.PayoutsEnd, authz.PayoutRead},
	"card_rules":   {web.CardRulesEnd, authz.CardRuleRead},

	"processor_account": {web.ProcessingEnd, authz.ProcessingRead},
}

// subjectPage is the page of the subject of an entry; "" if it has none, none yet, or none for the visitor. Pages of
// another application open only in that application.
func subjectPage(c *web.Request, e audit.Entry) string {
	if e.ApplicationID != 0 && e.ApplicationID != c.Actor().ApplicationID {
		return ""
	}
	if of, ok := merchantEnds[e.SubjectKind]; ok && e.MerchantID != nil && c.May(of.may) {
		return web.MerchantAt(*e.MerchantID, of.end)
	}
	if e.Permission == authz.ProcessingManage {
		return web.Among(c.Reachable(), web.ProcessingPath)
	}
	if of, ok := subjectPages[e.SubjectKind]; ok && e.SubjectID != "" && c.May(of.may) {
		return of.list + "/" + e.SubjectID
	}
	return ""
}
