// Package notify tells people by mail what concerns them: it finds the words and the link for what happened, and puts
// the mail on its way with the transaction that it tells of.
package notify

import (
	"svcpay/internal/identity"
	"svcpay/internal/mail"
	"svcpay/internal/pg"
	"svcpay/views/text"
)

// The kinds of mails about signing in. Nobody can turn these off: they are how somebody gets in, or learns that
// somebody else did.
const (
	Invitation mail.Kind = "invitation"
)

// Notifier writes mails.
type Notifier struct {
	mail *mail.Service
	base string
	text *text.Catalogue
}

// New makes a notifier for the portal at base, as scheme://host.
func New(m *mail.Service, base string) *Notifier {
	return &Notifier{mail: m, base: base, text: text.English}
}

// put completes a mail to somebody, whose button leads to a page of the portal, and puts it on its way.
func (n *Notifier) put(tx *pg.Tx, kind mail.Kind, to string, words text.Mail, path string) error {
	m := mail.Message{Kind: kind, To: to, Subject: words.Subject, Lines: words.Lines, Note: words.Note}
	if words.Button != "" {
		m.Link = mail.Link{Label: words.Button, URL: n.base + path}
	}
	return n.mail.PutTx(tx, m)
}

// Invitation sends somebody the link of their invitation. It is an [identity.Inviter].
func (n *Notifier) Invitation(tx *pg.Tx, i identity.Invited) error {
	place := i.ScopeName
	if place == "" {
		place = n.text.Places.Deployment
	}
	words := n.text.Mails.Invitation(i.InvitedBy, n.text.Roles[string(i.Role)], place, n.text.Day(i.ExpiresAt.Format("2006-01-02")))
	return n.put(tx, Invitation, i.Email, words, "/portal/invite/"+i.Token)
}
