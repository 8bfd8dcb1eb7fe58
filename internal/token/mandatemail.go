package token

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"svcpay/internal/merchant"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/mail"
	"svcpay/internal/platform/pg"
)

// MandateMail is the kind of the mails by which payers have a copy of what they agreed to. The NACHA Operating Rules
// (2.3.2.3) and Rule H1 of Payments Canada ask for one.
const MandateMail mail.Kind = "mandate"

// mandateWords are what such a mail says in one language, but for the mandate itself.
type mandateWords struct {
	day                          string // as [time.Time.Format] takes it
	subject, lead, intro, revoke string
	account, at                  string
	sandbox, note                string
}

var (
	mandateEnglish = mandateWords{
		day: "January 2, 2006", subject: "Your authorization of debits by %s",
		lead:    "On %s you authorized %s to debit %s.",
		account: "your bank account ending in %s", at: " at %s",
		intro:   "This is what you agreed to, word for word:",
		revoke:  "Please keep this mail. To revoke the authorization, or if you did not give it, write to %s.",
		sandbox: "This is a test: no real money moves.",
		note:    "You get this mail because your address was given with the bank account. Authorization %s.",
	}
	mandateFrench = mandateWords{
		day: "2006-01-02", subject: "Votre autorisation de débits par %s",
		lead:    "Le %s, vous avez autorisé %s à débiter %s.",
		account: "votre compte bancaire se terminant par %s", at: " à %s",
		intro:   "Voici ce que vous avez accepté, mot pour mot\u00a0:",
		revoke:  "Veuillez conserver ce courriel. Pour révoquer l’autorisation, ou si vous ne l’avez pas donnée, écrivez à %s.",
		sandbox: "Ceci est un essai\u00a0: aucun argent réel n’est transféré.",
		note:    "Vous recevez ce courriel parce que votre adresse a été donnée avec le compte bancaire. Autorisation %s.",
	}
)

// mandateLetter is the copy of a new token's mandate for the payer; none where no address is known. Nothing in it was
// typed by anyone who gave the address, who need not be whose it is.
func (s *Service) mandateLetter(m merchant.Merchant, row newToken) (*mail.Message, error) {
	billing, account := row.created.Billing, row.created.BankAccount
	if billing.Email == "" {
		return nil, nil
	}
	zone, err := calendar.Zone(m.TimeZone)
	if err != nil {
		return nil, err
	}
	w := mandateEnglish
	if row.mandate.TextVersion == MandateVersionFrench {
		w = mandateFrench
	}
	debited := fmt.Sprintf(w.account, account.Last4)
	if account.BankName != "" {
		debited += fmt.Sprintf(w.at, account.BankName)
	}
	lines := []string{
		fmt.Sprintf(w.lead, row.mandate.AcceptedAt.In(zone).Format(w.day), m.Name, debited),
		w.intro, row.mandate.Text, fmt.Sprintf(w.revoke, m.Name),
	}
	if !s.livemode() {
		lines = append(lines, w.sandbox)
	}
	return &mail.Message{Kind: MandateMail, To: billing.Email, Subject: fmt.Sprintf(w.subject, m.Name), Lines: lines,
		Note: fmt.Sprintf(w.note, row.mandate.ID)}, nil
}

// keepBank writes the token of a bank account and has its payer told what they agreed to, in one transaction and once.
func (s *Service) keepBank(ctx context.Context, m merchant.Merchant, row newToken, claim *idempotency.Claim,
	also func(context.Context, *pg.Tx) error) (Created, error) {
	letter, err := s.mandateLetter(m, row)
	if err != nil {
		return Created{}, err
	}
	return s.keepWith(ctx, row, claim, func(ctx context.Context, tx *pg.Tx) error {
		if letter != nil {
			if err := s.postTx(ctx, tx, row, *letter); err != nil {
				return err
			}
		}
		return also(ctx, tx)
	})
}

// postTx puts a copy into the mails, unless its address had too many lately: anybody can give a bank account with
// anybody's address.
func (s *Service) postTx(ctx context.Context, tx *pg.Tx, row newToken, letter mail.Message) error {
	address := sha256.Sum256([]byte(strings.ToLower(letter.To)))
	_, err := s.deps.Mail.PutSomeTx(ctx, tx, row.ApplicationID, address[:], letter)
	return err
}
