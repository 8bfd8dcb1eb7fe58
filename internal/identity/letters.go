package identity

import (
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/seal"
)

// Letters write to people about their own way in, each in the transaction of the change.
type Letters interface {
	// ResetLinkTx mails a person the link to choose a new password.
	ResetLinkTx(tx *pg.Tx, p Person, token string, until time.Time) error
	// NewSignInTx mails a person about a sign-in from a browser that is new to their account.
	NewSignInTx(tx *pg.Tx, p Person, from Visitor, at time.Time) error
	// WrongCodesTx mails a person that five wrong codes were entered for their account.
	WrongCodesTx(tx *pg.Tx, p Person, at time.Time) error
	// ChangedTx mails a person that their credentials have changed.
	ChangedTx(tx *pg.Tx, p Person, what Change, at time.Time) error
}

// Change is the outcome of someone's way in.
type Change string

// The changes.
const (
	PasswordChanged      Change = "password_changed"
	AuthenticatorAdded   Change = "authenticator_added"
	AuthenticatorRemoved Change = "authenticator_removed"
	PasskeyAdded         Change = "passkey_added"
	PasskeyRemoved       Change = "passkey_removed"
	RecoveryCodesMade    Change = "recovery_codes_made"
	RecoveryCodeUsed     Change = "recovery_code_used"
)

// What else happens to an account is in the audit log only.
const (
	SignedIn Change = "signed_in"
	Locked   Change = "locked" // after too many wrong passwords
	// WrongCodes means that the last code that may be tried for a while was wrong.
	WrongCodes Change = "wrong_codes"
	ResetMade  Change = "reset_made" // by the deployment's operator
)

// accountChange is what the audit log calls a change of one's own way in. It is no permission: it is everybody's own.
const accountChange authz.Permission = "account:change"

// WriteLetters says who writes to people about their way in. It is called while the service is wired; without it
// no one does, and no links to choose a new password are sent.
func (s *Service) WriteLetters(by Letters) { s.letters = by }

// SendsLetters reports whether people can be written to.
func (s *Service) SendsLetters() bool { return s.letters != nil }

// SealWith says what seals the secrets of authenticator apps. It is called while the service is wired.
func (s *Service) SealWith(box *seal.Box) { s.box = box }

// changedTx queues that someone changed their own way in: in the audit log, and by mail.
func (s *Service) changedTx(tx *pg.Tx, p Person, what Change) error {
	if s.letters != nil {
		if err := s.letters.ChangedTx(tx, p, what, s.now()); err != nil {
			return err
		}
	}
	return s.accountTx(tx, p, what)
}

// accountTx queues that something became of an account, in the audit log.
func (s *Service) accountTx(tx *pg.Tx, p Person, what Change) error {
	return s.audit.DoneTx(tx, p.actor(), accountChange, aboutPerson(p), nil, map[string]string{"change": string(what)})
}
