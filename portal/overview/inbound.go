package overview

import (
	"net/http"
	"strings"
	"time"

	"svcpay/internal/platform/inbox"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
)

const (
	// mostFailed is how many messages that cannot be handled are shown.
	mostFailed = 100
	// lateMessage is how long a message may wait before someone should look.
	lateMessage = time.Minute
)

// showInbound shows what counterparties report.
func (p *Pages) showInbound(c *web.Request) error {
	states, err := p.Inboxes.States(c.Ctx(), c.Actor())
	if err != nil {
		return err
	}
	failed, err := p.Inboxes.Failed(c.Ctx(), c.Actor(), mostFailed)
	if err != nil {
		return err
	}
	t := c.Text().Inbound
	view := views.Inbound{Back: web.SystemPath}
	for _, s := range states {
		view.Sources = append(view.Sources, inboundSource(t, s, p.Now()))
	}
	for _, m := range failed {
		_, name := senderOf(t, m.Feed)
		view.Failed = append(view.Failed, views.InboundMessage{Source: name, Kind: m.Kind, ID: m.ID, Account: m.Account,
			Received: m.ReceivedAt, Attempts: m.Attempts, Failure: m.Failure})
	}
	return web.Render(c, http.StatusOK, views.InboundPage(c.Page(t.Title), view))
}

func inboundSource(t text.Inbound, s inbox.State, now time.Time) views.InboundSource {
	kind, name := senderOf(t, s.Feed)
	return views.InboundSource{Name: name, Note: kind, Read: s.ReadAt, Noticed: s.NoticedAt, Refused: s.RefusedAt,
		Waiting: s.Waiting,
		Failed:  s.Retried, Oldest: s.Oldest, Failure: s.Failure, Late: s.Oldest != nil &&
			now.Sub(*s.Oldest) > lateMessage}
}

// senderOf is who fills an inbox, from its name: such as a processor and sandbox.
func senderOf(t text.Inbound, feed string) (kind, name string) {
	kind, name, _ = strings.Cut(feed, "/")
	return t.Kinds[kind], name
}
