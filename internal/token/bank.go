package token

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// BankInput is a bank account as typed by a payer. Routing is an ABA number, or the five digits of a
// Canadian transit followed by the three of the institution.
type BankInput struct {
	Scheme      processor.Scheme
	Routing     string
	Number      sensitive.AccountNumber
	AccountType string // checking or savings
	Country     string // ISO 3166-1 alpha-2, as the page told it; "" for the merchant's
	Billing     Billing
	Mandate     Acceptance
}

// Acceptance is how a payer agreed to the mandate. IP and UserAgent come from the connection.
type Acceptance struct {
	Accepted bool
	// TextVersion is what [ShownMandate] named. A version alone is taken, too: earlier pages knew no more.
	TextVersion string
	IP          string
	UserAgent   string
}

// Lengths of account numbers, in digits (NACHA and Payments Canada file formats).
const (
	minACHAccount, maxACHAccount   = 4, 17
	minACSSAccount, maxACSSAccount = 5, 12
	maxUserAgent                   = 500
)

// validate returns every mistake, named as the library names its inputs.
func (in BankInput) validate() fault.Fields {
	var fs fault.Fields
	in.validateAccount(&fs)
	switch email := in.Billing.Email; { // to which the mandate is sent
	case email == "":
		fs.Add("billing.email", "incomplete_email", "Enter the email address of the account's holder.")
	case mailbox.Valid(email) && !mailbox.Deliverable(email):
		fs.Add("billing.email", "invalid_email", mailbox.Undeliverable)
	}
	if version, _, _ := strings.Cut(in.Mandate.TextVersion, "."); !in.Mandate.Accepted || version != MandateVersion {
		fs.Add("mandate", "mandate_not_accepted", "The authorization to debit the account must be accepted.")
	}
	return fs
}

// of refuses an agreement to another text than the one that would be kept: the merchant was renamed after it was shown.
func (a Acceptance) of(text string) error {
	var fs fault.Fields
	if a.TextVersion != MandateVersion && a.TextVersion != ShownMandate(MandateVersion, text) {
		fs.Add("mandate", "mandate_not_accepted",
			"The authorization has changed. Reload the page, and accept it as it is now.")
	}
	return fs.Err()
}

// validateAccount adds every mistake in what is said of the account and its holder.
func (in BankInput) validateAccount(fs *fault.Fields) {
	least, most := minACHAccount, maxACHAccount
	if in.Scheme == processor.ACSS {
		least, most = minACSSAccount, maxACSSAccount
	}
	switch {
	case in.Scheme != processor.ACH && in.Scheme != processor.ACSS:
		fs.Add("bank_account.scheme", "invalid_scheme", "Use the scheme ach or acss.")
	case in.Scheme == processor.ACSS && !(len(in.Routing) == 8 && onlyDigits(in.Routing)):
		fs.Add("bank_account.routing_number", "invalid_transit_number",
			"A transit number has 5 digits, an institution number 3.")
	case in.Scheme == processor.ACH && !isABA(in.Routing):
		fs.Add("bank_account.routing_number", "invalid_routing_number", "The routing number is not valid.")
	}
	if n := in.Number.Reveal(); len(n) < least || len(n) > most || !onlyDigits(n) {
		fs.Add("bank_account.account_number", "invalid_account_number",
			fmt.Sprintf("An account number has %d to %d digits.", least, most))
	}
	if code := "invalid_account_type"; !slices.Contains([]string{"checking", "savings"}, in.AccountType) {
		if in.AccountType == "" {
			code = "incomplete_account_type"
		}
		fs.Add("bank_account.account_type", code, "Choose checking or savings.")
	}
	for _, name := range []struct{ param, text string }{
		{"billing.first_name", in.Billing.FirstName}, {"billing.last_name", in.Billing.LastName},
	} {
		switch {
		case strings.TrimSpace(name.text) == "":
			fs.Add(name.param, "incomplete_account_holder_name",
				"Enter the first and last name of the account's holder.")
		case !strings.ContainsFunc(name.text, unicode.IsLetter): // the library's own rule
			fs.Add(name.param, "invalid_account_holder_name", "Enter a valid name.")
		}
	}
	in.Billing.validate(fs)
}

