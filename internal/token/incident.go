package token

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
)

// EndedByTesting is the disabled_reason of tokens that were made by someone who tests stolen cards.
const EndedByTesting = "card_testing"

// endBatch bounds one transaction that ends tokens.
const endBatch = 100

// endWithin bounds the work at the begin and end of a restriction. A payer's request that triggers it may be cancelled
// in the meantime.
const endWithin = 20 * time.Second

// watchWindow and watchLeast choose the merchants and addresses that [Service.WatchCards] looks at.
const (
	watchWindow = 10 * time.Minute
	watchLeast  = 8
	watchMost   = 1000 // failed charges of an application, the last ones
)

// CardTesting is an attack on a merchant, in numbers of the last hour.
type CardTesting struct {
	ApplicationID int64     `db:"-"`
	MerchantID    int64     `db:"-"`
	Tokens        int       `db:"tokens"`
	Cards         int       `db:"cards"`
	Addresses     int       `db:"addresses"`
	Declined      int       `db:"declined"`
	At            time.Time `db:"-"`
}

// Letters write to people about attacks.
type Letters interface {
	// CardTestingTx mails those who may refund a merchant's payments: stolen cards are tested there.
	CardTestingTx(ctx context.Context, tx *pg.Tx, c CardTesting) error
}

// WriteLetters has people notified of attacks.
func (s *Service) WriteLetters(l Letters) { s.letters = l }

// restrict begins or ends the restriction of unknown cards at a merchant, once however many servers notice. At its
// begin, tokens that were made before and not charged are disabled, and the merchant's people get a mail.
func (s *Service) restrict(ctx context.Context, o owner, begins bool, now time.Time) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	if !begins {
		n, err := pg.Exec(ctx, s.deps.Pool, `
			UPDATE card_testing SET ended_at = @now
			WHERE application_id = @application_id AND merchant_id = @merchant_id AND ended_at IS NULL`,
			pg.Args{"now": now, "application_id": o.ApplicationID, "merchant_id": o.MerchantID})
		if n == 1 {
			s.noteAttack(ctx, o, "restriction_ended")
		}
		return err
	}
	begun := false
	err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		n, err := tx.Exec(ctx, `
			INSERT INTO card_testing AS c (application_id, merchant_id, began_at)
			VALUES (@application_id, @merchant_id, @now)
			ON CONFLICT (application_id, merchant_id) DO UPDATE SET began_at = @now, ended_at = NULL
			WHERE c.ended_at IS NOT NULL`,
			pg.Args{"application_id": o.ApplicationID, "merchant_id": o.MerchantID, "now": now})
		if begun = n == 1; err != nil || !begun || s.letters == nil {
			return err
		}
		about, err := numbersTx(ctx, tx, o, now)
		if err != nil {
			return err
		}
		return s.letters.CardTestingTx(ctx, tx, about)
	})
	if err != nil {
		return err
	}
	if begun {
		s.noteAttack(ctx, o, "restriction_began")
	}
	return s.endUnused(ctx, unused{owner: o, before: now.Add(-chargedAfter)})
}

// endEarlier disables the tokens that other servers made before they noticed the restriction of a merchant, and those
// that a page might still have charged when it began.
func (s *Service) endEarlier(ctx context.Context, o owner, now time.Time) error {
	last, err := s.restriction(ctx, o)
	if err != nil || !last.began() || last.EndedAt != nil {
		return err
	}
	before := last.BeganAt.Add(2 * standingFor)
	if charged := now.Add(-chargedAfter); charged.Before(before) {
		before = charged
	}
	return s.endUnused(ctx, unused{owner: o, before: before})
}

// endOfAddress disables the tokens that a hostile address made without a proof in the last hour, after the first one
// that was declined. If cards are tested at many merchants, it also disables those with a proof, and older ones if the
// address made several: many payers may share it.
func (s *Service) endOfAddress(ctx context.Context, applicationID int64, address []byte, facts Firsts,
	across bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	return s.endUnused(ctx, unused{owner: owner{applicationID, 0}, address: address, across: across,
		after: facts.FirstDeclined, before: s.deps.Now()})
}

