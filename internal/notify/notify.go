// Package notify writes mails to people about disputes, payouts, refunds, endpoints, fees and access: it chooses
// recipients, words and link, and queues the mail in the transaction of the change.
package notify

import (
	"time"

	"svcpay/internal/identity"
	"svcpay/internal/platform/mail"
	"svcpay/internal/platform/pg"
	"svcpay/views/text"
)

// The kinds of mails about signing in. No one can turn these off: they are how someone gets in, or learns that
// someone else did.
const (
	Invitation    mail.Kind = "invitation"
	ResetLink     mail.Kind = "reset_link"
	AccountChange mail.Kind = "account_change"
	WrongCodes    mail.Kind = "wrong_codes"
)

// NewSignIn is the kind of mails about sign-ins in browsers that someone had not used before.
const NewSignIn mail.Kind = identity.NewSignInMail

// Choosable are the kinds of mails that people can turn off.
func Choosable() []string {
	out := []string{string(NewSignIn)}
	for _, k := range []mail.Kind{DisputeOpened, DisputeDue, PayoutFailed, RefundFailed, EndpointPaused, FeesChanged,
		CardTesting} {
		out = append(out, string(k))
	}
	return out
}

var _ identity.Letters = (*Notifier)(nil)

// Notifier writes mails.
type Notifier struct {
	mail   *mail.Service
	people *identity.Service
	base   string
	text   *text.Catalogue
}

// New makes a notifier for the portal at base, as scheme://host, that finds those whom something concerns among people.
func New(m *mail.Service, people *identity.Service, base string) *Notifier {
	return &Notifier{mail: m, people: people, base: base, text: text.English}
}

// putTx completes a mail to a person, whose button leads to a page of the portal, and queues it.
func (n *Notifier) putTx(tx *pg.Tx, kind mail.Kind, to string, words text.Mail, path string) error {
	m := mail.Message{Kind: kind, To: to, Subject: words.Subject, Lines: words.Lines, Note: words.Note}
	if words.Button != "" {
		m.Link = mail.Link{Label: words.Button, URL: n.base + path}
	}
	return n.mail.PutTx(tx, m)
}

// InvitationTx mails a person the link of their invitation. It is an [identity.Inviter].
func (n *Notifier) InvitationTx(tx *pg.Tx, i identity.Invited) error {
	place := i.ScopeName
	if place == "" {
		place = n.text.Places.Deployment
	}
	words := n.text.Mails.Invitation(i.InvitedBy, n.text.Roles[string(i.Role)], place,
		n.text.Day(i.ExpiresAt.Format("2006-01-02")))
	return n.putTx(tx, Invitation, i.Email, words, "/portal/invite/"+i.Token)
}

// ResetLinkTx implements [identity.Letters].
func (n *Notifier) ResetLinkTx(tx *pg.Tx, p identity.Person, token string, until time.Time) error {
	return n.putTx(tx, ResetLink, p.Email, n.text.Mails.ResetLink(p.Name, n.at(until)), "/portal/reset/"+token)
}

// NewSignInTx implements [identity.Letters].
func (n *Notifier) NewSignInTx(tx *pg.Tx, p identity.Person, from identity.Visitor, at time.Time) error {
	where := ""
	if from.Address.IsValid() {
		where = from.Address.Unmap().String()
	}
	words := n.text.Mails.NewSignIn(p.Name, n.text.Settings.BrowserOn(text.Browser(from.UserAgent)), where, n.at(at))
	return n.putTx(tx, NewSignIn, p.Email, words, "/portal/settings")
}

// WrongCodesTx implements [identity.Letters].
func (n *Notifier) WrongCodesTx(tx *pg.Tx, p identity.Person, at time.Time) error {
	where := ""
	if p.Seen.Address.IsValid() {
		where = p.Seen.Address.Unmap().String()
	}
	return n.putTx(tx, WrongCodes, p.Email, n.text.Mails.WrongCodes(p.Name, where, n.at(at)), "/portal/settings")
}

// ChangedTx implements [identity.Letters].
func (n *Notifier) ChangedTx(tx *pg.Tx, p identity.Person, what identity.Change, at time.Time) error {
	words := n.text.Mails.Changed(p.Name, n.text.Mails.Changes[string(what)], n.at(at))
	return n.putTx(tx, AccountChange, p.Email, words, "/portal/settings")
}

// at writes a time for someone whose clock is not known.
func (n *Notifier) at(t time.Time) string {
	return text.Viewer{Text: n.text, Zone: time.UTC}.Time(t) + " UTC"
}
