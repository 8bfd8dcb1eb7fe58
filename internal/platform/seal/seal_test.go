package seal_test

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/platform/seal"
)

func box(t *testing.T) *seal.Box {
	t.Helper()
	h, err := seal.NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	b, err := seal.New(h)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOnlyThePurposeAndTheKeyOpen(t *testing.T) {
	t.Parallel()
	mine, other := box(t), box(t)
	rapid.Check(t, func(t *rapid.T) {
		secret, purpose := rapid.SliceOfN(rapid.Byte(), 1, 64).Draw(t, "secret"), rapid.String().Draw(t, "purpose")
		sealed, err := mine.Seal(secret, purpose)
		if err != nil || len(secret) > 8 && bytes.Contains(sealed, secret) {
			t.Fatalf("%x is sealed as %x, %v", secret, sealed, err)
		}
		if open, err := mine.Open(sealed, purpose); err != nil || !bytes.Equal(open, secret) {
			t.Fatalf("opens as %x, %v", open, err)
		}
		changed := bytes.Clone(sealed)
		changed[rapid.IntRange(0, len(sealed)-1).Draw(t, "byte")] ^= 1
		for name, try := range map[string]func() ([]byte, error){
			"another purpose": func() ([]byte, error) { return mine.Open(sealed, purpose+"x") },
			"another key":     func() ([]byte, error) { return other.Open(sealed, purpose) },
			"changed":         func() ([]byte, error) { return mine.Open(changed, purpose) },
			"cut":             func() ([]byte, error) { return mine.Open(sealed[:len(sealed)-1], purpose) },
		} {
			if open, err := try(); !errors.Is(err, seal.ErrSealed) {
				t.Fatalf("%s: %x, %v", name, open, err)
			}
		}
	})
}
