package chariot

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// depositsBack is how long before the last walk a deposit that is read again may have settled: its money may be
// returned later.
const depositsBack = 70 * 24 * time.Hour

// deposit is money that arrived at an organization's account at Chariot, of one donation or of several.
type deposit struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	SettledAt  stamp  `json:"settled_at"`
	ReturnedAt stamp  `json:"returned_at"`
	UpdatedAt  stamp  `json:"updated_at"`
}

// arrived reports whether the organization has the money.
func (d deposit) arrived() bool {
	return strings.EqualFold(d.Status, "complete") && d.ReturnedAt.IsZero()
}

// deposited is one of the donations of a deposit, in US cents. Net arrived, after the fee was deducted.
type deposited struct {
	ID         string       `json:"id"`
	Net        money.Amount `json:"amount_net"`
	Fee        money.Amount `json:"amount_fee"`
	Currency   string       `json:"currency"`
	Initiation struct {
		TrackingID string `json:"dafpay_tracking_id"` // of the grant; "" of a donation from elsewhere
	} `json:"initiation"`
}

// entries is a page of deposits or donations, whose lists spell their pages otherwise than those of grants.
type entries[T any] struct {
	Results []T    `json:"results"`
	Next    string `json:"next_page_token"`
}

// errSamePage is of a list that would go on forever.
var errSamePage = errors.New("chariot: a page names itself as the next")

// eachEntry reads the pages of a list and passes them on.
func eachEntry[T any](ctx context.Context, p *Provider, path string, query url.Values, take func([]T) error) error {
	query.Set("limit", strconv.Itoa(pageSize))
	for {
		var page entries[T]
		if err := p.get(ctx, path, path, query, &page); err != nil {
			return err
		}
		if err := take(page.Results); err != nil {
			return err
		}
		switch page.Next {
		case "":
			return nil
		case query.Get("page_token"):
			return errSamePage
		}
		query.Set("page_token", page.Next)
	}
}

// hasNoDeposits reports whether the answer is that the account has no deposits to read.
func hasNoDeposits(err error) bool {
	return statusOf(err) == http.StatusForbidden || statusOf(err) == http.StatusNotFound
}

// walkDeposits reads the deposits that changed since they were read, if that was not done lately. An account that may
// not read deposits has none. A walk that runs out of time is made again, and is quicker then.
func (p *Provider) walkDeposits(ctx context.Context) error {
	begun := p.config.Now()
	walked, err := pg.Value[*time.Time](ctx, p.config.Pool, `SELECT deposits_walked_at FROM chariot_state`, pg.Args{})
	if err != nil || walked != nil && walked.After(begun.Add(-walkEvery)) {
		return wrapped(err)
	}
	first, err := pg.Value[*time.Time](ctx, p.config.Pool, `SELECT min(at) FROM chariot_lines`, pg.Args{})
	if err != nil || first == nil { // without a grant there is nothing to look for
		return wrapped(err)
	}
	from := *first
	if walked != nil && walked.Add(-depositsBack).After(from) {
		from = walked.Add(-depositsBack)
	}
	query := url.Values{"settled_at.after": {from.UTC().Truncate(time.Second).Format(time.RFC3339)}}
	var unread error // of donations, whose answers say nothing about the list of deposits
	err = eachEntry(ctx, p, "/v1/deposits", query, func(page []deposit) error {
		unread = p.readChanged(ctx, page)
		return unread
	})
	if unread != nil || err != nil && !hasNoDeposits(err) {
		return err
	}
	_, err = pg.Exec(ctx, p.config.Pool, `UPDATE chariot_state SET deposits_walked_at = @now`, pg.Args{"now": begun})
	return wrapped(err)
}

// readChanged reads those of a page of deposits that changed since they were read.
func (p *Provider) readChanged(ctx context.Context, page []deposit) error {
	ids := make([]string, len(page))
	for i, d := range page {
		ids[i] = d.ID
	}
	type row struct {
		ID        string    `db:"id"`
		Status    string    `db:"status"`
		UpdatedAt time.Time `db:"updated_at"`
	}
	rows, err := pg.All[row](ctx, p.config.Pool, `SELECT id, status, updated_at FROM chariot_deposits
		WHERE id = ANY (@ids)`, pg.Args{"ids": ids})
	if err != nil {
		return wrapped(err)
	}
	known := map[string]row{}
	for _, r := range rows {
		known[r.ID] = r
	}
	for _, d := range page {
		k, read := known[d.ID]
		if read && k.Status == plain(d.Status, 60) && k.UpdatedAt.Equal(d.UpdatedAt.Truncate(time.Microsecond)) {
			continue
		}
		if err := p.readDeposit(ctx, d, true); err != nil {
			return err
		}
	}
	return nil
}

