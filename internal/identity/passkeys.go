package identity

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
)

const (
	// challengeLife is how long a device has to answer.
	challengeLife = 5 * time.Minute
	// mostPasskeys bounds the passkeys of one person.
	mostPasskeys = 20
)

// askBound bounds the challenges that one address is given: each is a row.
var askBound = bound{"passkey", 60, 15 * time.Minute}

// Passkey is a key on one of a person's devices, as they see it.
type Passkey struct {
	ID         int64         `db:"id"`
	Name       string        `db:"name"`
	CreatedAt  instant.Time  `db:"created_at"`
	LastUsedAt *instant.Time `db:"last_used_at"`
}

// Challenge is what a device is asked: options for the browser, as the protocol writes them, and the text by which
// the answer is known to belong to it.
type Challenge struct {
	Token   string          `json:"token"`
	Options json.RawMessage `json:"options"`
}

// AcceptPasskeys says at which address, as scheme://host, passkeys are made and used. It is called while the service
// is wired.
func (s *Service) AcceptPasskeys(origin string) error {
	u, err := url.Parse(origin)
	if err != nil {
		return fmt.Errorf("identity: %w", err)
	}
	id := u.Hostname()
	if ip, err := netip.ParseAddr(id); err == nil && ip.IsLoopback() {
		id = "localhost" // passkeys belong to names: at an address of this machine, people sign in without them
	}
	s.web, err = webauthn.New(&webauthn.Config{RPID: id, RPDisplayName: "SvcPay", RPOrigins: []string{origin},
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired,
			RequireResidentKey: protocol.ResidentKeyRequired(), UserVerification: protocol.VerificationRequired},
		AttestationPreference: protocol.PreferNoAttestation})
	if err != nil {
		return fmt.Errorf("identity: %w", err)
	}
	return nil
}

// keyHolder is a person as the protocol's library knows them.
type keyHolder struct {
	Person
	handle []byte
	keys   []webauthn.Credential
}

// WebAuthnID implements webauthn.User.
func (h keyHolder) WebAuthnID() []byte { return h.handle }

// WebAuthnName implements webauthn.User.
func (h keyHolder) WebAuthnName() string { return mailbox.Shown(h.Email) }

// WebAuthnDisplayName implements webauthn.User.
func (h keyHolder) WebAuthnDisplayName() string { return h.Name }

// WebAuthnCredentials implements webauthn.User.
func (h keyHolder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// holder reads a person's handle, which is made when it is first needed, and keys.
func (s *Service) holder(ctx context.Context, p Person) (keyHolder, error) {
	fresh := make([]byte, 32)
	rand.Read(fresh) // never fails (crypto/rand)
	h := keyHolder{Person: p}
	var err error
	if h.handle, err = pg.Value[[]byte](ctx, s.pool, `
		UPDATE people SET passkey_handle = coalesce(passkey_handle, @fresh) WHERE id = @person
			RETURNING passkey_handle`,
		pg.Args{"fresh": fresh, "person": p.ID}); err != nil {
		return h, err
	}
	rows, err := pg.All[struct {
		Credential string `db:"credential"`
	}](ctx, s.pool, `SELECT credential::text AS credential FROM passkeys WHERE person_id = @person
		ORDER BY id`, pg.Args{"person": p.ID})
	for _, r := range rows {
		var key webauthn.Credential
		if err := json.Unmarshal([]byte(r.Credential), &key); err != nil {
			return h, fmt.Errorf("identity: passkey: %w", err)
		}
		h.keys = append(h.keys, key)
	}
	return h, err
}

// AskNewPasskey asks a person's device for a new key. Fault: passkeys_many.
func (s *Service) AskNewPasskey(ctx context.Context, p Person) (Challenge, error) {
	h, err := s.holder(ctx, p)
	if err != nil {
		return Challenge{}, err
	}
	if len(h.keys) >= mostPasskeys {
		return Challenge{}, fault.New(fault.KindConflict, "passkeys_many",
			"You have twenty passkeys. Remove one first.")
	}
	options, session, err := s.web.BeginRegistration(h,
		webauthn.WithExclusions(webauthn.Credentials(h.keys).CredentialDescriptors()))
	if err != nil {
		return Challenge{}, fmt.Errorf("identity: %w", err)
	}
	return s.keepChallenge(ctx, &p.ID, session, options.Response)
}

// AskPasskey asks any of a visitor's devices for a key that it has. Fault: too_many_attempts.
func (s *Service) AskPasskey(ctx context.Context, from Visitor) (Challenge, error) {
	if err := s.count(ctx, askBound, from.network()); err != nil {
		return Challenge{}, err
	}
	options, session, err := s.web.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return Challenge{}, fmt.Errorf("identity: %w", err)
	}
	return s.keepChallenge(ctx, nil, session, options.Response)
}

func (s *Service) keepChallenge(ctx context.Context, personID *int64, session *webauthn.SessionData,
	options any) (out Challenge, err error) {
	session.Expires = time.Time{} // the row's end, by our clock, is what counts
	text, err := json.Marshal(session)
	if err != nil {
		return out, fmt.Errorf("identity: %w", err)
	}
	if out.Options, err = json.Marshal(options); err != nil {
		return out, fmt.Errorf("identity: %w", err)
	}
	out.Token = newSecret()
	_, err = pg.Exec(ctx, s.pool, `INSERT INTO passkey_challenges (token_hash, person_id, challenge, expires_at)
		VALUES (@hash, @person, @challenge, @until)`,
		pg.Args{"hash": digest(out.Token), "person": personID, "challenge": string(text),
			"until": s.now().Add(challengeLife)})
	return out, err
}

var errPasskey = fault.New(fault.KindUnauthenticated, "passkey_refused",
	"This passkey was not accepted. Try again, or sign in another way.")

