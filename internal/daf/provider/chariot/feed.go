package chariot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
)

// Times of the feed: how long it waits for an event, so that none of an earlier moment is missing; how often it is read
// while it has nothing new; how long Chariot keeps events; and how long the end of a grant that the walk found waits
// for an event that reports it.
const (
	lag       = time.Minute
	pollEvery = 30 * time.Second
	history   = 30 * 24 * time.Hour
	overdue   = time.Hour
)

// poll is a reading of the list of events. It is continued if it runs out of time. The order of the list is not
// documented: if it begins with the latest event, reading ends at the cursor; if with the first, it begins at the last
// page that was read.
type poll struct {
	mu    sync.Mutex
	after string    // the cursor
	quiet time.Time // until then there is nothing new after it
	page  string    // the token of the page to read next
	open  bool      // the reading has not ended
	found []notice.Message
	first time.Time // of the first event that was read
	// start is the token of the page where the next reading begins if its cursor is after startAt, the time of the
	// page's first event; "" for the first page.
	start   string
	startAt time.Time
}

// Messages implements [provider.Provider]. A deployment that is not connected has none.
func (p *Provider) Messages(ctx context.Context, after string, limit int) ([]notice.Message, error) {
	if _, err := p.keys(ctx); errors.Is(err, errNotConnected) {
		return nil, nil
	}
	now := p.config.Now()
	horizon, from := now.Add(-p.config.Times.Lag), now.Add(-history)
	if after != "" {
		at, err := momentOf(after)
		if err != nil {
			return nil, err
		}
		from = at
	}
	s := &p.poll
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.after == after && now.Before(s.quiet) {
		return nil, ctx.Err()
	}
	if !s.open || s.after != after {
		s.after, s.open, s.page, s.found, s.first = after, true, "", nil, time.Time{}
		if s.startAt.Before(from) {
			s.page = s.start
		}
	}
	if err := p.read(ctx, s, from, horizon); err != nil {
		return nil, err
	}
	messages, err := p.unreported(ctx, horizon)
	if err != nil {
		return nil, err
	}
	messages = slices.DeleteFunc(append(messages, s.found...), func(m notice.Message) bool { return m.ID <= after })
	slices.SortFunc(messages, func(a, b notice.Message) int { return cmp.Compare(a.ID, b.ID) })
	messages = slices.CompactFunc(messages, func(a, b notice.Message) bool { return a.ID == b.ID })
	s.open, s.quiet = false, time.Time{}
	if len(messages) == 0 {
		s.quiet = now.Add(p.config.Times.Poll)
	}
	return messages[:min(limit, len(messages))], nil
}

// read reads the pages of a poll.
func (p *Provider) read(ctx context.Context, s *poll, from, horizon time.Time) error {
	for {
		query := url.Values{"limit": {strconv.Itoa(pageSize)}}
		if s.page != "" {
			query.Set("cursor", s.page)
		}
		var page list[event]
		if err := p.get(ctx, "/v1/events", "/v1/events", query, &page); err != nil {
			if s.page != "" && hasStatus(err, http.StatusBadRequest) { // Chariot has forgotten the page
				s.page, s.start = "", ""
			}
			return err
		}
		for _, e := range page.Results {
			if !e.followed() || e.CreatedAt.Before(from.Truncate(time.Millisecond)) || e.CreatedAt.After(horizon) {
				continue
			}
			m, err := e.message()
			if err != nil {
				return err
			}
			s.found = append(s.found, m)
		}
		over := s.turn(page.Results, from)
		if page.Next == "" || page.Next == s.page || over {
			return nil
		}
		s.page = page.Next
	}
}

