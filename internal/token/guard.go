package token

import (
	"context"
	"encoding/binary"
	"net/netip"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
	"svcpay/internal/platform/security"
)

// Bounds of new tokens of cards. The first two lead to a challenge, the others refuse.
var (
	unprovenOfAddress = ratelimit.Bound{What: "card_address", Most: 10, Within: time.Hour}
	unprovenOfSession = ratelimit.Bound{What: "card_session", Most: 4, Within: sessionLife}
	provenOfAddress   = ratelimit.Bound{What: "card_proven", Most: 60, Within: time.Hour}
	ofHostileAddress  = ratelimit.Bound{What: "card_hostile", Most: 2, Within: time.Hour}
	ofUnknownCards    = ratelimit.Bound{What: "card_unknown", Within: time.Hour}
)

// declineRecovers is when it makes sense to try a card again that was refused.
const declineRecovers = 10 * time.Minute

var errDeclines = fault.New(fault.KindLimited, "rate_limited",
	"Too many card payments were declined here. Try again later, or pay in another way.").After(declineRecovers)

// attempt is where a new token of a card comes from.
type attempt struct {
	session []byte
	address []byte // keyed digest; nil if it is not known
	page    string
	proven  bool
	known   bool
}

// guard decides whether a payer may make a token of a card now, and records in the row where it comes from. The error
// is a challenge to prove work, or the refusal of a card that may be a stolen one.
func (s *Service) guard(ctx context.Context, session SessionUse, in CardInput, row *newToken) error {
	if s.deps.Firsts == nil {
		if s.deps.Challenged == nil || !s.deps.Challenged(in.Number) {
			return nil
		}
		_, err := s.prove(ctx, session, in.Proof, challenged)
		return err
	}
	address, err := s.digestOf(security.OriginOf(ctx).Address)
	if err != nil {
		return err
	}
	row.attempt = &attempt{session: session.Hash, address: address, page: session.PageOrigin}
	st, err := s.standingOf(ctx, row.owner)
	if err != nil {
		return err
	}
	if st.level == calm && in.Proof.Seed == "" {
		if free, err := s.needsNoProof(ctx, row, st); free || err != nil {
			return err
		}
	}
	if row.attempt.proven, err = s.prove(ctx, session, in.Proof, max(st.level, challenged)); err != nil {
		return err
	}
	if row.attempt.known, err = s.paidBefore(ctx, row.ApplicationID, row.fingerprint); row.attempt.known || err != nil {
		return err
	}
	return s.bound(ctx, session, *row, st)
}

// digestOf is the keyed digest of a payer's network: an IPv4 address, or an IPv6 network of 64 bits.
func (s *Service) digestOf(a netip.Addr) ([]byte, error) {
	if !a.IsValid() {
		return nil, nil
	}
	mac := s.deps.Vault.MAC("card attempts")
	sum, err := mac.Sum(mac.Key(), []byte(ratelimit.Network(a).String()))
	if err != nil {
		return nil, err
	}
	return sum[:16], nil
}

// needsNoProof reports whether a token at a calm merchant is among the few of an address and session, or of an address
// that many payers share. After an attack on many merchants, addresses whose cards were declined get no tokens without
// a proof.
func (s *Service) needsNoProof(ctx context.Context, row *newToken, st standing) (bool, error) {
	now, of := s.deps.Now(), row.attempt
	free, err := unprovenOfSession.Take(ctx, s.deps.Pool, row.ApplicationID, of.session, now)
	if err != nil || !free || of.address == nil {
		return free, err
	}
	free, err = unprovenOfAddress.Take(ctx, s.deps.Pool, row.ApplicationID, of.address, now)
	if err != nil || free && !st.across {
		return free, err
	}
	facts, err := s.ofAddress(ctx, row.ApplicationID, of.address, chargedAfter)
	return free && !facts.mostlyDeclined() || facts.trusted(), err
}

// ofAddress is what is known of an address. Its tokens count as uncharged after some time.
func (s *Service) ofAddress(ctx context.Context, applicationID int64, address []byte,
	wait time.Duration) (Firsts, error) {
	now := s.deps.Now()
	return s.deps.Firsts(ctx, Group{ApplicationID: applicationID, Address: address, Since: now.Add(-attemptsKept),
		Charged: now.Add(-firstsWindow), Hour: now.Add(-time.Hour), Waited: now.Add(-wait), Most: firstsMost})
}

