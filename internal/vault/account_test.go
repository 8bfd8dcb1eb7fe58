package vault_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/vault"
)

var account = sensitive.NewAccountNumber("000912837465")

func TestAccountOpensForItsTokenAlone(t *testing.T) {
	t.Parallel()
	v, ref := vault.New(newKeys(t)), newRef()
	s, err := v.SealAccount(ref, account)
	if err != nil || len(s.PAN) != 0 || len(s.CVC) != 0 || bytes.Contains(s.AccountNumber, []byte(account.Reveal())) {
		t.Fatalf("%+v, %v", s, err)
	}
	if got, err := v.OpenAccount(ref, s); err != nil || got.Reveal() != account.Reveal() {
		t.Errorf("%v, %v", got, err)
	}
	refused := func(name string, v *vault.Vault, ref vault.Ref, s vault.Sealed) {
		if got, err := v.OpenAccount(ref, s); !errors.Is(err, vault.ErrSealed) || !got.IsZero() {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	other := ref
	other.MerchantID++
	refused("another merchant", v, other, s)
	refused("another token", v,
		vault.Ref{Token: newRef().Token, ApplicationID: ref.ApplicationID, MerchantID: ref.MerchantID}, s)
	refused("other keys", vault.New(newKeys(t)), ref, s)
	refused("nothing", v, ref, vault.Sealed{WrappedKey: s.WrappedKey})
	sealedCard, err := v.Seal(ref, card)
	if err != nil {
		t.Fatal(err)
	}
	refused("a card's number", v, ref, vault.Sealed{WrappedKey: sealedCard.WrappedKey, AccountNumber: sealedCard.PAN})
	if got, err := v.Open(ref, vault.Sealed{WrappedKey: s.WrappedKey, PAN: s.AccountNumber}); !errors.Is(err,
		vault.ErrSealed) || !got.PAN.IsZero() {
		t.Errorf("an account's number as a card's: %v", err)
	}
}

func TestAccountsAreKnownAgain(t *testing.T) {
	t.Parallel()
	keys := newKeys(t)
	of := func(k *vault.Keys, routing, number string) string {
		f, err := vault.New(k).AccountFingerprint(routing, sensitive.NewAccountNumber(number))
		if err != nil || len(f) != vault.FingerprintSize {
			t.Fatalf("%x, %v", f, err)
		}
		return string(f)
	}
	first := of(keys, "110000000", "12345")
	if of(keys, "110000000", "12345") != first {
		t.Error("the same account looks different")
	}
	for name, other := range map[string]string{
		"bank": of(keys, "021000021", "12345"), "number": of(keys, "110000000", "12346"),
		"key": of(newKeys(t), "110000000", "12345"),
	} {
		if other == first {
			t.Errorf("another %s looks the same", name)
		}
	}
}

func TestDepositsAreKnownInEitherOrder(t *testing.T) {
	t.Parallel()
	keys, ref := newKeys(t), newRef()
	of := func(k *vault.Keys, ref vault.Ref, a, b int64) string {
		d, err := vault.New(k).DepositsDigest(ref, [2]int64{a, b})
		if err != nil || len(d) != vault.FingerprintSize {
			t.Fatalf("%x, %v", d, err)
		}
		return string(d)
	}
	first := of(keys, ref, 32, 45)
	if of(keys, ref, 45, 32) != first {
		t.Error("the order matters")
	}
	for name, other := range map[string]string{
		"amount": of(keys, ref, 32, 46), "split of digits": of(keys, ref, 3, 245), "token": of(keys, newRef(), 32, 45),
		"key": of(newKeys(t), ref, 32, 45),
	} {
		if other == first {
			t.Errorf("another %s looks the same", name)
		}
	}
}

func TestBothKindsAreTakenAndShredded(t *testing.T) {
	t.Parallel()
	pool, v := pgtest.New(t), vault.New(newKeys(t))
	now := time.UnixMilli(1_700_000_000_000)
	ofCard, ofBank, kept := newRef(), newRef(), newRef()
	in := func(do func(tx *pg.Tx) error) {
		t.Helper()
		if err := pg.InTx(t.Context(), pool, do); err != nil {
			t.Fatal(err)
		}
	}
	in(func(tx *pg.Tx) error {
		sealedCard, err := v.Seal(ofCard, card)
		if err != nil {
			return err
		}
		vault.InsertTx(tx, ofCard.Token, sealedCard, now)
		for _, ref := range []vault.Ref{ofBank, kept} {
			sealedBank, err := v.SealAccount(ref, account)
			if err != nil {
				return err
			}
			vault.InsertTx(tx, ref.Token, sealedBank, now)
		}
		return nil
	})
	all := []ids.Token{ofCard.Token, ofBank.Token, kept.Token}
	take := func() (out map[ids.Token]vault.Sealed) {
		in(func(tx *pg.Tx) (err error) {
			out, err = vault.SealedTx(t.Context(), tx, all, now)
			return err
		})
		return out
	}
	got := take()
	if c, err := v.Open(ofCard, got[ofCard.Token]); err != nil || c.PAN.Reveal() != number ||
		len(got[ofCard.Token].AccountNumber) != 0 {
		t.Errorf("the card: %v", err)
	}
	if n, err := v.OpenAccount(ofBank, got[ofBank.Token]); err != nil || n.Reveal() != account.Reveal() ||
		len(got[ofBank.Token].PAN) != 0 {
		t.Errorf("the account: %v", err)
	}
	in(func(tx *pg.Tx) error { vault.ShredTx(tx, all[:2]); return nil })
	if got = take(); len(got) != 1 || len(got[kept.Token].AccountNumber) == 0 || rows(t, pool, "vault_values") != 1 ||
		rows(t, pool, "vault_keys") != 1 {
		t.Errorf("%d are left", len(got))
	}
}
