package e2e

import (
	"fmt"
	"maps"
	"testing"
)

// TestFlow: a payer's card becomes a token over the pay origin, the application charges it, and
// the API shows what it cost, line by line.
func TestFlow(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program)
	cases := []struct {
		card string
		fees map[string]float64
	}{
		{approvedCard, map[string]float64{"authorization_fee": 10, "capture_fee": 20, "platform_flat_fee": 5, "platform_percentage": 125}},
		{"378282246310005",
			map[string]float64{"authorization_fee": 10, "capture_fee": 20, "amex_surcharge_percentage": 63,
				"platform_flat_fee": 5, "platform_percentage": 125}}, // 62.5 rounded half up
	}
	for i, c := range cases {
		made, err := s.charge(fmt.Sprint("key-", i), s.order(s.token(t, c.card), 12500))
		if err != nil || made.status != 201 || made.replayed() {
			t.Fatalf("charge: %v, %s", err, made)
		}
		shown, err := s.api("GET", "/api/charges/"+made.text("id"), nil, nil)
		if err != nil || shown.status != 200 || shown.text("status") != "captured" ||
			string(shown.body) != string(made.body) {
			t.Errorf("shown: %v, %s", err, shown)
		}
		fees, total := map[string]float64{}, 0.0
		for _, line := range shown.get("fees").([]any) {
			l := line.(map[string]any)
			fees[l["fee"].(string)] = l["amount"].(float64)
			total += l["amount"].(float64)
		}
		if !maps.Equal(fees, c.fees) || shown.get("fee_total") != total || shown.get("net") != 12500-total {
			t.Errorf("fees of %s: %v, total %v, net %v", c.card, fees, shown.get("fee_total"), shown.get("net"))
		}
		t.Logf("%s: %v, total %v", shown.text("id"), fees, total)
	}
	audit(t, p)
}

// TestLedgerAfterMixedRun: whatever happened, in two applications, the books agree.
func TestLedgerAfterMixedRun(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program)
	elsewhere := s.site
	elsewhere.app = p.other
	runs := []struct {
		site    *site
		card    string
		capture bool
		amount  int
	}{
		{&s.site, approvedCard, true, 50}, {&s.site, approvedCard, false, 99_999_999},
		{&s.site, "378282246310005", true, 333},
		{&s.site, declinedCard, true, 4200}, {&s.site, "4000000000000010", true, 4200},
		{&s.site, timeoutCard, true, 777},
		{&elsewhere, "5555555555554444", true, 2050}, {&elsewhere, timeoutCard, false, 5000},
		{&elsewhere, "4000000000000002", false, 60},
	}
	bodies := make([]map[string]any, len(runs))
	for i, r := range runs { // all in progress before any is waited for
		bodies[i] = r.site.order(r.site.token(t, r.card), r.amount)
		bodies[i]["capture"] = r.capture
		if a, err := r.site.charge(fmt.Sprint("key-", i), bodies[i]); err != nil || a.status >= 500 {
			t.Fatalf("charge: %v, %s", err, a)
		}
	}
	count := map[int]int{}
	for i, r := range runs {
		count[r.site.insist(t, fmt.Sprint("key-", i), bodies[i]).status]++
	}
	if !maps.Equal(count, map[int]int{201: 7, 402: 2}) {
		t.Errorf("answers: %v", count)
	}
	all := audit(t, p)
	for _, r := range all {
		from := &s.site
		if r.ApplicationID == p.other.AppID {
			from = &elsewhere
		}
		sameOutcome(t, from, r)
	}
	if len(all) != len(runs) {
		t.Errorf("there are %d charges", len(all))
	}
}
