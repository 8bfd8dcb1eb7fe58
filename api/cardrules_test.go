package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

var cardRuleResource = resource{
	shapes: map[string]any{
		"CardRules": rule.Rules{}, "CardRulesInput": rule.Proposal{}, "CardVelocity": rule.Window{},
		"CardVelocityInput": rule.WindowInput{},
		"CardRulesPreview":  charge.RulePreview{}, "BlockedPayments": charge.Blocked{},
		"BlockedByRule": charge.BlockedByRule{}, "BlockedExample": charge.BlockedExample{},
		"CardRuleEntry": rule.Entry{}, "CardRuleEntryList": list{}, "AddCardRuleEntries": rule.Additions{},
		"AddedCardRuleEntries": rule.Added{},
	},
	enums: map[string][]string{
		"CardRule": rule.Names(), "CardRuleEntryKind": rule.Kinds(),
		"CardRuleList": {string(rule.Allow), string(rule.Block)},
	},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/card_rule_entries/:id": func(t *testing.T, s *site) string {
			l, k := "block", "email"
			out, err := s.CardRules.Add(t.Context(), s.ActorOf(s.Other), s.Other.Merchants.US,
				rule.Additions{List: &l, Kind: &k,
					Values: []string{ids.NewCharge(s.Clock.Now()).String() + "@example.net"}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return out.Object.Entries[0].ID.String()
		},
	},
}

func TestCardRulesAreSetAndBlock(t *testing.T) {
	t.Parallel()
	s := open(t)
	path := ofUS(s, "/card_rules")
	if none := readAs[rule.Rules](t, s.get(t, path).want(t, 200, "")); none.Version != 0 || none.MinimumAmount != nil {
		t.Errorf("%+v", none)
	}
	body := `{"minimum_amount":500,"allowed_countries":["US","CA","US"],` +
		`"card_velocity":{"charges":2,"hours":24}}`
	set := readAs[rule.Rules](t, s.on(t, http.MethodPut, path, body, "").want(t, 200, ""))
	if *set.MinimumAmount != 500 || len(set.AllowedCountries) != 2 || set.Version != 2 || set.CVCMismatch {
		t.Errorf("%+v", set)
	}
	if same := readAs[rule.Rules](t, s.on(t, http.MethodPut, path, body, "").want(t, 200, "")); same.Version != 2 {
		t.Errorf("version %d", same.Version)
	}
	small := s.body(s.Token(good), "amount", "499")
	e := s.postKey(t, "small", small).want(t, 402, "blocked_by_rule").error()
	if e.Type != "card_error" || e.Param != "token" {
		t.Errorf("%+v", e)
	}
	again := s.postKey(t, "small", small).want(t, 402, "blocked_by_rule")
	if again.header.Get("Idempotent-Replayed") != "true" || strings.Contains(string(again.body), "minimum") {
		t.Errorf("%s", again.body)
	}
	c := readAs[charge.Charge](t, s.get(t, "/api/charges/"+e.ChargeID))
	if c.Failure.Rule != rule.MinimumAmount {
		t.Errorf("%+v", c.Failure)
	}
	preview := readAs[charge.RulePreview](t, s.on(t, http.MethodPost, path+"/preview", `{"minimum_amount":499}`, ""))
	if preview.Charges != 1 || preview.Blocked.Count != 0 || !preview.Complete {
		t.Errorf("%+v", preview)
	}
	preview = readAs[charge.RulePreview](t, s.on(t, http.MethodPost, path+"/preview", `{"minimum_amount":500}`, ""))
	if preview.Blocked.Count != 1 || preview.Blocked.Declined != 1 || preview.Blocked.Amount != 499 ||
		len(preview.Examples) != 1 || preview.Rules[0].Rule != rule.MinimumAmount {
		t.Errorf("%+v", preview)
	}
}

