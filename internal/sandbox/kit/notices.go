package kit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svcpay/internal/platform/notice"
)

const (
	// NoticeTimeout bounds the sending of one notice; the pause before another attempt is at least as long.
	NoticeTimeout = 5 * time.Second
	// NoticeBatch is how many notices are sent in one go.
	NoticeBatch = 20
	// MaxNotices is how often one event is sent; the feed has it in any case.
	MaxNotices = 5
	// noticeAge is how old a notice may be: a copy of it that comes later is refused.
	noticeAge = 5 * time.Minute
)

// Notifier signs, sends and verifies the notices of a counterparty, per Standard Webhooks.
type Notifier struct {
	machine func() time.Time
	key     func(ctx context.Context) ([]byte, error)
	client  *http.Client

	mu    sync.Mutex
	signs *standardwebhooks.Webhook // nil until a notice is signed or verified
}

// NewNotifier makes the notifier of a counterparty. key returns the key that both sides know; it is asked once.
func NewNotifier(machine func() time.Time, key func(ctx context.Context) ([]byte, error)) *Notifier {
	return &Notifier{machine: machine, key: key, client: &http.Client{Timeout: NoticeTimeout}}
}

// Sign returns the headers of the notice with that message.
func (n *Notifier) Sign(ctx context.Context, m notice.Message) (http.Header, error) {
	signer, err := n.signer(ctx)
	if err != nil {
		return nil, err
	}
	now, id := n.machine(), "msg_"+m.ID
	signature, err := signer.Sign(id, now, m.Body)
	if err != nil {
		return nil, err
	}
	h := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"sandbox-counterparty"}}
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return h, nil
}

// Verify returns [notice.ErrSignature] for a request that the counterparty did not sign within the last minutes.
func (n *Notifier) Verify(ctx context.Context, header http.Header, body []byte) error {
	signer, err := n.signer(ctx)
	if err != nil {
		return err
	}
	// The library compares the time of signing with the machine's own clock; ours is the one that is passed in.
	if signer.VerifyIgnoringTimestamp(body, header) != nil ||
		!n.recent(header.Get(standardwebhooks.HeaderWebhookTimestamp)) {
		return notice.ErrSignature
	}
	return nil
}

// recent reports whether something was signed within the last minutes.
func (n *Notifier) recent(timestamp string) bool {
	seconds, err := strconv.ParseInt(strings.TrimSpace(timestamp), 10, 64)
	if err != nil {
		return false
	}
	age := n.machine().Sub(time.Unix(seconds, 0))
	return age <= noticeAge && age >= -noticeAge
}

// Due is a message that is to be sent to an address.
type Due struct {
	Address string
	Message notice.Message
}

// Send sends each message that is due and has sent mark those that were accepted. It returns how many it tried.
func (n *Notifier) Send(ctx context.Context, due []Due, sent func(ctx context.Context, id string) error) (int, error) {
	var errs []error
	for _, d := range due {
		err := n.post(ctx, d)
		if err == nil {
			err = sent(ctx, d.Message.ID)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return len(due), errors.Join(errs...)
}

func (n *Notifier) post(ctx context.Context, d Due) error {
	header, err := n.Sign(ctx, d.Message)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Address, bytes.NewReader(d.Message.Body))
	if err != nil {
		return err
	}
	r.Header = header
	answer, err := n.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("a notice was answered %s", answer.Status)
	}
	return nil
}

func (n *Notifier) signer(ctx context.Context) (*standardwebhooks.Webhook, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.signs != nil {
		return n.signs, nil
	}
	key, err := n.key(ctx)
	if err != nil {
		return nil, err
	}
	n.signs, err = standardwebhooks.NewWebhookRaw(key)
	return n.signs, err
}
