package chariot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"svcpay/internal/platform/notice"
)

// signatureHeader has the time and the signatures of a notice, as t=TIME,v1=HEX. The time is written by RFC 3339.
const signatureHeader = "Chariot-Webhook-Signature"

// Notice implements [provider.Provider]. A notice is one event, signed with the secret of an event subscription.
func (p *Provider) Notice(ctx context.Context, header http.Header, body []byte) ([]notice.Message, error) {
	k, err := p.keys(ctx)
	if errors.Is(err, errNoKey) {
		return nil, notice.ErrNoSender
	}
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(k.signing, func(secret string) bool {
		return notice.Signed(header.Get(signatureHeader), secret, body, p.config.Now(), timeOf)
	}) {
		return nil, notice.ErrSignature
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, errors.Join(notice.ErrUnreadable, err)
	}
	if e.ID == "" || e.Category == "" || e.CreatedAt.IsZero() {
		return nil, notice.ErrUnreadable
	}
	if !e.followed() {
		return nil, nil
	}
	m, err := e.message()
	return []notice.Message{m}, err
}

// followed reports whether an event belongs in the feed: those of grants that change, and of deposits. A grant's
// creation is known from the answer to its submission.
func (e event) followed() bool {
	return e.ObjectID != "" && (e.Category == grantUpdated && e.ObjectType == "grant" || e.aboutDeposit())
}

func (e event) aboutDeposit() bool {
	return e.ObjectType == "deposit" && (e.Category == depositCreated || e.Category == depositUpdated)
}

// The categories of the events that we read.
const (
	grantUpdated   = "grant.updated"
	depositCreated = "deposit.created"
	depositUpdated = "deposit.updated"
)

// body is what is kept of an event. The object is read when the event is handled.
type body struct {
	ID        string    `json:"id"`
	GrantID   string    `json:"grant_id,omitempty"`
	DepositID string    `json:"deposit_id,omitempty"`
	At        time.Time `json:"at"`
}

// message is an event as a message. Its id begins with its millisecond, so that messages have an order.
func (e event) message() (notice.Message, error) {
	if e.aboutDeposit() {
		return messageOf(e.Category, body{ID: e.ID, DepositID: e.ObjectID, At: e.CreatedAt.Time})
	}
	return messageOf(e.Category, body{ID: e.ID, GrantID: e.ObjectID, At: e.CreatedAt.Time})
}

func messageOf(category string, b body) (notice.Message, error) {
	text, err := json.Marshal(b)
	return notice.Message{ID: messageID(b.At, b.ID), Kind: category, Account: Name, Body: text}, wrapped(err)
}

func messageID(at time.Time, id string) string { return fmt.Sprintf("%014d_%s", at.UnixMilli(), id) }

// timeOf reads a time as RFC 3339 writes it.
func timeOf(text string) (time.Time, error) { return time.Parse(time.RFC3339Nano, text) }
