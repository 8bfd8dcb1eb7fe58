package portal

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/platform/bulkhead"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// classes has every route of the portal in its class: the methods and the path of one in each line. A new route is
// added here with what its requests cost, so that a list is not left in the class of the others by mistake.
var classes = map[bulkhead.Class]string{
	bulkhead.Grows: `
GET /portal/team
GET /portal/team/invitations
GET /portal/view-as
GET /portal
GET /portal/system
GET /portal/system/inbound
GET /portal/search
GET /portal/audit
GET /portal/audit.csv
GET /portal/audit/chain
GET /portal/charges
GET /portal/charges.csv
GET /portal/charges/totals
GET /portal/refunds
GET /portal/refunds.csv
GET /portal/refunds/totals
GET /portal/disputes
GET /portal/disputes.csv
GET /portal/donations
GET /portal/donations.csv
GET /portal/payouts
GET /portal/payouts.csv
GET /portal/payouts/:id
GET /portal/payouts/:id/entries.csv
GET /portal/payouts/balances
GET /portal/payouts/balances/:id
GET /portal/payouts/balances/:id/statement
GET /portal/payouts/balances/:id/statement.csv
GET /portal/payouts/balances/:id/statement.pdf
GET /portal/payouts/balances/:id/daf_invoice
GET /portal/payouts/balances/:id/daf_invoice.csv
GET /portal/payouts/balances/:id/daf_invoice.pdf
GET /portal/merchants
GET /portal/merchants.csv
GET /portal/merchants/:id
GET /portal/merchants/:id/team
GET /portal/merchants/:id/activity
GET /portal/merchants/:id/payouts
POST /portal/merchants/:id/card-rules/preview
GET /portal/merchants/:id/card-rules/entries
GET /portal/developers
GET /portal/developers/keys
GET /portal/developers/keys.csv
GET /portal/developers/webhooks
GET /portal/developers/webhooks.csv
GET /portal/developers/webhooks/:id
GET /portal/developers/webhooks/:id/deliveries.csv
GET /portal/developers/events
GET /portal/developers/events.csv
GET /portal/developers/logs
GET /portal/developers/logs.csv
`,
	bulkhead.Hashes: `
POST /portal/proof
POST /portal/login
POST /portal/reset/:token
POST /portal/settings/password
POST /portal/invite/:token
`,
	bulkhead.Streams: `
POST /portal/disputes/:id/evidence
`,
	bulkhead.Constant: `
GET /
GET /portal/
GET /static/*
POST /portal/switch
POST /portal/stay
GET /portal/proof
POST /portal/view-as/end
GET /portal/login
POST /portal/logout
GET,POST /portal/2fa
GET,POST /portal/forgot
GET /portal/reset/:token
GET /portal/settings
POST /portal/settings/looks
POST /portal/settings/mails
POST /portal/settings/sessions/others
POST /portal/settings/sessions/:id/end
GET /portal/settings/password
GET,POST /portal/settings/authenticator
GET,POST /portal/settings/authenticator/remove
GET,POST /portal/settings/codes
GET /portal/settings/passkeys/new
POST /portal/settings/passkeys/ask
POST /portal/settings/passkeys
GET,POST /portal/settings/passkeys/:id/remove
POST /portal/passkey/ask
POST /portal/login/passkey
POST /portal/theme
POST /portal/keys
GET /portal/shortcuts
POST /portal/team/invitations/:id/withdraw
GET /portal/team/:id
POST /portal/team/:id/role
POST /portal/team/:id/remove
GET /portal/invite/:token
GET,POST /portal/team/invite
POST /portal/view-as
GET,POST /portal/system/daf-provider/connect
POST /portal/system/daf-provider/test
GET,POST /portal/system/association
POST /portal/system/association/install
POST /portal/system/association/undo/:version
GET /portal/roles
GET /portal/audit/:id
GET,POST /portal/system/applications/new
GET /portal/charges/:id
GET,POST /portal/charges/:id/refund
GET,POST /portal/charges/:id/capture
GET,POST /portal/charges/:id/void
GET,POST /portal/charges/:id/card/block
GET,POST /portal/charges/:id/card/allow
GET,POST /portal/charges/:id/card/unlist
GET /portal/charges/:id/receipt.pdf
GET,POST /portal/charges/:id/receipt
GET /portal/refunds/:id
GET,POST /portal/refunds/:id/cancel
GET /portal/disputes/:id
GET,POST /portal/disputes/:id/review
GET,POST /portal/disputes/:id/accept
POST /portal/donations/statuses
POST /portal/donations/statuses/set
POST /portal/donations/undo/:id
GET /portal/donations/:id
GET,POST /portal/donations/:id/status
GET,POST /portal/merchants/new
GET,POST /portal/merchants/:id/edit
GET,POST /portal/merchants/:id/status
GET /portal/merchants/:id/wallets
POST /portal/merchants/:id/wallets/switch
POST /portal/merchants/:id/wallets/domains
POST /portal/merchants/:id/wallets/verify
GET /portal/merchants/:id/daf
POST /portal/merchants/:id/daf/switch
POST /portal/merchants/:id/daf/look-up
POST /portal/merchants/:id/daf/enroll
GET,POST /portal/merchants/:id/daf/leave
GET /portal/merchants/:id/fees
GET /portal/fees
GET /portal/fees/service
GET,POST /portal/fees/defaults
GET,POST /portal/merchants/:id/fees/change
POST /portal/merchants/:id/fees/review
POST /portal/merchants/:id/fees/confirm
POST /portal/merchants/:id/fees/:schedule/cancel
GET,POST /portal/fees/service/change
POST /portal/fees/service/review
POST /portal/fees/service/confirm
POST /portal/fees/service/:schedule/cancel
GET,POST /portal/merchants/:id/payouts/account
GET,POST /portal/merchants/:id/payouts/resume
GET,POST /portal/merchants/:id/payouts/schedule
GET,POST /portal/merchants/:id/payouts/verify
GET /portal/merchants/:id/processing
GET,POST /portal/merchants/:id/card-rules
GET,POST /portal/merchants/:id/card-rules/entries/new
POST /portal/merchants/:id/card-rules/entries/remove/confirm
POST /portal/merchants/:id/card-rules/entries/remove
GET,POST /portal/merchants/:id/processing/connect
GET,POST /portal/merchants/:id/processing/create
POST /portal/merchants/:id/processing/create/resume
GET,POST /portal/merchants/:id/processing/link
GET /portal/merchants/:id/processing/:account/onboarding
GET /portal/merchants/:id/processing/:account/onboarding/return
GET,POST /portal/merchants/:id/processing/:account/edit
POST /portal/merchants/:id/processing/:account/test
GET,POST /portal/merchants/:id/processing/:account/remove
GET,POST /portal/merchants/:id/processing/:account/disable
GET,POST /portal/merchants/:id/processing/:account/enable
GET /portal/processing
GET,POST /portal/processing/connect
GET,POST /portal/processing/:account/edit
POST /portal/processing/:account/test
GET,POST /portal/processing/:account/remove
GET,POST /portal/processing/:account/disable
GET,POST /portal/processing/:account/enable
GET,POST /portal/processing/failover
GET /portal/developers/keys/:id
GET,POST /portal/developers/keys/:id/revoke
GET,POST /portal/developers/keys/new
GET,POST /portal/developers/keys/:id/edit
GET,POST /portal/developers/keys/:id/roll
GET /portal/developers/webhooks/:id/deliveries/:delivery
GET,POST /portal/developers/webhooks/:id/enable
GET,POST /portal/developers/webhooks/:id/disable
GET,POST /portal/developers/webhooks/:id/delete
GET /portal/developers/webhooks/:id/replays/:replay
POST /portal/developers/webhooks/:id/replays/:replay/cancel
GET,POST /portal/developers/webhooks/new
GET,POST /portal/developers/webhooks/:id/edit
GET,POST /portal/developers/webhooks/:id/rotate
GET,POST /portal/developers/webhooks/:id/test
GET,POST /portal/developers/webhooks/:id/replay
GET /portal/developers/events/:id
POST /portal/developers/events/:id/resend
GET /portal/developers/logs/:id
GET /portal/developers/idempotency
GET,POST /portal/developers/signature
GET /portal/developers/start
GET /portal/_kit
GET /portal/_kit/home
GET /portal/_kit/list
GET /portal/_kit/detail
GET /portal/_kit/earlier
GET /portal/_kit/drawer
GET /portal/_kit/totals
GET /portal/_kit/search
GET,POST /portal/_kit/refund
POST /portal/_kit/receipts
`,
}

