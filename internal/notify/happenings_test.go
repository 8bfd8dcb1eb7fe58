package notify_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/charge"
	"svcpay/internal/check/patch"
	"svcpay/internal/dispute"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/notify"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/webhook"
)

// disputed has a payer's bank question a new charge.
func (w *world) disputed(kind dispute.Kind, amount money.Amount) dispute.Dispute {
	w.t.Helper()
	token, outcome := w.Token("4242424242424242"), string(kind)
	c, err := w.Charges.Create(w.t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil)
	w.must(err)
	_, err = w.Simulate.Charge(w.t.Context(), w.Actor(), c.Object.ID.String(),
		simulate.ChargeInput{Outcome: &outcome}, nil)
	w.must(err)
	all, err := w.Disputes.List(w.t.Context(), w.Actor(),
		dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 1}, ChargeID: &c.Object.ID})
	w.must(err)
	return all.Items[0]
}

// Who may answer a dispute where it is hears of it when it is opened, and again when three days are left.
func TestDisputesAreToldAndRemindedOfOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.disputed(dispute.Chargeback, 4_000)
	at := "/portal/disputes/" + d.ID.String()
	w.says(w.tells(notify.DisputeOpened, "organization_admin", "organization_staff"), at,
		"New chargeback of "+dollars(4_000), "Riverside Food Bank", "Hello Kim Vale,")
	left := d.RespondBy.Sub(w.Clock.Now())
	w.later(left - 73*time.Hour)
	w.tells(notify.DisputeDue)
	w.later(2 * time.Hour)
	w.says(w.tells(notify.DisputeDue, "organization_admin", "organization_staff"), at, "Respond by ", dollars(4_000))
	w.later(2 * time.Hour)
	w.tells(notify.DisputeDue)

	asked := w.disputed(dispute.Retrieval, 5_000)
	w.says(w.tells(notify.DisputeOpened, "organization_admin", "organization_staff"),
		"/portal/disputes/"+asked.ID.String(), "New retrieval request: "+dollars(5_000), "No money moves")
}

// What was answered needs no reminder.
func TestNobodyIsRemindedOfWhatIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.disputed(dispute.Chargeback, 4_000)
	left := d.RespondBy.Sub(w.Clock.Now())
	_, err := w.Disputes.Accept(t.Context(), w.OrganizationAdmin(), d.ID.String(), nil)
	w.must(err)
	w.later(left - time.Hour)
	w.tells(notify.DisputeDue)
}

// Who turned a kind off does not hear of it; the others do, and so does no one above them in their stead.
func TestMailsThatSomebodyTurnedOffAreNotSent(t *testing.T) {
	t.Parallel()
	w := emptyWorld(t)
	admin, staff := w.invent("admin", "organization_admin", w.App), w.invent("staff", "organization_staff", w.App)
	w.invent("app", "application_admin", w.App)
	wanted := func(person int64, kinds ...string) {
		w.must(w.Identity.Mute(t.Context(), person, notify.Choosable(), kinds))
	}
	wanted(admin, string(notify.DisputeDue))
	w.disputed(dispute.Chargeback, 4_000)
	w.tells(notify.DisputeOpened, "staff")
	wanted(staff)
	w.disputed(dispute.Chargeback, 4_000)
	w.tells(notify.DisputeOpened)
	_, err := w.Payouts.AddBankAccount(t.Context(), w.OrganizationAdmin(),
		payout.BankInput{MerchantID: w.App.Merchants.US, Account: w.USBank("000333333335")})
	w.must(err)
	w.tells(notify.BankChanged, "admin")
}

// What no one in an organization can do is told in the application, and then in the deployment.
func TestWhatIsNobodysIsToldAbove(t *testing.T) {
	t.Parallel()
	w := emptyWorld(t)
	w.invent("system", "system_admin", w.App)
	w.invent("support", "support_staff", w.App)
	w.invent("app", "application_admin", w.App) // may not respond to disputes
	w.invent("other", "organization_admin", w.Other)
	w.disputed(dispute.Chargeback, 4_000)
	w.tells(notify.DisputeOpened, "system")
	w.invent("staff", "organization_staff", w.App)
	w.disputed(dispute.Chargeback, 4_000)
	w.tells(notify.DisputeOpened, "staff")
}

// paidOut makes a payout of the US merchant.
func (w *world) paidOut() payout.Payout {
	w.t.Helper()
	w.BankAccount(w.App, w.App.Merchants.US)
	token, amount := w.Token("4242424242424242"), money.Amount(30_000)
	_, err := w.Charges.Create(w.t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil)
	w.must(err)
	for range 10 {
		w.later(24 * time.Hour)
		all, err := w.Payouts.List(w.t.Context(), w.Actor(), payout.ListInput{Page: page.Input[ids.Payout]{Limit: 1}})
		w.must(err)
		if len(all.Items) > 0 {
			return all.Items[0]
		}
	}
	w.t.Fatal("nothing is paid out")
	return payout.Payout{}
}

