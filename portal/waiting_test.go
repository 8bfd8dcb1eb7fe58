package portal

import (
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/dispute"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/portal/web"
	"svcpay/views/text"
)

var (
	taskText  = regexp.MustCompile(`(?s)<ul class="tasks">.*?</ul>`)
	oneTask   = regexp.MustCompile(`(?s)<li data-tone.*?</li>`)
	markup    = regexp.MustCompile(`<[^>]*>`)
	manySpace = regexp.MustCompile(`\s+`)
)

// tasks are what the home page says needs attention, each as one line.
func (a answer) tasks() (out []string) {
	_, after, _ := strings.Cut(a.body, ">"+text.English.Dashboard.Attention+"<")
	for _, one := range oneTask.FindAllString(taskText.FindString(after), -1) {
		out = append(out, strings.TrimSpace(manySpace.ReplaceAllString(markup.ReplaceAllString(one, " "), " ")))
	}
	return out
}

// waiting has something of every kind wait at the first application.
func (w *world) waiting() {
	w.t.Helper()
	w.questioned(w.App, dispute.Chargeback, 4_000)
	w.questioned(w.App, dispute.Retrieval, 5_000)
	back, id := money.Amount(700), w.taken(w.App, 9_000).ID.String()
	if _, err := w.World.Refunds.Create(w.t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &back},
		nil); err != nil {
		w.t.Fatal(err)
	}
	w.Merchant(merchant.CreateInput{}) // of an application without fee defaults
	admin := w.as(authz.RoleApplicationAdmin)
	w.listening(admin, "https://fails.example/hooks", "merchant.*")
	w.listening(admin, "https://paused.example/hooks", "merchant.*")
	for _, change := range []string{
		`UPDATE refunds SET status = 'failed', failed_at = created_at, succeeded_at = NULL,
			failure = '{"code": "refund_declined", "message": "Declined."}'`,
		`UPDATE merchants SET payouts_paused_reason = 'payout_failed' WHERE name = 'Riverside Food Bank'`,
		`UPDATE webhook_endpoints SET failing_since = now()`,
		`UPDATE webhook_endpoints SET status = 'paused', paused_reason = 'failing' WHERE url LIKE '%paused%'`,
	} {
		if _, err := pg.Exec(w.t.Context(), w.Pool, change, pg.Args{}); err != nil {
			w.t.Fatalf("%s: %v", change, err)
		}
	}
}

// Every item of the home page asks only those to act whose role can; to others it says whom it waits for. A kind of
// item that is not in the table fails.
func TestHomeAsksOnlyThoseWhoCanAct(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.waiting()
	const organization = "Riverside Community Trust"
	items := []struct {
		of            string // what the item is about
		needed        authz.Permission
		acts, watches string // what it says
	}{
		{"$40.00 USD", authz.DisputeAnswer, "Respond to ", "is waiting for " + organization},
		{"$50.00 USD", authz.DisputeAnswer, "Respond to ", "is waiting for " + organization},
		{"$7.00 USD", authz.RefundRead, "$7.00 USD refund failed", ""},
		{"Payouts to Riverside Food Bank are paused", authz.PayoutResume, "then resume payouts", "Waiting for an administrator of " + organization},
		{"fails.example", authz.WebhookRead, "is failing", ""},
		{"paused.example", authz.WebhookRead, "is paused", ""},
		{"1 merchant pays no fees", authz.FeeDefaultManage, "Set your default fees", ""},
	}
	for _, role := range authz.PeopleRoles() {
		cookie := w.as(role)
		page := w.send(web.Home, nil, "Cookie", cookie)
		tasks, known := page.tasks(), 0
		for _, item := range items {
			may := w.Audit.Check(web.Holder(role), item.needed) == nil
			want, unwanted := item.acts, item.watches
			if !may {
				want, unwanted = item.watches, item.acts
			}
			for _, task := range tasks {
				if !strings.Contains(task, item.of) {
					continue
				}
				known++
				if want == "" || !strings.Contains(task, want) || unwanted != "" && strings.Contains(task, unwanted) {
					t.Errorf("%s (%s: %v) reads %q", role, item.needed, may, task)
				}
			}
		}
		if known != len(tasks) || known < 4 {
			t.Errorf("%s has %d items, of which %d are known: %q", role, len(tasks), known, tasks)
		}
	}
}

// What a dispute's pages say to do follows from its kind: a retrieval is neither lost nor accepted, and moves no money.
func TestEachKindOfDisputeHasItsOwnWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	staff := w.as(authz.RoleOrganizationStaff)
	words := map[string]struct{ says, lacks []string }{
		"chargeback": {[]string{"Submit evidence or accept the chargeback", "Accept chargeback", "−$40.00"}, []string{"documents the payer"}},
		"retrieval":  {[]string{"Submit the documents", "No money moves"}, []string{"it is lost", "Accept chargeback", "Disputed</dt>", "Disputed $0.00"}},
	}
	charged := map[string]string{"chargeback": "Without one, the chargeback is lost.",
		"retrieval": "the bank may open a chargeback."}
	for _, kind := range dispute.Kinds() {
		d := w.questioned(w.App, dispute.Kind(kind), 4_000)
		page := w.send(web.DisputesPath+"/"+d.ID.String(), nil, "Cookie", staff)
		want, ok := words[kind]
		if !ok || text.English.Disputes.DueTexts[kind] == "" || text.English.Disputes.ReviewingTitles[kind] == "" {
			t.Fatalf("there are no words for a %s", kind)
		}
		page.says(t, want.says...)
		for _, not := range want.lacks {
			page.lacks(t, not)
		}
		w.send(web.ChargesPath+"/"+d.ChargeID.String(), nil, "Cookie", staff).says(t, charged[kind])
	}
}
