package identity

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

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
		if is, err := checkPassword(t.Context(), hash, password); err != nil || is.right != want || is.former {
			t.Errorf("%q: %+v, %v", password, is, err)
		}
	}
	for _, bad := range []string{"", "$argon2id$v=19$m=1$x$y$z", "$argon2id$v=19$m=8,t=1,p=1$!$!"} {
		if _, err := checkPassword(t.Context(), bad, "x"); err == nil {
			t.Errorf("%q is taken for a hash", bad)
		}
	}
}

// A password is the same in every form that keyboards give it, and hashes of the form that was typed still count.
func TestPasswordsAreNormalized(t *testing.T) {
	t.Parallel()
	const typed = "Gr\u00fc\u00dfe aus K\u00f6ln 7"
	for _, form := range []string{typed, norm.NFD.String(typed), strings.ReplaceAll(typed, " ", "\u00a0"),
		strings.ReplaceAll(typed, " ", "\u3000")} {
		if prepared(form) != typed {
			t.Errorf("%q is prepared as %q", form, prepared(form))
		}
	}
	old := cost{memory: 8 << 10, passes: 1, lanes: 1}
	salt := []byte("0123456789abcdef")
	former := norm.NFD.String(typed)
	for hashed, want := range map[string]match{typed: {right: true}, former: {true, true}, typed + "x": {}} {
		if is, err := checkPassword(t.Context(), old.format(salt, old.hash(hashed, salt)), former); err != nil ||
			is != want {
			t.Errorf("%q against the hash of %q: %+v, %v", former, hashed, is, err)
		}
	}
	if control := "violet horse\x00battery"; prepared(control) != control {
		t.Error("a password that the profile does not allow is changed")
	}
}