// numbersTx counts the last hour's attempts at a merchant.
func numbersTx(ctx context.Context, tx *pg.Tx, o owner, now time.Time) (CardTesting, error) {
	out, err := pg.One[CardTesting](ctx, tx, `
		SELECT count(*)::int AS tokens, count(DISTINCT a.fingerprint)::int AS cards,
			count(DISTINCT a.address)::int AS addresses, count(*) FILTER (WHERE EXISTS (
				SELECT FROM charges c WHERE c.application_id = a.application_id AND c.token_id = a.token_id
					AND status = 'failed' AND `+SaysOfCard+`))::int AS declined
		FROM card_attempts a
		WHERE a.application_id = @application_id AND a.merchant_id = @merchant_id AND a.token_id >= @since`,
		pg.Args{"application_id": o.ApplicationID, "merchant_id": o.MerchantID,
			"since": ids.FirstToken(now.Add(-time.Hour))})
	out.ApplicationID, out.MerchantID, out.At = o.ApplicationID, o.MerchantID, now
	return out, err
}

// noteAttack records that a merchant's payers are restricted, or no longer.
func (s *Service) noteAttack(ctx context.Context, o owner, outcome string) {
	s.deps.Security.Add(ctx, security.Event{Kind: security.CardTesting, Outcome: outcome,
		Actor: authz.Actor{Role: authz.RolePublicKey, ApplicationID: o.ApplicationID}})
}

// unused selects the tokens of unknown cards that were made and not charged in the hour before some time: a merchant's,
// or those that an address made without a proof at all merchants, after some token. With across, it selects those with
// a proof, too. For a merchant, and with across, it also selects older ones of addresses that made several: an attacker
// who waits for more than an hour makes many.
type unused struct {
	owner
	address []byte
	across  bool
	after   ids.Token
	before  time.Time
}

// endUnused disables tokens. Those of cards that paid in the application before are left.
func (s *Service) endUnused(ctx context.Context, u unused) error {
	m, err := s.deps.Clock.Moment(ctx, u.ApplicationID)
	if err != nil {
		return err
	}
	for {
		n, err := s.endSome(ctx, m, u)
		if err != nil || n < endBatch {
			return err
		}
	}
}

