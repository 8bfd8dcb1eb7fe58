package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/platform/mail"
	"svcpay/portal/web"
)

// letters delivers what is due and returns everything in the inbox, the newest first.
func (w *world) letters() []mail.Letter {
	w.t.Helper()
	if _, err := w.Portal.Mail.Deliver(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	all, err := w.Portal.Mail.Inbox(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// path is where the link of a letter leads in the portal.
func (w *world) path(l mail.Letter) string {
	w.t.Helper()
	path, ok := strings.CutPrefix(l.Link.URL, w.BaseURL)
	if !ok {
		w.t.Fatalf("the mail leads elsewhere: %q", l.Link.URL)
	}
	return path
}

func TestAnInvitationIsMailed(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	a := w.send(web.InvitePath,
		url.Values{"email": {"new@example.org"},
			"place": {"application_admin@app:" + strconv.FormatInt(w.App.AppID, 10)}}, "Cookie", cookie)
	a.wants(t, http.StatusSeeOther, web.TeamPath)
	all := w.letters()
	if len(all) != 1 || all[0].To != "new@example.org" ||
		all[0].Subject != "Kim Vale invited you to join Riverside Giving on SvcPay" {
		t.Fatalf("%+v", all)
	}
	w.send(w.path(all[0]), nil).says(t, "Kim Vale", "Application administrator")
	w.send("/portal/_inbox", nil).says(t, "To new@example.org", all[0].Subject, all[0].Link.URL, "Accept invitation")
}

func TestTheInboxIsThereOnlyWhereMailsGoNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send("/portal/_inbox", nil).wants(t, http.StatusNotFound, "")
	w = mailWorld(t, nil)
	w.send("/portal/_inbox", nil).says(t, "No emails yet")
	w = mailWorld(t, func(c *Config) { c.Sandbox = false })
	w.send("/portal/_inbox", nil).wants(t, http.StatusNotFound, "")
}