func TestCardRuleMistakesAreAllReported(t *testing.T) {
	t.Parallel()
	s := open(t)
	path := ofUS(s, "/card_rules")
	a := s.on(t, http.MethodPut, path, `{"minimum_amount":0,"blocked_countries":["us"],`+
		`"card_velocity":{"charges":0,"hours":169},"email_velocity":{"hours":-1}}`, "").want(t, 400,
		"validation_failed")
	for _, param := range []string{"minimum_amount", "blocked_countries", "card_velocity.charges",
		"card_velocity.hours", "email_velocity.hours"} {
		if !strings.Contains(string(a.body), `"`+param+`"`) {
			t.Errorf("%s is not among %s", param, a.body)
		}
	}
	a = s.on(t, http.MethodPost, path+"/entries", `{"list":"block","kind":"bin","values":["424242","12345","abcdef"]}`,
		"").want(t, 400, "validation_failed")
	if body := string(a.body); !strings.Contains(body, `"values.1"`) || !strings.Contains(body, `"values.2"`) ||
		strings.Contains(body, `"values.0"`) {
		t.Errorf("%s", body)
	}
}

func TestCardRuleEntries(t *testing.T) {
	t.Parallel()
	s := open(t)
	path := ofUS(s, "/card_rules/entries")
	add := func(body string, status int, code string) answer {
		return s.on(t, http.MethodPost, path, body, "").want(t, status, code)
	}
	added := readAs[rule.Added](t, add(`{"list":"block","kind":"email","values":["Dana@Example.org","a@b.example"],`+
		`"note":"Reported"}`, 200, ""))
	if len(added.Entries) != 2 || added.Entries[0].Value != "dana@example.org" || *added.Entries[1].Note != "Reported" {
		t.Errorf("%+v", added)
	}
	if more := readAs[rule.Added](t, add(`{"list":"block","kind":"email","values":["DANA@example.org"]}`, 200, "")); len(
		more.Entries) != 0 {
		t.Errorf("%+v", more)
	}
	add(`{"list":"allow","kind":"email","values":["dana@example.org"]}`, 400, "parameter_invalid")
	add(`{"list":"allow","kind":"card","values":["`+s.Token(good)+`"]}`, 200, "")
	cards := readAs[struct{ Data []rule.Entry }](t, s.get(t, path+"?kind=card").want(t, 200, ""))
	if len(cards.Data) != 1 || !strings.Contains(cards.Data[0].Value, "4242") {
		t.Errorf("%+v", cards)
	}
	one := "/api/card_rule_entries/" + added.Entries[0].ID.String()
	s.on(t, http.MethodDelete, one, "", "").want(t, 200, "")
	s.on(t, http.MethodDelete, one, "", "").want(t, 404, "resource_missing")
	add(`{"list":"allow","kind":"email","values":["dana@example.org"]}`, 200, "")
	if rules := readAs[rule.Rules](t, s.get(t, ofUS(s, "/card_rules"))); rules.Entries != 3 || rules.Version != 5 {
		t.Errorf("%+v", rules)
	}
}

// A change with a key happens once, whatever is asked for with the key later.
func TestChangesOfCardRulesTakeKeys(t *testing.T) {
	t.Parallel()
	s := open(t)
	rules, entries := ofUS(s, "/card_rules"), ofUS(s, "/card_rules/entries")
	values := `{"list":"block","kind":"bin","values":["%s"]}`
	added := readAs[rule.Added](t, s.on(t, http.MethodPost, entries, fmt.Sprintf(values, "411111"), "").want(t, 200,
		""))
	for _, c := range []struct{ method, path, body, other string }{
		{http.MethodPut, rules, `{"minimum_amount":500}`, `{"minimum_amount":501}`},
		{http.MethodPost, entries, fmt.Sprintf(values, "422222"), fmt.Sprintf(values, "433333")},
		{http.MethodDelete, "/api/card_rule_entries/" + added.Entries[0].ID.String(), "", ""},
	} {
		first := s.on(t, c.method, c.path, c.body, c.path).want(t, 200, "")
		again := s.on(t, c.method, c.path, c.body, c.path).want(t, 200, "")
		if !again.replayed() || string(again.body) != string(first.body) {
			t.Errorf("%s %s: %s, then %s", c.method, c.path, first.body, again.body)
		}
		if c.other != "" {
			s.on(t, c.method, c.path, c.other, c.path).want(t, 422, "idempotency_key_reused")
		} else {
			s.on(t, c.method, c.path, "", rules).want(t, 422, "idempotency_key_reused")
		}
		s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL WHERE key = @key`,
			pg.Args{"key": c.path})
		s.on(t, c.method, c.path, c.body, c.path).want(t, 409, "idempotency_key_in_use")
	}
}
