package account

import (
	"net/http"
	"strings"

	"svcpay/internal/platform/mail"
	"svcpay/portal/web"
	"svcpay/views"
)

const inboxPath = "/portal/_inbox"

// inboxRoutes are there only where mails go nowhere: anyone who opens the page reads everybody's.
func (p *Pages) inboxRoutes() []web.Route {
	if !p.Sandbox || !p.Mail.Keeps() {
		return nil
	}
	return []web.Route{web.Get(inboxPath, web.Public, p.showInbox)}
}

func (p *Pages) showInbox(c *web.Request) error {
	letters, err := p.Mail.Inbox(c.Ctx())
	if err != nil {
		return err
	}
	shown := make([]views.InboxLetter, len(letters))
	for i, l := range letters {
		shown[i] = letterOf(l)
	}
	return web.Render(c, http.StatusOK, views.InboxPage(c.Page(c.Text().Inbox.Title), shown))
}

func letterOf(l mail.Letter) views.InboxLetter {
	var files []string
	for _, f := range l.Files {
		files = append(files, f.Name)
	}
	return views.InboxLetter{To: l.To, Subject: l.Subject, Lines: l.Lines, Button: l.Link.Label, URL: l.Link.URL,
		Note:  l.Note,
		Files: strings.Join(files, ", "), At: l.CreatedAt}
}
