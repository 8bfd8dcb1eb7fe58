package banklink

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
)

// Form is a bank account as a payer types it.
type Form struct {
	FirstName, LastName, Email string
	AccountType                string // checking or savings
	Routing                    string // in the United States
	Institution, Transit       string // in Canada
	Account                    string
	Agreed
	From Connection
}

// Agreed is how a payer answered a mandate that a page showed: Shown is the page's name of it, [Link.Shown] then.
type Agreed struct {
	Accepted bool
	Shown    string
}

// Connection is where a form came from.
type Connection struct{ IP, UserAgent string }

// Agreement is the mandate that a payer is shown: the words, and their version.
func (l Link) Agreement() (text, version string) {
	if l.Language == French {
		return token.MandateTextFrench(l.Merchant), token.MandateVersionFrench
	}
	return token.MandateText(l.Scheme, l.Merchant), token.MandateVersion
}

// Shown names exactly that text, for the page to return.
func (l Link) Shown() string {
	text, version := l.Agreement()
	return token.ShownMandate(version, text)
}

// agreed reports whether a payer agreed to the text as it is now: the merchant may have been renamed since it was
// shown. Earlier pages name none.
func (l Link) agreed(a Agreed) bool {
	return a.Accepted && (a.Shown == "" || a.Shown == l.Shown())
}

// account is what lies sealed between authorization and token, next to the number, which lies there as the vault seals
// it.
type account struct {
	Routing     string        `json:"routing"`
	AccountType string        `json:"account_type"`
	Billing     token.Billing `json:"billing"`
	Text        string        `json:"text"`
	Version     string        `json:"version"`
	AcceptedAt  instant.Time  `json:"accepted_at"`
	IP          string        `json:"ip"`
	UserAgent   string        `json:"user_agent"`
	Verified    bool          `json:"verified"`
}

func digits(s string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(s))
}

// read checks a form as the token's maker will, and what only the form has. Mistakes are named by their inputs.
func (l Link) read(f Form) (token.BankInput, fault.Fields) {
	in := token.BankInput{Scheme: l.Scheme, Routing: digits(f.Routing),
		Number: sensitive.NewAccountNumber(digits(f.Account)), AccountType: f.AccountType,
		Billing: token.Billing{FirstName: f.FirstName, LastName: f.LastName, Email: f.Email}.Tidied(),
		Mandate: token.Acceptance{Accepted: l.agreed(f.Agreed), TextVersion: token.MandateVersion, IP: f.From.IP,
			UserAgent: f.From.UserAgent}}
	var fs fault.Fields
	if l.Scheme == processor.ACSS {
		in.Routing = digits(f.Transit) + digits(f.Institution)
		numbered(&fs, "institution", digits(f.Institution), "institution_number", 3)
		numbered(&fs, "transit", digits(f.Transit), "transit_number", 5)
	} else {
		numbered(&fs, "routing", in.Routing, "routing_number", 9)
	}
	for _, m := range in.Mistakes() {
		name, known := inputs[m.Param]
		if known && !(name == "routing" && (l.Scheme == processor.ACSS || len(fs) > 0)) {
			if digits(f.Account) == "" && name == "account" {
				m.Code = "incomplete_account_number"
			}
			fs.Add(name, m.Code, m.Message)
		}
	}
	return in, fs
}

// inputs are the form's names of what the token's maker finds wrong.
var inputs = map[string]string{"bank_account.routing_number": "routing", "bank_account.account_number": "account",
	"bank_account.account_type": "type",
	"billing.first_name":        "first_name", "billing.last_name": "last_name", "billing.email": "email",
	"mandate": "mandate"}

// numbered adds what is wrong with a number of so many digits.
func numbered(fs *fault.Fields, name, value, code string, length int) {
	switch {
	case strings.Trim(value, "0123456789") != "" || len(value) > length:
		fs.Add(name, "invalid_"+code, "This number has digits only.")
	case len(value) < length:
		fs.Add(name, "incomplete_"+code, "This number is incomplete.")
	}
}

// Submit takes a form with the mandate accepted, which authorizes the way. Faults: its mistakes, ErrExpired, ErrEnded.
func (s *Service) Submit(ctx context.Context, secret string, f Form) error {
	l, err := s.open(ctx, secret)
	if err != nil {
		return err
	}
	in, fs := l.read(f)
	if err := fs.Err(); err != nil {
		return err
	}
	return s.authorize(ctx, l, in, false)
}

