package token

import (
	"context"
	"crypto/sha256"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Mandate is a payer's permission to debit a bank account: the exact words, and how they were
// accepted. It is the API's object.
type Mandate struct {
	ID            ids.Mandate      `db:"id" json:"id"`
	Object        string           `db:"-" json:"object"`
	Version       int              `db:"version" json:"version"`
	Livemode      bool             `db:"-" json:"livemode"`
	ApplicationID int64            `db:"application_id" json:"-"`
	MerchantID    int64            `db:"merchant_id" json:"merchant_id"`
	Token         ids.Token        `db:"token_id" json:"token"`
	Scheme        processor.Scheme `db:"scheme" json:"scheme"`
	Status        string           `db:"status" json:"status"` // active or revoked
	Text          string           `db:"text" json:"text"`
	TextVersion   string           `db:"text_version" json:"text_version"`
	IP            string           `db:"ip" json:"ip"`
	UserAgent     string           `db:"user_agent" json:"user_agent"`
	AcceptedAt    instant.Time     `db:"accepted_at" json:"accepted_at"`
	RevokedAt     *instant.Time    `db:"revoked_at" json:"revoked_at"`
	UpdatedAt     instant.Time     `db:"updated_at" json:"updated_at"`
}

// MandateVersion names the current wording of [MandateText].
const MandateVersion = "2026-12"

// MandateVersionFrench names that of [MandateTextFrench].
const MandateVersionFrench = "2026-12-fr"

// ShownMandate names a mandate as a payer is shown it: the version of its wording, and a digest of the whole text, of
// which the merchant's name is a part. It comes back with the agreement.
func ShownMandate(version, text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s.%x", version, sum[:4])
}

// MandateText is what a payer agrees to, for a merchant of that name.
func MandateText(scheme processor.Scheme, merchant string) string {
	if scheme == processor.ACSS {
		return fmt.Sprintf(
			"By confirming, I authorize %s and its payment service to debit the bank account named above for the amount "+
				"that I confirm here, and for later amounts that I agree to, by pre-authorized debit. This is a personal agreement; I waive "+
				"the right to notice of an amount that I have confirmed myself. I may revoke it at any time by writing to %s; "+
				"I have recourse rights if a debit does not comply with it, such as reimbursement.", merchant, merchant)
	}
	return fmt.Sprintf(
		"By confirming, I authorize %s and its payment service to debit the bank account named above for the amount that I "+
			"confirm here, and for later amounts that I agree to, and to credit it if a correction is needed. I may revoke this "+
			"authorization at any time by writing to %s before a debit is submitted.", merchant, merchant)
}

// MandateTextFrench is what a payer agrees to in French, by pre-authorized debit.
func MandateTextFrench(merchant string) string {
	return fmt.Sprintf(
		"En confirmant, j’autorise %s et son service de paiement à débiter le compte bancaire indiqué ci-dessus du montant "+
			"que je confirme ici, et des montants ultérieurs dont je conviendrai, par débit préautorisé. Il s’agit d’un accord personnel; je "+
			"renonce au droit de recevoir un préavis d’un montant que j’ai moi-même confirmé. Je peux révoquer cet accord en tout temps en écrivant "+
			"à %s; j’ai des droits de recours si un débit n’y est pas conforme, comme le remboursement.",
		merchant, merchant)
}

func insertMandateTx(tx *pg.Tx, o owner, m Mandate) {
	tx.Later(`
		INSERT INTO mandates (id, application_id, merchant_id, token_id, scheme, status, text, text_version,
			ip, user_agent, accepted_at, updated_at)
		VALUES (@id, @application_id, @merchant_id, @token, @scheme, 'active', @text, @text_version, @ip, @user_agent,
			@now, @now)`,
		pg.Args{"id": m.ID, "application_id": o.ApplicationID, "merchant_id": o.MerchantID, "token": m.Token,
			"scheme": m.Scheme, "text": m.Text, "text_version": m.TextVersion, "ip": m.IP, "user_agent": m.UserAgent,
			"now": m.AcceptedAt})
}

const mandateColumns = `m.id, m.version, m.application_id, m.merchant_id, m.token_id, m.scheme, m.status, m.text,
	m.text_version, m.ip, m.user_agent, m.accepted_at, m.revoked_at, m.updated_at`

// GetMandate returns a mandate of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) GetMandate(ctx context.Context, actor authz.Actor, id string) (Mandate, error) {
	if err := s.deps.Check.Check(actor, authz.MandateRead); err != nil {
		return Mandate{}, err
	}
	mandateID, err := ids.ParseMandate(id)
	if err != nil {
		return Mandate{}, fault.Missing()
	}
	m, err := s.findMandate(ctx, actor.ApplicationID, mandateID)
	return authz.Seen(actor, m, m.MerchantID, err)
}