// turn notes the order of the list after a page was read, and reports whether all later pages are of before a time.
func (s *poll) turn(events []event, from time.Time) (over bool) {
	if len(events) == 0 {
		return false
	}
	last := events[len(events)-1].CreatedAt
	if s.first.IsZero() {
		s.first = events[0].CreatedAt.Time
	}
	switch {
	case s.first.Before(last.Time):
		s.start, s.startAt = s.page, events[0].CreatedAt.Time
	case s.first.After(last.Time):
		s.start = ""
		return last.Before(from.Add(-lag))
	}
	return false
}

// momentOf is when the event of a message happened.
func momentOf(id string) (time.Time, error) {
	text, _, _ := strings.Cut(id, "_")
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("chariot: %q is no message of this feed", id)
	}
	return time.UnixMilli(at), nil
}

// unreportedEnd is a grant whose end the walk found, and no event reported.
type unreportedEnd struct {
	GrantID string    `db:"grant_id"`
	EndedAt time.Time `db:"ended_at"`
}

// unreported are messages about grants whose end no event reported: events that Chariot lost, or forgot.
func (p *Provider) unreported(ctx context.Context, horizon time.Time) ([]notice.Message, error) {
	rows, err := pg.All[unreportedEnd](ctx, p.config.Pool, `
		SELECT grant_id, ended_at FROM chariot_lines WHERE ended_at <= @before AND ended_by IS NULL ORDER BY ended_at,
			number LIMIT @limit`,
		pg.Args{"before": horizon.Add(-overdue), "limit": pageSize})
	if err != nil {
		return nil, wrapped(err)
	}
	messages := make([]notice.Message, len(rows))
	for i, r := range rows {
		if messages[i], err = messageOf(grantUpdated,
			body{ID: "walk_" + r.GrantID, GrantID: r.GrantID, At: horizon}); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

// Events implements [provider.Provider]. Of a deposit it keeps what arrived, and reports nothing. Of a grant it reads
// the current state, because events arrive in any order. Only the first event that finds a grant at its end reports it.
// Grants that are not of our visits are not reported. A status that we do not know is an error: the message is retried
// until the status is another one, and an operator is alerted.
func (p *Provider) Events(ctx context.Context, m notice.Message) ([]provider.Event, error) {
	var b body
	if err := json.Unmarshal(m.Body, &b); err != nil || b.GrantID == "" && b.DepositID == "" {
		return nil, fmt.Errorf("chariot: the message %q cannot be read", m.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, provider.CallTimeout)
	defer cancel()
	if b.DepositID != "" {
		return nil, p.noticed(ctx, b.DepositID)
	}
	var g grant
	if err := p.get(ctx, "/v1/grants/:id", "/v1/grants/"+url.PathEscape(b.GrantID), nil, &g); err != nil {
		return nil, err
	}
	if !g.readable() || g.ID != b.GrantID {
		return nil, fmt.Errorf("chariot: the grant of the message %q cannot be read", m.ID)
	}
	o, err := p.ownerOf(ctx, g)
	if err != nil || o == (owner{}) {
		return nil, err
	}
	if o.Unsubmitted {
		slog.ErrorContext(ctx, "a grant of one of our sessions was not submitted by us", "grant", g.ID)
	}
	kind, known := g.state()
	if err := p.keep(ctx, []ownedGrant{{g, o}}); err != nil {
		return nil, err
	}
	switch {
	case !known:
		return nil, fmt.Errorf("chariot: the grant %s has the status %q, which is not known", plain(g.ID, 40),
			plain(g.Status, 40))
	case kind == "":
		return nil, nil
	}
	first, err := pg.Exec(ctx, p.config.Pool, `
		UPDATE chariot_lines SET ended_by = @message WHERE grant_id = @id
			AND (ended_by IS NULL OR ended_by = @message)`,
		pg.Args{"id": g.ID, "message": m.ID})
	if err != nil || first == 0 {
		return nil, wrapped(err)
	}
	return []provider.Event{
		{ID: m.ID, Kind: kind, Account: o.Account, Reference: o.Reference, TrackingID: g.TrackingID, At: b.At.UTC()},
	}, nil
}
