package identity

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// Visitor is where someone comes from, as far as it can be seen.
type Visitor struct {
	Address   netip.Addr // the zero one is unknown
	UserAgent string     // of the browser, in its own words
	Browser   string     // the text by which a browser is known again; "" of one that has none
	RequestID ids.Request
}

// network is what counts as one address: of IPv6 the 64 bits that one customer has.
func (v Visitor) network() string {
	a := v.Address.Unmap().WithZone("")
	bits := 64
	if a.Is4() {
		bits = 32
	}
	p, _ := a.Prefix(bits) // the zero one of an unknown address
	return p.String()
}

// bound is how often something may be tried within a while. It is counted in the database, so that all binaries
// count together; the keys are hashed.
type bound struct {
	what   string
	most   int
	within time.Duration
}

var (
	signInBound     = bound{"sign_in", 5, 15 * time.Minute}           // one account from one address
	networkBound    = bound{"sign_in_network", 100, 15 * time.Minute} // all accounts from one address
	codeBound       = bound{"code", 5, 15 * time.Minute}              // second factors of a person, from anywhere
	proofBound      = bound{"proof", 5, 15 * time.Minute}             // proofs of a person who is signed in
	wrongCodesBound = bound{"wrong_codes_mail", 1, 24 * time.Hour}    // mails to a person about wrong codes
	// links to one mail address, asked for from one address
	resetBound   = bound{"reset", 3, time.Hour}
	resetMailbox = bound{"reset_mailbox", 10, time.Hour} // links to one mail address, from anywhere
	inviteBound  = bound{"invite", 30, time.Hour}        // invitations by one person
	invitedBound = bound{"invited", 5, time.Hour}        // invitations to one mail address
	resetNetwork = bound{"reset_network", 10, time.Hour} // links from one address
)

func (b bound) key(of ...string) []byte {
	return digest(b.what + "\x00" + strings.Join(of, "\x00"))
}

// count takes an attempt before it is made, so that many at once cannot outrun the bound. Fault: too_many_attempts.
func (s *Service) count(ctx context.Context, b bound, of ...string) error {
	_, err := s.counted(ctx, b, of...)
	return err
}

// counted is count, and returns how many attempts there were.
func (s *Service) counted(ctx context.Context, b bound, of ...string) (int, error) {
	type row struct {
		Count  int       `db:"count"`
		EndsAt time.Time `db:"ends_at"`
	}
	now := s.now()
	r, err := pg.One[row](ctx, s.pool, `
		INSERT INTO attempts AS a (key, count, ends_at) VALUES (@key, 1, @ends)
		ON CONFLICT (key) DO UPDATE SET
			count = CASE WHEN a.ends_at <= @now THEN 1 ELSE least(a.count, @most) + 1 END,
			ends_at = CASE WHEN a.ends_at <= @now THEN @ends ELSE a.ends_at END
		RETURNING count, ends_at`,
		pg.Args{"key": b.key(of...), "now": now, "ends": now.Add(b.within), "most": b.most})
	if err != nil {
		return 0, err
	}
	if r.Count > b.most {
		return r.Count, fault.New(fault.KindLimited, "too_many_attempts",
			"This was tried too often. Wait a while, then try again.").After(r.EndsAt.Sub(now))
	}
	return r.Count, nil
}

// giveBack forgets one attempt, which was a good one.
func (s *Service) giveBack(ctx context.Context, b bound, of ...string) error {
	_, err := pg.Exec(ctx, s.pool, `UPDATE attempts SET count = count - 1 WHERE key = @key AND count > 1`,
		pg.Args{"key": b.key(of...)})
	return err
}

// forgetAttempts begins the count again, after a good attempt.
func (s *Service) forgetAttempts(ctx context.Context, b bound, of ...string) error {
	_, err := pg.Exec(ctx, s.pool, `DELETE FROM attempts WHERE key = @key`, pg.Args{"key": b.key(of...)})
	return err
}

// PurgeSignIns deletes a batch of what was only kept for a while: counted attempts, links, unfinished sign-ins,
// challenges, browsers that no one has used for a year. It says how many there were.
func (s *Service) PurgeSignIns(ctx context.Context) (int64, error) {
	now := s.now()
	return pg.Value[int64](ctx, s.pool, `
		WITH a AS (DELETE FROM attempts WHERE key IN (SELECT key FROM attempts WHERE ends_at <= @now LIMIT @batch)
			RETURNING 1), b AS (DELETE FROM password_resets WHERE expires_at <= @old RETURNING 1),
			c AS (DELETE FROM started_sign_ins WHERE created_at <= @started RETURNING 1),
			d AS (DELETE FROM passkey_challenges WHERE expires_at <= @now RETURNING 1),
			e AS (DELETE FROM known_browsers WHERE last_seen_at <= @unused RETURNING 1)
		SELECT (SELECT count(*) FROM a) + (SELECT count(*) FROM b) + (SELECT count(*) FROM c) + (SELECT count(*)
			FROM d) + (SELECT count(*) FROM e)`,
		pg.Args{"now": now, "old": now.Add(-resetLife), "started": now.Add(-secondStepLife),
			"unused": now.AddDate(-1, 0, 0), "batch": pg.PurgeBatch})
}
