package merchant_test

import (
	"encoding/json"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/demo"
	"svcpay/internal/fault"
	"svcpay/internal/fixture"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/pg"
)

func get(t *testing.T, w *fixture.World, id int64) merchant.Merchant {
	t.Helper()
	m, err := w.Merchants.Find(t.Context(), w.App.AppID, id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func count(t *testing.T, w *fixture.World, from string, args pg.Args) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM `+from, args)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMerchantIsSeenByItsApplicationAlone(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m, err := w.Merchants.Find(t.Context(), w.App.AppID, w.App.Merchants.CA)
	if err != nil || m.Country != "CA" || m.Currency != money.CAD || m.Status != merchant.Active || m.ApplicationID != w.App.AppID {
		t.Errorf("%+v, %v", m, err)
	}
	for name, id := range map[string]int64{"another application's": w.Other.Merchants.CA, "an unknown one": 1 << 40, "no id": 0, "a negative one": -1} {
		if m, err := w.Merchants.Find(t.Context(), w.App.AppID, id); !fault.HasCode(err, "resource_missing") {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		in := merchant.StatusInput{MerchantID: id, Status: merchant.Closed, Reason: "x"}
		if m, err := w.Merchants.SetStatus(t.Context(), w.Admin(), in); !fault.HasCode(err, "resource_missing") {
			t.Errorf("%s is closed: %+v, %v", name, m, err)
		}
	}
}

func TestMerchantOfAnotherApplicationsOrganizationIsRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	mine := get(t, w, w.App.Merchants.US)
	mine.ApplicationID = w.Other.AppID
	if id, err := w.Merchants.Create(t.Context(), mine, demo.Rates()); pg.Violated(err) == "" {
		t.Errorf("made %d, %v", id, err)
	}
}

func TestCreationIsToldAndFirstRunSet(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	like := get(t, w, w.App.Merchants.US)
	friday, text := 5, "branch-7"
	like.PayoutSchedule, like.PayoutWeekday, like.ExternalID, like.Metadata = merchant.Weekly, &friday, &text, map[string]string{"a": "b"}
	like.Status, like.Version = merchant.Closed, 9 // not the caller's to say
	id, err := w.Merchants.Create(t.Context(), like, demo.Rates())
	if err != nil {
		t.Fatal(err)
	}
	m := get(t, w, id)
	next, err := m.NextPayout(w.Clock.Now())
	if err != nil || !m.NextPayoutAt.Equal(next) || m.Version != 1 || m.Status != merchant.Active || *m.PayoutWeekday != 5 || *m.ExternalID != text || m.Metadata["a"] != "b" {
		t.Errorf("%+v, %v", m, err)
	}
	shown, _ := json.Marshal(m)
	told, err := pg.Value[string](t.Context(), w.Pool, `SELECT object::text FROM events WHERE type = 'merchant.created' AND object_id = @id AND position = 1`,
		pg.Args{"id": merchant.ObjectID(id)})
	var a, b map[string]any
	if err != nil || json.Unmarshal([]byte(told), &a) != nil || json.Unmarshal(shown, &b) != nil || len(a) != len(b) || a["object"] != "merchant" {
		t.Errorf("told %s, shown %s, %v", told, shown, err)
	}
	if o := b["organization"].(map[string]any); o["name"] != "Riverside Community Trust" || o["id"].(float64) != float64(w.App.OrganizationID) {
		t.Errorf("organization %v", o)
	}
	if _, err := w.Merchants.Create(t.Context(), like, demo.Rates()); pg.Violated(err) != "merchants_application_id_external_id_key" {
		t.Errorf("the same external_id: %v", err)
	}
}

func TestCreationTellsEveryMistake(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	good := get(t, w, w.App.Merchants.US)
	one, six, none, far := 1, 6, 0, 32
	cases := map[string]func(*merchant.Merchant){
		"time_zone":           func(m *merchant.Merchant) { m.TimeZone = "Local" },
		"payout_schedule":     func(m *merchant.Merchant) { m.PayoutSchedule = "hourly" },
		"payout_weekday":      func(m *merchant.Merchant) { m.PayoutSchedule = merchant.Weekly },
		"payout_weekday ":     func(m *merchant.Merchant) { m.PayoutSchedule, m.PayoutWeekday = merchant.Weekly, &six },
		"payout_weekday  ":    func(m *merchant.Merchant) { m.PayoutWeekday = &one },
		"payout_day_of_month": func(m *merchant.Merchant) { m.PayoutSchedule, m.PayoutDayOfMonth = merchant.Monthly, &none },
		"payout_day_of_month ": func(m *merchant.Merchant) {
			m.PayoutSchedule, m.PayoutDayOfMonth = merchant.Monthly, &far
		},
	}
	before := count(t, w, `merchants`, pg.Args{})
	for param, spoil := range cases {
		m := good
		spoil(&m)
		_, err := w.Merchants.Create(t.Context(), m, demo.Rates())
		if f, ok := fault.As(err); !ok || f.Kind != fault.KindInvalid || len(f.Fields) != 1 || f.Param != trimmed(param) {
			t.Errorf("%s: %v", param, err)
		}
	}
	both := good
	both.TimeZone, both.PayoutSchedule = "", "hourly"
	if _, err := w.Merchants.Create(t.Context(), both, demo.Rates()); !fault.HasCode(err, "validation_failed") {
		t.Errorf("two mistakes: %v", err)
	}
	if n := count(t, w, `merchants`, pg.Args{}); n != before {
		t.Errorf("%d merchants were made", n-before)
	}
}

func trimmed(s string) string {
	for s[len(s)-1] == ' ' {
		s = s[:len(s)-1]
	}
	return s
}

func TestOnlyActiveMerchantsProcess(t *testing.T) {
	t.Parallel()
	can := merchant.Merchant{Status: merchant.Active}.CanProcess()
	if !can["cc"] || can["ach"] || len(can) != 6 || (merchant.Merchant{Status: merchant.Suspended}).CanProcess()["cc"] {
		t.Errorf("%v", can)
	}
}

func TestStatusNeedsThePermission(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for _, actor := range []authz.Actor{w.Actor(), {Role: authz.RolePublicKey, ApplicationID: w.App.AppID}, {}} {
		_, err := w.Merchants.SetStatus(t.Context(), actor, merchant.StatusInput{MerchantID: w.App.Merchants.US, Status: merchant.Closed, Reason: "x"})
		if f, ok := fault.As(err); !ok || f.Code != "permission_denied" || f.Detail["required_permission"] != "merchant:set_status" {
			t.Errorf("%s: %v", actor.Role, err)
		}
	}
	if m := get(t, w, w.App.Merchants.US); m.Status != merchant.Active {
		t.Errorf("%+v", m)
	}
}