// paidHead is the condition that a card paid in the application before, except for the card's fingerprint and the
// closing parenthesis.
const paidHead = `EXISTS (SELECT FROM tokens k
	JOIN charges c ON c.application_id = k.application_id AND c.token_id = k.id
	WHERE k.application_id = @application_id AND k.kind = 'card' AND k.last_used_at IS NOT NULL
		AND c.status NOT IN ('failed', 'processing') AND c.id < @recent AND k.fingerprint = `

// paidBefore reports whether a card paid in the application an hour ago or earlier.
func (s *Service) paidBefore(ctx context.Context, applicationID int64, fingerprint []byte) (bool, error) {
	return pg.Value[bool](ctx, s.deps.Pool, `SELECT `+paidHead+`@fingerprint)`,
		pg.Args{"application_id": applicationID, "fingerprint": fingerprint,
			"recent": ids.FirstCharge(s.deps.Now().Add(-time.Hour))})
}

// bound refuses one of too many unknown cards, of an address or at a merchant. Payers of other addresses come first.
func (s *Service) bound(ctx context.Context, session SessionUse, row newToken, st standing) error {
	if row.attempt.address != nil {
		free, err := s.boundAddress(ctx, row, st)
		if err != nil {
			return err
		}
		if !free {
			s.noteTesting(ctx, session, "address_declines")
			return errDeclines
		}
	}
	if st.level != restricted {
		return nil
	}
	bound := ofUnknownCards
	bound.Most = unknownAnHour(st.facts)
	free, err := bound.Take(ctx, s.deps.Pool, row.ApplicationID,
		binary.BigEndian.AppendUint64(nil, uint64(row.MerchantID)), s.deps.Now())
	if err != nil || free {
		return err
	}
	s.noteTesting(ctx, session, "merchant_declines")
	return errDeclines
}

// boundAddress reports whether an address may use one more unknown card. At a restricted merchant it may not while a
// token of it waits for a charge: tokens that are never charged would use up the few that the merchant gets.
func (s *Service) boundAddress(ctx context.Context, row newToken, st standing) (bool, error) {
	wait := chargedAfter
	if st.level == restricted {
		wait = 0
	}
	facts, err := s.ofAddress(ctx, row.ApplicationID, row.attempt.address, wait)
	switch {
	case err != nil:
		return false, err
	case st.level == restricted && facts.Unused > 0:
		return false, nil
	case facts.trusted():
		return true, nil
	case facts.Unused >= unusedAddress, (st.across || st.level == restricted) && facts.mostlyDeclined():
		return false, nil
	}
	bound := provenOfAddress
	if facts.hostile() {
		if err := s.endOfAddress(ctx, row.ApplicationID, row.attempt.address, facts, st.across); err != nil {
			return false, err
		}
		bound = ofHostileAddress
	}
	return bound.Take(ctx, s.deps.Pool, row.ApplicationID, row.attempt.address, s.deps.Now())
}

// noteTesting records that a card was rejected because an attacker may be testing stolen cards.
func (s *Service) noteTesting(ctx context.Context, session SessionUse, outcome string) {
	s.deps.Security.Add(ctx, security.Event{Kind: security.CardTesting, Outcome: outcome,
		Actor: authz.Actor{Role: authz.RolePublicKey, ApplicationID: session.ApplicationID, KeyID: session.KeyID}})
}

// insertAttemptTx queues where a token of a card came from.
func insertAttemptTx(tx *pg.Tx, r newToken) {
	a := r.attempt
	tx.Row(nil, `
		INSERT INTO card_attempts (token_id, application_id, merchant_id, session, address, page_origin, fingerprint,
			proven, known)
		SELECT a.* FROM unnest(@rows::new_card_attempt[]) AS a`,
		pg.Args{"token_id": r.created.Token, "application_id": r.ApplicationID, "merchant_id": r.MerchantID,
			"session": a.session, "address": a.address, "page_origin": a.page, "fingerprint": r.fingerprint,
			"proven": a.proven, "known": a.known})
}

// PurgeAttempts deletes a batch of the attempts that are too old to count and returns how many there were.
func (s *Service) PurgeAttempts(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, s.deps.Pool, `
		DELETE FROM card_attempts WHERE token_id IN (
			SELECT token_id FROM card_attempts WHERE token_id < @old LIMIT @batch)`,
		pg.Args{"old": ids.FirstToken(s.deps.Now().Add(-attemptsKept)), "batch": pg.PurgeBatch})
}
