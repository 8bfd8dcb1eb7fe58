package payout

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
	"svcpay/internal/token"
)

// BankStatus says whether money can go to a bank account.
type BankStatus string

// The states of a bank account.
const (
	Unverified BankStatus = "unverified"
	Verified   BankStatus = "verified"
	Replaced   BankStatus = "replaced" // another took its place
)

// BankAccount is where a merchant's payouts go. Its number is in the vault.
type BankAccount struct {
	ID            ids.BankAccount `db:"id" json:"id"`
	Object        string          `db:"-" json:"object"`
	Livemode      bool            `db:"-" json:"livemode"`
	ApplicationID int64           `db:"application_id" json:"-"`
	MerchantID    int64           `db:"merchant_id" json:"merchant_id"`
	Token         ids.Token       `db:"token_id" json:"-"`
	Fingerprint   []byte          `db:"fingerprint" json:"-"`
	Status        BankStatus      `db:"status" json:"status"`
	BankName      string          `db:"bank_name" json:"bank_name"`
	Last4         string          `db:"last4" json:"last4"`
	Currency      money.Currency  `db:"currency" json:"currency"`
	HeldUntil     *instant.Time   `db:"held_until" json:"held_until"` // payouts wait until then
	TriesLeft     int             `db:"tries_left" json:"tries_left"` // of telling the deposits
	CreatedAt     instant.Time    `db:"created_at" json:"created_at"`
	VerifiedAt    *instant.Time   `db:"verified_at" json:"verified_at"`
	UpdatedAt     instant.Time    `db:"updated_at" json:"updated_at"`
}

// maxTries is how often the amounts of the deposits can be told; the table's CHECK says the same.
const maxTries = 10

// SandboxDeposits are the amounts, in minor units, that verify any bank account in the sandbox.
var SandboxDeposits = [2]int{32, 45}

var (
	errBankExists = fault.New(fault.KindConflict, "bank_account_exists",
		"This merchant has a bank account for payouts. Replace it instead.")
	errBankMissing = fault.New(fault.KindConflict, "bank_account_missing",
		"This merchant has no bank account for payouts that could be replaced.")
	errBankChanged = fault.New(fault.KindConflict, "bank_account_changed",
		"This merchant's bank account for payouts was replaced. Check the new one first.")
)

// BankInput is a bank account for the payouts of a merchant.
type BankInput struct {
	MerchantID int64
	Account    token.BankInput
}

// AddBankAccount gives a merchant its bank account, which gets payouts once it is verified. A merchant
// that has one is a conflict.
func (s *Service) AddBankAccount(ctx context.Context, actor authz.Actor, in BankInput) (BankAccount, error) {
	return s.putBank(ctx, actor, in, false, "")
}

// ReplaceBankAccount puts another bank account in the place of the merchant's: payouts wait until it
// is verified, and for HoldAfterChange from now on. Payouts on their way still go to the former one.
func (s *Service) ReplaceBankAccount(ctx context.Context, actor authz.Actor, in BankInput) (BankAccount, error) {
	return s.putBank(ctx, actor, in, true, "")
}

// putBank adds an account, or with replace puts it in the place of the one that has the id seen; "" of any.
func (s *Service) putBank(ctx context.Context, actor authz.Actor, in BankInput, replace bool,
	seen string) (BankAccount, error) {
	if err := s.mayManage(ctx, actor, in.MerchantID); err != nil {
		return BankAccount{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return BankAccount{}, err
	}
	owner, err := s.deps.Merchants.Find(ctx, actor.ApplicationID, in.MerchantID)
	if err != nil {
		return BankAccount{}, err
	}
	if in.Account.Scheme != schemes[owner.Country] {
		return BankAccount{}, fault.Invalid("country_invalid",
			"The bank must be in the merchant's country.").On("country")
	}
	if _, err := s.mayPut(ctx, s.deps.Pool, owner, replace, seen); err != nil { // before a number is sealed
		return BankAccount{}, err
	}
	account, err := s.deps.Tokens.SealPayoutAccount(ctx, actor.ApplicationID, in.MerchantID, in.Account)
	if err != nil {
		return BankAccount{}, err
	}
	b := BankAccount{ID: ids.NewBankAccount(m.Machine), ApplicationID: actor.ApplicationID, MerchantID: in.MerchantID,
		Token: account.Token, Fingerprint: account.Fingerprint,
		Status: Unverified, BankName: account.BankName, Last4: account.Last4, Currency: owner.Currency,
		TriesLeft: maxTries,
		CreatedAt: instant.Of(m.At), UpdatedAt: instant.Of(m.At)}
	if replace && s.deps.HoldAfterChange > 0 {
		b.HeldUntil = instant.Ptr(m.At.Add(s.deps.HoldAfterChange))
	}
	deposits, err := s.deposits()
	if err != nil {
		return BankAccount{}, err
	}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		locked, err := s.deps.Merchants.LockTx(ctx, tx, actor.ApplicationID, in.MerchantID)
		if err != nil {
			return err
		}
		before, err := s.mayPut(ctx, tx, locked, replace, seen)
		if err != nil {
			return err
		}
		replaceBankTx(tx, locked, m.At)
		if err := account.KeepTx(tx, m); err != nil {
			return err
		}
		insertBankTx(tx, b, deposits)
		if b, err = triesOf(ctx, tx, b, m); err != nil {
			return err
		}
		if err := s.tellBankTx(ctx, tx, locked, b, actor, replace); err != nil {
			return err
		}
		return s.doneTx(tx, actor, before, b)
	})
	return s.deriveBank(b), err
}

