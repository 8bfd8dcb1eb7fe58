package notify

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/dispute"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/platform/mail"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/token"
	"svcpay/internal/webhook"
	"svcpay/views/text"
)

// The kinds of mails about what happens to money and to programs. People can turn these off.
const (
	DisputeOpened  mail.Kind = "dispute_opened"
	DisputeDue     mail.Kind = "dispute_due"
	PayoutFailed   mail.Kind = "payout_failed"
	RefundFailed   mail.Kind = "refund_failed"
	EndpointPaused mail.Kind = "endpoint_paused"
	FeesChanged    mail.Kind = "fees_changed"
	CardTesting    mail.Kind = "card_testing"
)

// The kinds of mails about what lets programs in, and money out. No one can turn these off: they are how someone
// learns that a thief was there.
const (
	KeyChanged  mail.Kind = "key_changed"
	BankChanged mail.Kind = "bank_changed"
)

var (
	_ dispute.Letters = (*Notifier)(nil)
	_ payout.Letters  = (*Notifier)(nil)
	_ refund.Letters  = (*Notifier)(nil)
	_ webhook.Letters = (*Notifier)(nil)
	_ token.Letters   = (*Notifier)(nil)
	_ fee.Letters     = (*Notifier)(nil)
)

// happening is something that several people hear of, each in their own time zone.
type happening struct {
	kind          mail.Kind
	path          string // of the page to look at
	applicationID int64
	merchantID    int64              // 0 if it is no merchant's
	may           []authz.Permission // who holds one of these where it happened hears of it
}

// tellTx writes everybody whom it concerns a mail, each one only.
func (n *Notifier) tellTx(ctx context.Context, tx *pg.Tx, h happening, words func(v text.Viewer) text.Mail) error {
	told := make(map[string]bool)
	for _, p := range h.may {
		readers, err := n.people.ConcernedTx(ctx, tx,
			identity.Concern{Permission: p, ApplicationID: h.applicationID, MerchantID: h.merchantID,
				Mail: string(h.kind)})
		if err != nil {
			return err
		}
		for _, r := range readers {
			if told[r.Email] {
				continue
			}
			told[r.Email] = true
			m := words(text.Viewer{Text: n.text, Zone: zoneOf(r)})
			m.Lines = append([]string{n.text.Notices.Hello(r.Name)}, m.Lines...)
			if err := n.putTx(tx, h.kind, r.Email, m, h.path); err != nil {
				return err
			}
		}
	}
	return nil
}