func TestFailedPayoutsAreTold(t *testing.T) {
	t.Parallel()
	for outcome, says := range map[string]string{"failed": "failed", "returned": "was returned"} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.paidOut()
			w.letters("")
			if outcome == "returned" {
				_, err := w.Simulate.Payout(t.Context(), w.Actor(), p.ID.String(),
					simulate.PayoutInput{Outcome: ptr("paid")}, nil)
				w.must(err)
				w.tells(notify.PayoutFailed)
			}
			_, err := w.Simulate.Payout(t.Context(), w.Actor(), p.ID.String(),
				simulate.PayoutInput{Outcome: &outcome, ReturnCode: ptr("R03")}, nil)
			w.must(err)
			w.says(w.tells(notify.PayoutFailed, "organization_admin"), "/portal/payouts/"+p.ID.String(), says,
				dollars(p.Amount), "are paused")
		})
	}
}

// A refund that fails at once is reported to its requester; one that fails later is mailed to those who may refund.
func TestRefundsThatFailLaterAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, amount := w.Token("4242424242424242"), money.Amount(30_000)
	c, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil)
	w.must(err)
	id := c.Object.ID.String()
	r, err := w.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id}, nil)
	w.must(err)
	w.tells(notify.RefundFailed)
	_, err = w.Simulate.Refund(t.Context(), w.Actor(), r.Object.ID.String(),
		simulate.RefundInput{Outcome: ptr("failed")}, nil)
	w.must(err)
	l := w.tells(notify.RefundFailed, "organization_admin", "organization_staff")
	w.says(l, "/portal/refunds/"+r.Object.ID.String(), "failed after it was sent", dollars(amount), "account is closed",
		"Refund the charge again")
	r, err = w.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id}, nil)
	w.must(err)
	_, err = w.Simulate.Refund(t.Context(), w.Actor(), r.Object.ID.String(),
		simulate.RefundInput{Outcome: ptr("failed"), Reason: ptr("charge_disputed")}, nil)
	w.must(err)
	l = w.tells(notify.RefundFailed, "organization_admin", "organization_staff")
	w.says(l, "/portal/refunds/"+r.Object.ID.String(), "through the dispute", "Don’t refund the charge again")
	// A refund again is no advice where none is possible.
	part := amount / 2
	r, err = w.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &part}, nil)
	w.must(err)
	_, err = w.Simulate.Charge(t.Context(), w.Actor(), id, simulate.ChargeInput{Outcome: ptr("chargeback")}, nil)
	w.must(err)
	_, err = w.Simulate.Refund(t.Context(), w.Actor(), r.Object.ID.String(),
		simulate.RefundInput{Outcome: ptr("failed")}, nil)
	w.must(err)
	l = w.tells(notify.RefundFailed, "organization_admin", "organization_staff")
	w.says(l, "/portal/refunds/"+r.Object.ID.String(), "can’t be refunded again")
}

func TestNewBankAccountsAreAlwaysTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.Merchant(merchant.CreateInput{})
	in := payout.BankInput{MerchantID: m.ID, Account: w.USBank("000333333335")}
	_, err := w.Payouts.AddBankAccount(t.Context(), w.OrganizationAdmin(), in)
	w.must(err)
	at := fmt.Sprintf("/portal/merchants/%d/payouts", m.ID)
	w.says(w.tells(notify.BankChanged, "organization_admin"), at, "Bank account added: One more", "Kim Vale added",
		"ending in 3335")
	in.Account = w.USBank("000123456789")
	_, err = w.Payouts.ReplaceBankAccount(t.Context(), w.Admin(), in)
	w.must(err)
	l := w.tells(notify.BankChanged, "organization_admin")
	w.says(l, at, "Bank account changed: One more", "SvcPay support changed", "ending in 6789")
	if strings.Contains(l.Plain(), "000123456789") {
		t.Error("the mail has the account's number")
	}
	if _, err = w.Payouts.AddBankAccount(t.Context(), w.OrganizationAdmin(), in); err == nil {
		t.Fatal("a second account is added")
	}
	w.tells(notify.BankChanged)
}

func TestKeysAreAlwaysTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.Person("application_admin")
	made, err := w.APIKeys.Create(t.Context(), admin, apikey.CreateInput{Kind: apikey.Secret, Name: "Second server"})
	w.must(err)
	at := "/portal/developers/keys/" + made.ID.String()
	l := w.tells(notify.KeyChanged, "application_admin")
	w.says(l, at, "API key created: Second server", "Kim Vale created", "ends in "+made.Last4)
	if strings.Contains(l.Plain(), made.Text) {
		t.Error("the mail has the key")
	}
	_, err = w.APIKeys.Roll(t.Context(), admin, apikey.RollInput{ID: made.ID, Overlap: apikey.OverlapDay})
	w.must(err)
	w.says(w.tells(notify.KeyChanged, "application_admin"), at, "API key rolled: Second server",
		"The old key works until ")
	if _, err := w.APIKeys.Roll(t.Context(), admin,
		apikey.RollInput{ID: made.ID, Overlap: apikey.OverlapDay}); err == nil {
		t.Fatal("a key is rolled twice")
	}
	w.tells(notify.KeyChanged)
	for range 2 { // the second time nothing changes
		_, err = w.APIKeys.Revoke(t.Context(), admin, made.ID)
		w.must(err)
	}
	w.says(w.tells(notify.KeyChanged, "application_admin"), at, "API key revoked: Second server")
}

func TestChangesOfFeesAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, us := w.Person("application_admin"), w.App.Merchants.US
	fees, err := w.Fees.Current(t.Context(), app, us)
	w.must(err)
	rates := fees.Rates
	rates.CaptureFee += 7
	change := fee.Change{Rates: rates, Reason: "As agreed", Base: fees.Latest,
		EffectiveAt: ptr(w.Clock.Now().Add(48 * time.Hour))}
	r, err := w.Fees.Schedule(t.Context(), app, us, change)
	w.must(err)
	at := fmt.Sprintf("/portal/merchants/%d/fees", us)
	w.says(w.tells(notify.FeesChanged, "application_admin", "organization_admin"), at,
		"Fee change for Riverside Food Bank", "Capture: $", "Reason: As agreed")
	change.Base = r.ID
	_, err = w.Fees.Schedule(t.Context(), app, us, change) // the same again
	w.must(err)
	w.tells(notify.FeesChanged)
	for range 2 {
		_, err = w.Fees.CancelScheduled(t.Context(), app, us, r.ID)
		w.must(err)
	}
	w.says(w.tells(notify.FeesChanged, "application_admin", "organization_admin"), at,
		"Fee change canceled for Riverside Food Bank")
	_, err = w.Merchants.Update(t.Context(), w.Actor(), us,
		merchant.UpdateInput{DAFPercentage: patch.Set(money.Percent(2_500))}, nil)
	w.must(err)
	w.says(w.tells(notify.FeesChanged, "application_admin", "organization_admin"), at, "An API key",
		"DAF donation: 2% → 2.5%")
	_, err = w.Fees.ScheduleServiceRates(t.Context(), w.Admin(), w.App.AppID,
		fee.Change{Rates: demo.Rates(), Reason: "As agreed"})
	w.must(err)
	w.tells(notify.FeesChanged)
}

// An endpoint that wants no more events is paused, and those who may change it hear of it, but not what its address
// hides.
func TestPausedEndpointsAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	receiver := httptest.NewServer(
		http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusGone) }))
	t.Cleanup(receiver.Close)
	to, err := url.Parse(receiver.URL)
	w.must(err)
	address := "http://hooks.localhost:" + to.Port() + "/take?token=hidden"
	e, err := w.Webhooks.Create(t.Context(), w.Actor(), webhook.CreateInput{URL: &address}, nil)
	w.must(err)
	w.disputed(dispute.Chargeback, 4_000)
	for n := 1; n > 0; {
		n, err = w.Events.Number(t.Context())
		w.must(err)
	}
	w.worksUntil(func() bool {
		now, err := w.Webhooks.Get(t.Context(), w.Actor(), e.Object.ID.String())
		return err == nil && now.Status == webhook.Paused
	})
	l := w.tells(notify.EndpointPaused, "application_admin")
	w.says(l, "/portal/developers/webhooks/"+e.Object.ID.String(), "Webhooks to hooks.localhost:"+to.Port()+
		" are paused", "returned 410")
	if strings.Contains(l.Plain(), "hidden") {
		t.Error("the mail has what follows the host")
	}
}

// What is rolled back is not told.
func TestWhatDidNotHappenIsNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		w.must(w.DisputeOpenedTx(t.Context(), tx,
			dispute.Dispute{ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US, Kind: dispute.Chargeback,
				Currency: money.USD}))
		return http.ErrAbortHandler
	})
	if err == nil {
		t.Fatal("it happened")
	}
	w.tells(notify.DisputeOpened)
}
