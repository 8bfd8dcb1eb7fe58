package identity

import (
	"context"
	"errors"
	"testing"
	"time"

	"svcpay/internal/fault"
)

// Not parallel: it takes every turn that the package's other tests would want.
func TestSignInsDoNotQueueForLong(t *testing.T) {
	for range cap(hashing) {
		hashing <- struct{}{}
		defer func() { <-hashing }()
	}
	begun := time.Now()
	_, err := checkPassword(t.Context(), nobodysHash, "whatever it is")
	if !fault.HasCode(err, "overloaded") || time.Since(begun) < hashingWait {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := hashPassword(ctx, "whatever it is"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left is still waited for: %v", err)
	}
}

func TestStoredHashesKeepTheirOwnCost(t *testing.T) {
	t.Parallel()
	old := cost{memory: 8 << 10, passes: 1, lanes: 1}
	salt := []byte("0123456789abcdef")
	hash := old.format(salt, old.hash("correct horse battery", salt))
	for password, want := range map[string]bool{"correct horse battery": true, "correct horse": false} {
		if right, err := checkPassword(t.Context(), hash, password); err != nil || right != want {
			t.Errorf("%q: %t, %v", password, right, err)
		}
	}
	for _, bad := range []string{"", "$argon2id$v=19$m=1$x$y$z", "$argon2id$v=19$m=8,t=1,p=1$!$!"} {
		if _, err := checkPassword(t.Context(), bad, "x"); err == nil {
			t.Errorf("%q is taken for a hash", bad)
		}
	}
}
