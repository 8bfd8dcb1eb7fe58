package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/pg"
)

const (
	noticeTimeout = 5 * time.Second
	noticeBatch   = 20
	// maxNotices is how often one event is told; the feed has it in any case.
	maxNotices = 5
	// noticeAge is how old a notice may be: a copy of it that comes later is refused.
	noticeAge = 5 * time.Minute
)

// noticeBody is what a notice says. Its words are the provider's own.
type noticeBody struct {
	ID   string     `json:"id"`
	Type noticeType `json:"type"`
	At   time.Time  `json:"occurred_at"`
	Data struct {
		Account    string `json:"account"`
		Reference  string `json:"reference"`
		TrackingID string `json:"tracking_id"`
	} `json:"data"`
}

type noticeType string

// kinds are the provider's words for what happens.
var kinds = map[noticeType]provider.EventKind{"grant.completed": provider.GrantCompleted, "grant.canceled": provider.GrantCanceled}

func wordFor(k provider.EventKind) noticeType {
	for word, kind := range kinds {
		if kind == k {
			return word
		}
	}
	return noticeType(k)
}

// Notify tells the address of what entered the feed, and says how many events it told. Each is told until it is
// taken, at most five times.
func (p *Provider) Notify(ctx context.Context, address string) (int, error) {
	if _, err := p.emit(ctx, noticeBatch); err != nil {
		return 0, err
	}
	due, err := pg.All[row](ctx, p.pool, `
		WITH due AS (
			SELECT id FROM sandbox_daf_feed WHERE notify_at <= @now ORDER BY notify_at LIMIT @batch FOR UPDATE SKIP LOCKED
		)
		UPDATE sandbox_daf_feed f SET notices = f.notices + 1,
			notify_at = CASE WHEN f.notices + 1 < @most::int THEN @now + @pause::interval * power(2, f.notices) END
		FROM due WHERE f.id = due.id
		RETURNING f.id, f.account, f.at, f.kind, f.reference, f.tracking_id, f.notices`,
		pg.Args{"now": p.machine(), "batch": noticeBatch, "most": maxNotices, "pause": noticeTimeout})
	if err != nil {
		return 0, wrapped(err)
	}
	var errs []error
	for _, r := range due {
		if err := p.tell(ctx, address, r.event()); err != nil {
			errs = append(errs, err)
			continue
		}
		if _, err := pg.Exec(ctx, p.pool, `UPDATE sandbox_daf_feed SET notify_at = NULL WHERE id = @id`, pg.Args{"id": r.ID}); err != nil {
			errs = append(errs, wrapped(err))
		}
	}
	return len(due), errors.Join(errs...)
}

// tell sends one notice.
func (p *Provider) tell(ctx context.Context, address string, e provider.Event) error {
	header, body, err := p.SignedNotice(ctx, e)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return wrapped(err)
	}
	r.Header = header
	answer, err := p.client.Do(r)
	if err != nil {
		return wrapped(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return wrapped(errors.New("a notice was answered " + answer.Status))
	}
	return nil
}

// SignedNotice is the request that reports an event, signed per Standard Webhooks.
func (p *Provider) SignedNotice(ctx context.Context, e provider.Event) (http.Header, []byte, error) {
	b := noticeBody{ID: e.ID, Type: wordFor(e.Kind), At: e.At}
	b.Data.Account, b.Data.Reference, b.Data.TrackingID = e.Account, e.Reference, e.TrackingID
	body, err := json.Marshal(b)
	if err != nil {
		return nil, nil, wrapped(err)
	}
	signer, err := p.signer(ctx)
	if err != nil {
		return nil, nil, err
	}
	now, id := p.machine(), "msg_"+e.ID
	signature, err := signer.Sign(id, now, body)
	if err != nil {
		return nil, nil, wrapped(err)
	}
	h := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"sandbox-daf-provider"}}
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return h, body, nil
}

// Notice implements provider.Provider.
func (p *Provider) Notice(ctx context.Context, header http.Header, body []byte) (provider.Event, error) {
	signer, err := p.signer(ctx)
	if err != nil {
		return provider.Event{}, err
	}
	// The library compares the time of signing with the machine's own clock; ours is the one that is passed in.
	if signer.VerifyIgnoringTimestamp(body, header) != nil || !p.recent(header.Get(standardwebhooks.HeaderWebhookTimestamp)) {
		return provider.Event{}, provider.ErrSignature
	}
	var b noticeBody
	if err := json.Unmarshal(body, &b); err != nil {
		return provider.Event{}, errors.Join(provider.ErrNotice, err)
	}
	kind, ok := kinds[b.Type]
	if !ok || b.ID == "" {
		return provider.Event{}, provider.ErrNotice
	}
	return provider.Event{ID: b.ID, Kind: kind, Account: b.Data.Account, Reference: b.Data.Reference, TrackingID: b.Data.TrackingID, At: b.At}, nil
}

// recent reports whether something was signed about now.
func (p *Provider) recent(timestamp string) bool {
	seconds, err := strconv.ParseInt(strings.TrimSpace(timestamp), 10, 64)
	if err != nil {
		return false
	}
	age := p.machine().Sub(time.Unix(seconds, 0))
	return age <= noticeAge && age >= -noticeAge
}

// signer signs with the key that both sides know. The first that needs it makes it.
func (p *Provider) signer(ctx context.Context) (*standardwebhooks.Webhook, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.signs != nil {
		return p.signs, nil
	}
	fresh := make([]byte, 32)
	rand.Read(fresh) // never fails (crypto/rand)
	key, err := pg.Value[[]byte](ctx, p.pool, `
		UPDATE sandbox_daf_state SET signing_key = coalesce(signing_key, @fresh) RETURNING signing_key`, pg.Args{"fresh": fresh})
	if err != nil {
		return nil, wrapped(err)
	}
	p.signs, err = standardwebhooks.NewWebhookRaw(key)
	return p.signs, err
}
