package workflow_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/daf/provider"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
)

const back = "https://pay.example/back"

func code(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is one whose first merchant takes donations.
func world(t *testing.T) *fixture.World {
	w := fixture.New(t)
	w.TakesDAF(w.App.Merchants.US)
	return w
}

// begin starts a way with 125.00.
func begin(t *testing.T, w *fixture.World) string {
	t.Helper()
	amount := money.Amount(125_00)
	b, err := w.Workflows.Begin(t.Context(), workflow.BeginInput{SessionID: w.Session(), Amount: &amount,
		CustomerDetail: []byte(`{"firstName":"Dana","note":"For the winter"}`)})
	ok(t, err)
	return b.Secret
}

func get(t *testing.T, w *fixture.World, secret string) workflow.Workflow {
	t.Helper()
	way, err := w.Workflows.Get(t.Context(), secret)
	ok(t, err)
	return way
}

// atFund brings a way to the pages of an integrated fund and returns the visit.
func atFund(t *testing.T, w *fixture.World, secret string) string {
	t.Helper()
	way, err := w.Workflows.Choose(t.Context(), secret, "fund_evergreen", back)
	if err != nil || way.Kind != workflow.Integrated || !strings.HasPrefix(way.VisitAddress, dafsandbox.PagesPath) {
		t.Fatalf("%+v, %v", way, err)
	}
	return way.VisitID
}

func TestTheIntegratedWay(t *testing.T) {
	t.Parallel()
	w := world(t)
	secret := begin(t, w)
	way := get(t, w, secret)
	if way.State != workflow.Open || *way.Amount != 125_00 || way.Donor.FirstName != "Dana" ||
		way.Merchant != "Riverside Food Bank" || way.Scheme != workflow.System {
		t.Fatalf("%+v", way)
	}
	ok(t, w.Workflows.Save(t.Context(), secret,
		workflow.Form{Amount: "200", Donor: provider.Donor{FirstName: "Dana", Note: "For the winter"}}))
	visit := atFund(t, w, secret)
	if l, err := w.Funds.Look(t.Context(), visit); err != nil || l.Amount != 200_00 ||
		l.Donor.Note != "For the winter" || l.Return != back {
		t.Errorf("the fund sees %+v, %v", l, err)
	}
	if state, _, err := w.Workflows.Returned(t.Context(), secret); err != nil || state != provider.VisitOpen {
		t.Errorf("too early: %s, %v", state, err)
	}
	ok(t, w.Funds.SignIn(t.Context(), visit, fixture.Giver, dafsandbox.Password))
	ok(t, w.Funds.Authorize(t.Context(), visit, "300"))
	for range 2 { // a page that is loaded again
		if state, _, err := w.Workflows.Returned(t.Context(), secret); err != nil || state != provider.VisitAuthorized {
			t.Fatalf("%s, %v", state, err)
		}
	}
	way = get(t, w, secret)
	if way.State != workflow.Confirmed || !strings.HasPrefix(way.SessionID, "ws_") || len(way.SessionID) < 26 ||
		way.GrantID != "" || *way.Authorized != 300_00 ||
		way.Donor.FirstName != "Dana" || way.Donor.LastName != "Ortiz" || way.Donor.Email != fixture.Giver ||
		way.Donor.Note != "For the winter" ||
		!way.ExpiresAt.Equal(w.Clock.Now().Add(15*time.Minute)) {
		t.Errorf("%+v", way)
	}
	a, err := take(t, w, w.App.AppID, w.App.Merchants.US, way.SessionID, "")
	if err != nil || a.Amount != 300_00 || a.VisitID != visit || a.FundName != "Evergreen Philanthropic Trust" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestTheNonintegratedWay(t *testing.T) {
	t.Parallel()
	w := world(t)
	secret := begin(t, w)
	if err := w.Workflows.Confirm(t.Context(), secret); code(err) != "fund_missing" {
		t.Errorf("without a fund: %v", err)
	}
	way, err := w.Workflows.Choose(t.Context(), secret, "fund_juniper", back)
	if err != nil || way.Kind != workflow.Nonintegrated || way.VisitID != "" {
		t.Fatalf("%+v, %v", way, err)
	}
	if f, err := w.Workflows.Fund(t.Context(), way); err != nil || f.Website == "" || f.Instructions == "" {
		t.Errorf("%+v, %v", f, err)
	}
	ok(t, w.Workflows.Confirm(t.Context(), secret))
	first := get(t, w, secret)
	ok(t, w.Workflows.Confirm(t.Context(), secret))
	way = get(t, w, secret)
	if !strings.HasPrefix(way.GrantID, "gr_") || way.SessionID != "" || *way.Authorized != 125_00 ||
		way.GrantID != first.GrantID {
		t.Errorf("%+v", way)
	}
	if a, err := take(t, w, w.App.AppID, w.App.Merchants.US, "", way.GrantID); err != nil ||
		a.Kind != workflow.Nonintegrated {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestWhoMayBegin(t *testing.T) {
	t.Parallel()
	w := world(t)
	do := func(session string, amount money.Amount) string {
		_, err := w.Workflows.Begin(t.Context(), workflow.BeginInput{SessionID: session, Amount: &amount})
		return code(err)
	}
	for amount, want := range map[money.Amount]string{0: "invalid_price", 99: "invalid_price", 150: "invalid_price",
		-100: "invalid_price", 1_000_000_00: "invalid_price",
		100: "<nil>", 999_999_00: "<nil>"} {
		if got := do(w.Session(), amount); got != want {
			t.Errorf("%d: %s", amount, got)
		}
	}
	if got := do(w.SessionOf(w.App, w.App.Merchants.CA), 100); got != "payment_method_disabled" {
		t.Errorf("a merchant that takes none: %s", got)
	}
	if got := do("cs_unheard", 100); got != "not_ready" {
		t.Errorf("no session: %s", got)
	}
	session := w.Session()
	for i := range 11 {
		if got := do(session, 100); (i < 10) != (got == "<nil>") || i == 10 && got != "rate_limited" {
			t.Errorf("attempt %d: %s", i, got)
		}
	}
	b, err := w.Workflows.Begin(t.Context(),
		workflow.BeginInput{SessionID: w.Session(), CustomerDetail: []byte(`{"amount":40,"x":1}`), Scheme: "dark"})
	if way := get(t, w, b.Secret); err != nil || len(b.Warnings) != 1 || *way.Amount != 40_00 ||
		way.Scheme != workflow.Dark {
		t.Errorf("%+v, %+v, %v", b, way, err)
	}
	b, err = w.Workflows.Begin(t.Context(), workflow.BeginInput{SessionID: w.Session(), Scheme: "pink"})
	if way := get(t, w, b.Secret); err != nil || way.Amount != nil || way.Scheme != workflow.System {
		t.Errorf("%+v, %v", way, err)
	}
	if _, err := w.Workflows.Choose(t.Context(), b.Secret, "fund_juniper", back); code(err) != "amount_invalid" {
		t.Errorf("without an amount: %v", err)
	}
}

func TestAWayEndsWithItsTimeItsKeyOrItsDonor(t *testing.T) {
	t.Parallel()
	w := world(t)
	every := func(secret string) map[string]error {
		_, got := w.Workflows.Get(t.Context(), secret)
		_, chosen := w.Workflows.Choose(t.Context(), secret, "fund_juniper", back)
		_, _, returned := w.Workflows.Returned(t.Context(), secret)
		return map[string]error{"get": got, "save": w.Workflows.Save(t.Context(), secret, workflow.Form{Amount: "1"}),
			"choose": chosen, "returned": returned,
			"confirm": w.Workflows.Confirm(t.Context(), secret)}
	}
	want := func(what, secret string, codes map[string]string) {
		t.Helper()
		for step, err := range every(secret) {
			if code(err) != codes[step] {
				t.Errorf("%s, %s: %v", what, step, err)
			}
		}
	}
	all := func(c string) map[string]string {
		return map[string]string{"get": c, "save": c, "choose": c, "returned": c, "confirm": c}
	}
	ended := map[string]string{"get": "<nil>", "save": "daf_session_ended", "choose": "daf_session_ended",
		"returned": "<nil>", "confirm": "daf_session_ended"}
	for _, forged := range []string{"", "x", strings.Repeat("A", 43), "!"} {
		want("forged", forged, all("resource_missing"))
	}
	canceled, late, done := begin(t, w), begin(t, w), begin(t, w)
	ok(t, w.Workflows.Cancel(t.Context(), canceled))
	want("canceled", canceled, ended)
	_, err := w.Workflows.Choose(t.Context(), done, "fund_juniper", back)
	ok(t, err)
	ok(t, w.Workflows.Confirm(t.Context(), done))
	id := get(t, w, done).GrantID
	ok(t, w.Workflows.Cancel(t.Context(), done))
	if way := get(t, w, done); way.State != workflow.Confirmed {
		t.Errorf("what was authorized became %s", way.State)
	}
	w.Clock.Advance(15 * time.Minute)
	want("authorized, but too long ago", done, all("daf_session_expired"))
	if a, err := take(t, w, w.App.AppID, w.App.Merchants.US, "", id); err != nil || a.ExpiresAt.After(w.Clock.Now()) {
		t.Errorf("%+v, %v", a, err)
	}
	w.Clock.Advance(30 * time.Minute)
	want("late", late, all("daf_session_expired"))
}

func TestAWayEndsWithItsKey(t *testing.T) {
	t.Parallel()
	w := world(t)
	key := w.Issue(apikey.CreateInput{Kind: apikey.Public, AllowedOrigins: []string{fixture.PageOrigin},
		AnyAncestor: true})
	b, err := w.Workflows.Begin(t.Context(), workflow.BeginInput{
		SessionID:      w.SessionOf(demo.Application{PublicKey: key.Text}, w.App.Merchants.US),
		CustomerDetail: []byte(`{"amount":5}`)})
	ok(t, err)
	if way := get(t, w, b.Secret); len(way.AllowedOrigins) != 1 || !way.AnyAncestor ||
		way.AllowedOrigins[0] != fixture.PageOrigin {
		t.Errorf("%+v", way)
	}
	_, err = pg.Exec(t.Context(), w.Pool, `UPDATE api_keys SET revoked_at = @now
		WHERE id = @id`, pg.Args{"id": key.Key.ID, "now": w.Clock.Now()})
	ok(t, err)
	way, err := w.Workflows.Get(t.Context(), b.Secret)
	if !errors.Is(err, workflow.ErrExpired) || way.Merchant == "" {
		t.Errorf("%+v, %v", way, err)
	}
}

func TestADonorMayGoBack(t *testing.T) {
	t.Parallel()
	w := world(t)
	secret := begin(t, w)
	first := atFund(t, w, secret)
	ok(t, w.Funds.Leave(t.Context(), first))
	if state, _, err := w.Workflows.Returned(t.Context(), secret); err != nil || state != provider.VisitCanceled {
		t.Errorf("%s, %v", state, err)
	}
	second := atFund(t, w, secret)
	if first == second {
		t.Error("the second visit is the first")
	}
	if _, err := w.Workflows.Choose(t.Context(), secret, "unheard", back); code(err) != "fund_missing" {
		t.Error(err)
	}
	// What the donor authorizes on a page that he left does not count.
	ok(t, w.Funds.SignIn(t.Context(), second, fixture.Giver, dafsandbox.Password))
	third := atFund(t, w, secret)
	ok(t, w.Funds.Authorize(t.Context(), second, "125"))
	if state, _, err := w.Workflows.Returned(t.Context(), secret); err != nil || state != provider.VisitOpen {
		t.Errorf("%s, %v", state, err)
	}
	ok(t, w.Funds.SignIn(t.Context(), third, "locked@fund.example", dafsandbox.Password))
	if state, _, err := w.Workflows.Returned(t.Context(), secret); err != nil || state != provider.VisitFailed {
		t.Errorf("%s, %v", state, err)
	}
	_, err := w.Workflows.Choose(t.Context(), secret, "fund_hillcrest", back)
	ok(t, err)
	if state, _, err := w.Workflows.Returned(t.Context(), secret); err != nil || state != provider.VisitCanceled {
		t.Errorf("of no visit: %s, %v", state, err)
	}
	if err := w.Workflows.Save(t.Context(), secret, workflow.Form{Amount: "7"}); err != nil ||
		get(t, w, secret).Kind != "" {
		t.Errorf("another amount needs another look at the fund: %v", err)
	}
}

// Whatever comes at once, one end is reached, and one id issued.
func TestEndsRace(t *testing.T) {
	t.Parallel()
	w := world(t)
	for i := range 6 {
		secret := begin(t, w)
		visit := atFund(t, w, secret)
		ok(t, w.Funds.SignIn(t.Context(), visit, fixture.Giver, dafsandbox.Password))
		ok(t, w.Funds.Authorize(t.Context(), visit, "125"))
		var wg sync.WaitGroup
		told := make(chan provider.VisitState, 4)
		for range cap(told) {
			wg.Go(func() {
				state, _, err := w.Workflows.Returned(t.Context(), secret)
				if err != nil && code(err) != "daf_session_ended" {
					t.Error(err)
				}
				told <- state
			})
		}
		if i%2 == 0 {
			wg.Go(func() {
				if err := w.Workflows.Cancel(t.Context(), secret); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		close(told)
		way := get(t, w, secret)
		if (way.State == workflow.Confirmed) != (way.SessionID != "") || way.State == workflow.Open || i%2 != 0 &&
			way.State != workflow.Confirmed {
			t.Errorf("%+v", way)
		}
		for state := range told {
			if state == provider.VisitAuthorized && i%2 != 0 && way.State != workflow.Confirmed {
				t.Errorf("told %s of %+v", state, way)
			}
		}
	}
}

func TestWaysThatLedNowhereAreForgotten(t *testing.T) {
	t.Parallel()
	w := world(t)
	begin(t, w)
	used := w.Authorized(w.App, w.App.Merchants.US, workflow.Integrated, 100)
	unused := w.Authorized(w.App, w.App.Merchants.US, workflow.Nonintegrated, 100)
	if _, err := take(t, w, w.App.AppID, w.App.Merchants.US, used, ""); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(29 * 24 * time.Hour)
	if n, err := w.Workflows.Purge(t.Context()); err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
	w.Clock.Advance(2 * 24 * time.Hour)
	if n, err := w.Workflows.Purge(t.Context()); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := take(t, w, w.App.AppID, w.App.Merchants.US, used, ""); err != nil {
		t.Error(err)
	}
	if _, err := take(t, w, w.App.AppID, w.App.Merchants.US, "", unused); !errors.Is(err, workflow.ErrUnknown) {
		t.Error(err)
	}
}
