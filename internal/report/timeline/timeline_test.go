package timeline_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/report/timeline"
)

func (w place) timeline(t *testing.T, id ids.Charge, in page.Input[ids.Happening]) page.Of[timeline.Entry] {
	t.Helper()
	p, err := w.Timelines.OfCharge(t.Context(), w.Actor(), id.String(), in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lived makes a charge that was authorized, captured, described, settled, paid out and refunded in part.
func (w place) lived(t *testing.T) (charge.Charge, refund.Refund) {
	t.Helper()
	token, amount, hold, part := w.Token("4242424242424242"), money.Amount(12_500), false, money.Amount(500)
	c, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.us, Amount: &amount, Token: &token, Capture: &hold}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := c.Object.ID.String()
	w.Clock.Advance(time.Millisecond)
	if _, err = w.Charges.Capture(t.Context(), w.Actor(), id, charge.CaptureInput{}, nil); err == nil {
		_, err = w.Charges.Update(t.Context(), w.Actor(), id, charge.UpdateInput{Description: patch.Set("Gala")}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.BankAccount(w.App, w.us)
	for range 8 { // days
		w.Clock.Advance(24 * time.Hour)
		v, err := w.Clocks.Of(t.Context(), w.App.AppID)
		if err == nil {
			_, err = w.Charges.Step(t.Context(), v)
		}
		w.Clock.Advance(time.Millisecond)
		if err == nil {
			_, err = w.Payouts.Run(t.Context(), v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := w.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &part}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Object, r.Object
}

func TestTimelineTellsALifeInOrder(t *testing.T) {
	t.Parallel()
	w := open(t)
	c, r := w.lived(t)
	all := w.timeline(t, c.ID, page.Input[ids.Happening]{Limit: 100, Ascending: true})
	var types []string
	for _, h := range all.Items {
		types = append(types, h.Type+" "+h.Status)
		if h.Object != "timeline_entry" || h.Livemode || *h.ChargeID != c.ID || h.DonationID != nil ||
			h.Currency != money.USD || h.Amount == 0 || h.Changed == nil ||
			(h.EventID == nil) != (h.Reference != nil) || (h.Version == nil) != (h.Reference != nil) {
			t.Errorf("%+v", h)
		}
		byRequest := slices.Contains([]string{"charge.settled", "payout.created", "payout.paid", "call.payout"}, h.Type)
		if (h.RequestID == nil) != byRequest || (h.Source == "job") != byRequest {
			t.Errorf("%s by %s, request %v", h.Type, h.Source, h.RequestID)
		}
	}
	for _, h := range all.Items {
		if made, card := h.Status == "approved" &&
			h.Reference != nil, h.Type == "call.authorize"; (h.ProcessorID != nil) != made ||
			(h.AuthorizationCode != nil) != card || h.ProcessorCode != nil {
			t.Errorf("%s keeps of its answer %v, %v and %v", h.Type, h.ProcessorID, h.AuthorizationCode,
				h.ProcessorCode)
		}
	}
	want := []string{
		"charge.created processing", "call.authorize approved", "charge.authorized authorized", "call.capture approved",
		"charge.captured captured", "charge.updated captured",
		"charge.settled settled", "payout.created processing", "call.payout approved", "refund.created pending",
		"call.refund approved", "refund.succeeded succeeded",
	}
	for _, one := range want {
		if !slices.Contains(types, one) {
			t.Errorf("%s is missing", one)
		}
	}
	before := func(a, b string) {
		if i, j := slices.Index(types, a), slices.Index(types, b); i < 0 || j < 0 || i > j {
			t.Errorf("%s is not before %s", a, b)
		}
	}
	for i := range len(want) - 1 {
		before(want[i], want[i+1])
	}
	if t.Failed() {
		t.Logf("%q", types)
	}
	i := slices.IndexFunc(all.Items, func(h timeline.Entry) bool {
		return h.Type == "charge.updated" && fmt.Sprint(h.Changed) == "[description]"
	})
	j := slices.IndexFunc(all.Items, func(h timeline.Entry) bool { return h.Type == "refund.succeeded" })
	if i < 0 || j < 0 || *all.Items[j].RefundID != r.ID || all.Items[j].Amount != 500 {
		t.Errorf("%d, %d", i, j)
	}
	// In pages, both ways.
	var walked []timeline.Entry
	in := page.Input[ids.Happening]{Limit: 3}
	for more := true; more; {
		p := w.timeline(t, c.ID, in)
		walked, more = append(walked, p.Items...), p.HasMore
		in.After = p.Items[len(p.Items)-1].ID
	}
	slices.Reverse(walked)
	if len(walked) != len(all.Items) || walked[0].ID != all.Items[0].ID ||
		walked[len(walked)-1].ID != all.Items[len(all.Items)-1].ID {
		t.Errorf("%d of %d in pages", len(walked), len(all.Items))
	}
}

// A sandbox's clock was moved before each step: events and calls show the same clock, the application's.
func TestTimelineHasOneClock(t *testing.T) {
	t.Parallel()
	w := open(t)
	token, amount, hold := w.Token("4242424242424242"), money.Amount(12_500), false
	advance := func() {
		w.Clock.Advance(time.Millisecond)
		if err := w.Clocks.Advance(t.Context(), w.App.AppID, 26*time.Hour); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Millisecond)
	}
	advance()
	c, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.us, Amount: &amount, Token: &token, Capture: &hold}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := c.Object.ID.String()
	advance()
	if _, err := w.Charges.Capture(t.Context(), w.Actor(), id, charge.CaptureInput{}, nil); err != nil {
		t.Fatal(err)
	}
	advance()
	if _, err = w.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id}, nil); err != nil {
		t.Fatal(err)
	}
	var at time.Time // of what was before
	for _, h := range w.timeline(t, c.Object.ID, page.Input[ids.Happening]{Limit: 100, Ascending: true}).Items {
		days := map[string]int{"call.capture": 1, "charge.captured": 1, "refund.created": 2, "call.refund": 2,
			"refund.succeeded": 2, "charge.refunded": 2}[h.Type]
		if after := h.CreatedAt.Sub(c.Object.CreatedAt.Time) - time.Duration(
			days)*26*time.Hour; h.Type != "charge.updated" && (after < 0 || after > time.Minute) {
			t.Errorf("%s at %s, %s after its step", h.Type, h.CreatedAt, after)
		}
		if h.CreatedAt.Before(at) || h.FinishedAt != nil &&
			(h.FinishedAt.Before(h.CreatedAt.Time) || h.FinishedAt.Sub(h.CreatedAt.Time) > time.Minute) {
			t.Errorf("%s at %s, until %s, after what was at %s", h.Type, h.CreatedAt, h.FinishedAt, at)
		}
		at = h.CreatedAt.Time
	}
}

func TestTimelineOfADecline(t *testing.T) {
	t.Parallel()
	w := open(t)
	token, amount := w.Token("4000000000009995"), money.Amount(100)
	_, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.us, Amount: &amount, Token: &token}, nil)
	f, ok := fault.As(err)
	if !ok {
		t.Fatal(err)
	}
	id, err := ids.ParseCharge(fmt.Sprint(f.Detail["charge_id"]))
	if err != nil {
		t.Fatal(err)
	}
	all := w.timeline(t, id, page.Input[ids.Happening]{Limit: 100, Ascending: true}).Items
	if len(all) != 3 || all[1].Type != "call.authorize" || all[1].Status != "declined" || all[1].FinishedAt == nil ||
		all[2].Type != "charge.failed" ||
		*all[2].Failure != "insufficient_funds" || all[1].ProcessorCode == nil ||
		*all[1].ProcessorCode != "insufficient_funds" || all[1].ProcessorID != nil {
		t.Errorf("%+v", all)
	}
}

func TestTimelinesOfOthersAreMissing(t *testing.T) {
	t.Parallel()
	w := open(t)
	c, _ := w.lived(t)
	for name, tt := range map[string]struct {
		actor authz.Actor
		id    string
	}{"another application": {w.ActorOf(w.Other), c.ID.String()}, "no id": {w.Actor(), "ch_x"},
		"another merchant's key": {
			authz.Actor{Role: authz.RoleRestrictedKey, ApplicationID: w.App.AppID, Restriction: &authz.Restriction{
				Rights: []authz.Right{"charge:read"}, Merchants: []int64{w.App.Merchants.CA}}}, c.ID.String()}} {
		if _, err := w.Timelines.OfCharge(t.Context(), tt.actor, tt.id,
			page.Input[ids.Happening]{Limit: 1}); !fault.HasCode(err, "resource_missing") {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.Gate.Shut()
	if _, err := w.Timelines.OfCharge(t.Context(), w.Actor(), c.ID.String(),
		page.Input[ids.Happening]{Limit: 1}); !fault.HasCode(err, "permission_denied") {
		t.Errorf("%v", err)
	}
}