func (s *Service) endSome(ctx context.Context, m instant.Moment, u unused) (n int, err error) {
	args := pg.Args{"application_id": u.ApplicationID, "since": ids.FirstToken(u.before.Add(-attemptsKept)),
		"hour": ids.FirstToken(u.before.Add(-time.Hour)), "before": ids.FirstToken(u.before),
		"recent": ids.FirstCharge(s.deps.Now().Add(-time.Hour)), "batch": endBatch, "several": unusedSeveral}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		var due []Token
		if u.address != nil {
			args["address"], args["across"], args["after"] = u.address, u.across, u.after
			due, err = pg.All[Token](ctx, tx, unusedHead+` AND a.address = @address
				AND ((@across OR NOT a.proven) AND a.token_id >= @hour
						AND (@after::uuid IS NULL OR a.token_id > @after::uuid)
					OR @across
						AND a.address IN (`+unusedOf+` AND o.address = @address`+unusedSeveralTail+`))`+unusedTail,
				args)
		} else {
			args["merchant_id"] = u.MerchantID
			due, err = pg.All[Token](ctx, tx, unusedHead+` AND a.merchant_id = @merchant_id
				AND (a.token_id >= @hour OR a.address IN (`+unusedOf+` AND o.merchant_id = @merchant_id`+
				unusedSeveralTail+`))`+unusedTail, args)
		}
		if err != nil {
			return err
		}
		n = len(due)
		for _, before := range due {
			if _, err := changeTx(tx, m, before, before.disabled(EndedByTesting),
				cause{livemode: s.livemode(), source: outbox.Job}); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

const (
	unusedOf = `SELECT o.address FROM card_attempts o
		WHERE o.application_id = @application_id AND o.token_id >= @since AND o.token_id < @before AND NOT o.known
			AND NOT EXISTS (SELECT FROM charges c WHERE c.application_id = @application_id AND c.token_id = o.token_id
				AND c.token_id >= @since AND c.token_id < @before)` // bounds of the index, since there may be many
	unusedSeveralTail = ` GROUP BY o.address HAVING count(DISTINCT o.fingerprint) >= @several`
	unusedHead        = `SELECT ` + columns + ` FROM tokens t
		WHERE t.application_id = @application_id AND t.status = 'active' AND t.last_used_at IS NULL
			AND t.id = ANY (ARRAY(SELECT a.token_id FROM card_attempts a
				WHERE a.application_id = @application_id AND a.token_id >= @since AND a.token_id < @before
					AND NOT a.known`
	unusedTail = `))
			AND NOT EXISTS (SELECT FROM charges c WHERE c.application_id = t.application_id AND c.token_id = t.id)
			AND NOT ` + paidHead + `t.fingerprint OFFSET 0) -- of each token, by its fingerprint
		ORDER BY t.id LIMIT @batch FOR NO KEY UPDATE OF t SKIP LOCKED`
)

// busy is a merchant, or an address, with several attempts or with declines.
type busy struct {
	ApplicationID int64  `db:"application_id"`
	MerchantID    int64  `db:"merchant_id"`
	Address       []byte `db:"address"`
}

// WatchCards looks at the merchants and addresses that made several tokens in the last minutes, or whose tokens were
// charged without success in the last minutes: an attacker may make tokens first and charge them later.
// It also looks at merchants whose restriction began lately. It returns how many it looked at. An error with one does
// not stop the others.
func (s *Service) WatchCards(ctx context.Context) (int, error) {
	if s.deps.Firsts == nil {
		return 0, nil
	}
	now := s.deps.Now()
	recent := now.Add(-watchWindow)
	all, err := pg.All[busy](ctx, s.deps.Pool, busyStatement, pg.Args{"since": ids.FirstToken(recent),
		"least": watchLeast, "kept": ids.FirstToken(now.Add(-attemptsKept)), "failed": ids.FirstCharge(recent),
		"began": recent, "most": watchMost})
	if err != nil {
		return 0, err
	}
	for _, b := range all {
		err = errors.Join(err, s.look(ctx, b, now))
	}
	return len(all), err
}

// busyStatement goes from application to application that has attempts, since no index has the failed charges of all.
const busyStatement = `
	WITH RECURSIVE applied AS (
		(SELECT application_id FROM card_attempts ORDER BY application_id LIMIT 1)
		UNION ALL
		SELECT (SELECT a.application_id FROM card_attempts a WHERE a.application_id > applied.application_id
			ORDER BY a.application_id LIMIT 1)
		FROM applied WHERE applied.application_id IS NOT NULL
	), declined AS (
		SELECT a.application_id, a.merchant_id, a.address
		FROM applied CROSS JOIN LATERAL (
			SELECT c.token_id FROM charges c
			WHERE c.application_id = applied.application_id AND c.status = 'failed' AND c.id >= @failed
			ORDER BY c.id DESC LIMIT @most
		) c CROSS JOIN LATERAL (
			SELECT m.application_id, m.merchant_id, m.address FROM card_attempts m
			WHERE m.application_id = applied.application_id AND m.token_id = c.token_id AND m.token_id >= @kept
				AND NOT m.known
			LIMIT 1
		) a
	)
	SELECT application_id, coalesce(merchant_id, 0) AS merchant_id, address FROM card_attempts
	WHERE token_id >= @since AND NOT known
	GROUP BY GROUPING SETS ((application_id, merchant_id), (application_id, address))
	HAVING count(*) >= @least AND (merchant_id IS NOT NULL OR address IS NOT NULL)
	UNION
	SELECT application_id, coalesce(merchant_id, 0), address FROM declined
	GROUP BY GROUPING SETS ((application_id, merchant_id), (application_id, address))
	HAVING merchant_id IS NOT NULL OR address IS NOT NULL
	UNION
	SELECT application_id, merchant_id, NULL FROM card_testing WHERE ended_at IS NULL AND began_at >= @began`

func (s *Service) look(ctx context.Context, b busy, now time.Time) error {
	o := owner{b.ApplicationID, b.MerchantID}
	if b.MerchantID != 0 {
		if st, err := s.standingOf(ctx, o); err != nil || st.level != restricted {
			return err
		}
		return s.endEarlier(ctx, o, now)
	}
	all, err := s.acrossMerchants(ctx, b.ApplicationID)
	if err != nil {
		return err
	}
	facts, err := s.ofAddress(ctx, b.ApplicationID, b.Address, chargedAfter)
	if err != nil || !facts.hostile() && !(all.across && facts.mostlyDeclined()) {
		return err
	}
	return s.endOfAddress(ctx, b.ApplicationID, b.Address, facts, all.across)
}
