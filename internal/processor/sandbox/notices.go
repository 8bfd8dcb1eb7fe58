package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sandbox/kit"
)

// Report is an event as this processor reports it, in its feed and in notices.
func Report(e processor.Event) (notice.Message, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return notice.Message{}, fmt.Errorf("sandbox: %w", err)
	}
	return notice.Message{ID: e.ID, Kind: string(e.Kind), Account: e.Account, Body: body}, nil
}

// Reports are events as this processor reports them.
func Reports(events []processor.Event) ([]notice.Message, error) {
	messages := make([]notice.Message, len(events))
	for i, e := range events {
		var err error
		if messages[i], err = Report(e); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

// Events implements processor.Processor.
func (p *Processor) Events(_ context.Context, m notice.Message) ([]processor.Event, error) {
	e := processor.Event{}
	if err := json.Unmarshal(m.Body, &e); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return []processor.Event{e}, nil
}

// Notice implements processor.Processor: a notice is one event, of the account that it is sent for.
func (p *Processor) Notice(ctx context.Context, account processor.Account, header http.Header,
	body []byte) ([]notice.Message, error) {
	if _, ok := processor.ApplicationOf(account.External); !ok {
		return nil, processor.ErrNoAccount
	}
	if err := p.notifier.Verify(ctx, header, body); err != nil {
		return nil, err
	}
	e := processor.Event{}
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, errors.Join(notice.ErrUnreadable, err)
	}
	if e.ID == "" || e.Kind == "" || e.Account != account.External {
		return nil, notice.ErrUnreadable
	}
	return []notice.Message{{ID: e.ID, Kind: string(e.Kind), Account: e.Account, Body: body}}, nil
}

// SignedNotice is the request that reports an event.
func (p *Processor) SignedNotice(ctx context.Context, e processor.Event) (http.Header, []byte, error) {
	m, err := Report(e)
	if err != nil {
		return nil, nil, err
	}
	header, err := p.notifier.Sign(ctx, m)
	return header, m.Body, err
}

// Notify sends notices of what entered the feed to the address of its account below hooks, such as
// https://pay.example.org/hooks, and returns how many it tried. Each is sent until it is accepted, at most
// [kit.MaxNotices] times.
func (p *Processor) Notify(ctx context.Context, hooks string) (int, error) {
	rows, err := pg.All[row](ctx, p.pool, `
		WITH due AS (
			SELECT id FROM sandbox_processor_feed WHERE processor = @processor AND notify_at <= @now
			ORDER BY notify_at LIMIT @batch FOR UPDATE SKIP LOCKED
		)
		UPDATE sandbox_processor_feed f SET notices = f.notices + 1,
			notify_at = CASE WHEN f.notices + 1 < @most::int THEN @now + @pause::interval * power(2, f.notices) END
		FROM due WHERE f.id = due.id
		RETURNING f.id, f.account, f.at, f.kind, f.reference, f.return_code, f.dispute, f.retrieval, f.reason, f.amount,
			f.currency, f.respond_by,
			f.kind = @returned AND EXISTS (SELECT FROM sandbox_processor_feed s
				WHERE s.processor = f.processor AND s.reference = f.reference AND s.kind = @settled
					AND s.id < f.id) AS settled`,
		pg.Args{"processor": p.name, "now": p.machine(), "batch": kit.NoticeBatch, "most": kit.MaxNotices,
			"pause": kit.NoticeTimeout, "returned": processor.DebitReturned, "settled": processor.ChargeSettled})
	if err != nil {
		return 0, fmt.Errorf("sandbox: %w", err)
	}
	due := make([]kit.Due, len(rows))
	for i, r := range rows {
		due[i].Address = hooks + "/" + p.name + "/" + url.PathEscape(r.Account)
		if due[i].Message, err = Report(r.event()); err != nil {
			return 0, err
		}
	}
	return p.notifier.Send(ctx, due, p.sent)
}

// sent ends the attempts to send a notice.
func (p *Processor) sent(ctx context.Context, id string) error {
	number, err := kit.Cursor(id)
	if err != nil {
		return err
	}
	_, err = pg.Exec(ctx, p.pool, `UPDATE sandbox_processor_feed SET notify_at = NULL
		WHERE id = @id`, pg.Args{"id": number})
	return err
}

// signingKey is the key that both sides know. The first that needs it makes it.
func (p *Processor) signingKey(ctx context.Context) ([]byte, error) {
	fresh := make([]byte, 32)
	rand.Read(fresh) // never fails (crypto/rand)
	return pg.Value[[]byte](ctx, p.pool, `
		UPDATE sandbox_processor_emission SET signing_key = coalesce(signing_key, @fresh)
			RETURNING signing_key`, pg.Args{"fresh": fresh})
}