// takeChallenge returns what was asked, once. Fault: passkey_refused.
func (s *Service) takeChallenge(ctx context.Context, token string, personID *int64) (out webauthn.SessionData,
	err error) {
	text, err := pg.Value[string](ctx, s.pool, `
		DELETE FROM passkey_challenges WHERE token_hash = @hash AND expires_at > @now AND person_id IS NOT DISTINCT
			FROM @person::bigint
		RETURNING challenge::text`,
		pg.Args{"hash": digest(token), "now": s.now(), "person": personID})
	if err = pg.Or(err, errPasskey); err != nil {
		return out, err
	}
	return out, json.Unmarshal([]byte(text), &out)
}

// AddPasskey keeps the key that a person's device made. Who had no recovery codes gets some, which are shown this once.
// Faults: parameter_invalid, passkey_refused.
func (s *Service) AddPasskey(ctx context.Context, p Person, token, answer, name string) (codes []string, err error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > 100 || !plain(name) {
		return nil, fault.Invalid("parameter_invalid", "A name has 1 to 100 characters.").On("name")
	}
	session, err := s.takeChallenge(ctx, token, &p.ID)
	if err != nil {
		return nil, err
	}
	h, err := s.holder(ctx, p)
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return nil, errPasskey.Because(err)
	}
	key, err := s.web.CreateCredential(h, session, parsed)
	if err != nil {
		return nil, errPasskey.Because(err)
	}
	text, err := json.Marshal(key)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `
			INSERT INTO passkeys (person_id, credential_id, credential, name, created_at)
				VALUES (@person, @credential_id, @credential, @name, @now)`,
			pg.Args{"person": p.ID, "credential_id": key.ID, "credential": string(text), "name": name,
				"now": s.now()}); err != nil {
			return err
		}
		if codes, err = s.firstCodesTx(ctx, tx, p); err != nil {
			return err
		}
		return s.changedTx(tx, p, PasskeyAdded)
	})
	if pg.Violated(err) == "passkeys_credential_id_key" {
		err = errPasskey
	}
	return codes, err
}

// UsePasskey returns whose key answered. A key's own check of its person makes it a second factor too. Fault:
// passkey_refused.
func (s *Service) UsePasskey(ctx context.Context, token, answer string) (Person, error) {
	p, err := s.usePasskey(ctx, token, answer)
	if err != nil { // the session that follows records a success
		s.events.Outcome(ctx, security.SignIn, authz.Actor{}, "", err)
	}
	return p, err
}

func (s *Service) usePasskey(ctx context.Context, token, answer string) (Person, error) {
	session, err := s.takeChallenge(ctx, token, nil)
	if err != nil {
		return Person{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return Person{}, errPasskey.Because(err)
	}
	var holder keyHolder
	find := func(_, handle []byte) (webauthn.User, error) {
		id, err := pg.Value[int64](ctx, s.pool, `SELECT id FROM people WHERE passkey_handle = @handle`,
			pg.Args{"handle": handle})
		if err != nil {
			return nil, err
		}
		p, err := personByID(ctx, s.pool, id)
		if err == nil {
			holder, err = s.holder(ctx, p)
		}
		return holder, err
	}
	_, key, err := s.web.ValidatePasskeyLogin(find, session, parsed)
	if err != nil || key.Authenticator.CloneWarning {
		return Person{}, errPasskey.Because(err)
	}
	text, err := json.Marshal(key)
	if err != nil {
		return Person{}, fmt.Errorf("identity: %w", err)
	}
	n, err := pg.Exec(ctx, s.pool, `
		UPDATE passkeys SET credential = @credential, last_used_at = @now WHERE person_id = @person
			AND credential_id = @credential_id`,
		pg.Args{"credential": string(text), "now": s.now(), "person": holder.ID, "credential_id": key.ID})
	return holder.Person, pg.Hit(n, err, errPasskey) // removed in the meantime
}

// ProveByPasskey is [Service.Prove] by one of the person's own keys. Faults: passkey_refused, too_many_attempts.
func (s *Service) ProveByPasskey(ctx context.Context, p Person, token, answer string) error {
	err := s.proveByPasskey(ctx, p, token, answer)
	s.events.Outcome(ctx, security.Proof, p.actor(), "", err)
	return err
}

func (s *Service) proveByPasskey(ctx context.Context, p Person, token, answer string) error {
	id := strconv.FormatInt(p.ID, 10)
	if err := s.count(ctx, proofBound, id); err != nil {
		return err
	}
	owner, err := s.usePasskey(ctx, token, answer)
	if err == nil && owner.ID != p.ID {
		err = errPasskey
	}
	if err != nil {
		return err
	}
	return s.forgetAttempts(ctx, proofBound, id)
}

// Passkeys lists a person's keys.
func (s *Service) Passkeys(ctx context.Context, personID int64) ([]Passkey, error) {
	return pg.All[Passkey](ctx, s.pool, `SELECT id, name, created_at, last_used_at FROM passkeys
		WHERE person_id = @person ORDER BY id LIMIT @most`,
		pg.Args{"person": personID, "most": mostPasskeys})
}

// RemovePasskey ends one of a person's keys; without another factor the recovery codes end too. Fault:
// resource_missing.
func (s *Service) RemovePasskey(ctx context.Context, p Person, id int64) error {
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		n, err := tx.Exec(ctx, `DELETE FROM passkeys WHERE person_id = @person
			AND id = @id`, pg.Args{"person": p.ID, "id": id})
		if err = pg.Hit(n, err, fault.Missing()); err != nil {
			return err
		}
		endCodesTx(tx, p.ID)
		return s.changedTx(tx, p, PasskeyRemoved)
	})
}
