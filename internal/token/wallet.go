package token

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
	"svcpay/internal/wallet"
)

// Wallets open what payers' wallets send to the deployment.
type Wallets struct {
	A wallet.A
	B wallet.B
	// Seal makes what a payer's wallet would send, of a test case's card; nil outside a sandbox.
	Seal func(WalletSale) ([]byte, error)
	// SessionsA are asked for by pages that show wallet A.
	SessionsA wallet.Sessions
	// DisplayNameA is what wallet A's sheet shows on pages that name no store; "" is the merchant's name.
	DisplayNameA string
}

// WalletSale is a card in a sandbox's wallet, and whom it pays.
type WalletSale struct {
	Kind     Kind // WalletA or WalletB
	Card     sensitive.PAN
	ExpYear  int // with the month 12
	Holder   string
	Currency money.Currency
	Bound    string // as [BoundTo] has it
}

// payloadLife is how long it is remembered that a payload did: longer than any is good.
const payloadLife = 60 * 24 * time.Hour

// WalletInput is what a payer's wallet gave to the page, as it is. Of Billing, the wallet's own or the page's, all is
// optional.
type WalletInput struct {
	Kind    Kind // WalletA or WalletB
	Payload []byte
	Billing Billing
}

// networksOfA are those that wallet A is charged through in the United States.
var networksOfA = []string{"amex", "discover", "mastercard", "visa"}

var (
	errWalletOff = fault.Refused("payment_method_disabled", "This merchant does not accept this wallet.")
	errDomain    = fault.New(fault.KindForbidden, "wallet_domain_not_registered",
		"This page’s domain is not among the merchant’s domains.")
	errNetwork = fault.Refused("network_not_supported",
		"Cards of this network cannot be charged through this wallet.")
	errUsed = fault.Invalid("wallet_payload_expired",
		"The wallet’s payload was used already. Have the payer authorize the payment again.")
)

// BoundTo is what a page has a wallet bind its payload to: application data of wallet A, the gateway merchant id of
// wallet B. A payload that is bound to another merchant does not open.
func BoundTo(merchantID int64) string { return strconv.FormatInt(merchantID, 10) }

// CreateWallet opens a wallet's payload, keeps the card in the vault and returns its token. A payload does once;
// the same retryKey with it again returns the same token, also from the session that follows one that ended in the
// meantime. Faults next to those of [Service.UseSession]: wallet_signature_invalid, wallet_payload_expired,
// wallet_domain_not_registered, payment_method_disabled, network_not_supported.
func (s *Service) CreateWallet(ctx context.Context, sessionID, retryKey string, in WalletInput) (Created, error) {
	in.Billing = in.Billing.Tidied()
	var fs fault.Fields
	in.Billing.validate(&fs)
	if len(fs) > 0 {
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
	row, err := s.openWallet(ctx, m, session.PageOrigin, in)
	if err != nil {
		return Created{}, err
	}
	claim := browserClaim(session.scope(fmt.Sprintf("%x", row.payload)), retryKey, row, s.deps.Now())
	if err := session.spent(); err != nil {
		return s.madeBefore(ctx, claim, err)
	}
	out, err := s.keep(ctx, row, claim)
	if pg.Violated(err) == "wallet_payloads_pkey" {
		err = errUsed
	}
	return out, err
}

// openWallet checks who may be paid so, opens the payload, and seals the card.
func (s *Service) openWallet(ctx context.Context, m merchant.Merchant, origin string,
	in WalletInput) (newToken, error) {
	if err := walletAllowed(m, origin, in.Kind); err != nil {
		return newToken{}, err
	}
	return s.openPaid(ctx, m, in)
}

// openPaid opens the payload of a wallet that the merchant takes, and seals the card.
func (s *Service) openPaid(ctx context.Context, m merchant.Merchant, in WalletInput) (newToken, error) {
	p, err := s.openPayload(m, in)
	if err != nil {
		return newToken{}, err
	}
	card := CardInput{Number: p.Number, ExpMonth: p.ExpMonth, ExpYear: p.ExpYear, Billing: in.Billing,
		cryptogram: p.Cryptogram, eci: p.ECI}
	if card.Billing.Name() == "" {
		card.Billing.FirstName, card.Billing.LastName = names(tidy(p.Holder))
	}
	var fs fault.Fields
	card.validateExpiry(&fs, s.deps.Now())
	if len(fs) > 0 {
		return newToken{}, fs.Err()
	}
	if in.Kind == WalletA && m.Country == "US" &&
		!slices.Contains(networksOfA, sensitive.BrandOf(p.Number.Reveal()).Name) {
		return newToken{}, errNetwork
	}
	row, err := s.prepare(ctx, owner{m.ApplicationID, m.ID}, card, in.Kind)
	sum := sha256.Sum256([]byte(string(in.Kind) + ":" + p.ID))
	row.payload = sum[:]
	return row, err
}

func (s *Service) openPayload(m merchant.Merchant, in WalletInput) (wallet.Payment, error) {
	if in.Kind == WalletA {
		return s.deps.Wallets.A.Open(in.Payload, []byte(BoundTo(m.ID)), s.deps.Now())
	}
	return s.deps.Wallets.B.Open(in.Payload, BoundTo(m.ID), s.deps.Now())
}

// walletAllowed says why a merchant's page may not take payments of a wallet: wallet A is switched on for a
// merchant, and shown on its registered domains alone.
func walletAllowed(m merchant.Merchant, origin string, kind Kind) error {
	if !takesWallet(m, kind) {
		return errWalletOff
	}
	if kind != WalletA {
		return nil
	}
	page, err := url.Parse(origin)
	if err != nil || !slices.Contains(m.Domains, page.Hostname()) {
		return errDomain
	}
	return nil
}

func takesWallet(m merchant.Merchant, kind Kind) bool {
	return kind == WalletA && m.CanProcess.WalletA || kind == WalletB && m.CanProcess.WalletB
}

// names takes a cardholder's name apart: the last word is the last name.
func names(holder string) (first, last string) {
	i := strings.LastIndexByte(holder, ' ')
	return holder[:max(i, 0)], holder[i+1:]
}

// PurgePayloads forgets a batch of the payloads that could not be used again anyway, and says how many those were.
func (s *Service) PurgePayloads(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, s.deps.Pool, `
		DELETE FROM wallet_payloads WHERE id_hash IN (
			SELECT id_hash FROM wallet_payloads WHERE seen_at <= @old LIMIT @batch)`,
		pg.Args{"old": s.deps.Now().Add(-payloadLife), "batch": pg.PurgeBatch})
}
