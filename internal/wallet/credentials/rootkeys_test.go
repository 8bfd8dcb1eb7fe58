package credentials

import (
	"bytes"
	"context"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/platform/safehttp"
)

// listed is one key of the provider's list.
func listed(t *testing.T, version, expires string) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(&key(t, elliptic.P256()).PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"keyValue":%q,"protocolVersion":%q%s}`, base64.StdEncoding.EncodeToString(der),
		version, expires)
}

func until(at time.Time) string { return fmt.Sprintf(`,"keyExpiration":"%d"`, at.UnixMilli()) }

func list(keys ...string) []byte { return []byte(`{"keys":[` + strings.Join(keys, ",") + `]}`) }

func TestRootKeysThatAreGoodAreTaken(t *testing.T) {
	t.Parallel()
	text := list(listed(t, "ECv1", ""), listed(t, "ECv2", until(now.Add(-time.Hour))), listed(t, "ECv2SigningOnly", ""),
		listed(t, "ECv2", until(now.Add(time.Hour))), listed(t, "ECv2", ""))
	keys, err := parseRootKeys(text, now)
	if err != nil || len(keys) != 2 || !keys[0].Expires.Equal(now.Add(time.Hour)) || !keys[1].Expires.IsZero() {
		t.Errorf("%v, %v", keys, err)
	}
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"no JSON":       {[]byte("<html>"), "not a list"},
		"none":          {list(), ErrRootKeys.Error()},
		"all expired":   {list(listed(t, "ECv2", until(now))), ErrRootKeys.Error()},
		"no key":        {list(`{"keyValue":"AAAA","protocolVersion":"ECv2"}`), "that is none"},
		"no base64":     {list(`{"keyValue":"?","protocolVersion":"ECv2"}`), "not a list"},
		"no expiration": {list(listed(t, "ECv2", `,"keyExpiration":"soon"`)), "expiry is no time"},
	} {
		_, err := parseRootKeys(c.text, now)
		says(t, name, err, c.want)
	}
}

func TestRootKeysOfAFile(t *testing.T) {
	t.Parallel()
	var r RootKeys
	if r.Now() != nil {
		t.Error("there are keys from the start")
	}
	if err := r.ReadFile(file(t, 0o644, list(listed(t, "ECv2", ""))), now); err != nil || len(r.Now()) != 1 {
		t.Errorf("%v, %v", r.Now(), err)
	}
	if err := r.ReadFile(file(t, 0o644, list()), now); err == nil || len(r.Now()) != 1 {
		t.Errorf("what it had is gone: %v, %v", r.Now(), err)
	}
	says(t, "no file", r.ReadFile("/none/of/it", now), "no such file")
}

// What was read stays when the provider is silent or answers something else, and is replaced when it changes.
func TestRootKeysAreFetchedAgain(t *testing.T) {
	t.Parallel()
	var answer atomic.Pointer[[]byte]
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text := answer.Load()
		if text == nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write(*text) // the test sees what came
	}))
	t.Cleanup(provider.Close)
	client := safehttp.New(safehttp.Policy{Local: true})
	var r RootKeys
	fetch := func() error { return r.Fetch(t.Context(), client, provider.URL, now) }
	says(t, "a refusal", fetch(), "answered 502")
	one, two := list(listed(t, "ECv2", "")), list(listed(t, "ECv2", ""), listed(t, "ECv2", ""))
	answer.Store(&one)
	if err := fetch(); err != nil || len(r.Now()) != 1 {
		t.Errorf("%v, %v", r.Now(), err)
	}
	answer.Store(nil)
	if err := fetch(); err == nil || len(r.Now()) != 1 {
		t.Errorf("after a refusal: %v, %v", r.Now(), err)
	}
	answer.Store(&two)
	if err := fetch(); err != nil || len(r.Now()) != 2 {
		t.Errorf("%v, %v", r.Now(), err)
	}
	large := bytes.Repeat([]byte(" "), safehttp.MaxBody+1)
	answer.Store(&large)
	says(t, "too much", fetch(), "bytes or more")
	if err := r.Fetch(t.Context(), safehttp.New(safehttp.Policy{}), provider.URL, now); err == nil {
		t.Error("an address of this machine was asked")
	}
}

// lines has what is written to it received one by one.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

func TestWatchingEndsAndTellsOfFailures(t *testing.T) {
	t.Parallel()
	provider := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(provider.Close)
	ctx, cancel := context.WithCancel(t.Context())
	log, ended := make(lines), make(chan struct{})
	go func() {
		defer close(ended)
		new(RootKeys).Watch(ctx, safehttp.New(safehttp.Policy{Local: true}), provider.URL,
			func() time.Time { return now }, slog.New(slog.NewTextHandler(log, nil)))
	}()
	if text := <-log; !strings.Contains(text, "level=ERROR") || !strings.Contains(text, "answered 418") {
		t.Error(text)
	}
	cancel()
	<-ended
}

// FuzzRootKeys demands that what is taken holds a key that is good.
func FuzzRootKeys(f *testing.F) {
	f.Add([]byte(
		`{"keys":[{"keyValue":"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/1+3HBVSbdv+j7NaArdgMyoSAM43yRydzqdg1TxodSzA96Dj4Mc1EiKroxxunavVIvdxGnJeFViTzFvzFRxyCw==","protocolVersion":"ECv2","keyExpiration":"1893456000000"}]}`))
	f.Add([]byte(`{"keys":[{"keyExpiration":"-1"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		keys, err := parseRootKeys(text, now)
		if (err == nil) != (len(keys) > 0) {
			t.Errorf("%d keys and %v", len(keys), err)
		}
		for _, k := range keys {
			if k.Key == nil || !k.Expires.IsZero() && !now.Before(k.Expires) {
				t.Errorf("%+v was taken", k)
			}
		}
	})
}