// authorize seals the account and issues the id of which a token can be made. A typed account takes the place of one
// that was chosen; a chosen one, which is verified, must be so still.
func (s *Service) authorize(ctx context.Context, l Link, in token.BankInput, verified bool) error {
	m, err := s.deps.Clock.Moment(ctx, l.ApplicationID)
	if err != nil {
		return err
	}
	text, version := l.Agreement()
	plain, err := json.Marshal(account{Routing: in.Routing, AccountType: in.AccountType, Billing: in.Billing,
		Text: text, Version: version, AcceptedAt: instant.Of(m.At), IP: in.Mandate.IP, UserAgent: in.Mandate.UserAgent,
		Verified: verified})
	if err != nil {
		return err
	}
	details, err := s.deps.Box.Seal(plain, l.purpose())
	if err != nil {
		return err
	}
	kept, err := s.deps.Tokens.SealNumber(l.numberOf(), in.Number)
	if err != nil {
		return err
	}
	chosen, gone := (*string)(nil), ErrEnded
	if verified {
		chosen, gone = &l.AccountKey, ErrAccount
	}
	n, err := pg.Exec(ctx, s.deps.Pool, `
		UPDATE bank_links SET state = 'authorized', authorization_id = @id, wrapped_key = @wrapped_key,
			number = @number, details = @details,
			email = @email, expires_at = @until, account_key = @account
		WHERE secret_hash = @hash AND state = 'open' AND (@account::text IS NULL OR account_key = @account
			AND visit_id = @visit)`,
		pg.Args{"id": "ba_" + strings.ToLower(rand.Text()), "wrapped_key": kept.WrappedKey, "number": kept.Number,
			"details": details,
			"email":   in.Billing.Email, "until": s.deps.Now().Add(authorizationLife), "hash": l.SecretHash,
			"account": chosen, "visit": l.VisitID})
	return pg.Hit(n, err, gone)
}

// purpose is what an account is sealed for: the way of one payer, at one merchant.
func (l Link) purpose() string {
	return fmt.Sprintf("bank_links:%d:%d:%x", l.ApplicationID, l.MerchantID, l.SecretHash)
}

// numberOf says whose number it is, to the vault: the way stands for the token, which gets its id when it is made.
func (l Link) numberOf() token.NumberOf {
	return token.NumberOf{ApplicationID: l.ApplicationID, MerchantID: l.MerchantID,
		Token: ids.TokenFrom([16]byte(l.SecretHash))}
}

// RedeemInput asks for the token of what a payer authorized.
type RedeemInput struct {
	SessionID     string
	RetryKey      string
	Authorization string
	Country       string        // ISO 3166-1 alpha-2, as the page told it; "" for the merchant's
	Billing       token.Billing // of the page; what the payer gave comes first
}

var (
	errUnknown = fault.New(fault.KindForbidden, "field_not_authorized",
		"The payer has not authorized debits of a bank account here.")
	errUsed = fault.New(fault.KindForbidden, "field_not_authorized",
		"A token was made of this authorization already. Have the payer authorize again.")
	errLate = fault.Refused("authorization_expired", "The authorization is too old. Have the payer authorize again.")
)

// Redeem makes a token, once, of what a payer authorized. The same retry key again returns the same token.
// Faults: those of [token.Service.UseSession], field_not_authorized, authorization_expired, invalid_token_data.
func (s *Service) Redeem(ctx context.Context, in RedeemInput) (token.Created, error) {
	use, err := s.deps.Tokens.CountAttempt(ctx, in.SessionID)
	if err != nil {
		return token.Created{}, err
	}
	now := s.deps.Now()
	l, err := pg.Find[Link](ctx, s.deps.Pool, selectLink+`
		WHERE l.authorization_id = @id AND l.application_id = @application_id AND l.merchant_id = @merchant_id
			AND l.key_id = @key_id AND l.page_origin = @origin`,
		pg.Args{"id": in.Authorization, "now": now, "application_id": use.ApplicationID, "merchant_id": use.MerchantID,
			"key_id": use.KeyID, "origin": use.PageOrigin})
	switch {
	case fault.HasCode(err, "resource_missing"):
		return token.Created{}, errUnknown
	case err != nil:
		return token.Created{}, err
	case !l.ExpiresAt.After(now) || l.Details == nil:
		return token.Created{}, errLate
	}
	made, err := s.unseal(l)
	if err != nil {
		return token.Created{}, err
	}
	made.Country = in.Country
	billing := in.Billing
	billing.FirstName, billing.LastName, billing.Email = made.Billing.FirstName, made.Billing.LastName,
		made.Billing.Email
	made.Billing = billing
	return s.deps.Tokens.CreateLinked(ctx, use, in.Authorization, in.RetryKey, made,
		func(ctx context.Context, tx *pg.Tx, made ids.Token) error { return useTx(ctx, tx, l, made) })
}

// useTx lets an authorization do once. What lies sealed stays until its time is over, for anyone who asks again, or the
// token is shredded.
func useTx(ctx context.Context, tx *pg.Tx, l Link, made ids.Token) error {
	n, err := tx.Exec(ctx, `
		UPDATE bank_links SET used = true, token_id = @token WHERE secret_hash = @hash
			AND application_id = @application_id AND NOT used`,
		pg.Args{"token": made, "hash": l.SecretHash, "application_id": l.ApplicationID})
	return pg.Hit(n, err, errUsed)
}

func (s *Service) unseal(l Link) (token.LinkedInput, error) {
	var a account
	plain, err := s.deps.Box.Open(l.Details, l.purpose())
	if err == nil {
		err = json.Unmarshal(plain, &a)
	}
	if err != nil {
		return token.LinkedInput{}, err
	}
	number, err := s.deps.Tokens.OpenNumber(l.numberOf(),
		token.SealedNumber{WrappedKey: l.WrappedKey, Number: l.Number})
	return token.LinkedInput{
		BankInput: token.BankInput{Scheme: l.Scheme, Routing: a.Routing, Number: number, AccountType: a.AccountType,
			Billing: a.Billing, Mandate: token.Acceptance{Accepted: true, TextVersion: a.Version, IP: a.IP,
				UserAgent: a.UserAgent}},
		Text: a.Text, AcceptedAt: a.AcceptedAt, Verified: a.Verified}, err
}