// zoneOf is where someone's clock is; UTC if they did not say.
func zoneOf(r identity.Reader) *time.Location {
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// when writes a time with its zone, as a mail may be read anywhere.
func when(v text.Viewer, at time.Time) string { return v.Time(at) + " " + at.In(v.Zone).Format("MST") }

// who is someone who did something: a person, a program by the name of its key, or an operator with a command.
func (n *Notifier) who(person, key string, program bool) string {
	switch {
	case person != "":
		return person
	case key != "":
		return n.text.Notices.ByKey + " (" + key + ")"
	case program:
		return n.text.Notices.ByKey
	}
	return n.text.Notices.Operator
}

// DisputeOpenedTx implements [dispute.Letters].
func (n *Notifier) DisputeOpenedTx(ctx context.Context, tx *pg.Tx, d dispute.Dispute) error {
	return n.ofDisputeTx(ctx, tx, DisputeOpened, d, n.text.Notices.DisputeOpened)
}

// DisputeDueTx implements [dispute.Letters].
func (n *Notifier) DisputeDueTx(ctx context.Context, tx *pg.Tx, d dispute.Dispute) error {
	return n.ofDisputeTx(ctx, tx, DisputeDue, d, n.text.Notices.DisputeDue)
}

func (n *Notifier) ofDisputeTx(ctx context.Context, tx *pg.Tx, kind mail.Kind, d dispute.Dispute,
	words func(text.DisputeFacts) text.Mail) error {
	name, err := merchant.NameTx(ctx, tx, d.ApplicationID, d.MerchantID)
	if err != nil {
		return err
	}
	reason := n.text.Disputes.Reasons[d.Reason]
	if reason == "" {
		reason = d.Reason
	}
	h := happening{kind, "/portal/disputes/" + d.ID.String(), d.ApplicationID, d.MerchantID,
		[]authz.Permission{authz.DisputeAnswer}}
	return n.tellTx(ctx, tx, h, func(v text.Viewer) text.Mail {
		return words(text.DisputeFacts{Retrieval: d.Kind == dispute.Retrieval, Merchant: name,
			Amount: n.text.Money(d.Amount, d.Currency), Reason: reason, Until: when(v, d.RespondBy.Time)})
	})
}

// PayoutFailedTx implements [payout.Letters].
func (n *Notifier) PayoutFailedTx(ctx context.Context, tx *pg.Tx, m merchant.Merchant, p payout.Payout) error {
	words := n.text.Notices.PayoutFailed
	switch {
	case p.Status == payout.Returned:
		words = n.text.Notices.PayoutReturned
	case p.Failure.Waits():
		words = n.text.Notices.PayoutDelayed
	}
	h := happening{PayoutFailed, "/portal/payouts/" + p.ID.String(), p.ApplicationID, p.MerchantID,
		[]authz.Permission{authz.PayoutResume}}
	return n.tellTx(ctx, tx, h, func(text.Viewer) text.Mail {
		return words(m.Name, n.text.Money(p.Amount, p.Currency), text.Curly(p.Failure.Message))
	})
}

// RefundFailedTx implements [refund.Letters].
func (n *Notifier) RefundFailedTx(ctx context.Context, tx *pg.Tx, r refund.Refund, refundable bool) error {
	name, err := merchant.NameTx(ctx, tx, r.ApplicationID, r.MerchantID)
	if err != nil {
		return err
	}
	h := happening{RefundFailed, "/portal/refunds/" + r.ID.String(), r.ApplicationID, r.MerchantID,
		[]authz.Permission{authz.RefundCreate}}
	return n.tellTx(ctx, tx, h, func(text.Viewer) text.Mail {
		return n.text.Notices.RefundFailed(text.RefundFacts{Merchant: name, Amount: n.text.Money(r.Amount, r.Currency),
			Why: text.Curly(r.Failure.Message), Disputed: r.ReturnedByDispute(), Refundable: refundable})
	})
}

// BankAccountChangedTx implements [payout.Letters].
func (n *Notifier) BankAccountChangedTx(ctx context.Context, tx *pg.Tx, m merchant.Merchant, b payout.BankAccount,
	by authz.Actor, replaced bool) error {
	words := n.text.Notices.BankAdded
	if replaced {
		words = n.text.Notices.BankReplaced
	}
	h := happening{BankChanged, fmt.Sprintf("/portal/merchants/%d/payouts", m.ID), m.ApplicationID, m.ID,
		[]authz.Permission{authz.MerchantBank}}
	return n.tellTx(ctx, tx, h, func(v text.Viewer) text.Mail {
		f := text.BankFacts{Merchant: m.Name, Bank: b.BankName, Ending: b.Last4,
			By: n.who(by.PersonName, by.KeyName, by.Role.IsServer()), At: when(v, b.CreatedAt.Time)}
		if b.HeldUntil != nil {
			f.HeldUntil = when(v, b.HeldUntil.Time)
		}
		return words(f)
	})
}

// CardTestingTx implements [token.Letters].
func (n *Notifier) CardTestingTx(ctx context.Context, tx *pg.Tx, c token.CardTesting) error {
	name, err := merchant.NameTx(ctx, tx, c.ApplicationID, c.MerchantID)
	if err != nil {
		return err
	}
	h := happening{CardTesting, fmt.Sprintf("/portal/merchants/%d", c.MerchantID), c.ApplicationID, c.MerchantID,
		[]authz.Permission{authz.RefundCreate}}
	return n.tellTx(ctx, tx, h, func(v text.Viewer) text.Mail {
		return n.text.Notices.CardTesting(text.CardTestingFacts{Merchant: name, At: when(v, c.At), Tokens: c.Tokens,
			Cards: c.Cards, Addresses: c.Addresses, Declined: c.Declined})
	})
}

// EndpointPausedTx implements [webhook.Letters]. The mail has only the host of the address: what follows it may be a
// secret.
func (n *Notifier) EndpointPausedTx(ctx context.Context, tx *pg.Tx, e webhook.Endpoint) error {
	to, err := url.Parse(e.URL)
	if err != nil {
		return fmt.Errorf("notify: the address of %s: %w", e.ID, err)
	}
	words := n.text.Notices.EndpointPaused
	if e.Gone() {
		words = n.text.Notices.EndpointGone
	}
	h := happening{EndpointPaused, "/portal/developers/webhooks/" + e.ID.String(), e.ApplicationID, 0,
		[]authz.Permission{authz.WebhookManage}}
	return n.tellTx(ctx, tx, h, func(text.Viewer) text.Mail { return words(to.Host) })
}

// KeyChangedTx is an [apikey.Mailer].
func (n *Notifier) KeyChangedTx(ctx context.Context, tx *pg.Tx, k apikey.Key, what apikey.Change, by authz.Actor,
	at time.Time) error {
	words := map[apikey.Change]func(text.KeyFacts) text.Mail{apikey.ChangeMade: n.text.Notices.KeyMade,
		apikey.ChangeRolled: n.text.Notices.KeyRolled, apikey.ChangeRevoked: n.text.Notices.KeyRevoked}[what]
	h := happening{KeyChanged, "/portal/developers/keys/" + k.ID.String(), k.ApplicationID, 0,
		[]authz.Permission{authz.KeyManage}}
	return n.tellTx(ctx, tx, h, func(v text.Viewer) text.Mail {
		f := text.KeyFacts{Name: k.Name, Ending: k.Last4, By: n.who(by.PersonName, by.KeyName, by.Role.IsServer()),
			At: when(v, at)}
		if k.ExpiresAt != nil && k.ExpiresAt.After(instant.Of(at).Time) {
			f.Until = when(v, k.ExpiresAt.Time)
		}
		return words(f)
	})
}

// FeesChangedTx implements [fee.Letters]. It goes to those who are responsible for the fees, and to the administrators
// of the organization that pays them.
func (n *Notifier) FeesChangedTx(ctx context.Context, tx *pg.Tx, applicationID int64, before, after fee.Record) error {
	name, err := merchant.NameTx(ctx, tx, applicationID, after.MerchantID)
	if err != nil {
		return err
	}
	words, by := n.text.Notices.FeesChanged, after.CreatedBy
	if after.Status == fee.Canceled && after.CanceledBy != nil {
		words, by = n.text.Notices.FeesTakenBack, *after.CanceledBy
	}
	facts := text.FeeFacts{Merchant: name, By: n.who(by.User, by.KeyName, by.Kind == "api")}
	if after.Status != fee.Canceled {
		facts.Reason, facts.Edits = after.Reason, n.edits(before.Rates, after.Rates)
	}
	h := happening{FeesChanged, fmt.Sprintf("/portal/merchants/%d/fees", after.MerchantID), applicationID,
		after.MerchantID,
		[]authz.Permission{authz.FeeManage, authz.MerchantUpdate}}
	return n.tellTx(ctx, tx, h, func(v text.Viewer) text.Mail {
		f := facts
		f.From = when(v, after.EffectiveAt.Time)
		return words(f)
	})
}

// edits are the settings in which two rates differ.
func (n *Notifier) edits(old, now fee.Rates) (out []string) {
	for _, s := range fee.Settings() {
		if was, is := n.setting(s, old), n.setting(s, now); was != is {
			out = append(out, n.text.Notices.Edit(n.text.MerchantFees.Names[s.Name], was, is))
		}
	}
	return out
}

func (n *Notifier) setting(s fee.Setting, r fee.Rates) string {
	flat, percent := s.In(r)
	switch {
	case flat != nil:
		return n.text.Amount(*flat)
	case percent != nil:
		return n.text.Percent(*percent)
	}
	return n.text.MerchantFees.Off
}
