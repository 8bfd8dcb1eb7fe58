package notify_test

import (
	"context"
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/dispute"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/mail"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/token"
	"svcpay/internal/webhook"
)

var update = flag.Bool("update", false, "write the golden files")

var (
	early = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	late  = early.Add(50 * time.Hour)
	kim   = authz.Actor{PersonID: 5, PersonName: "Kim Vale"}
)

// letterOf is a mail about something that is always the same, by the name of its golden file.
type letterOf map[string]func(ctx context.Context, tx *pg.Tx) error

// aboutAccounts are the mails about someone's own way in.
func (w *world) aboutAccounts() letterOf {
	dana := identity.Person{ID: 1, Name: "Dana Reed", Email: "dana@example.org"}
	seen := dana
	seen.Seen.Address = netip.MustParseAddr("192.0.2.7")
	from := identity.Visitor{Address: netip.MustParseAddr("192.0.2.7"),
		UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	return letterOf{
		"invitation": func(_ context.Context, tx *pg.Tx) error {
			return w.InvitationTx(tx,
				identity.Invited{
					Token: "token", Invitation: identity.Invitation{Email: dana.Email, InvitedBy: "Kim Vale",
						Role: "organization_admin", ScopeName: "Community Trust", ExpiresAt: instant.Of(late)}})
		},
		"reset_link":     func(_ context.Context, tx *pg.Tx) error { return w.ResetLinkTx(tx, dana, "token", late) },
		"new_sign_in":    func(_ context.Context, tx *pg.Tx) error { return w.NewSignInTx(tx, dana, from, early) },
		"wrong_codes":    func(_ context.Context, tx *pg.Tx) error { return w.WrongCodesTx(tx, seen, early) },
		"account_change": func(_ context.Context, tx *pg.Tx) error { return w.ChangedTx(tx, dana, identity.PasskeyAdded, early) },
	}
}

// aboutMoney are the mails about disputes, payouts and fees.
func (w *world) aboutMoney() letterOf {
	d := dispute.Dispute{ID: ids.NewDispute(early), ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US,
		Kind: dispute.Chargeback, Amount: 123_456, Currency: money.USD,
		Reason: "product_not_received", RespondBy: instant.Of(late)}
	asked := d
	asked.Kind, asked.Reason = dispute.Retrieval, "unrecognized"
	m := merchant.Merchant{ID: w.App.Merchants.US, ApplicationID: w.App.AppID, Name: "Riverside Food Bank"}
	p := payout.Payout{ID: ids.NewPayout(early), ApplicationID: m.ApplicationID, MerchantID: m.ID,
		Status: payout.Failed, Amount: 120_000, Currency: money.USD,
		Failure: &payout.Failure{Message: "The bank declined the payout: No account."}}
	delayed, back := p, p
	delayed.Failure = &payout.Failure{Code: "balance_too_low",
		Message: "The platform's available balance at the processor is too low. A new payout is created on the next business day."}
	back.Status, back.Failure = payout.Returned, &payout.Failure{
		Message: "The bank returned the payout: Account closed."}
	r := refund.Refund{ID: ids.NewRefund(early), ApplicationID: m.ApplicationID, MerchantID: m.ID,
		Status: refund.Failed, Amount: 4_000, Currency: money.USD,
		Failure: &refund.Failure{Code: "account_closed",
			Message: "The payer's card or bank account is closed, or the card has expired. The money is back in the merchant's balance."}}
	contested := r
	contested.Failure = &refund.Failure{Code: "charge_disputed",
		Message: "The payer disputed the charge before the refund arrived. The money is back in the merchant's balance."}
	rates := fee.Rates{AuthorizationFee: 10, CaptureFee: 20}
	old := fee.Record{MerchantID: m.ID, Schedule: fee.Schedule{Rates: rates}}
	rates.AuthorizationFee, rates.PlatformPercentage = 12, ptr(money.Percent(1_500))
	next := fee.Record{MerchantID: m.ID, Status: fee.Scheduled,
		Schedule: fee.Schedule{EffectiveAt: instant.Of(late), Rates: rates}, Reason: "As agreed in October",
		CreatedBy: fee.By{User: "Kim Vale"}}
	gone := next
	gone.Status, gone.CanceledBy = fee.Canceled, &fee.By{Kind: "api", KeyName: "Shop"}
	return letterOf{
		"dispute_opened":    func(ctx context.Context, tx *pg.Tx) error { return w.DisputeOpenedTx(ctx, tx, d) },
		"dispute_asked":     func(ctx context.Context, tx *pg.Tx) error { return w.DisputeOpenedTx(ctx, tx, asked) },
		"dispute_due":       func(ctx context.Context, tx *pg.Tx) error { return w.DisputeDueTx(ctx, tx, d) },
		"dispute_asked_due": func(ctx context.Context, tx *pg.Tx) error { return w.DisputeDueTx(ctx, tx, asked) },
		"payout_failed":     func(ctx context.Context, tx *pg.Tx) error { return w.PayoutFailedTx(ctx, tx, m, p) },
		"payout_delayed":    func(ctx context.Context, tx *pg.Tx) error { return w.PayoutFailedTx(ctx, tx, m, delayed) },
		"payout_returned":   func(ctx context.Context, tx *pg.Tx) error { return w.PayoutFailedTx(ctx, tx, m, back) },
		"refund_failed":     func(ctx context.Context, tx *pg.Tx) error { return w.RefundFailedTx(ctx, tx, r, true) },
		"refund_disputed":   func(ctx context.Context, tx *pg.Tx) error { return w.RefundFailedTx(ctx, tx, contested, true) },
		"refund_failed_nothing_left": func(ctx context.Context, tx *pg.Tx) error {
			return w.RefundFailedTx(ctx, tx, r, false)
		},
		"card_testing": func(ctx context.Context, tx *pg.Tx) error {
			return w.CardTestingTx(ctx, tx,
				token.CardTesting{ApplicationID: m.ApplicationID, MerchantID: m.ID, Tokens: 31,
					Cards: 30, Addresses: 12, Declined: 27, At: early})
		},
		"fees_changed": func(ctx context.Context, tx *pg.Tx) error {
			return w.FeesChangedTx(ctx, tx, m.ApplicationID, old, next)
		},
		"fees_taken_back": func(ctx context.Context, tx *pg.Tx) error {
			return w.FeesChangedTx(ctx, tx, m.ApplicationID, next, gone)
		},
	}
}

// aboutAccess are the mails about what lets programs in, and money out.
func (w *world) aboutAccess() letterOf {
	m := merchant.Merchant{ID: w.App.Merchants.US, ApplicationID: w.App.AppID, Name: "Riverside Food Bank"}
	k := apikey.Key{ID: ids.NewKey(early), ApplicationID: w.App.AppID, Name: "Shop", Last4: "x4Qd"}
	rolled := k
	rolled.ExpiresAt = instant.Ptr(late)
	b := payout.BankAccount{BankName: "First Sandbox Bank", Last4: "6789", CreatedAt: instant.Of(early)}
	held := b
	held.HeldUntil = instant.Ptr(late)
	why, goodbye := "failing", "gone"
	e := webhook.Endpoint{ID: ids.NewEndpoint(early), ApplicationID: w.App.AppID,
		URL: "https://hooks.example/take?token=hidden", PausedReason: &why}
	unwanted := e
	unwanted.PausedReason = &goodbye
	key := func(k apikey.Key, what apikey.Change) func(context.Context, *pg.Tx) error {
		return func(ctx context.Context, tx *pg.Tx) error { return w.KeyChangedTx(ctx, tx, k, what, kim, early) }
	}
	return letterOf{
		"key_made": key(k, apikey.ChangeMade), "key_rolled": key(rolled, apikey.ChangeRolled),
		"key_revoked": key(k, apikey.ChangeRevoked),
		"bank_added":  func(ctx context.Context, tx *pg.Tx) error { return w.BankAccountChangedTx(ctx, tx, m, b, kim, false) },
		"bank_replaced": func(ctx context.Context, tx *pg.Tx) error {
			return w.BankAccountChangedTx(ctx, tx, m, held, authz.Actor{}, true)
		},
		"endpoint_paused": func(ctx context.Context, tx *pg.Tx) error { return w.EndpointPausedTx(ctx, tx, e) },
		"endpoint_gone":   func(ctx context.Context, tx *pg.Tx) error { return w.EndpointPausedTx(ctx, tx, unwanted) },
	}
}

// The words of every mail, as text and as a page, stand in the golden files.
func TestWordsOfTheMails(t *testing.T) {
	t.Parallel()
	w := emptyWorld(t)
	id := w.invent("admin", authz.RoleSystemAdmin, w.App) // hears of everything that no one else does
	w.must(w.Identity.SetZone(t.Context(), id, "America/Toronto"))
	for _, letters := range []letterOf{w.aboutAccounts(), w.aboutMoney(), w.aboutAccess()} {
		for name, put := range letters {
			w.must(pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error { return put(t.Context(), tx) }))
			all := w.delivered()
			if len(all) != 1 {
				t.Errorf("%s: %d mails", name, len(all))
				continue
			}
			page, err := all[0].HTML()
			w.must(err)
			w.golden(name+".txt", "Subject: "+all[0].Subject+"\n\n"+all[0].Plain())
			w.golden(name+".html", page)
		}
	}
}

// delivered are all letters there are, which are forgotten.
func (w *world) delivered() []mail.Letter {
	w.t.Helper()
	_, err := w.Mail.Deliver(w.t.Context())
	w.must(err)
	all, err := w.Mail.Inbox(w.t.Context())
	w.must(err)
	_, err = pg.Exec(w.t.Context(), w.Pool, `DELETE FROM mails`, pg.Args{})
	w.must(err)
	return all
}

// stable writes ids, which are others each time, the same way.
func stable(text string) string { return someID.ReplaceAllString(text, "${1}_0") }

var someID = regexp.MustCompile(`\b(re|dp|po|key|whe)_[0-9a-z]{26}`)

// golden compares a mail with its file.
func (w *world) golden(name, got string) {
	w.t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		w.must(os.WriteFile(path, []byte(stable(got)), 0o600))
		return
	}
	want, err := os.ReadFile(path)
	w.must(err)
	if got = stable(got); got != string(want) {
		w.t.Errorf("%s says\n%s\nnot\n%s", name, got, want)
	}
}