// Every route has the class that the table says, and every line of the table is of a route. Files of records grow.
func TestEveryRouteHasAClass(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	left := make(map[string]bulkhead.Class)
	for class, table := range classes {
		for line := range strings.Lines(strings.TrimSpace(table)) {
			methods, path, _ := strings.Cut(strings.TrimSpace(line), " ")
			for method := range strings.SplitSeq(methods, ",") {
				if left[method+" "+path] != "" {
					t.Errorf("%s %s has two classes", method, path)
				}
				left[method+" "+path] = class
			}
		}
	}
	for _, r := range w.routes() {
		name := r.Method + " " + r.Path
		if class, ok := left[name]; !ok {
			t.Errorf("%s is not in the table of classes", name)
		} else if class != r.Class {
			t.Errorf("%s has the class %q, in the table it has %q", name, r.Class, class)
		}
		if strings.HasSuffix(r.Path, ".csv") && r.Class != bulkhead.Grows {
			t.Errorf("%s is a file of records, and its class is %q", name, r.Class)
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("there is no route %s", name)
	}
}

// However many pages of lists a person loads at once, few are read at the same time. The rest waits or gets a page that
// says so, and the pages of others are not affected.
func TestListsOfOnePersonAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.PerPerson = 100 })
	flooder, other := w.as(authz.RoleOrganizationStaff), w.as(authz.RoleApplicationAdmin)
	conn, err := w.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, statement := range []string{`BEGIN`, `LOCK TABLE payouts`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	answers := make(chan answer, 20)
	var all sync.WaitGroup
	for range cap(answers) {
		all.Go(func() { answers <- w.send("/portal/payouts", nil, "Cookie", flooder) })
	}
	for a := range answers {
		if a.StatusCode == http.StatusTooManyRequests { // two wait for the lock, and some for these
			if a.Header.Get("Retry-After") == "" || !strings.Contains(a.body, "in progress at once") {
				t.Errorf("%v %s", a.Header, a.body)
			}
			break
		}
	}
	if a := w.send("/portal/charges", nil, "Cookie", other); a.StatusCode != http.StatusOK {
		t.Errorf("another person: %d", a.StatusCode)
	}
	if _, err := conn.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if a := w.send("/portal/payouts", nil, "Cookie", flooder); a.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d", a.StatusCode)
	}
}

// Lists and reports use connections that are apart, and the sign-in none of them.
func TestListsUseConnectionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	of := fixture.New(t)
	apart, err := pg.OpenApart(t.Context(), of.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(apart.Close)
	w := worldOf(t, of, func(c *Config) { c.Apart = apart })
	cookie := w.as(authz.RoleApplicationAdmin)
	for _, page := range []string{"/portal/roles", "/portal/charges", "/portal/search?q=smith"} {
		before := apart.Stat().AcquireCount()
		if a := w.send(page, nil, "Cookie", cookie); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", page, a.StatusCode)
		}
		if uses := apart.Stat().AcquireCount() > before; uses != (page != "/portal/roles") {
			t.Errorf("%s uses connections that are apart: %t", page, uses)
		}
	}
}
