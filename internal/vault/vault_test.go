package vault_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/vault"
)

const (
	number = "4000056655665556"
	code   = "971"
)

var card = vault.Card{PAN: sensitive.NewPAN(number), CVC: sensitive.NewCVC(code)}

func newKeys(t *testing.T) *vault.Keys {
	t.Helper()
	keys, err := vault.CreateKeyFile(filepath.Join(t.TempDir(), "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func newRef() vault.Ref {
	return vault.Ref{Token: ids.NewToken(time.UnixMilli(1_700_000_000_000)), ApplicationID: 7, MerchantID: 1042}
}

func TestWhatIsSealedOpens(t *testing.T) {
	t.Parallel()
	v, ref := vault.New(newKeys(t)), newRef()
	s, err := v.Seal(ref, card)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Open(ref, s); err != nil || got.PAN.Reveal() != number || got.CVC.Reveal() != code {
		t.Errorf("%v", err)
	}
	s.CVC = nil
	if got, err := v.Open(ref, s); err != nil || got.PAN.Reveal() != number || !got.CVC.IsZero() {
		t.Errorf("without a code: %v", err)
	}
	if bare, err := v.Seal(ref, vault.Card{PAN: card.PAN}); err != nil || len(bare.CVC) != 0 {
		t.Errorf("no code was sealed into %d bytes, %v", len(bare.CVC), err)
	}
	again, err := v.Seal(ref, card)
	if err != nil || bytes.Equal(again.PAN, s.PAN) || bytes.Equal(again.WrappedKey, s.WrappedKey) {
		t.Error("the same card sealed twice looks the same")
	}
	if all := slices.Concat(again.WrappedKey, again.PAN, again.CVC); bytes.Contains(all, []byte(number)) ||
		bytes.Contains(all, []byte(number[6:])) {
		t.Error("the number is visible")
	}
}

func TestNothingElseOpens(t *testing.T) {
	t.Parallel()
	v, ref := vault.New(newKeys(t)), newRef()
	s, err := v.Seal(ref, card)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name string, v *vault.Vault, ref vault.Ref, s vault.Sealed) {
		if got, err := v.Open(ref, s); !errors.Is(err, vault.ErrSealed) || !got.PAN.IsZero() || !got.CVC.IsZero() {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	refused("other keys", vault.New(newKeys(t)), ref, s)
	refused("another token", v, vault.Ref{Token: newRef().Token, ApplicationID: 7, MerchantID: 1042}, s)
	refused("another application", v, vault.Ref{Token: ref.Token, ApplicationID: 8, MerchantID: 1042}, s)
	refused("another merchant", v, vault.Ref{Token: ref.Token, ApplicationID: 7, MerchantID: 1043}, s)
	refused("both numbers swapped", v, vault.Ref{Token: ref.Token, ApplicationID: 1042, MerchantID: 7}, s)
	refused("code for number", v, ref, vault.Sealed{WrappedKey: s.WrappedKey, PAN: s.CVC})
	refused("number for code", v, ref, vault.Sealed{WrappedKey: s.WrappedKey, PAN: s.PAN, CVC: s.PAN})
	refused("nothing", v, ref, vault.Sealed{})
	other, err := v.Seal(ref, card)
	if err != nil {
		t.Fatal(err)
	}
	refused("another key", v, ref, vault.Sealed{WrappedKey: other.WrappedKey, PAN: s.PAN})
	rapid.Check(t, func(rt *rapid.T) {
		spoiled := vault.Sealed{WrappedKey: slices.Clone(s.WrappedKey), PAN: slices.Clone(s.PAN),
			CVC: slices.Clone(s.CVC)}
		part := rapid.SampledFrom([][]byte{spoiled.WrappedKey, spoiled.PAN, spoiled.CVC}).Draw(rt, "part")
		bit := rapid.IntRange(0, len(part)*8-1).Draw(rt, "bit")
		part[bit/8] ^= 1 << (bit % 8)
		if got, err := v.Open(ref, spoiled); err == nil && got.PAN.Reveal()+got.CVC.Reveal() != number+code {
			rt.Fatalf("bit %d opens as something else", bit)
			// the wrapped key's frame has bits without a meaning
		} else if err == nil && &part[0] != &spoiled.WrappedKey[0] {
			rt.Fatalf("bit %d of a value does not matter", bit)
		}
	})
}

func TestFingerprintKnowsTheSameCard(t *testing.T) {
	t.Parallel()
	keys := newKeys(t)
	of := func(k *vault.Keys, number string) string {
		f, err := vault.New(k).Fingerprint(sensitive.NewPAN(number))
		if err != nil || len(f) != vault.FingerprintSize {
			t.Fatalf("%x, %v", f, err)
		}
		return string(f)
	}
	first := of(keys, number)
	if again := of(keys, number); again != first || of(keys, number+"0") == first || of(newKeys(t), number) == first {
		t.Error("fingerprints do not tell cards and keys apart")
	}
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	made, err := vault.CreateKeyFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	ref := newRef()
	s, err := vault.New(made).Seal(ref, card)
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(string) (*vault.Keys, error){"created again": vault.CreateKeyFile,
		"read": vault.ReadKeyFile} {
		again, err := read(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := vault.New(again).Open(ref, s); err != nil || got.PAN.Reveal() != number {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o660, 0o601} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := vault.ReadKeyFile(path); !errors.Is(err, vault.ErrKeyFileMode) {
			t.Errorf("mode %o is read: %v", mode, err)
		}
	}
	if _, err := vault.ReadKeyFile(path + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, text := range []string{"", "{}", "not json c2VjcmV0",
		`{"key_encryption":{"primaryKeyId":1},"fingerprint":{"c2VjcmV0":1}}`} {
		bad := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := vault.CreateKeyFile(bad); err == nil || strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%q is read, or quoted: %v", text, err)
		}
		if kept, _ := os.ReadFile(bad); string(kept) != text {
			t.Errorf("%q was replaced", text)
		}
	}
}

func TestMakersAtOnceShareOneKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	var vaults [8]*vault.Vault
	var all sync.WaitGroup
	for i := range vaults {
		all.Go(func() {
			keys, err := vault.CreateKeyFile(path)
			if err != nil {
				t.Error(err)
			}
			vaults[i] = vault.New(keys)
		})
	}
	all.Wait()
	ref := newRef()
	s, err := vaults[0].Seal(ref, card)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vaults {
		if _, err := v.Open(ref, s); err != nil {
			t.Errorf("maker %d has other keys than maker 0", i)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCodeIsGivenOnce(t *testing.T) {
	t.Parallel()
	pool, v := pgtest.New(t), vault.New(newKeys(t))
	now := time.UnixMilli(1_700_000_000_000)
	ref, other, none := newRef(), newRef(), newRef()
	insert := func(ref vault.Ref, card vault.Card) {
		t.Helper()
		s, err := v.Seal(ref, card)
		if err == nil {
			err = pg.InTx(t.Context(), pool,
				func(tx *pg.Tx) error { vault.InsertTx(tx, ref.Token, s, now); return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	take := func(at time.Time, refs ...vault.Ref) map[ids.Token]vault.Sealed {
		t.Helper()
		var out map[ids.Token]vault.Sealed
		err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) (err error) {
			var tokens []ids.Token
			for _, r := range refs {
				tokens = append(tokens, r.Token)
			}
			out, err = vault.SealedTx(t.Context(), tx, tokens, at)
			for token, s := range out {
				vault.SpendTx(tx, token, s)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	insert(ref, card)
	insert(other, card)
	insert(none, vault.Card{PAN: card.PAN})
	got := take(now.Add(vault.CVCLife-time.Millisecond), ref, none, newRef())
	wallet := vault.Sealed{PAN: got[ref.Token].PAN, Cryptogram: []byte("once")}
	for _, s := range []vault.Sealed{got[ref.Token].Spent(), wallet.Spent()} {
		if len(s.CVC) > 0 || len(s.Cryptogram) > 0 || len(s.PAN) == 0 {
			t.Error("what is for one payment is left for the next")
		}
	}
	if c, err := v.Open(ref, got[ref.Token]); err != nil || c.CVC.Reveal() != code || len(got) != 2 ||
		len(got[none.Token].CVC) != 0 {
		t.Errorf("taken %d, %v", len(got), err)
	}
	if c, err := v.Open(ref, take(now, ref)[ref.Token]); err != nil || !c.CVC.IsZero() || c.PAN.Reveal() != number {
		t.Errorf("the second time: %v", err)
	}
	if late := take(now.Add(vault.CVCLife), other)[other.Token]; len(late.CVC) != 0 || len(late.PAN) == 0 {
		t.Error("an expired code is given")
	}
	if n := rows(t, pool, "vault_cvcs"); n != 0 {
		t.Errorf("%d codes are kept", n)
	}
}

func rows(t *testing.T, q pg.Querier, table string) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), q, `SELECT count(*)::int FROM `+table, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPurgeAndShred(t *testing.T) {
	t.Parallel()
	pool, v := pgtest.New(t), vault.New(newKeys(t))
	start := time.UnixMilli(1_700_000_000_000)
	refs := []vault.Ref{newRef(), newRef(), newRef()}
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		for i, ref := range refs {
			s, err := v.Seal(ref, card)
			if err != nil {
				return err
			}
			vault.InsertTx(tx, ref.Token, s, start.Add(time.Duration(i)*time.Minute))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := vault.PurgeCVCs(t.Context(), pool, start.Add(vault.CVCLife+time.Minute)); err != nil || n != 2 ||
		rows(t, pool, "vault_cvcs") != 1 {
		t.Errorf("purged %d, %v", n, err)
	}
	if _, err := pg.Exec(t.Context(), pool, `DELETE FROM vault_keys
		WHERE token_id = @id`, pg.Args{"id": refs[2].Token}); err != nil {
		t.Fatal(err)
	}
	if rows(t, pool, "vault_values") != 2 || rows(t, pool, "vault_cvcs") != 0 {
		t.Error("a deleted key leaves sealed values")
	}
}