// MandateListInput selects a page of mandates; what is not set selects all.
type MandateListInput struct {
	Page      page.Input[ids.Mandate]
	Accepted  page.Times
	Statuses  []string // of MandateStatuses
	Schemes   []string // of MandateSchemes
	Merchants []int64
	Token     *ids.Token
}

// MandateStatuses lists every status that a mandate can have.
func MandateStatuses() []string { return []string{"active", "revoked"} }

// MandateSchemes lists the schemes that mandates are for.
func MandateSchemes() []string { return []string{string(processor.ACH), string(processor.ACSS)} }

// Mandates returns one page of the application's mandates.
func (s *Service) Mandates(ctx context.Context, actor authz.Actor, in MandateListInput) (page.Of[Mandate], error) {
	if err := s.deps.Check.Check(actor, authz.MandateRead); err != nil {
		return page.Of[Mandate]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectMandates,
		pg.Args{"application_id": actor.ApplicationID, "merchants": actor.Within(in.Merchants),
			"statuses": in.Statuses, "schemes": in.Schemes, "token": in.Token, "from": in.Accepted.From,
			"until": in.Accepted.Until},
		func(m Mandate) Mandate { return m.derive(s.livemode()) })
}

const selectMandates = `SELECT ` + mandateColumns + ` FROM mandates m
	WHERE m.application_id = @application_id
		AND (@statuses::text[] IS NULL OR m.status = ANY (@statuses))
		AND (@schemes::text[] IS NULL OR m.scheme = ANY (@schemes))
		AND (@merchants::bigint[] IS NULL OR m.merchant_id = ANY (@merchants))
		AND (@token::uuid IS NULL OR m.token_id = @token)
		AND (@from::timestamptz IS NULL OR m.accepted_at >= @from)
		AND (@until::timestamptz IS NULL OR m.accepted_at < @until)`

func (s *Service) findMandate(ctx context.Context, applicationID int64, id ids.Mandate) (Mandate, error) {
	m, err := pg.Find[Mandate](ctx, s.deps.Pool, `SELECT `+mandateColumns+` FROM mandates m
		WHERE m.application_id = @application_id AND m.id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
	return m.derive(s.livemode()), err
}

// derive fills the members that follow from others.
func (m Mandate) derive(livemode bool) Mandate {
	m.Object, m.Livemode = "mandate", livemode
	return m
}

// RevokeMandate ends the permission to debit, and so disables its token. Again, it changes nothing.
// Debits that were made before stay.
func (s *Service) RevokeMandate(ctx context.Context, actor authz.Actor, id string,
	claim *idempotency.Claim) (idempotency.Result[Mandate], error) {
	if err := s.deps.Check.Check(actor, authz.MandateRevoke); err != nil {
		return idempotency.Result[Mandate]{}, err
	}
	mandateID, err := ids.ParseMandate(id)
	if err != nil {
		return idempotency.Result[Mandate]{}, fault.Missing()
	}
	err = actor.Reach(func() (int64, error) {
		m, err := s.findMandate(ctx, actor.ApplicationID, mandateID)
		return m.MerchantID, err
	})
	if err != nil {
		return idempotency.Result[Mandate]{}, err
	}
	return once(ctx, s, claim, actor.ApplicationID, mandateID.Bytes(),
		func(tx *pg.Tx, m instant.Moment) (Mandate, error) {
			revoked, err := pg.Find[Mandate](ctx, tx, `
			SELECT `+mandateColumns+` FROM mandates m WHERE m.application_id = @application_id
				AND m.id = @id FOR NO KEY UPDATE`, pg.Args{"application_id": actor.ApplicationID, "id": mandateID})
			if err != nil {
				return revoked, err
			}
			if revoked.Status == "revoked" {
				return revoked.derive(s.livemode()), nil
			}
			revoked.Status, revoked.RevokedAt, revoked.UpdatedAt = "revoked", instant.Ptr(m.At), instant.Of(m.At)
			revoked.Version++
			tx.Later(`
			UPDATE mandates SET status = 'revoked', revoked_at = @now, updated_at = @now, version = @version
			WHERE application_id = @application_id AND id = @id`,
				pg.Args{"now": revoked.UpdatedAt, "version": revoked.Version, "application_id": actor.ApplicationID,
					"id": mandateID})
			return revoked.derive(s.livemode()), DisableTx(ctx, tx, m,
				Ending{ApplicationID: actor.ApplicationID, Token: revoked.Token,
					Reason: "mandate_revoked", Livemode: s.livemode(), Source: outbox.SourceOf(actor),
					RequestID: actor.RequestID})
		})
}