// mayManage refuses anyone who may not change where payouts of a merchant go.
func (s *Service) mayManage(ctx context.Context, actor authz.Actor, merchantID int64) error {
	if err := s.audit.Allow(ctx, actor, authz.MerchantBank, audit.Of("bank_account", "", merchantID)); err != nil {
		return err
	}
	if !actor.Sees(merchantID) {
		return fault.Missing()
	}
	return nil
}

// doneTx queues that someone changed where payouts go; before is nil if they went nowhere.
func (s *Service) doneTx(tx *pg.Tx, actor authz.Actor, before *BankAccount, after BankAccount) error {
	return s.audit.DoneTx(tx, actor, authz.MerchantBank, audit.Of("bank_account", after.ID.String(), after.MerchantID),
		before, after)
}

// mayPut refuses a second account, and a replacement of none or of another than was seen. It returns the one that there
// is.
func (s *Service) mayPut(ctx context.Context, q pg.Querier, m merchant.Merchant, replace bool,
	seen string) (*BankAccount, error) {
	b, err := currentBank(ctx, q, m)
	switch none := errors.Is(err, pg.ErrNone); {
	case err != nil && !none:
		return nil, err
	case none && replace:
		return nil, errBankMissing
	case !none && !replace:
		return nil, errBankExists
	case !none && seen != "" && seen != b.ID.String():
		return nil, errBankChanged
	case none:
		return nil, nil
	}
	return &b, nil
}

// deposits are the amounts that anyone who sees the account's statement can tell.
func (s *Service) deposits() ([2]int, error) {
	if !s.deps.Livemode {
		return SandboxDeposits, nil
	}
	var b [2]byte
	_, err := rand.Read(b[:])
	return [2]int{1 + int(b[0])%99, 1 + int(b[1])%99}, err
}

// VerifyInput tells the amounts of the two deposits, in minor units and in any order.
type VerifyInput struct {
	MerchantID int64
	Amounts    [2]int
}

// VerifyBankAccount proves that the merchant sees the account's statement. Wrong amounts are
// verification_failed with the tries that are left; after ten the account must be replaced, by another one for the
// thirty days in which its wrong answers count.
func (s *Service) VerifyBankAccount(ctx context.Context, actor authz.Actor, in VerifyInput) (BankAccount, error) {
	if err := s.mayManage(ctx, actor, in.MerchantID); err != nil {
		return BankAccount{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return BankAccount{}, err
	}
	var b BankAccount
	var refused error // a wrong answer is written down: no error of the transaction
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		refused = nil
		locked, err := s.deps.Merchants.LockTx(ctx, tx, actor.ApplicationID, in.MerchantID)
		if err != nil {
			return err
		}
		if b, err = currentBank(ctx, tx, locked); errors.Is(err, pg.ErrNone) {
			return fault.Missing()
		}
		if err != nil || b.Status == Verified {
			return err
		}
		deposits, err := depositsOf(ctx, tx, b)
		if err != nil {
			return err
		}
		left, err := token.WrongDeposits.LockTx(ctx, tx, b.ApplicationID, b.Fingerprint, m.At)
		if err != nil {
			return err
		}
		before := b
		told := slices.Sorted(slices.Values(in.Amounts[:]))
		slices.Sort(deposits)
		switch {
		case min(left, b.TriesLeft) == 0:
			refused = unverified(0)
			return nil
		case !slices.Equal(told, deposits):
			b.TriesLeft--
			token.WrongDeposits.CountTx(tx, b.ApplicationID, b.Fingerprint, m.At)
			refused = unverified(min(left-1, b.TriesLeft))
		default:
			b.Status, b.VerifiedAt = Verified, instant.Ptr(m.At)
		}
		b.UpdatedAt = instant.Of(m.At)
		verifyBankTx(tx, b)
		return s.doneTx(tx, actor, &before, b)
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return BankAccount{}, err
	}
	return s.deriveBank(b), nil
}

func unverified(left int) error {
	return fault.Refused("verification_failed", "These are not the amounts of the deposits.").On("amounts").With(
		"tries_left", left)
}

// triesOf is an account as people are notified of it: while it is not verified, no more tries are left than its number
// has.
func triesOf(ctx context.Context, q pg.Querier, b BankAccount, m instant.Moment) (BankAccount, error) {
	if b.Status != Unverified {
		return b, nil
	}
	left, err := token.WrongDeposits.Left(ctx, q, b.ApplicationID, b.Fingerprint, m.At)
	b.TriesLeft = min(b.TriesLeft, left)
	return b, err
}

// BankAccountOf returns the bank account that a merchant's payouts go to, verified or not; missing
// if there is none.
func (s *Service) BankAccountOf(ctx context.Context, actor authz.Actor, merchantID int64) (BankAccount, error) {
	if err := s.deps.Check.Check(actor, authz.PayoutRead); err != nil {
		return BankAccount{}, err
	}
	b, err := currentBank(ctx, s.deps.Pool, merchant.Merchant{ApplicationID: actor.ApplicationID, ID: merchantID})
	if errors.Is(err, pg.ErrNone) || !actor.Sees(merchantID) {
		return BankAccount{}, fault.Missing()
	}
	if err != nil {
		return BankAccount{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return BankAccount{}, err
	}
	b, err = triesOf(ctx, s.deps.Pool, b, m)
	return s.deriveBank(b), err
}

func (s *Service) deriveBank(b BankAccount) BankAccount {
	b.Object = "bank_account"
	b.Livemode = s.deps.Livemode
	return b
}