// isABA reports whether s is a routing number: nine digits, a prefix that the American Bankers
// Association gives out, and the check digit (ABA routing number policy: weights 3, 7, 1).
func isABA(s string) bool {
	if len(s) != 9 || !onlyDigits(s) {
		return false
	}
	prefix, _ := strconv.Atoi(s[:2])
	if !(prefix <= 12 || prefix >= 21 && prefix <= 32 || prefix >= 61 && prefix <= 72 || prefix == 80) ||
		s == "000000000" {
		return false
	}
	sum := 0
	for i, weight := range []int{3, 7, 1, 3, 7, 1, 3, 7, 1} {
		sum += weight * int(s[i]-'0')
	}
	return sum%10 == 0
}

var errCountry = fault.Invalid("invalid_token_data", "This merchant accepts only bank accounts in its own country.").On(
	"country")

// CreateBank keeps a bank account in the vault, with the mandate to debit it, and returns its token.
// At a merchant of processor Q the account must be verified before it can be charged; one that cannot be verified is
// payment_method_disabled. The same retryKey
// again returns the same token, also from the session that follows one that ended in the meantime.
func (s *Service) CreateBank(ctx context.Context, sessionID, retryKey string, in BankInput) (Created, error) {
	in.Billing = in.Billing.Tidied()
	if fs := in.validate(); len(fs) > 0 {
		return Created{}, fs.Err()
	}
	session, err := s.CountAttempt(ctx, sessionID)
	if err != nil {
		return Created{}, err
	}
	m, err := s.deps.Merchants.Find(ctx, session.ApplicationID, session.MerchantID)
	if err != nil {
		return Created{}, err
	}
	if in.Country != "" && in.Country != m.Country {
		return Created{}, errCountry
	}
	row, err := s.prepareBank(ctx, m, in, Keyed)
	if err != nil {
		return Created{}, err
	}
	claim := browserClaim(session.scope(typed), retryKey, row, s.deps.Now())
	refusal := session.refuse()
	if refusal == nil {
		refusal = in.Mandate.of(row.mandate.Text)
	}
	if refusal == nil {
		refusal = row.refusal
	}
	if refusal != nil {
		return s.madeBefore(ctx, claim, refusal)
	}
	return s.keepBank(ctx, m, row, claim, nothingElseTx)
}

func (s *Service) prepareBank(ctx context.Context, m merchant.Merchant, in BankInput,
	entryMode string) (newToken, error) {
	kind := BankUS
	if m.Country == "CA" {
		kind = BankCA
	}
	scheme := kind.scheme()
	if in.Scheme != scheme {
		return newToken{}, fault.Refused("token_type_mismatch",
			"This merchant accepts only bank accounts in its own country.")
	}
	name, err := s.deps.Directory.BankName(ctx, scheme, in.Routing)
	if err != nil {
		return newToken{}, fmt.Errorf("token: bank name: %w", err)
	}
	o := owner{m.ApplicationID, m.ID}
	id := ids.NewToken(s.deps.Now())
	sealed, err := s.deps.Vault.SealAccount(o.ref(id), in.Number)
	if err != nil {
		return newToken{}, err
	}
	fingerprint, err := s.deps.Vault.AccountFingerprint(in.Routing, in.Number)
	if err != nil {
		return newToken{}, err
	}
	row := newToken{
		created: Created{Token: id, Billing: in.Billing, Livemode: s.livemode(), BankAccount: &BankAccount{
			BankName: name, Last4: in.Number.Last4(), AccountType: in.AccountType, Status: Active}},
		owner: o, kind: kind, entryMode: entryMode, status: Active, routing: &in.Routing,
		fingerprint: fingerprint, sealed: sealed,
	}
	if entryMode == Keyed && m.BankProcessor == "q" || entryMode == FromBank && s.verifiesAll(m, kind) {
		if err := s.await(m, &row); err != nil {
			return newToken{}, err
		}
	}
	moment, err := s.deps.Clock.Moment(ctx, m.ApplicationID)
	if err != nil {
		return newToken{}, err
	}
	if entryMode != PayoutAccount {
		row.mandate = &Mandate{ID: ids.NewMandate(s.deps.Now()), Token: id, Scheme: scheme,
			Text:        MandateText(scheme, m.Name),
			TextVersion: MandateVersion, IP: in.Mandate.IP, UserAgent: shortened(in.Mandate.UserAgent, maxUserAgent),
			AcceptedAt: instant.Of(moment.At)}
	}
	return row, nil
}

// shortened cuts a text to so many characters, and takes out what PostgreSQL cannot hold.
func shortened(s string, most int) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most])
}
