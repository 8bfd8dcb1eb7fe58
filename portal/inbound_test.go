package portal

import (
	"net/http"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/platform/inbox"
	"svcpay/internal/platform/notice"
	"svcpay/portal/web"
)

// The page shows when each source was last heard, and what fails with the reason, to those who run the service.
func TestInboundMessagesShowWhatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	empty := w.send(web.InboundPath, nil, "Cookie", admin)
	empty.wants(t, http.StatusOK, "")
	empty.says(t, "No sources yet", "No failed messages")
	w.send(web.SystemPath, nil, "Cookie", admin).says(t, `href="`+web.InboundPath+`"`)
	w.send(web.InboundPath, nil, "Cookie", w.as(authz.RoleApplicationAdmin)).wants(t, http.StatusForbidden, "")

	if _, err := w.Inbound.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := w.send(web.InboundPath, nil, "Cookie", admin)
	read.says(t, "sandbox", "Processor", "DAF provider", "On time", "Never")
	read.lacks(t, "No sources yet", "Behind")

	box := inbox.NewBox(w.Pool, w.Clock.Now, "processor/sandbox", "x")
	m := notice.Message{ID: "0000000000000000009", Kind: "account_renamed", Account: "app-1/merchant-1",
		Body: []byte(`{"Kind":"account_renamed"}`)}
	if err := box.Receive(t.Context(), []notice.Message{m}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Inbound.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.pass(2 * time.Minute)
	w.send(web.InboundPath, nil, "Cookie", admin).says(t, "1 message failing", "account_renamed",
		"sandbox · 0000000000000000009", "app-1/merchant-1",
		"inbound: no handler for account_renamed")
}