// readDeposit reads the donations of a deposit, and keeps those that are of our grants. settled says that every grant
// that a donation may be of is known, so that the deposit need not be read again before it changes.
func (p *Provider) readDeposit(ctx context.Context, d deposit, settled bool) error {
	if d.ID == "" {
		return errors.New("chariot: a deposit cannot be read")
	}
	var found []deposited
	query := url.Values{"deposit_id": {d.ID}}
	err := eachEntry(ctx, p, "/v1/donations", query, func(page []deposited) error {
		for _, one := range page {
			if one.ID != "" && one.Initiation.TrackingID != "" && strings.EqualFold(one.Currency, string(money.USD)) {
				found = append(found, one)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return wrapped(pg.InTx(ctx, p.config.Pool,
		func(tx *pg.Tx) error { return p.keepDepositTx(ctx, tx, d, found, settled) }))
}

// keepDepositTx writes what arrived with a deposit. What changed gets another number, so that it is read again. A
// deposit that was read before it changed, and is kept after its change was, is dropped.
func (p *Provider) keepDepositTx(ctx context.Context, tx *pg.Tx, d deposit, found []deposited, settled bool) error {
	last, err := pg.Value[int64](ctx, tx, `SELECT last_arrival FROM chariot_state FOR UPDATE`, pg.Args{})
	if err != nil {
		return err
	}
	changed, err := pg.Value[bool](ctx, tx, `SELECT EXISTS (
		SELECT FROM chariot_deposits WHERE id = @id AND updated_at > @at)`, pg.Args{"id": d.ID, "at": d.UpdatedAt.Time})
	if err != nil || changed && !d.UpdatedAt.IsZero() {
		return err
	}
	at := d.SettledAt.Time
	if at.IsZero() {
		at = p.config.Now()
	}
	for _, one := range found {
		if !d.arrived() {
			one.Net, one.Fee = 0, 0
		}
		n, err := tx.Exec(ctx, `
			INSERT INTO chariot_arrivals AS a (donation_id, number, deposit_id, reference, amount, fee, at)
			SELECT @id::text, @number::bigint, @deposit::text, l.reference, @amount::bigint, @fee::bigint,
				@at::timestamptz
			FROM chariot_lines l WHERE l.tracking_id = @tracking
				AND (@amount::bigint > 0 OR EXISTS (SELECT FROM chariot_arrivals WHERE donation_id = @id::text))
			ORDER BY l.number LIMIT 1
			ON CONFLICT (donation_id) DO UPDATE SET number = excluded.number, deposit_id = excluded.deposit_id,
				amount = excluded.amount, fee = excluded.fee, at = excluded.at
			WHERE (a.deposit_id, a.amount, a.fee) <> (excluded.deposit_id, excluded.amount, excluded.fee)`,
			pg.Args{"id": one.ID, "number": last + 1, "deposit": d.ID, "amount": one.Net, "fee": one.Fee, "at": at,
				"tracking": one.Initiation.TrackingID})
		if err != nil {
			return err
		}
		last += n
	}
	gone, err := leaveTx(ctx, tx, d, found, last)
	if err != nil {
		return err
	}
	last += gone
	tx.Later(`UPDATE chariot_state SET last_arrival = @last`, pg.Args{"last": last})
	if settled {
		tx.Later(`
			INSERT INTO chariot_deposits (id, status, updated_at) VALUES (@id, @status, @at)
			ON CONFLICT (id) DO UPDATE SET status = excluded.status, updated_at = excluded.updated_at`,
			pg.Args{"id": d.ID, "status": plain(d.Status, 60), "at": d.UpdatedAt.Time})
	}
	return nil
}

// leaveTx writes that nothing arrived of the donations that a deposit had and has no longer: Chariot may take them from
// a deposit that is returned. It returns how many those are, which get the numbers after the last one.
func leaveTx(ctx context.Context, tx *pg.Tx, d deposit, found []deposited, last int64) (int64, error) {
	ids := make([]string, len(found))
	for i, one := range found {
		ids[i] = one.ID
	}
	return tx.Exec(ctx, `
		UPDATE chariot_arrivals a SET number = @last + g.nth, amount = 0, fee = 0
		FROM (SELECT donation_id, row_number() OVER (ORDER BY number) AS nth FROM chariot_arrivals
			WHERE deposit_id = @deposit AND donation_id <> ALL (@ids) AND (amount, fee) <> (0, 0)) g
		WHERE a.donation_id = g.donation_id`, pg.Args{"last": last, "deposit": d.ID, "ids": ids})
}

// noticed reads the deposit that a message is about. The next walk reads it again: a grant of it may not be known yet.
func (p *Provider) noticed(ctx context.Context, id string) error {
	var d deposit
	err := p.get(ctx, "/v1/deposits/:id", "/v1/deposits/"+url.PathEscape(id), nil, &d)
	if err == nil {
		err = p.readDeposit(ctx, d, false)
	}
	if hasNoDeposits(err) {
		return nil
	}
	return err
}

// Arrivals implements [provider.Arrivals]. It first reads the deposits, if that was not done lately.
func (p *Provider) Arrivals(ctx context.Context, after int64, limit int) ([]provider.Arrival, error) {
	if err := p.walkDeposits(ctx); err != nil {
		return nil, err
	}
	type row struct {
		Number      int64         `db:"number"`
		ID          string        `db:"donation_id"`
		Reference   string        `db:"reference"`
		Amount      money.Amount  `db:"amount"`
		Fee         money.Amount  `db:"fee"`
		ReportedFee *money.Amount `db:"reported_fee"`
		At          time.Time     `db:"at"`
	}
	rows, err := pg.All[row](ctx, p.config.Pool, `
		SELECT a.number, a.donation_id, a.reference, a.amount, a.fee, g.provider_fee AS reported_fee, a.at
		FROM chariot_arrivals a LEFT JOIN chariot_grants g ON g.reference = a.reference
		WHERE a.number > @after ORDER BY a.number LIMIT @limit`, pg.Args{"after": after, "limit": limit})
	out := make([]provider.Arrival, len(rows))
	for i, r := range rows {
		out[i] = provider.Arrival(r)
		out[i].At = r.At.UTC()
	}
	return out, wrapped(err)
}
