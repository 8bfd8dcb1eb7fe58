package credentials

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"svcpay/internal/platform/safehttp"
	"svcpay/internal/wallet"
)

// How often root keys are read again: after they were read, and after they could not be.
const (
	readAgain = time.Hour
	tryAgain  = time.Minute
)

// ErrRootKeys is returned for a text that holds no root key of wallet B that is good.
var ErrRootKeys = errors.New("there is no root signing key of the version ECv2 that is good")

// RootKeys are wallet B's root signing keys, which its provider publishes and changes. The zero RootKeys has none.
type RootKeys struct {
	keys atomic.Pointer[[]wallet.RootB]
}

// Now are the keys as they were read last.
func (r *RootKeys) Now() []wallet.RootB {
	if keys := r.keys.Load(); keys != nil {
		return *keys
	}
	return nil
}

// ReadFile reads the keys from a file.
func (r *RootKeys) ReadFile(path string, now time.Time) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return r.take(text, now)
}

// Fetch reads the keys at the provider's address. Those that it had stay if that fails.
func (r *RootKeys) Fetch(ctx context.Context, client *safehttp.Client, address string, now time.Time) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	if answer.Status != http.StatusOK || answer.Cut {
		return fmt.Errorf("it was answered %d, with %d bytes or more", answer.Status, len(answer.Body))
	}
	return r.take(answer.Body, now)
}

// Watch fetches the keys every hour, and every minute after a failure, until ctx ends.
func (r *RootKeys) Watch(ctx context.Context, client *safehttp.Client, address string, now func() time.Time,
	log *slog.Logger) {
	for {
		wait := readAgain
		if err := r.Fetch(ctx, client, address, now()); err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx,
				"the root keys of wallet B cannot be read: its payments are refused when those from before expire",
				"error", err.Error())
			wait = tryAgain
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

func (r *RootKeys) take(text []byte, now time.Time) error {
	keys, err := parseRootKeys(text, now)
	if err == nil {
		r.keys.Store(&keys)
	}
	return err
}

// parseRootKeys reads the provider's list. Keys of other versions, and those that have expired, are left out.
func parseRootKeys(text []byte, now time.Time) (keys []wallet.RootB, err error) {
	var list struct {
		Keys []struct {
			Value   []byte `json:"keyValue"` // base64 of a SubjectPublicKeyInfo
			Version string `json:"protocolVersion"`
			Expires string `json:"keyExpiration"` // milliseconds; missing: never
		} `json:"keys"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, errors.New("not a list of root signing keys in JSON")
	}
	for _, k := range list.Keys {
		if k.Version != "ECv2" {
			continue
		}
		parsed, err := x509.ParsePKIXPublicKey(k.Value)
		key, ok := parsed.(*ecdsa.PublicKey)
		if err != nil || !ok {
			return nil, errors.New("a root signing key that is none")
		}
		root := wallet.RootB{Key: key}
		if k.Expires != "" {
			at, err := strconv.ParseInt(k.Expires, 10, 64)
			if err != nil {
				return nil, errors.New("a root signing key whose expiry is no time")
			}
			if root.Expires = time.UnixMilli(at).UTC(); !now.Before(root.Expires) {
				continue
			}
		}
		keys = append(keys, root)
	}
	if len(keys) == 0 {
		return nil, ErrRootKeys
	}
	return keys, nil
}
