package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/kit"
)

// Report is an event as this provider reports it, in its feed and in notices.
func Report(e provider.Event) (notice.Message, error) {
	body, err := json.Marshal(e)
	return notice.Message{ID: e.ID, Kind: string(e.Kind), Account: e.Account, Body: body}, wrapped(err)
}

// Events implements provider.Provider.
func (p *Provider) Events(_ context.Context, m notice.Message) ([]provider.Event, error) {
	e := provider.Event{}
	if err := json.Unmarshal(m.Body, &e); err != nil {
		return nil, wrapped(err)
	}
	return []provider.Event{e}, nil
}

// Notice implements provider.Provider.
func (p *Provider) Notice(ctx context.Context, header http.Header, body []byte) ([]notice.Message, error) {
	if err := p.notifier.Verify(ctx, header, body); err != nil {
		return nil, wrapped(err)
	}
	e := provider.Event{}
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, wrapped(errors.Join(notice.ErrUnreadable, err))
	}
	if e.ID == "" || e.Kind != provider.GrantCompleted && e.Kind != provider.GrantCanceled {
		return nil, wrapped(notice.ErrUnreadable)
	}
	return []notice.Message{{ID: e.ID, Kind: string(e.Kind), Account: e.Account, Body: body}}, nil
}

// Notify sends notices of what entered the feed to an address, and returns how many it tried. Each is sent until it is
// accepted, at most [kit.MaxNotices] times.
func (p *Provider) Notify(ctx context.Context, address string) (int, error) {
	if _, err := p.emit(ctx, kit.NoticeBatch); err != nil {
		return 0, err
	}
	rows, err := pg.All[row](ctx, p.pool, `
		WITH due AS (
			SELECT id FROM sandbox_daf_feed WHERE notify_at <= @now ORDER BY notify_at LIMIT @batch
				FOR UPDATE SKIP LOCKED
		)
		UPDATE sandbox_daf_feed f SET notices = f.notices + 1,
			notify_at = CASE WHEN f.notices + 1 < @most::int THEN @now + @pause::interval * power(2, f.notices) END
		FROM due WHERE f.id = due.id
		RETURNING f.id, f.account, f.at, f.kind, f.reference, f.tracking_id`,
		pg.Args{"now": p.machine(), "batch": kit.NoticeBatch, "most": kit.MaxNotices, "pause": kit.NoticeTimeout})
	if err != nil {
		return 0, wrapped(err)
	}
	due := make([]kit.Due, len(rows))
	for i, r := range rows {
		due[i].Address = address
		if due[i].Message, err = Report(r.event()); err != nil {
			return 0, err
		}
	}
	n, err := p.notifier.Send(ctx, due, p.sent)
	return n, wrapped(err)
}

// sent ends the attempts to send a notice.
func (p *Provider) sent(ctx context.Context, id string) error {
	number, err := kit.Cursor(id)
	if err != nil {
		return err
	}
	_, err = pg.Exec(ctx, p.pool, `UPDATE sandbox_daf_feed SET notify_at = NULL WHERE id = @id`, pg.Args{"id": number})
	return err
}

// SignedNotice is the request that reports an event.
func (p *Provider) SignedNotice(ctx context.Context, e provider.Event) (http.Header, []byte, error) {
	m, err := Report(e)
	if err != nil {
		return nil, nil, err
	}
	header, err := p.notifier.Sign(ctx, m)
	return header, m.Body, wrapped(err)
}

// signingKey is the key that both sides know. The first that needs it makes it.
func (p *Provider) signingKey(ctx context.Context) ([]byte, error) {
	fresh := make([]byte, 32)
	rand.Read(fresh) // never fails (crypto/rand)
	return pg.Value[[]byte](ctx, p.pool, `
		UPDATE sandbox_daf_state SET signing_key = coalesce(signing_key, @fresh)
			RETURNING signing_key`, pg.Args{"fresh": fresh})
}
