package portal

import (
	"net/url"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/portal/web"
)

// The title of a page that shows a form again says so: not that of a page about an error, and not that of a proof
// which is asked for the first time.
func TestTitlesTellOfRefusedForms(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	admin := w.as(authz.RoleApplicationAdmin)
	for path, want := range map[string]string{web.InvitePath: "Error: Invite member",
		web.WebhooksPath + "/new": "Error: ", web.MerchantsPath + "/new": "Error: Add merchant",
		web.ForgotPath: "Error: ", web.TeamPath + "/0/role": "Page not found"} {
		w.send(path, url.Values{"once": {web.NewOnce()}}, "Cookie", admin).says(t, "<title>"+want)
	}
	w.send(web.InvitePath, nil, "Cookie", admin).says(t, "<title>Invite member")
	w.pass(11 * time.Minute)
	asked := w.send(web.InvitePath, url.Values{"email": {"x"}}, "Cookie", admin)
	asked.says(t, `name="proof_password"`)
	asked.lacks(t, "<title>Error")
	w.send(web.InvitePath, url.Values{"proof_password": {"wrong"}}, "Cookie", admin).says(t, "<title>Error: ")
}
